/*
 * Names of kernels. A kernel f of a dtype is the function zc_f_DTYPE_ISA, such as zc_map_add_float32_avx512: each
 * is compiled once per instruction set. Functions that only a kernel calls are static, and called f_DTYPE.
 */
#ifndef ZC_MATERIALIZE_KERNELS_TEMPLATES_NAMES_H
#define ZC_MATERIALIZE_KERNELS_TEMPLATES_NAMES_H

#define ZC_JOIN_(a, b) a##_##b
#define ZC_JOIN(a, b)  ZC_JOIN_(a, b)

/* Names for the dtype that is being compiled, ZC_D. */
#define ZC_FN(f)     ZC_JOIN(f, ZC_D)
#define ZC_KERNEL(f) ZC_KERNEL_OF(f, ZC_D)

#define ZC_KERNEL_OF(f, dtype)        ZC_KERNEL_OF_(f, dtype, ZC_ISA)
#define ZC_KERNEL_OF_(f, dtype, isa)  ZC_KERNEL_NAME(f, dtype, isa)
#define ZC_KERNEL_NAME(f, dtype, isa) zc_##f##_##dtype##_##isa

/* Names without a dtype: zc_f_ISA. */
#define ZC_KERNEL_OF_ALL(f)           ZC_KERNEL_OF_ALL_(f, ZC_ISA)
#define ZC_KERNEL_OF_ALL_(f, isa)     ZC_KERNEL_NAME_OF_ALL(f, isa)
#define ZC_KERNEL_NAME_OF_ALL(f, isa) zc_##f##_##isa

/* A prototype, by the type of the function. */
#define ZC_DECLARE(NAME, dtype, type, f) type ZC_KERNEL_OF(f, dtype);

#endif
