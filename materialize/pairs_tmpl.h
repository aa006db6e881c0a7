/*
 * The leaf sums of pairs of rows, for one float dtype: of four rows and four others, and, where rows are short, of one
 * row and many others. Included by kernels_dtype_tmpl.c with what is defined there, once per dtype. The rows are read
 * once for several partners, and every sum has its own lanes, as the numerics contract has it: so nothing but the order
 * in which results are computed is new here.
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

/* ---- A row and many partners, a vector of them at a time ---- */

/* Every lane of the sums is a vector of its own. What lanes begin with, -0.0, changes nothing that is added to it, so
 * they begin with their first elements, and lanes that have none are left out. */
#define ZC_EACH_LANE(m, of)                                                                                            \
    m(0, of) m(1, of) m(2, of) m(3, of) m(4, of) m(5, of) m(6, of) m(7, of) m(8, of) m(9, of) m(10, of) m(11, of)      \
        m(12, of) m(13, of) m(14, of) m(15, of)
/* An address that moves on: compilers would rather keep sixteen, of which some are always in memory. */
#define ZC_NEXT_PARTNERS                                                                                               \
    y += partners;                                                                                                     \
    __asm__("" : "+r"(y));
#define ZC_PARTNERS_BEGIN(l, of)                                                                                       \
    ZC_LANE_VECTOR t##l = {0};                                                                                         \
    if ((l) < length)                                                                                                  \
        t##l = ZC_FN(partners_##of)(a[l], y);                                                                          \
    ZC_NEXT_PARTNERS
#define ZC_PARTNERS_ADD(l, of)                                                                                         \
    if (i + (l) < length)                                                                                              \
        t##l += ZC_FN(partners_##of)(a[i + (l)], y);                                                                   \
    ZC_NEXT_PARTNERS
#define ZC_PARTNERS_FOLD(l, upper)                                                                                     \
    if ((upper) < length)                                                                                              \
        t##l += t##upper;

/* A vector where it lies: an operand of an instruction, where a copy would be one more. */
typedef ZC_T ZC_FN(vector_in_memory) __attribute__((vector_size(ZC_LANE_BYTES), aligned(sizeof(ZC_T)), may_alias));

static inline ZC_LANE_VECTOR ZC_FN(partners_PRODUCT)(ZC_T x, const ZC_T *y)
{
    return x * *(const ZC_FN(vector_in_memory) *)y;
}

static inline ZC_LANE_VECTOR ZC_FN(partners_DISTANCE)(ZC_T x, const ZC_T *y)
{
    const ZC_LANE_VECTOR difference = x - *(const ZC_FN(vector_in_memory) *)y;
    return difference * difference;
}

#define ZC_EMIT_PARTNERS(name, NAME)                                                                                   \
    static void ZC_FN(partners_##name)(void *out, const void *x, const void *turned, int64_t length, int64_t partners) \
    {                                                                                                                  \
        const ZC_T *a = x;                                                                                             \
        for (int64_t c = 0; c < partners; c += ZC_PER_VECTOR) {                                                        \
            const ZC_T *y = (const ZC_T *)turned + c;                                                                  \
            ZC_EACH_LANE(ZC_PARTNERS_BEGIN, NAME)                                                                      \
            for (int64_t i = ZC_LANES; i < length; i += ZC_LANES) {                                                    \
                ZC_EACH_LANE(ZC_PARTNERS_ADD, NAME)                                                                    \
            }                                                                                                          \
            ZC_PARTNERS_FOLD(0, 8)                                                                                     \
            ZC_PARTNERS_FOLD(1, 9)                                                                                     \
            ZC_PARTNERS_FOLD(2, 10)                                                                                    \
            ZC_PARTNERS_FOLD(3, 11)                                                                                    \
            ZC_PARTNERS_FOLD(4, 12)                                                                                    \
            ZC_PARTNERS_FOLD(5, 13)                                                                                    \
            ZC_PARTNERS_FOLD(6, 14)                                                                                    \
            ZC_PARTNERS_FOLD(7, 15)                                                                                    \
            ZC_PARTNERS_FOLD(0, 4)                                                                                     \
            ZC_PARTNERS_FOLD(1, 5)                                                                                     \
            ZC_PARTNERS_FOLD(2, 6)                                                                                     \
            ZC_PARTNERS_FOLD(3, 7)                                                                                     \
            ZC_PARTNERS_FOLD(0, 2)                                                                                     \
            ZC_PARTNERS_FOLD(1, 3)                                                                                     \
            ZC_PARTNERS_FOLD(0, 1)                                                                                     \
            memcpy((ZC_T *)out + c, &t0, sizeof t0);                                                                   \
        }                                                                                                              \
    }

ZC_EMIT_PARTNERS(product, PRODUCT)
ZC_EMIT_PARTNERS(distance, DISTANCE)

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
#undef ZC_EACH_LANE
#undef ZC_NEXT_PARTNERS
#undef ZC_PARTNERS_BEGIN
#undef ZC_PARTNERS_ADD
#undef ZC_PARTNERS_FOLD
#undef ZC_EMIT_PARTNERS
