/*
 * The kernels of one 16-bit float. Included by kernels_tmpl.c, after float32's kernels, with ZC_D the dtype's name and
 * ZC_NAME the same in capitals, ZC_T uint16_t and ZC_KIND FLOAT. Undefines ZC_D and ZC_NAME.
 *
 * A block of elements is converted to float32, goes through float32's kernel, and is rounded to 16 bits: right for the
 * basic operations too, since float32 has more than twice the bits. Only the rows of the domain FORMAT have functions
 * of their own. What moves elements without looking at them is uint16's.
 */

/* ---- Conversions ---- */

#define ZC_DTYPE(FROM, from_name, from_type, FROM_KIND, width, value) ZC_EMIT_CAST(FROM, from_type, FROM_KIND, value)
#include "runtime/dtype.def"
#undef ZC_DTYPE

/* out = the numbers of n elements from `first` on. Called once a block, so one copy will do. */
ZC_APART static void ZC_FN(widen)(float *out, const void *elements, int64_t first, int64_t n)
{
    const ZC_T *from = (const ZC_T *)elements + first;
    const int64_t done = ZC_FN(widen_eights)(out, from, n);
    ZC_JOIN(cast_float32, ZC_NAME)(out + done, from + done, NULL, NULL, n - done);
}

/* n elements from `first` on = the numbers, rounded. */
ZC_APART static void ZC_FN(narrow)(void *elements, int64_t first, const float *numbers, int64_t n)
{
    ZC_T *to = (ZC_T *)elements + first;
    const int64_t done = ZC_FN(narrow_eights)(to, numbers, n);
    ZC_JOIN(ZC_FN(cast), FLOAT32)(to + done, numbers + done, NULL, NULL, n - done);
}

/* ---- Elementwise ---- */

/* out may be an operand: every block is read before it is written, and bool results are shorter than their operands. */
static void ZC_FN(map_blocks)(zc_map_kernel *kernel, int arity, bool gives_bool, void *out, const void *const *in,
                              int64_t n)
{
    float numbers[ZC_MAX_ARITY][ZC_NARROW_BLOCK];
    for (int64_t begin = 0, count; begin < n; begin += count) {
        count = n - begin < ZC_NARROW_BLOCK ? n - begin : ZC_NARROW_BLOCK;
        for (int i = 0; i < arity; i++)
            ZC_FN(widen)(numbers[i], in[i], begin, count);
        void *to = gives_bool ? (void *)((uint8_t *)out + begin) : (void *)numbers[0];
        kernel(to, numbers[0], numbers[1], numbers[2], count);
        if (!gives_bool)
            ZC_FN(narrow)(out, begin, numbers[0], count);
    }
}

#undef ZC_OP_IN_ANY
#undef ZC_OP_IN_SELECT
#define ZC_OP_IN_ANY(name, arity, result, complex, meaning)    ZC_EMIT_NARROW(name, arity, result)
#define ZC_OP_IN_NUMBER(name, arity, result, complex, meaning) ZC_EMIT_NARROW(name, arity, result)
#define ZC_OP_IN_FLOAT(name, arity, result, complex, meaning)  ZC_EMIT_NARROW(name, arity, result)
#define ZC_OP_IN_ANGLE(name, arity, result, complex, meaning)  ZC_EMIT_NARROW(name, arity, result)
#define ZC_OP_IN_FORMAT(name, arity, result, complex, meaning) ZC_EMIT_FORMAT(name, arity, meaning)
#define ZC_OP_IN_BITS(name, arity, result, complex, meaning)
#define ZC_OP_IN_TRUTH(name, arity, result, complex, meaning)
#define ZC_OP_IN_SELECT(name, arity, result, complex, meaning)
#define ZC_READ(p)  ZC_JOIN(value, ZC_D)(p)
#define ZC_WRITE(v) ZC_JOIN(nearest, ZC_D)(v)
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, meaning)                                     \
    ZC_OP_IN_##domain(name, arity, result, complex, meaning)
#include "runtime/ops.def"
#undef ZC_OP

/* ---- Reductions: those that take elements as they are; the others take them as float32 ---- */

#undef ZC_RUN_IN_SAME
#define ZC_RUN_IN_SUM(name)
#define ZC_RUN_IN_MEAN(name)
#define ZC_RUN_IN_TRUTH(name)
#define ZC_RUN_IN_SAME(name)                                                      ZC_EMIT_NARROW_RUN(name)
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant) ZC_RUN_IN_##accumulator(name)
#include "runtime/reductions.def"
#undef ZC_REDUCTION

static int64_t ZC_FN(find)(const void *elements, const void *target, int64_t n)
{
    float numbers[ZC_NARROW_BLOCK], wanted;
    ZC_FN(widen)(&wanted, target, 0, 1);
    for (int64_t begin = 0, count; begin < n; begin += count) {
        count = n - begin < ZC_NARROW_BLOCK ? n - begin : ZC_NARROW_BLOCK;
        ZC_FN(widen)(numbers, elements, begin, count);
        int64_t found = find_float32(numbers, &wanted, count);
        if (found < count)
            return begin + found;
    }
    return n;
}

ZC_EMIT_NARROW_EXTREME(smallest)
ZC_EMIT_NARROW_EXTREME(largest)

#undef ZC_READ
#undef ZC_WRITE
#undef ZC_OP_IN_NUMBER
#undef ZC_OP_IN_FLOAT
#undef ZC_OP_IN_ANGLE
#undef ZC_OP_IN_FORMAT
#undef ZC_OP_IN_BITS
#undef ZC_OP_IN_TRUTH
#undef ZC_RUN_IN_SUM
#undef ZC_RUN_IN_MEAN
#undef ZC_RUN_IN_TRUTH
#undef ZC_D
#undef ZC_NAME
