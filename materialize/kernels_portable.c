/* The kernels for any machine: plain C, and the reference for the others. */
#define ZC_TABLE      zc_kernels_portable
#define ZC_TABLE_NAME "portable"
#include "materialize/kernels_tmpl.c"
