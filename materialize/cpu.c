/* Which kernels this machine runs, and the elements reductions pad with. */
#include <math.h>
#include <stdatomic.h>

#include "materialize/kernels.h"

static const zc_kernels *choose(void)
{
#if defined(ZC_HAVE_X86_KERNELS)
    /* LCOV_EXCL_START: which branches are taken, the machine decides */
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        return &zc_kernels_avx512;
    /* What has these has the rest of x86-64-v3, conversions of float16 included. */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return &zc_kernels_avx2;
        /* LCOV_EXCL_STOP */
#endif
    return &zc_kernels_portable; /* LCOV_EXCL_LINE: on another machine */
}

const zc_kernels *zc_kernels_best(void)
{
    static const zc_kernels *_Atomic best;
    const zc_kernels *known = atomic_load_explicit(&best, memory_order_acquire);
    if (known == NULL) {
        known = choose(); /* the same for every thread, so a race writes the same value twice */
        atomic_store_explicit(&best, known, memory_order_release);
    }
    return known;
}

/* LOWEST and HIGHEST in reductions.def. */
#define LOWEST  (-INFINITY)
#define HIGHEST (INFINITY)

zc_scalar zc_reduction_padding(zc_reduction reduction, zc_dtype dtype)
{
    static const double paddings[ZC_REDUCTION_COUNT] = {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant) [ZC_REDUCTION_##NAME] = (padding),
#include "runtime/reductions.def"
#undef ZC_REDUCTION
    };
    /* Conversion saturates, so an infinity is the extreme of an integer dtype. */
    double padding = paddings[reduction];
    if (dtype == ZC_BOOL && padding < 0)
        padding = 0;
    /* A sum keeps the sign of zeros in both parts. */
    zc_scalar both = {.complex128 = {padding, padding == 0 ? padding : 0}};
    if (zc_dtype_is_complex(dtype))
        return zc_scalar_convert(both, ZC_COMPLEX128, dtype);
    return zc_scalar_convert((zc_scalar){.float64 = padding}, ZC_FLOAT64, dtype);
}
