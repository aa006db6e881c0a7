/* Names that the *_tmpl.h files need for float64. Included beside them, once for each. */
#undef ZC_M
#undef ZC_BITS_T
#undef ZC_EPSILON
#undef ZC_LEAST
#define ZC_D           float64
#define ZC_T           double
#define ZC_M(function) function
#define ZC_BITS_T      uint64_t
#define ZC_EPSILON     0x1p-52
#define ZC_LEAST       0x1p-1074
