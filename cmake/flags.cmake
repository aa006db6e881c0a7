# Compiler flags: what all of our code gets, and what only the kernels get.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

# zerocast_flags is linked by every target of ours and never exported.
add_library(zerocast_flags INTERFACE)
target_include_directories(zerocast_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
# POSIX for files and threads; _DEFAULT_SOURCE for madvise.
target_compile_definitions(zerocast_flags INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(
    zerocast_flags
    INTERFACE -Wall
              -Wextra
              -Wconversion
              -Wshadow
              -Wmissing-prototypes
              -Wstrict-prototypes
              -ffp-contract=off # a*b+c rounds twice on every machine: the executors give the same bits
              $<$<BOOL:${ZEROCAST_WERROR}>:-Werror>)

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
set(ZEROCAST_KERNEL_FLAGS -fwrapv -fno-math-errno -fno-trapping-math $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>
                          $<$<NOT:$<CONFIG:Coverage,Mcdc>>:-O3>)

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
endif()
