/*
 * Which dtypes a domain of ops.def and an accumulator of reductions.def has: said here and nowhere else. The functions
 * and the entries of the tables are both made from it, so neither can have what the other lacks.
 *
 * Dtypes come in groups. INTEGER: of 8 to 32 bits; LONG: of 64 bits, in which integers are summed. WIDE: float32 and
 * float64. NARROW: the 16-bit floats, which compute in float32.
 */
#ifndef ZC_MATERIALIZE_KERNELS_DOMAINS_H
#define ZC_MATERIALIZE_KERNELS_DOMAINS_H

/* ---- The dtypes of a group: m(NAME, name, what else) for each ---- */

#define ZC_EACH_BOOL(m, ...) m(BOOL, bool_, __VA_ARGS__)
#define ZC_EACH_INTEGER(is_signless, m, ...)                                                                           \
    m(INT8, ZC_SERVING(is_signless, int8), __VA_ARGS__) m(INT16, ZC_SERVING(is_signless, int16), __VA_ARGS__)          \
        m(INT32, ZC_SERVING(is_signless, int32), __VA_ARGS__) m(UINT8, uint8, __VA_ARGS__)                             \
            m(UINT16, uint16, __VA_ARGS__) m(UINT32, uint32, __VA_ARGS__)
#define ZC_EACH_LONG(is_signless, m, ...)                                                                              \
    m(INT64, ZC_SERVING(is_signless, int64), __VA_ARGS__) m(UINT64, uint64, __VA_ARGS__)
#define ZC_EACH_WIDE(m, ...)    m(FLOAT32, float32, __VA_ARGS__) m(FLOAT64, float64, __VA_ARGS__)
#define ZC_EACH_NARROW(m, ...)  m(FLOAT16, float16, __VA_ARGS__) m(BFLOAT16, bfloat16, __VA_ARGS__)
#define ZC_EACH_COMPLEX(m, ...) m(COMPLEX64, complex64, __VA_ARGS__) m(COMPLEX128, complex128, __VA_ARGS__)
#define ZC_EACH_DTYPE(is_signless, m, ...)                                                                             \
    ZC_EACH_BOOL(m, __VA_ARGS__)                                                                                       \
    ZC_EACH_INTEGER(is_signless, m, __VA_ARGS__)                                                                       \
    ZC_EACH_LONG(is_signless, m, __VA_ARGS__)                                                                          \
    ZC_EACH_WIDE(m, __VA_ARGS__)                                                                                       \
    ZC_EACH_NARROW(m, __VA_ARGS__)                                                                                     \
    ZC_EACH_COMPLEX(m, __VA_ARGS__)

/* The dtype whose kernels serve a signed integer: where they know no sign, the unsigned one. */
#define ZC_SERVING(is_signless, dtype)  ZC_SERVING_(is_signless, dtype)
#define ZC_SERVING_(is_signless, dtype) ZC_SERVING_##is_signless(dtype)
#define ZC_SERVING_YES(dtype)           u##dtype
#define ZC_SERVING_NO(dtype)            dtype

/* ---- The groups of a domain. Of complex elements a row of ops.def says for itself whether it takes them, too. ---- */

#define ZC_HAS_ANY_BOOL             YES
#define ZC_HAS_ANY_INTEGER          YES
#define ZC_HAS_ANY_LONG             YES
#define ZC_HAS_ANY_WIDE             YES
#define ZC_HAS_ANY_NARROW           YES
#define ZC_HAS_ANY_COMPLEX          YES
#define ZC_HAS_ANY_SIGNLESS_BOOL    YES
#define ZC_HAS_ANY_SIGNLESS_INTEGER YES
#define ZC_HAS_ANY_SIGNLESS_LONG    YES
#define ZC_HAS_ANY_SIGNLESS_WIDE    YES
#define ZC_HAS_ANY_SIGNLESS_NARROW  YES
#define ZC_HAS_ANY_SIGNLESS_COMPLEX YES
#define ZC_HAS_NUMBER_BOOL          NO
#define ZC_HAS_NUMBER_INTEGER       YES
#define ZC_HAS_NUMBER_LONG          YES
#define ZC_HAS_NUMBER_WIDE          YES
#define ZC_HAS_NUMBER_NARROW        YES
#define ZC_HAS_NUMBER_COMPLEX       YES
#define ZC_HAS_SIGNLESS_BOOL        NO
#define ZC_HAS_SIGNLESS_INTEGER     YES
#define ZC_HAS_SIGNLESS_LONG        YES
#define ZC_HAS_SIGNLESS_WIDE        YES
#define ZC_HAS_SIGNLESS_NARROW      YES
#define ZC_HAS_SIGNLESS_COMPLEX     YES
#define ZC_HAS_BLOCKS_BOOL          NO
#define ZC_HAS_BLOCKS_INTEGER       YES
#define ZC_HAS_BLOCKS_LONG          YES
#define ZC_HAS_BLOCKS_WIDE          YES
#define ZC_HAS_BLOCKS_NARROW        YES
#define ZC_HAS_BLOCKS_COMPLEX       YES
#define ZC_HAS_BITS_BOOL            YES
#define ZC_HAS_BITS_INTEGER         YES
#define ZC_HAS_BITS_LONG            YES
#define ZC_HAS_BITS_WIDE            NO
#define ZC_HAS_BITS_NARROW          NO
#define ZC_HAS_BITS_COMPLEX         NO
#define ZC_HAS_SHIFT_BOOL           YES
#define ZC_HAS_SHIFT_INTEGER        YES
#define ZC_HAS_SHIFT_LONG           YES
#define ZC_HAS_SHIFT_WIDE           NO
#define ZC_HAS_SHIFT_NARROW         NO
#define ZC_HAS_SHIFT_COMPLEX        NO
#define ZC_HAS_FLOAT_BOOL           NO
#define ZC_HAS_FLOAT_INTEGER        NO
#define ZC_HAS_FLOAT_LONG           NO
#define ZC_HAS_FLOAT_WIDE           YES
#define ZC_HAS_FLOAT_NARROW         YES
#define ZC_HAS_FLOAT_COMPLEX        YES
#define ZC_HAS_RANGED_BOOL          NO
#define ZC_HAS_RANGED_INTEGER       NO
#define ZC_HAS_RANGED_LONG          NO
#define ZC_HAS_RANGED_WIDE          YES
#define ZC_HAS_RANGED_NARROW        YES
#define ZC_HAS_RANGED_COMPLEX       YES
#define ZC_HAS_FORMAT_BOOL          NO
#define ZC_HAS_FORMAT_INTEGER       NO
#define ZC_HAS_FORMAT_LONG          NO
#define ZC_HAS_FORMAT_WIDE          YES
#define ZC_HAS_FORMAT_NARROW        YES
#define ZC_HAS_FORMAT_COMPLEX       YES
#define ZC_HAS_TRUTH_BOOL           YES
#define ZC_HAS_TRUTH_INTEGER        NO
#define ZC_HAS_TRUTH_LONG           NO
#define ZC_HAS_TRUTH_WIDE           NO
#define ZC_HAS_TRUTH_NARROW         NO
#define ZC_HAS_TRUTH_COMPLEX        NO
#define ZC_HAS_SELECT_BOOL          YES
#define ZC_HAS_SELECT_INTEGER       YES
#define ZC_HAS_SELECT_LONG          YES
#define ZC_HAS_SELECT_WIDE          YES
#define ZC_HAS_SELECT_NARROW        NO
#define ZC_HAS_SELECT_COMPLEX       YES

/* SELECT of 16-bit floats is that of uint16: bits are bits. */

/* The accumulators of reductions.def; TRUTH is the domain. */
#define ZC_HAS_SUM_BOOL     NO
#define ZC_HAS_SUM_INTEGER  NO
#define ZC_HAS_SUM_LONG     YES
#define ZC_HAS_SUM_WIDE     YES
#define ZC_HAS_SUM_NARROW   NO
#define ZC_HAS_SUM_COMPLEX  YES
#define ZC_HAS_MEAN_BOOL    NO
#define ZC_HAS_MEAN_INTEGER NO
#define ZC_HAS_MEAN_LONG    NO
#define ZC_HAS_MEAN_WIDE    YES
#define ZC_HAS_MEAN_NARROW  NO
#define ZC_HAS_MEAN_COMPLEX YES
#define ZC_HAS_REAL_BOOL    NO
#define ZC_HAS_REAL_INTEGER NO
#define ZC_HAS_REAL_LONG    NO
#define ZC_HAS_REAL_WIDE    YES
#define ZC_HAS_REAL_NARROW  NO
#define ZC_HAS_REAL_COMPLEX NO
#define ZC_HAS_SAME_BOOL    YES
#define ZC_HAS_SAME_INTEGER YES
#define ZC_HAS_SAME_LONG    YES
#define ZC_HAS_SAME_WIDE    YES
#define ZC_HAS_SAME_NARROW  YES
#define ZC_HAS_SAME_COMPLEX NO

/* Tells whether kernels of unsigned integers give the bits of signed ones, too: sums, products and bits know no sign,
 * and a conversion of whole numbers keeps the lowest bits. Then there are kernels of unsigned integers alone. */
#define ZC_IS_SIGNLESS_ANY           NO
#define ZC_IS_SIGNLESS_ANY_SIGNLESS  YES
#define ZC_IS_SIGNLESS_NUMBER        NO
#define ZC_IS_SIGNLESS_SIGNLESS      YES
#define ZC_IS_SIGNLESS_BLOCKS        NO
#define ZC_IS_SIGNLESS_BITS          YES
#define ZC_IS_SIGNLESS_SHIFT         NO
#define ZC_IS_SIGNLESS_FLOAT         NO
#define ZC_IS_SIGNLESS_RANGED        NO
#define ZC_IS_SIGNLESS_FORMAT        NO
#define ZC_IS_SIGNLESS_TRUTH         NO
#define ZC_IS_SIGNLESS_SELECT        YES
#define ZC_IS_SIGNLESS_SUM           YES
#define ZC_IS_SIGNLESS_MEAN          NO
#define ZC_IS_SIGNLESS_REAL          NO
#define ZC_IS_SIGNLESS_SAME          NO
#define ZC_IS_SIGNLESS_FROM_BOOL     YES
#define ZC_IS_SIGNLESS_FROM_SIGNED   YES
#define ZC_IS_SIGNLESS_FROM_UNSIGNED YES
#define ZC_IS_SIGNLESS_FROM_FLOAT    NO
#define ZC_IS_SIGNLESS_FROM_COMPLEX  NO

#define ZC_HAS_COMPLEX_NO   NO
#define ZC_HAS_COMPLEX_SAME YES
#define ZC_HAS_COMPLEX_BOOL YES
#define ZC_HAS_COMPLEX_REAL YES

/* ---- Asking ---- */

#define ZC_IF(has, ...)  ZC_IF_(has, __VA_ARGS__)
#define ZC_IF_(has, ...) ZC_IF_##has(__VA_ARGS__)
#define ZC_IF_YES(...)   __VA_ARGS__
#define ZC_IF_NO(...)

/* The macro, or one that makes nothing: ZC_WHEN(has, macro)(arguments). For code with _Pragma, which gcc before 12 puts
 * before the code where that is an argument. */
#define ZC_WHEN(has, macro)  ZC_WHEN_(has, macro)
#define ZC_WHEN_(has, macro) ZC_WHEN_##has(macro)
#define ZC_WHEN_YES(macro)   macro
#define ZC_WHEN_NO(macro)    ZC_IF_NO

#define ZC_NOT(a)  ZC_NOT_(a)
#define ZC_NOT_(a) ZC_NOT_##a
#define ZC_NOT_YES NO
#define ZC_NOT_NO  YES

#define ZC_AND(a, b)   ZC_AND_(a, b)
#define ZC_AND_(a, b)  ZC_AND_##a##_##b
#define ZC_AND_YES_YES YES
#define ZC_AND_YES_NO  NO
#define ZC_AND_NO_YES  NO
#define ZC_AND_NO_NO   NO

/* Tells whether the dtypes of a group are in a domain and have kernels of their own there. For integers a file of
 * kernels asks that, about the dtype ZC_D. */
#define ZC_DOMAIN_HAS(domain, group)  ZC_DOMAIN_HAS_(domain, group)
#define ZC_DOMAIN_HAS_(domain, group) ZC_AND(ZC_HAS_##domain##_##group, ZC_HAS_OWN_##group(domain))
#define ZC_HAS_OWN_BOOL(domain)       YES
#define ZC_HAS_OWN_INTEGER(domain)    ZC_IS_OWN(ZC_IS_SIGNLESS_##domain)
#define ZC_HAS_OWN_LONG(domain)       ZC_IS_OWN(ZC_IS_SIGNLESS_##domain)
#define ZC_HAS_OWN_WIDE(domain)       YES
#define ZC_HAS_OWN_NARROW(domain)     YES
#define ZC_HAS_OWN_COMPLEX(domain)    YES
#define ZC_IS_OWN(is_signless)        ZC_NOT(ZC_AND(ZC_IS_SIGNED_HERE, is_signless))

/* Tells the same for a row of ops.def. */
#define ZC_ROW_HAS(domain, group, complex)  ZC_ROW_HAS_(domain, group, complex)
#define ZC_ROW_HAS_(domain, group, complex) ZC_AND(ZC_DOMAIN_HAS(domain, group), ZC_ROW_TAKES_##group(complex))
#define ZC_ROW_TAKES_BOOL(complex)          YES
#define ZC_ROW_TAKES_INTEGER(complex)       YES
#define ZC_ROW_TAKES_LONG(complex)          YES
#define ZC_ROW_TAKES_WIDE(complex)          YES
#define ZC_ROW_TAKES_NARROW(complex)        YES
#define ZC_ROW_TAKES_COMPLEX(complex)       ZC_HAS_COMPLEX_##complex

/* Tells whether a row is a function, which has kernels of floats in functions.c. */
#define ZC_IS_FUNCTION(domain)      ZC_IS_FUNCTION_(domain)
#define ZC_IS_FUNCTION_(domain)     ZC_IS_FUNCTION_##domain
#define ZC_IS_FUNCTION_ANY          NO
#define ZC_IS_FUNCTION_ANY_SIGNLESS NO
#define ZC_IS_FUNCTION_SIGNLESS     NO
#define ZC_IS_FUNCTION_SHIFT        NO
#define ZC_IS_FUNCTION_NUMBER       NO
#define ZC_IS_FUNCTION_BLOCKS       NO
#define ZC_IS_FUNCTION_BITS         NO
#define ZC_IS_FUNCTION_FORMAT       NO
#define ZC_IS_FUNCTION_TRUTH        NO
#define ZC_IS_FUNCTION_SELECT       NO
#define ZC_IS_FUNCTION_FLOAT        YES
#define ZC_IS_FUNCTION_RANGED       YES

/* Tells the same for ZC_GROUP, in #if. */
#define ZC_GROUP_IS_IN(domain) (ZC_IF(ZC_DOMAIN_HAS(domain, ZC_GROUP), 1 +) 0)

/* m(NAME, name, further arguments) for each dtype that a row of ops.def takes; and for those that are not computed in
 * another one; and for the numbers among these, which have chains. */
#define ZC_EACH_IN(domain, complex, m, ...)                                                                            \
    ZC_EACH_OWN_IN(domain, complex, m, __VA_ARGS__)                                                                    \
    ZC_IF(ZC_HAS_##domain##_NARROW, ZC_EACH_NARROW(m, __VA_ARGS__))
#define ZC_EACH_OWN_IN(domain, complex, m, ...)                                                                        \
    ZC_IF(ZC_HAS_##domain##_BOOL, ZC_EACH_BOOL(m, __VA_ARGS__))                                                        \
    ZC_IF(ZC_ROW_HAS(domain, COMPLEX, complex), ZC_EACH_COMPLEX(m, __VA_ARGS__))                                       \
    ZC_EACH_CHAINED_IN(domain, m, __VA_ARGS__)
#define ZC_EACH_CHAINED_IN(domain, m, ...)                                                                             \
    ZC_IF(ZC_HAS_##domain##_INTEGER, ZC_EACH_INTEGER(ZC_IS_SIGNLESS_##domain, m, __VA_ARGS__))                         \
    ZC_IF(ZC_HAS_##domain##_LONG, ZC_EACH_LONG(ZC_IS_SIGNLESS_##domain, m, __VA_ARGS__))                               \
    ZC_IF(ZC_HAS_##domain##_WIDE, ZC_EACH_WIDE(m, __VA_ARGS__))

/* Every dtype with the one that moves its elements: bits are bits. */
#define ZC_EACH_MOVED(m, ...) m(BOOL, uint8, __VA_ARGS__) ZC_EACH_NUMBER_MOVED(m, __VA_ARGS__)
#define ZC_EACH_NUMBER_MOVED(m, ...)                                                                                   \
    ZC_EACH_INTEGER(YES, m, __VA_ARGS__)                                                                               \
    ZC_EACH_LONG(YES, m, __VA_ARGS__)                                                                                  \
    m(FLOAT32, uint32, __VA_ARGS__) m(FLOAT64, uint64, __VA_ARGS__) m(FLOAT16, uint16, __VA_ARGS__)                    \
        m(BFLOAT16, uint16, __VA_ARGS__) ZC_EACH_COMPLEX(m, __VA_ARGS__)

#endif
