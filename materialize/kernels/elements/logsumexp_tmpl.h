/* The kernels of logsumexp of one dtype. Included by logsumexp.c with ZC_D the dtype's name, ZC_T its C type, BLOCK,
 * AT_ONCE and ZC_LEAST_EXPONENT. Columns of log sums are worked on as a column of largest elements and one of sums. */
#include "runtime/ops/elements_float_tmpl.h"

typedef struct ZC_FN(columns) {
    _Alignas(64) ZC_T most[BLOCK];
    _Alignas(64) ZC_T sum[BLOCK];
} ZC_FN(columns);

ZC_ALWAYS_INLINE void ZC_FN(join)(ZC_T *most, ZC_T *sum, ZC_T other, ZC_T other_sum)
{
    const bool rises = other > *most;
    const ZC_T distance = -ZC_M(fabs)(other - *most);
    const ZC_T factor = ZC_FN(near_exp)(distance > ZC_LEAST_EXPONENT ? distance : ZC_LEAST_EXPONENT);
    *sum = ZC_FN(fma)(rises ? *sum : other_sum, factor, rises ? other_sum : *sum);
    *most = ZC_FN(maximum)(*most, other);
}

/* Takes an element into each column. */
ZC_ALWAYS_INLINE void ZC_FN(absorb_row)(ZC_FN(columns) * c, const ZC_T *v, const int64_t n)
{
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        ZC_FN(join)(&c->most[i], &c->sum[i], v[i], 1);
}

static inline void ZC_FN(unpack)(ZC_FN(columns) * to, const ZC_T *sums, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to->most[i] = sums[2 * i];
        to->sum[i] = sums[2 * i + 1];
    }
}

static inline void ZC_FN(pack)(ZC_T *sums, const ZC_FN(columns) * from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        sums[2 * i] = from->most[i];
        sums[2 * i + 1] = from->sum[i];
    }
}

void ZC_KERNEL(run_LOGADDEXP)(void *lanes, const void *elements, int64_t n)
{
    ZC_FN(columns) c;
    ZC_FN(unpack)(&c, lanes, ZC_LANES);
    for (const ZC_T *v = elements; n > 0; n -= ZC_LANES, v += ZC_LANES)
        ZC_FN(absorb_row)(&c, v, ZC_LANES);
    ZC_FN(pack)(lanes, &c, ZC_LANES);
}

void ZC_KERNEL(tree_LOGADDEXP)(void *values, int64_t n)
{
    ZC_T *v = values;
    for (; n > 1; n /= 2) {
        for (int64_t i = 0; i < n / 2; i++) {
            ZC_T most = v[4 * i], sum = v[4 * i + 1];
            ZC_FN(join)(&most, &sum, v[4 * i + 2], v[4 * i + 3]);
            v[2 * i] = most;
            v[2 * i + 1] = sum;
        }
    }
}

void ZC_KERNEL(columns_LOGADDEXP)(void *lanes, const void *elements, int64_t pitch, int64_t columns, int64_t rows)
{
    ZC_FN(columns) c;
    for (int64_t lane = 0; lane < ZC_LANES; lane++) {
        for (int64_t first = 0, n; first < columns; first += n) {
            ZC_T *sums = (ZC_T *)lanes + 2 * (lane * columns + first);
            n = columns - first < BLOCK ? columns - first : BLOCK;
            ZC_FN(unpack)(&c, sums, n);
            for (int64_t r = lane; r < rows; r += ZC_LANES) {
                const ZC_T *row = (const ZC_T *)(const void *)((const char *)elements + r * pitch) + first;
                if (n == BLOCK)
                    ZC_FN(absorb_row)(&c, row, BLOCK);
                else
                    ZC_FN(absorb_row)(&c, row, n);
            }
            ZC_FN(pack)(sums, &c, n);
        }
    }
}

/* Fills the lanes of some rows next to each other: the first elements, and padding behind them. */
ZC_ALWAYS_INLINE void ZC_FN(absorb_lines)(ZC_FN(columns) * c, const ZC_T *v, int64_t length, const int rows)
{
    const int64_t whole = length - length % ZC_LANES;
    for (int r = 0; r < rows; r++) {
        for (int64_t l = 0; l < ZC_LANES; l++) {
            c[r].most[l] = l < length ? v[r * length + l] : -(ZC_T)INFINITY;
            c[r].sum[l] = l < length ? 1 : 0;
        }
    }
    for (int64_t i = ZC_LANES; i < whole; i += ZC_LANES) {
        ZC_SPELT_OUT
        for (int r = 0; r < rows; r++)
            ZC_FN(absorb_row)(&c[r], v + r * length + i, ZC_LANES);
    }
    for (int r = 0; r < rows && length > ZC_LANES; r++)
        ZC_FN(absorb_row)(&c[r], v + r * length + whole, length - whole);
}

static void ZC_FN(fold_line)(ZC_FN(columns) * c)
{
    for (int half = ZC_LANES / 2; half > 0; half /= 2) {
        ZC_PARALLEL
        for (int l = 0; l < half; l++)
            ZC_FN(join)(&c->most[l], &c->sum[l], c->most[l + half], c->sum[l + half]);
    }
}

/* Joins as many rows as there are lanes, lane by lane and all rows at once. */
static void ZC_FN(fold_lines)(ZC_T *to, const ZC_T *v, int64_t length)
{
    _Alignas(64) ZC_T most[ZC_LANES][ZC_LANES], sum[ZC_LANES][ZC_LANES];
    for (int first = 0; first < ZC_LANES; first += AT_ONCE) {
        ZC_FN(columns) c[AT_ONCE];
        ZC_FN(absorb_lines)(c, v + first * length, length, AT_ONCE);
        for (int r = 0; r < AT_ONCE; r++) {
            for (int l = 0; l < ZC_LANES; l++) {
                most[l][first + r] = c[r].most[l];
                sum[l][first + r] = c[r].sum[l];
            }
        }
    }
    for (int half = ZC_LANES / 2; half > 0; half /= 2) {
        const int last = length < 2 * half ? (int)length : 2 * half;
        for (int l = half; l < last; l++) {
            ZC_PARALLEL
            for (int r = 0; r < ZC_LANES; r++)
                ZC_FN(join)(&most[l - half][r], &sum[l - half][r], most[l][r], sum[l][r]);
        }
    }
    for (int r = 0; r < ZC_LANES; r++) {
        to[2 * r] = most[0][r];
        to[2 * r + 1] = sum[0][r];
    }
}

void ZC_KERNEL(rows_LOGADDEXP)(void *out, const void *elements, int64_t length, int64_t rows, const void *padding)
{
    const ZC_T *v = elements;
    ZC_T *to = out;
    (void)padding;
    for (; rows >= ZC_LANES; rows -= ZC_LANES, v += ZC_LANES * length, to += 2 * ZC_LANES)
        ZC_FN(fold_lines)(to, v, length);
    for (; rows > 0; rows--, v += length, to += 2) {
        ZC_FN(columns) c;
        ZC_FN(absorb_lines)(&c, v, length, 1);
        ZC_FN(fold_line)(&c);
        ZC_FN(pack)(to, &c, 1);
    }
}

void ZC_KERNEL(log_sum_lift)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)
{
    ZC_T *to = out;
    const ZC_T *v = in_x;
    (void)in_y, (void)in_z;
    for (int64_t i = 0; i < n; i++) {
        to[2 * i] = v[i];
        to[2 * i + 1] = 1;
    }
}

void ZC_KERNEL(log_sum_absorb)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)
{
    ZC_FN(columns) c;
    (void)in_z;
    for (int64_t first = 0, length; first < n; first += length) {
        length = n - first < BLOCK ? n - first : BLOCK;
        ZC_FN(unpack)(&c, (const ZC_T *)in_x + 2 * first, length);
        ZC_FN(absorb_row)(&c, (const ZC_T *)in_y + first, length);
        ZC_FN(pack)((ZC_T *)out + 2 * first, &c, length);
    }
}

void ZC_KERNEL(log_sum_join)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)
{
    ZC_FN(columns) c, other;
    (void)in_z;
    for (int64_t first = 0, length; first < n; first += length) {
        length = n - first < BLOCK ? n - first : BLOCK;
        ZC_FN(unpack)(&c, (const ZC_T *)in_x + 2 * first, length);
        ZC_FN(unpack)(&other, (const ZC_T *)in_y + 2 * first, length);
        ZC_PARALLEL
        for (int64_t i = 0; i < length; i++)
            ZC_FN(join)(&c.most[i], &c.sum[i], other.most[i], other.sum[i]);
        ZC_FN(pack)((ZC_T *)out + 2 * first, &c, length);
    }
}
