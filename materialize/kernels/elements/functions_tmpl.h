/*
 * The elementary functions of one dtype. Included by functions.c with ZC_D the dtype's name, ZC_T its C type, what
 * elements_float_tmpl.h needs, and ZC_READ, ZC_WRITE, ZC_OVER and ZC_INVERSE.
 *
 * A loop's result is said to lie apart from what it reads (restrict), so that elements are read before those in front
 * of them are stored. An operand that is the result, too, is copied before, block by block.
 */
#include "runtime/ops/elements_float_tmpl.h"

enum { ZC_FN(APART) = 512 };

static __attribute__((noinline)) void ZC_FN(map_apart)(void (*loop)(ZC_APART_PARAMETERS), size_t item, void *out,
                                                       const void *in_x, const void *in_y, const void *in_z, int64_t n)
{
    if (out != in_x && out != in_y && out != in_z) {
        loop(out, in_x, in_y, in_z, n);
        return;
    }
    ZC_T copy[ZC_FN(APART)];
    for (int64_t begin = 0, length; begin < n; begin += length) {
        const void *in[] = {in_x, in_y, in_z};
        length = n - begin < ZC_FN(APART) ? n - begin : ZC_FN(APART);
        memcpy(copy, (const ZC_T *)out + begin, (size_t)length * sizeof *copy);
        for (int i = 0; i < 3; i++) {
            if (in[i] != NULL)
                in[i] = in[i] == out ? copy : (const ZC_T *)in[i] + begin;
        }
        loop((char *)out + (size_t)begin * item, in[0], in[1], in[2], length);
    }
}

/* Blocks whose elements all lie in a range (math/ranges.h) take the function that is for them. */
static void ZC_FN(ranged_blocks)(ZC_T *to, const ZC_T *from, int64_t n, ZC_BITS_T mask, ZC_BITS_T first,
                                 ZC_BITS_T count, void (*near)(ZC_T *, const ZC_T *, int64_t),
                                 void (*far)(ZC_T *, const ZC_T *, int64_t))
{
    ZC_T copy[ZC_FN(APART)];
    for (int64_t begin = 0, length; begin < n; begin += length) {
        ZC_BITS_T most = 0;
        length = n - begin < ZC_FN(APART) ? n - begin : ZC_FN(APART);
        for (int64_t i = begin; i < begin + length; i++) {
            ZC_BITS_T bits;
            memcpy(&bits, &from[i], sizeof bits);
            bits = (bits & mask) - first;
            most = bits > most ? bits : most;
        }
        const ZC_T *block = from + begin;
        if (to == from)
            block = memcpy(copy, block, (size_t)length * sizeof *copy);
        (most <= count ? near : far)(to + begin, block, length);
    }
}

#define ZC_EMIT_IN_RANGED(name, arity, result, meaning) ZC_EMIT_RANGED(name, meaning)
#define ZC_EMIT_FUNCTION(name, arity, result, meaning)  ZC_EMIT_WHOLE(name, arity, result, meaning)
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    ZC_EMIT_ROW(ZC_IS_FUNCTION(domain), domain, name, arity, result, meaning)
#include "runtime/ops/ops.def"
#undef ZC_OP
#undef ZC_EMIT_IN_RANGED
#undef ZC_EMIT_FUNCTION
