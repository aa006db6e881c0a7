/* The kernels for x86-64 with AVX2: the same source, compiled for x86-64-v3. */
#define ZC_TABLE        zc_kernels_avx2
#define ZC_TABLE_NAME   "avx2"
#define ZC_VECTOR_BYTES 32
#include "materialize/kernels_tmpl.c"
