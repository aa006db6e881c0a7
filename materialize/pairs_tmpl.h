/*
 * The leaf sums of all pairs of four rows and four others, for one float dtype: included by kernels_dtype_tmpl.c with
 * what is defined there, once per dtype. The rows are read once for four partners, and every sum has its own lanes, as
 * the numerics contract has it: so nothing but the order in which results are computed is new here.
 *
 * The sums of two (or four, where there are registers enough) rows and four others stay in registers, a vector of their
 * lanes at a time.
 */
#if ZC_LANE_BYTES == 64
#define ZC_PAIR_EACH_ROW(m) m(0) m(1) m(2) m(3)
enum { ZC_FN(pair_rows) = 4 };
#else
#define ZC_PAIR_EACH_ROW(m) m(0) m(1)
enum { ZC_FN(pair_rows) = 2 };
#endif
#define ZC_PAIR_EACH_COLUMN(m, r) m(r, 0) m(r, 1) m(r, 2) m(r, 3)

#define ZC_PAIR_BEGIN(r, c)  ZC_LANE_VECTOR sum_##r##_##c = begin;
#define ZC_PAIR_BEGIN_ROW(r) ZC_PAIR_EACH_COLUMN(ZC_PAIR_BEGIN, r)
#define ZC_PAIR_LOAD_X(r)                                                                                              \
    ZC_LANE_VECTOR x##r;                                                                                               \
    memcpy(&x##r, (const ZC_T *)x[first + (r)] + i + lane, sizeof x##r);
#define ZC_PAIR_LOAD_Y(r, c)                                                                                           \
    ZC_LANE_VECTOR y##c;                                                                                               \
    memcpy(&y##c, (const ZC_T *)y[c] + i + lane, sizeof y##c);
#define ZC_PAIR_ADD_PRODUCT(r, c) sum_##r##_##c += x##r * y##c;
#define ZC_PAIR_ADD_DISTANCE(r, c)                                                                                     \
    {                                                                                                                  \
        const ZC_LANE_VECTOR d = x##r - y##c;                                                                          \
        sum_##r##_##c += d * d;                                                                                        \
    }
#define ZC_PAIR_ADD_PRODUCT_ROW(r)  ZC_PAIR_EACH_COLUMN(ZC_PAIR_ADD_PRODUCT, r)
#define ZC_PAIR_ADD_DISTANCE_ROW(r) ZC_PAIR_EACH_COLUMN(ZC_PAIR_ADD_DISTANCE, r)
#define ZC_PAIR_END(r, c)                                                                                              \
    memcpy(lanes[(first + (r)) * ZC_PAIR_ROWS + (c)] + lane, &sum_##r##_##c, sizeof sum_##r##_##c);
#define ZC_PAIR_END_ROW(r) ZC_PAIR_EACH_COLUMN(ZC_PAIR_END, r)

#define ZC_PAIR_PRODUCT_OF(a, b)  ((a) * (b))
#define ZC_PAIR_DISTANCE_OF(a, b) (((a) - (b)) * ((a) - (b)))

/* The sixteen sums' lanes over whole rounds of lanes, and then the elements that fill none. */
#define ZC_EMIT_PAIR(name, NAME)                                                                                       \
    static void ZC_FN(pair_lanes_##name)(ZC_T(*lanes)[ZC_LANES], const void *const *x, const void *const *y,           \
                                         int64_t whole, ZC_T padding, int first, int lane)                             \
    {                                                                                                                  \
        ZC_LANE_VECTOR begin;                                                                                          \
        for (int l = 0; l < ZC_PER_VECTOR; l++)                                                                        \
            begin[l] = padding;                                                                                        \
        ZC_PAIR_EACH_ROW(ZC_PAIR_BEGIN_ROW)                                                                            \
        for (int64_t i = 0; i < whole; i += ZC_LANES) {                                                                \
            ZC_PAIR_EACH_COLUMN(ZC_PAIR_LOAD_Y, 0)                                                                     \
            ZC_PAIR_EACH_ROW(ZC_PAIR_LOAD_X)                                                                           \
            ZC_PAIR_EACH_ROW(ZC_PAIR_ADD_##NAME##_ROW)                                                                 \
        }                                                                                                              \
        ZC_PAIR_EACH_ROW(ZC_PAIR_END_ROW)                                                                              \
    }                                                                                                                  \
    static void ZC_FN(pair_rest_##name)(ZC_T(*lanes)[ZC_LANES], const void *const *x, const void *const *y,            \
                                        int64_t whole, int64_t count)                                                  \
    {                                                                                                                  \
        ZC_T a[ZC_PAIR_ROWS][ZC_LANES], b[ZC_PAIR_ROWS][ZC_LANES];                                                     \
        for (int r = 0; r < ZC_PAIR_ROWS; r++) {                                                                       \
            const ZC_T *left = (const ZC_T *)x[r] + whole, *right = (const ZC_T *)y[r] + whole;                        \
            for (int l = 0; l < ZC_LANES; l++) { /* masked loads where there are such */                               \
                a[r][l] = l < count ? left[l] : 0;                                                                     \
                b[r][l] = l < count ? right[l] : 0;                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        for (int p = 0; p < ZC_PAIR_ROWS * ZC_PAIR_ROWS; p++) {                                                        \
            const ZC_T *left = a[p / ZC_PAIR_ROWS], *right = b[p % ZC_PAIR_ROWS];                                      \
            for (int l = 0; l < ZC_LANES; l++) {                                                                       \
                const ZC_T sum = lanes[p][l] + ZC_PAIR_##NAME##_OF(left[l], right[l]);                                 \
                lanes[p][l] = l < count ? sum : lanes[p][l];                                                           \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void ZC_FN(pair_##name)(void *out, const void *const *x, const void *const *y, int64_t length,              \
                                   const void *padding)                                                                \
    {                                                                                                                  \
        const int64_t whole = length / ZC_LANES * ZC_LANES;                                                            \
        _Alignas(64) ZC_T lanes[ZC_PAIR_ROWS * ZC_PAIR_ROWS][ZC_LANES];                                                \
        for (int first = 0; first < ZC_PAIR_ROWS; first += ZC_FN(pair_rows))                                           \
            for (int lane = 0; lane < ZC_LANES; lane += ZC_PER_VECTOR)                                                 \
                ZC_FN(pair_lanes_##name)(lanes, x, y, whole, *(const ZC_T *)padding, first, lane);                     \
        if (whole < length)                                                                                            \
            ZC_FN(pair_rest_##name)(lanes, x, y, whole, length - whole);                                               \
        ZC_FN(pair_fold)(out, lanes);                                                                                  \
    }

/* out[p] = the lanes of pair p, folded. The pairs' lanes are turned round, so that whole vectors are added. */
static void ZC_FN(pair_fold)(ZC_T *out, ZC_T (*lanes)[ZC_LANES])
{
    enum { PAIRS = ZC_PAIR_ROWS * ZC_PAIR_ROWS };
    ZC_T turned[ZC_LANES][PAIRS];
    for (int p = 0; p < PAIRS; p++)
        for (int l = 0; l < ZC_LANES / 2; l++)
            turned[l][p] = lanes[p][l] + lanes[p][l + ZC_LANES / 2];
    for (int half = ZC_LANES / 4; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            for (int p = 0; p < PAIRS; p++)
                turned[l][p] += turned[l + half][p];
    for (int p = 0; p < PAIRS; p++)
        out[p] = turned[0][p];
}

ZC_EMIT_PAIR(product, PRODUCT)
ZC_EMIT_PAIR(distance, DISTANCE)

#undef ZC_PAIR_EACH_ROW
#undef ZC_PAIR_EACH_COLUMN
#undef ZC_PAIR_BEGIN
#undef ZC_PAIR_BEGIN_ROW
#undef ZC_PAIR_LOAD_X
#undef ZC_PAIR_LOAD_Y
#undef ZC_PAIR_ADD_PRODUCT
#undef ZC_PAIR_ADD_DISTANCE
#undef ZC_PAIR_ADD_PRODUCT_ROW
#undef ZC_PAIR_ADD_DISTANCE_ROW
#undef ZC_PAIR_END
#undef ZC_PAIR_END_ROW
#undef ZC_PAIR_PRODUCT_OF
#undef ZC_PAIR_DISTANCE_OF
#undef ZC_EMIT_PAIR
