# Compiler flags: what all of our code gets, and what only the kernels get.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

# zerocast_flags is linked by every target of ours and never exported.
add_library(zerocast_flags INTERFACE)
target_include_directories(zerocast_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
# POSIX for files and threads; _DEFAULT_SOURCE for madvise.
target_compile_definitions(zerocast_flags INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(zerocast_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes
                                                -Wstrict-prototypes)
if(ZEROCAST_WERROR)
    target_compile_options(zerocast_flags INTERFACE -Werror)
elseif(NOT PROJECT_IS_TOP_LEVEL) # whose warnings are not ours
    set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
    target_compile_options(zerocast_flags INTERFACE -Wno-error)
endif()

# Arithmetic is C's, in the default environment: the executors and every machine give the same bits. a*b+c rounds twice;
# and what a project says that this one is a part of (-Ofast, -ffast-math, -frounding-math ...) is taken back. Flags of one
# SHELL: stay together and last, where CMake would leave those out that came before.
set(ZEROCAST_ARITHMETIC_FLAGS)
foreach(
    flag
    -fno-fast-math
    -fno-unsafe-math-optimizations
    -fno-associative-math
    -fno-reciprocal-math
    -fno-finite-math-only
    -fsigned-zeros
    -fno-rounding-math
    -fno-single-precision-constant
    -fno-cx-limited-range
    -fno-cx-fortran-rules
    -fno-allow-store-data-races
    -fno-trapv
    -fdenormal-fp-math=ieee
    -ffp-contract=off)
    string(MAKE_C_IDENTIFIER "ZEROCAST_HAS${flag}" has_flag)
    check_c_compiler_flag(${flag} ${has_flag})
    if(${has_flag})
        list(APPEND ZEROCAST_ARITHMETIC_FLAGS ${flag})
    endif()
endforeach()
list(JOIN ZEROCAST_ARITHMETIC_FLAGS " " flags)
target_compile_options(zerocast_flags INTERFACE "SHELL:${flags}")

# clang has no word to take -ftrapv back, so it is left out of what we were given.
if(NOT ZEROCAST_HAS_fno_trapv)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    foreach(variable CMAKE_C_FLAGS CMAKE_C_FLAGS_${type})
        string(REPLACE "-ftrapv" "" ${variable} "${${variable}}")
    endforeach()
    get_directory_property(options COMPILE_OPTIONS)
    list(REMOVE_ITEM options -ftrapv)
    set_directory_properties(PROPERTIES COMPILE_OPTIONS "${options}")
endif()

# Intermediate results that are rounded later than C says would have other bits. gcc computes floats in double where the
# C library says so (s390x), unless it is asked for speed; SSE2 rounds what the x87 does not.
set(rounds_each_step
    "#include <float.h>
     #if FLT_EVAL_METHOD != 0
     #error rounds later
     #endif
     int main(void) { return 0; }")
check_c_source_compiles("${rounds_each_step}" ZEROCAST_ROUNDS_EACH_STEP)
set(ZEROCAST_ROUNDING_FLAGS)
if(NOT ZEROCAST_ROUNDS_EACH_STEP)
    set(CMAKE_REQUIRED_FLAGS -fexcess-precision=fast)
    check_c_source_compiles("${rounds_each_step}" ZEROCAST_ROUNDS_EACH_STEP_OF_FLOATS)
    set(CMAKE_REQUIRED_FLAGS "-msse2 -mfpmath=sse")
    check_c_source_compiles("${rounds_each_step}" ZEROCAST_ROUNDS_EACH_STEP_BY_SSE2)
    unset(CMAKE_REQUIRED_FLAGS)
    if(ZEROCAST_ROUNDS_EACH_STEP_OF_FLOATS)
        set(ZEROCAST_ROUNDING_FLAGS -fexcess-precision=fast)
    elseif(ZEROCAST_ROUNDS_EACH_STEP_BY_SSE2)
        set(ZEROCAST_ROUNDING_FLAGS -msse2 -mfpmath=sse)
    else()
        message(FATAL_ERROR "This machine rounds results of float and double later than each operation (FLT_EVAL_METHOD is "
                            "not 0), and not even with SSE2: results would have other bits than elsewhere.")
    endif()
    target_compile_options(zerocast_flags INTERFACE ${ZEROCAST_ROUNDING_FLAGS})
endif()

# GCC clears some hundred bytes by an instruction that takes longer to begin than stores take to end.
set(ZEROCAST_CLEARING -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
check_c_compiler_flag(${ZEROCAST_CLEARING} ZEROCAST_HAS_CLEARING)
if(ZEROCAST_HAS_CLEARING)
    target_compile_options(zerocast_flags INTERFACE $<$<CONFIG:Release>:${ZEROCAST_CLEARING}>)
endif()

# Builds for debugging tell of scopes that are ended twice, at a price of some kilobytes per context.
target_compile_definitions(zerocast_flags INTERFACE $<$<CONFIG:Debug,Coverage>:ZC_KEEP_ENDED_SCOPES>)

# Coverage is a build type of its own, so that the kernels stay unoptimised and keep their branches there.
set(CMAKE_C_FLAGS_COVERAGE "-O0 -g --coverage")
set(CMAKE_EXE_LINKER_FLAGS_COVERAGE "--coverage")
set(CMAKE_SHARED_LINKER_FLAGS_COVERAGE "--coverage")

# The same for clang's counters, which tell the conditions of a decision apart.
set(CMAKE_C_FLAGS_MCDC "-O1 -g -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc")
set(CMAKE_EXE_LINKER_FLAGS_MCDC "-fprofile-instr-generate")
set(CMAKE_SHARED_LINKER_FLAGS_MCDC "-fprofile-instr-generate")

# Kernels: gcc vectorises from -O3 on; integers wrap. Nobody reads errno or the floating-point exception flags, so
# square roots and selections may become vector instructions; neither flag changes a result. clang would warn of every
# loop it leaves scalar, such as those of division.
set(ZEROCAST_KERNEL_FLAGS -fwrapv -fno-math-errno -fno-trapping-math $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
# clang 14 to 17 take -fno-fast-math for a word about traps, which the kernels then take back.
check_c_compiler_flag(-Wno-overriding-t-option ZEROCAST_HAS_OVERRIDING_T)
if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND ZEROCAST_HAS_OVERRIDING_T)
    list(APPEND ZEROCAST_KERNEL_FLAGS -Wno-overriding-t-option)
endif()
if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    list(APPEND ZEROCAST_KERNEL_FLAGS $<$<NOT:$<CONFIG:Coverage,Mcdc>>:${ZEROCAST_KERNEL_OPTIMISATION}>)
else()
    # A kernel has thousands of loops. Sanitizers keep them from being vectorised whatever the level, and following every
    # variable through instrumented code takes gcc longer than all the rest, so lines are enough here. Checks of
    # addresses are calls: less to compile. Undefined behavior that ends in a bad address is left to these, and takes two
    # thirds of the time where it has checks of its own.
    list(APPEND ZEROCAST_KERNEL_FLAGS -O1 -g1)
    if(CMAKE_C_FLAGS MATCHES "address,undefined")
        list(APPEND ZEROCAST_KERNEL_FLAGS -fno-sanitize=null,object-size,pointer-overflow)
    endif()
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND ZEROCAST_KERNEL_FLAGS --param=asan-instrumentation-with-call-threshold=0)
    endif()
endif()

# The integers' and complex kernels need only the vectors of -O3; the rest takes a fifth of their time to compile. Where
# there are kernels for x86, the portable ones serve the reference executor and old machines, so only loops that are as
# easy as copies become vectors. Neither changes a result.
set(ZEROCAST_VECTORS_ALONE)
set(ZEROCAST_SERVES_REFERENCE)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND ZEROCAST_KERNEL_OPTIMISATION STREQUAL "-O3" AND NOT CMAKE_C_FLAGS MATCHES
                                                                                      "-fsanitize")
    set(ZEROCAST_VECTORS_ALONE
        "$<$<NOT:$<CONFIG:Coverage,Mcdc,Debug>>:-O2;-ftree-vectorize;-fvect-cost-model=dynamic>")
    set(ZEROCAST_SERVES_REFERENCE "$<$<NOT:$<CONFIG:Coverage,Mcdc,Debug>>:-O2;-fvect-cost-model=very-cheap>")
endif()

# Moves by strides: a loop of four instructions that crosses a cache line takes 1.7 times as long, and whether it does
# depends on the size of the code before it. In kernels with nests of loops the same costs more than it gains.
set(ZEROCAST_ALIGNED)
check_c_compiler_flag(-falign-loops=32 ZEROCAST_ALIGNS_LOOPS)
if(ZEROCAST_ALIGNS_LOOPS)
    set(ZEROCAST_ALIGNED "$<$<NOT:$<CONFIG:Coverage,Mcdc,Debug>>:-falign-loops=32>")
endif()

# Elementary functions: the operations on a vector wait for each other, and what a processor looks ahead is too short to
# find the next vectors behind them. So gcc lays four vectors out and orders their instructions by turns; nor does it
# compute ahead what a function is of the ends of its range (-ftree-pre), which doubles operations behind a selection.
# None of it changes a result.
set(ZEROCAST_INTERLEAVED)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND ZEROCAST_KERNEL_OPTIMISATION STREQUAL "-O3" AND NOT CMAKE_C_FLAGS MATCHES
                                                                                      "-fsanitize")
    set(ZEROCAST_INTERLEAVED
        "$<$<NOT:$<CONFIG:Coverage,Mcdc,Debug>>:-fno-tree-pre;-funroll-loops;--param=max-unroll-times=4;--param=max-unrolled-insns=3000;--param=max-average-unrolled-insns=1000;-fschedule-insns;-fsched-pressure;--param=sched-pressure-algorithm=2>"
    )
endif()

# The tests also compare a table of kernels that compute fused multiply-adds in integers, as the portable ones do
# elsewhere, where the compiler's baseline has them.
check_c_source_compiles(
    "#if !defined(__FP_FAST_FMA) && !defined(__FMA__)
     #error no fused multiply-add
     #endif
     int main(void) { return 0; }"
    ZEROCAST_FUSES)
if(ZEROCAST_FUSES AND ZEROCAST_TESTS)
    set(ZEROCAST_SOFTWARE_KERNELS ON)
    target_compile_definitions(zerocast_flags INTERFACE ZC_HAVE_SOFTWARE_KERNELS)
endif()

check_c_source_compiles(
    "#if !defined(__x86_64__)
     #error not x86-64
     #endif
     int main(void) { return 0; }"
    ZEROCAST_IS_X86_64)
if(ZEROCAST_IS_X86_64)
    check_c_compiler_flag(-march=x86-64-v3 ZEROCAST_HAS_V3)
    check_c_compiler_flag("-march=x86-64-v4 -mprefer-vector-width=512" ZEROCAST_HAS_V4)
endif()
if(ZEROCAST_HAS_V3 AND ZEROCAST_HAS_V4 AND NOT ZEROCAST_PORTABLE_KERNELS)
    set(ZEROCAST_X86_KERNELS ON)
    target_compile_definitions(zerocast_flags INTERFACE ZC_HAVE_X86_KERNELS)
    set(flags_of_processors)
    if(ZEROCAST_MACHINE_KERNELS AND EXISTS /proc/cpuinfo)
        file(STRINGS /proc/cpuinfo flags_of_processors REGEX "^flags" LIMIT_COUNT 1)
    endif()
    if(NOT flags_of_processors OR flags_of_processors MATCHES " avx512vl ")
        set(ZEROCAST_AVX512_KERNELS ON)
        target_compile_definitions(zerocast_flags INTERFACE ZC_HAVE_AVX512_KERNELS)
    endif()
endif()
