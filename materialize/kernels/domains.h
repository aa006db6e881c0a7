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
#define ZC_EACH_INTEGER(m, ...)                                                                                        \
    m(INT8, int8, __VA_ARGS__) m(INT16, int16, __VA_ARGS__) m(INT32, int32, __VA_ARGS__) m(UINT8, uint8, __VA_ARGS__)  \
        m(UINT16, uint16, __VA_ARGS__) m(UINT32, uint32, __VA_ARGS__)
#define ZC_EACH_LONG(m, ...)    m(INT64, int64, __VA_ARGS__) m(UINT64, uint64, __VA_ARGS__)
#define ZC_EACH_WIDE(m, ...)    m(FLOAT32, float32, __VA_ARGS__) m(FLOAT64, float64, __VA_ARGS__)
#define ZC_EACH_NARROW(m, ...)  m(FLOAT16, float16, __VA_ARGS__) m(BFLOAT16, bfloat16, __VA_ARGS__)
#define ZC_EACH_COMPLEX(m, ...) m(COMPLEX64, complex64, __VA_ARGS__) m(COMPLEX128, complex128, __VA_ARGS__)

/* The same with the dtypes whose kernels serve them. */
#define ZC_EACH_SIGNLESS_INTEGER(m, ...)                                                                               \
    m(INT8, uint8, __VA_ARGS__) m(INT16, uint16, __VA_ARGS__) m(INT32, uint32, __VA_ARGS__)                            \
        m(UINT8, uint8, __VA_ARGS__) m(UINT16, uint16, __VA_ARGS__) m(UINT32, uint32, __VA_ARGS__)
#define ZC_EACH_SIGNLESS_LONG(m, ...)            m(INT64, uint64, __VA_ARGS__) m(UINT64, uint64, __VA_ARGS__)
#define ZC_EACH_INTEGER_BY(is_signless, m, ...)  ZC_EACH_INTEGER_BY_(is_signless, m, __VA_ARGS__)
#define ZC_EACH_INTEGER_BY_(is_signless, m, ...) ZC_EACH_INTEGER_BY_##is_signless(m, __VA_ARGS__)
#define ZC_EACH_INTEGER_BY_YES(m, ...)           ZC_EACH_SIGNLESS_INTEGER(m, __VA_ARGS__)
#define ZC_EACH_INTEGER_BY_NO(m, ...)            ZC_EACH_INTEGER(m, __VA_ARGS__)
#define ZC_EACH_LONG_BY(is_signless, m, ...)     ZC_EACH_LONG_BY_(is_signless, m, __VA_ARGS__)
#define ZC_EACH_LONG_BY_(is_signless, m, ...)    ZC_EACH_LONG_BY_##is_signless(m, __VA_ARGS__)
#define ZC_EACH_LONG_BY_YES(m, ...)              ZC_EACH_SIGNLESS_LONG(m, __VA_ARGS__)
#define ZC_EACH_LONG_BY_NO(m, ...)               ZC_EACH_LONG(m, __VA_ARGS__)

#define ZC_EACH_DTYPE(m, ...) ZC_EACH_DTYPE_BY(NO, m, __VA_ARGS__)
#define ZC_EACH_DTYPE_BY(is_signless, m, ...)                                                                          \
    ZC_EACH_BOOL(m, __VA_ARGS__)                                                                                       \
    ZC_EACH_INTEGER_BY(is_signless, m, __VA_ARGS__)                                                                    \
    ZC_EACH_LONG_BY(is_signless, m, __VA_ARGS__)                                                                       \
    ZC_EACH_WIDE(m, __VA_ARGS__)                                                                                       \
    ZC_EACH_NARROW(m, __VA_ARGS__)                                                                                     \
    ZC_EACH_COMPLEX(m, __VA_ARGS__)

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
#define ZC_HAS_SAME_BOOL    YES
#define ZC_HAS_SAME_INTEGER YES
#define ZC_HAS_SAME_LONG    YES
#define ZC_HAS_SAME_WIDE    YES
#define ZC_HAS_SAME_NARROW  YES
#define ZC_HAS_SAME_COMPLEX NO

/* Whether what is done to unsigned integers gives the bits of signed ones, too: sums, products and bits know no sign,
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

/* For rows that a file of kernels expands for the dtype ZC_D: whether there are kernels of this one. */
#define ZC_IS_OWN(is_signless)             ZC_IS_OWN_(ZC_IS_SIGNED_HERE, is_signless)
#define ZC_IS_OWN_(is_signed, is_signless) ZC_NOT(ZC_AND(is_signed, is_signless))

#define ZC_IF(has, ...)  ZC_IF_(has, __VA_ARGS__)
#define ZC_IF_(has, ...) ZC_IF_##has(__VA_ARGS__)
#define ZC_IF_YES(...)   __VA_ARGS__
#define ZC_IF_NO(...)

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

/* Whether a row of ops.def has kernels of the dtypes of a group. */
#define ZC_ROW_HAS(domain, group, complex)  ZC_ROW_HAS_(domain, group, complex)
#define ZC_ROW_HAS_(domain, group, complex) ZC_ROW_HAS_##group(domain, complex)
#define ZC_ROW_HAS_BOOL(domain, complex)    ZC_HAS_##domain##_BOOL
#define ZC_ROW_HAS_INTEGER(domain, complex) ZC_HAS_##domain##_INTEGER
#define ZC_ROW_HAS_LONG(domain, complex)    ZC_HAS_##domain##_LONG
#define ZC_ROW_HAS_WIDE(domain, complex)    ZC_HAS_##domain##_WIDE
#define ZC_ROW_HAS_NARROW(domain, complex)  ZC_HAS_##domain##_NARROW
#define ZC_ROW_HAS_COMPLEX(domain, complex) ZC_AND(ZC_HAS_##domain##_COMPLEX, ZC_HAS_COMPLEX_##complex)

/* Whether a row is a function, which has kernels of floats in functions.c. */
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

/* For #if: whether the dtypes of ZC_GROUP are in a domain. */
#define ZC_GROUP_IS_IN(domain)        (ZC_IF(ZC_DOMAIN_HAS(domain, ZC_GROUP), 1 +) 0)
#define ZC_DOMAIN_HAS(domain, group)  ZC_DOMAIN_HAS_(domain, group)
#define ZC_DOMAIN_HAS_(domain, group) ZC_HAS_##domain##_##group

/* m(NAME, name, what else) for each dtype that a row of ops.def takes; and for those that are not computed in another
 * one; and for the numbers among these, which have chains. */
#define ZC_EACH_IN(domain, complex, m, ...)                                                                            \
    ZC_EACH_OWN_IN(domain, complex, m, __VA_ARGS__)                                                                    \
    ZC_IF(ZC_HAS_##domain##_NARROW, ZC_EACH_NARROW(m, __VA_ARGS__))
#define ZC_EACH_OWN_IN(domain, complex, m, ...)                                                                        \
    ZC_IF(ZC_HAS_##domain##_BOOL, ZC_EACH_BOOL(m, __VA_ARGS__))                                                        \
    ZC_IF(ZC_ROW_HAS_COMPLEX(domain, complex), ZC_EACH_COMPLEX(m, __VA_ARGS__))                                        \
    ZC_EACH_CHAINED_IN(domain, m, __VA_ARGS__)
#define ZC_EACH_CHAINED_IN(domain, m, ...)                                                                             \
    ZC_IF(ZC_HAS_##domain##_INTEGER, ZC_EACH_INTEGER_BY(ZC_IS_SIGNLESS_##domain, m, __VA_ARGS__))                      \
    ZC_IF(ZC_HAS_##domain##_LONG, ZC_EACH_LONG_BY(ZC_IS_SIGNLESS_##domain, m, __VA_ARGS__))                            \
    ZC_IF(ZC_HAS_##domain##_WIDE, ZC_EACH_WIDE(m, __VA_ARGS__))

/* Every dtype with the one that moves its elements: bits are bits. */
#define ZC_EACH_MOVED(m, ...) m(BOOL, uint8, __VA_ARGS__) ZC_EACH_NUMBER_MOVED(m, __VA_ARGS__)
#define ZC_EACH_NUMBER_MOVED(m, ...)                                                                                   \
    m(INT8, uint8, __VA_ARGS__) m(INT16, uint16, __VA_ARGS__) m(INT32, uint32, __VA_ARGS__)                            \
        m(INT64, uint64, __VA_ARGS__) m(UINT8, uint8, __VA_ARGS__) m(UINT16, uint16, __VA_ARGS__)                      \
            m(UINT32, uint32, __VA_ARGS__) m(UINT64, uint64, __VA_ARGS__) m(FLOAT32, uint32, __VA_ARGS__)              \
                m(FLOAT64, uint64, __VA_ARGS__) m(FLOAT16, uint16, __VA_ARGS__) m(BFLOAT16, uint16, __VA_ARGS__)       \
                    ZC_EACH_COMPLEX(m, __VA_ARGS__)

#endif
