/*
 * The elementary functions of one dtype. Included by functions.c with ZC_D the dtype's name, ZC_T its C type, what
 * elements_float_tmpl.h needs, and ZC_READ, ZC_WRITE, ZC_OVER and ZC_INVERSE.
 *
 * A loop's result is said to lie apart (restrict), so that elements are read before those in front of them are stored.
 * It may also be an operand as a whole: what is stored of an element is made of all that is read of it.
 */
#include "runtime/ops/elements_float_tmpl.h"

/* Blocks whose elements all lie in a range (elementary_ranges.h) take the function that is for them. */
static void ZC_FN(ranged_blocks)(ZC_T *to, const ZC_T *from, int64_t n, ZC_BITS_T mask, ZC_BITS_T first,
                                 ZC_BITS_T count, void (*near)(ZC_T *, const ZC_T *, int64_t),
                                 void (*far)(ZC_T *, const ZC_T *, int64_t))
{
    enum { BLOCK = 512 };
    for (int64_t begin = 0, length; begin < n; begin += length) {
        ZC_BITS_T most = 0;
        length = n - begin < BLOCK ? n - begin : BLOCK;
        for (int64_t i = begin; i < begin + length; i++) {
            ZC_BITS_T bits;
            memcpy(&bits, &from[i], sizeof bits);
            bits = (bits & mask) - first;
            most = bits > most ? bits : most;
        }
        (most <= count ? near : far)(to + begin, from + begin, length);
    }
}

#define ZC_EMIT_IN_RANGED(name, arity, result, meaning) ZC_EMIT_RANGED(name, meaning)
#define ZC_EMIT_FUNCTION(name, arity, result, meaning)  ZC_EMIT_WHOLE(name, arity, result, meaning)
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, meaning)                                     \
    ZC_EMIT_ROW(ZC_IS_FUNCTION(domain), domain, name, arity, result, meaning)
#include "runtime/ops/ops.def"
#undef ZC_OP
#undef ZC_EMIT_IN_RANGED
#undef ZC_EMIT_FUNCTION
