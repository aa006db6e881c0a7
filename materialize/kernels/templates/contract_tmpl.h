/*
 * Contractions of a dtype. Included once per dtype with ZC_T its C type, ZC_D its name, and ZC_IS_FLOAT, which says
 * that products and sums are rounded together; integers wrap. With ZC_ADD_PAIRS(x, y, sum) factors are pairs of
 * integers.
 */

typedef ZC_T ZC_FN(factors) __attribute__((vector_size(ZC_LANE_BYTES)));

#if defined(ZC_ADD_PAIRS)
#define ZC_FIRST_PRODUCT(x, y)    ZC_ADD_PAIRS(x, y, (ZC_FN(factors)){0})
#define ZC_ADD_PRODUCT(x, y, sum) ZC_ADD_PAIRS(x, y, sum)
#elif ZC_IS_FLOAT
#define ZC_FIRST_PRODUCT(x, y)    ((x) * (y))
#define ZC_ADD_PRODUCT(x, y, sum) ZC_JOIN(ZC_FUSE, ZC_D)(x, y, sum)
#else
#define ZC_FIRST_PRODUCT(x, y)    ((x) * (y))
#define ZC_ADD_PRODUCT(x, y, sum) ((sum) + (x) * (y))
#endif

/* Three rows from each of four places: more addresses than that do not fit into registers. */
ZC_INTO_CALLER ZC_FN(factors) ZC_FN(spread_factor)(const ZC_T *const *x, int64_t x_row, int row)
{
    return ZC_SPLAT(x[row / 3][row % 3 * x_row], ZC_FN(factors));
}

/* `rows` rows of sums from row `first` on; `rows` is known where this is compiled. */
ZC_INTO_CALLER void ZC_FN(contract_rows)(const zc_contract_tile *t, int first, const int rows)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T) };
    ZC_FN(factors) sum[ZC_CONTRACT_MOST_ROWS][2], y0, y1;
    const ZC_T *from = t->y, *x[4];
    const int64_t x_row = t->x_row;
    for (int i = 0; i < 4; i++)
        x[i] = (const ZC_T *)t->x + (first + (3 * i < rows ? 3 * i : 0)) * x_row;
    memcpy(&y0, from, sizeof y0);
    memcpy(&y1, from + LANES, sizeof y1);
    ZC_UNROLL for (int r = 0; r < rows; r++)
    {
        const ZC_FN(factors) factor = ZC_FN(spread_factor)(x, x_row, r);
        sum[r][0] = ZC_FIRST_PRODUCT(factor, y0);
        sum[r][1] = ZC_FIRST_PRODUCT(factor, y1);
    }
    for (int64_t k = 1; k < t->length; k++) {
        from += t->y_row;
        ZC_UNROLL for (int i = 0; i < 4; i++)
        {
            x[i]++;
            __asm__("" : "+r"(x[i]));
        }
        memcpy(&y0, from, sizeof y0);
        memcpy(&y1, from + LANES, sizeof y1);
        ZC_UNROLL for (int r = 0; r < rows; r++)
        {
            const ZC_FN(factors) factor = ZC_FN(spread_factor)(x, x_row, r);
            sum[r][0] = ZC_ADD_PRODUCT(factor, y0, sum[r][0]);
            sum[r][1] = ZC_ADD_PRODUCT(factor, y1, sum[r][1]);
        }
    }
    ZC_T *to = (ZC_T *)t->sums + first * t->sums_row;
    ZC_UNROLL for (int r = 0; r < rows; r++, to += t->sums_row)
    {
        if (t->adds) {
            memcpy(&y0, to, sizeof y0);
            memcpy(&y1, to + LANES, sizeof y1);
            sum[r][0] = y0 + sum[r][0];
            sum[r][1] = y1 + sum[r][1];
        }
        memcpy(to, &sum[r][0], sizeof y0);
        memcpy(to + LANES, &sum[r][1], sizeof y1);
    }
}

void ZC_KERNEL(contract)(const zc_contract_tile *t)
{
    int first = 0;
    for (; t->rows - first >= ZC_CONTRACT_MOST_ROWS; first += ZC_CONTRACT_MOST_ROWS)
        ZC_FN(contract_rows)(t, first, ZC_CONTRACT_MOST_ROWS);
#if ZC_IS_FLOAT || defined(ZC_ADD_PAIRS)
    for (; t->rows - first >= 4; first += 4)
        ZC_FN(contract_rows)(t, first, 4);
#endif
    for (; first < t->rows; first++)
        ZC_FN(contract_rows)(t, first, 1);
    ZC_END_VECTORS();
}

#if ZC_IS_FLOAT
void ZC_KERNEL(contract_lanes)(void *sums, const void *x, const void *y, int64_t length)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T), VECTORS = ZC_CONTRACT_LANES / LANES };
    ZC_FN(factors) sum[VECTORS], a, b;
    const ZC_T *from_x = x, *from_y = y;
    ZC_UNROLL for (int v = 0; v < VECTORS; v++)
    {
        memcpy(&a, from_x + v * LANES, sizeof a);
        memcpy(&b, from_y + v * LANES, sizeof b);
        sum[v] = a * b;
    }
    for (int64_t k = 1; k < length; k++) {
        from_x += ZC_CONTRACT_LANES;
        from_y += ZC_CONTRACT_LANES;
        ZC_UNROLL for (int v = 0; v < VECTORS; v++)
        {
            memcpy(&a, from_x + v * LANES, sizeof a);
            memcpy(&b, from_y + v * LANES, sizeof b);
            sum[v] = ZC_ADD_PRODUCT(a, b, sum[v]);
        }
    }
    ZC_UNROLL for (int v = 0; v < VECTORS; v++)
    {
        memcpy((ZC_T *)sums + v * LANES, &sum[v], sizeof a);
    }
    ZC_END_VECTORS();
}

#define ZC_ITEM         ZC_T
#define ZC_SQUARE       ZC_FN(factors)
#define ZC_SQUARE_BYTES ZC_LANE_BYTES
#include "materialize/kernels/templates/squares_tmpl.h"

/* Lanes as rows of as many products as a vector holds. */
typedef struct ZC_FN(square) {
    _Alignas(ZC_LANE_BYTES) ZC_T row[ZC_LANE_BYTES / sizeof(ZC_T)][ZC_CONTRACT_LANES];
} ZC_FN(square);

ZC_INTO_CALLER void ZC_FN(turn)(ZC_FN(square) * to, const ZC_T *from, int64_t lane)
{
    enum { SIDE = ZC_LANE_BYTES / sizeof(ZC_T) };
    ZC_UNROLL for (int64_t l = 0; l < ZC_CONTRACT_LANES; l += SIDE)
        ZC_JOIN(transpose, ZC_FN(factors))(to->row[0] + l, from + l * lane, lane, ZC_CONTRACT_LANES);
}

/* Asks for as many factors as a square has, in their order: what fetches lines ahead recognizes that, and takes the
 * lines between. To ask for each of them takes the room for requests that reading needs. */
ZC_INTO_CALLER void ZC_FN(ask_for)(const ZC_T *from, int64_t at)
{
    enum { BYTES = ZC_LANE_BYTES * ZC_CONTRACT_LANES, STEP = 32 * sizeof(ZC_T) };
    const uintptr_t next = (uintptr_t)from + (uintptr_t)at * sizeof *from;
    ZC_UNROLL for (uintptr_t i = 0; i < BYTES; i += STEP) __builtin_prefetch((const void *)(next + i));
}

/* The next product of each lane, of which row x and row y hold the factors. */
ZC_INTO_CALLER void ZC_FN(add_row)(ZC_FN(factors) * sum, const ZC_T *x, const ZC_T *y, const bool is_shared)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T), VECTORS = ZC_CONTRACT_LANES / LANES };
    ZC_FN(factors) a, b;
    ZC_UNROLL for (int v = 0; v < VECTORS; v++)
    {
        if (is_shared) /* LCOV_EXCL_BR_LINE: known where this is inlined */
            a = ZC_SPLAT(*x, ZC_FN(factors));
        else
            memcpy(&a, x + v * LANES, sizeof a);
        memcpy(&b, y + v * LANES, sizeof b);
        sum[v] = ZC_ADD_PRODUCT(a, b, sum[v]);
    }
}

ZC_INTO_CALLER void ZC_FN(contract_inner)(const zc_contract_inner *t, const bool is_shared)
{
    enum { SIDE = ZC_LANE_BYTES / sizeof(ZC_T), VECTORS = ZC_CONTRACT_LANES / SIDE };
    const ZC_T *from_x = t->x, *from_y = t->y;
    ZC_FN(factors) sum[VECTORS];
    ZC_FN(square) x, y;
    ZC_UNROLL for (int v = 0; v < VECTORS; v++) sum[v] =
        ZC_SPLAT((ZC_T)-0.0, ZC_FN(factors)); /* the first product is rounded, and keeps its sign */
    int64_t k = 0;
    for (; k + SIDE <= t->length; k += SIDE) {
        if (!is_shared && t->ahead != 0) {
            ZC_FN(ask_for)(from_x, t->ahead + k * ZC_CONTRACT_LANES);
            ZC_FN(ask_for)(from_y, t->ahead + k * ZC_CONTRACT_LANES);
        }
        if (!is_shared) /* LCOV_EXCL_BR_LINE: likewise */
            ZC_FN(turn)(&x, from_x + k, t->x_lane);
        ZC_FN(turn)(&y, from_y + k, t->y_lane);
        ZC_UNROLL for (int i = 0; i < SIDE; i++)
            ZC_FN(add_row)(sum, is_shared ? from_x + k + i : x.row[i], y.row[i], is_shared);
    }
    for (; k < t->length; k++) {
        for (int64_t l = 0; l < ZC_CONTRACT_LANES; l++) {
            x.row[0][l] = from_x[l * t->x_lane + k];
            y.row[0][l] = from_y[l * t->y_lane + k];
        }
        ZC_FN(add_row)(sum, x.row[0], y.row[0], false);
    }
    memcpy(t->sums, sum, sizeof sum);
}

void ZC_KERNEL(contract_inner)(const zc_contract_inner *t)
{
    if (t->x_lane == 0)
        ZC_FN(contract_inner)(t, true);
    else
        ZC_FN(contract_inner)(t, false);
    ZC_END_VECTORS();
}

#undef ZC_ITEM
#undef ZC_LANE
#endif

#undef ZC_FIRST_PRODUCT
#undef ZC_ADD_PRODUCT
#undef ZC_T
#undef ZC_D
