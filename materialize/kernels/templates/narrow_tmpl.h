/*
 * The kernels of one 16-bit float. Included by narrow.c with ZC_D the dtype's name and ZC_NAME the same in capitals,
 * ZC_T uint16_t and ZC_KIND FLOAT. Undefines ZC_D and ZC_NAME.
 *
 * A block of elements is converted to float32, goes through float32's kernel, and is rounded to 16 bits: right for the
 * basic operations too, since float32 has more than twice the bits. Only the rows of the domain FORMAT have functions
 * of their own. What moves elements without looking at them is uint16's.
 */

/* ---- Conversions ---- */

#define ZC_DTYPE(FROM, from_name, from_type, FROM_KIND, width, value) ZC_EMIT_CAST(FROM, from_type, FROM_KIND, value)
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE

/* out = the numbers of n elements from `first` on. Called once a block, so one copy will do. */
ZC_APART static void ZC_FN(widen)(float *out, const void *elements, int64_t first, int64_t n)
{
    const ZC_T *from = (const ZC_T *)elements + first;
    const int64_t done = ZC_JOIN(zc_widen, ZC_D)(out, from, n);
    ZC_KERNEL_OF(ZC_JOIN(cast, ZC_NAME), float32)(out + done, from + done, NULL, NULL, n - done);
}

/* n elements from `first` on = the numbers, rounded. */
ZC_APART static void ZC_FN(narrow)(void *elements, int64_t first, const float *numbers, int64_t n)
{
    ZC_T *to = (ZC_T *)elements + first;
    const int64_t done = ZC_JOIN(zc_narrow, ZC_D)(to, numbers, n);
    ZC_KERNEL(cast_FLOAT32)(to + done, numbers + done, NULL, NULL, n - done);
}

/* ---- Elementwise ---- */

/* out may be an operand: every block is read before it is written, and bool results are shorter than their operands. */
static void ZC_FN(map_blocks)(zc_map_kernel *kernel, int arity, bool gives_bool, void *out, const void *const *in,
                              int64_t n)
{
    float numbers[ZC_MAX_ARITY][ZC_NARROW_BLOCK], results[ZC_NARROW_BLOCK];
    for (int64_t begin = 0, count; begin < n; begin += count) {
        count = n - begin < ZC_NARROW_BLOCK ? n - begin : ZC_NARROW_BLOCK;
        for (int i = 0; i < arity; i++)
            ZC_FN(widen)(numbers[i], in[i], begin, count);
        void *to = gives_bool ? (void *)((uint8_t *)out + begin) : (void *)results;
        kernel(to, numbers[0], numbers[1], numbers[2], count);
        if (!gives_bool)
            ZC_FN(narrow)(out, begin, results, count);
    }
}

#define ZC_READ(p)  ZC_JOIN(value, ZC_D)(p)
#define ZC_WRITE(v) ZC_JOIN(nearest, ZC_D)(v)
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    ZC_EMIT_ROW(ZC_HAS_##domain##_NARROW, domain, name, arity, result, meaning)
#include "runtime/ops/ops.def"
#undef ZC_OP
#undef ZC_READ
#undef ZC_WRITE

/* ---- Reductions: those that take elements as they are; the others take them as float32 ---- */

static void ZC_FN(run_blocks)(zc_run_kernel *kernel, void *lanes, const void *elements, int64_t n)
{
    float acc[ZC_LANES], numbers[ZC_NARROW_BLOCK];
    ZC_FN(widen)(acc, lanes, 0, ZC_LANES);
    for (int64_t begin = 0, count; begin < n; begin += count) {
        count = n - begin < ZC_NARROW_BLOCK ? n - begin : ZC_NARROW_BLOCK;
        ZC_FN(widen)(numbers, elements, begin, count);
        kernel(acc, numbers, count);
    }
    ZC_FN(narrow)(lanes, 0, acc, ZC_LANES);
}

static void ZC_FN(row_blocks)(zc_rows_kernel *kernel, void *out, const void *elements, int64_t length, int64_t rows,
                              const void *padding)
{
    float numbers[ZC_LEAF], filler, combined;
    ZC_FN(widen)(&filler, padding, 0, 1);
    for (int64_t row = 0; row < rows; row++) {
        ZC_FN(widen)(numbers, elements, row * length, length);
        kernel(&combined, numbers, length, 1, &filler);
        ZC_FN(narrow)(out, row, &combined, 1);
    }
}

void ZC_KERNEL(run_MAXIMUM)(void *lanes, const void *elements, int64_t n)
{
    ZC_FN(run_blocks)(ZC_KERNEL_OF(run_MAXIMUM, float32), lanes, elements, n);
}

void ZC_KERNEL(run_MINIMUM)(void *lanes, const void *elements, int64_t n)
{
    ZC_FN(run_blocks)(ZC_KERNEL_OF(run_MINIMUM, float32), lanes, elements, n);
}

void ZC_KERNEL(rows_MAXIMUM)(void *out, const void *elements, int64_t length, int64_t rows, const void *padding)
{
    ZC_FN(row_blocks)(ZC_KERNEL_OF(rows_MAXIMUM, float32), out, elements, length, rows, padding);
}

void ZC_KERNEL(rows_MINIMUM)(void *out, const void *elements, int64_t length, int64_t rows, const void *padding)
{
    ZC_FN(row_blocks)(ZC_KERNEL_OF(rows_MINIMUM, float32), out, elements, length, rows, padding);
}

/* ---- Searching ---- */

int64_t ZC_KERNEL(find)(const void *elements, const void *target, int64_t n)
{
    float numbers[ZC_NARROW_BLOCK], wanted;
    ZC_FN(widen)(&wanted, target, 0, 1);
    for (int64_t begin = 0, count; begin < n; begin += count) {
        count = n - begin < ZC_NARROW_BLOCK ? n - begin : ZC_NARROW_BLOCK;
        ZC_FN(widen)(numbers, elements, begin, count);
        int64_t found = ZC_KERNEL_OF(find, float32)(numbers, &wanted, count);
        if (found < count)
            return begin + found;
    }
    return n;
}

static void ZC_FN(extreme_blocks)(zc_extreme_kernel *kernel, void *best, int64_t *best_row, const char *rows,
                                  int64_t pitch, int64_t row, int64_t count, int64_t n)
{
    float extremes[ZC_NARROW_BLOCK], numbers[ZC_NARROW_BLOCK];
    for (int64_t begin = 0, length; begin < n; begin += length) {
        length = n - begin < ZC_NARROW_BLOCK ? n - begin : ZC_NARROW_BLOCK;
        ZC_FN(widen)(extremes, best, begin, length);
        for (int64_t r = 0; r < count; r++) {
            ZC_FN(widen)(numbers, rows + r * pitch, begin, length);
            kernel(extremes, best_row + begin, numbers, 0, row + r, 1, length);
        }
        ZC_FN(narrow)(best, begin, extremes, length);
    }
}

void ZC_KERNEL(smallest)(ZC_EXTREME_PARAMETERS)
{
    ZC_FN(extreme_blocks)(ZC_KERNEL_OF(smallest, float32), best, best_row, rows, pitch, row, count, n);
}

void ZC_KERNEL(largest)(ZC_EXTREME_PARAMETERS)
{
    ZC_FN(extreme_blocks)(ZC_KERNEL_OF(largest, float32), best, best_row, rows, pitch, row, count, n);
}

#undef ZC_D
#undef ZC_NAME
