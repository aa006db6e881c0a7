/* The kernels for x86-64 with AVX-512: the same source, compiled for x86-64-v4 with 512-bit vectors. */
#define ZC_TABLE        zc_kernels_avx512
#define ZC_TABLE_NAME   "avx512"
#define ZC_VECTOR_BYTES 64
#include "materialize/kernels_tmpl.c"
