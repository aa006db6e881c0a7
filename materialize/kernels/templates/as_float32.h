/* Names that the *_tmpl.h files need for float32. Included beside them, once for each. */
#undef ZC_M
#undef ZC_BITS_T
#undef ZC_EPSILON
#undef ZC_LEAST
#define ZC_D           float32
#define ZC_T           float
#define ZC_M(function) function##f
#define ZC_BITS_T      uint32_t
#define ZC_EPSILON     0x1p-23f
#define ZC_LEAST       0x1p-149f
