/*
 * Contractions of a dtype. Included once per dtype with ZC_T its C type, ZC_D its name, and ZC_IS_FLOAT, which says
 * that products and sums are rounded together, then ZC_LANE an unsigned integer of that size; integers wrap. With
 * ZC_ADD_PAIRS(x, y, sum) factors are pairs of integers.
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

/*
 * Inner products, whose factors are next to each other. Squares, of as many factors of as many rows, are turned in
 * registers and multiplied at once, those of all rows that a vector has lanes for side by side.
 */
typedef ZC_T ZC_FN(row_part) __attribute__((vector_size(ZC_SQUARE_BYTES)));
typedef ZC_LANE ZC_FN(lane_numbers) __attribute__((vector_size(ZC_LANE_BYTES)));

/* LCOV_EXCL_BR_START: counts, widths and whether x is shared are known where these are inlined */
/* Elements of a and b by turns, `width` of each, from every `piece` of them those from lane `first` on. */
ZC_INTO_CALLER ZC_FN(factors)
    ZC_FN(interleaved)(ZC_FN(factors) a, ZC_FN(factors) b, const int width, const int piece, int first)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_T) };
#if defined(__clang__)
    ZC_FN(factors) out;
    for (int l = 0; l < LANES; l++)
        out[l] = (l / width % 2 ? b : a)[l / piece * piece + first + l % piece / (2 * width) * width + l % width];
    return out;
#else
    ZC_FN(lane_numbers) from = {0};
    ZC_UNROLL for (int l = 0; l < LANES; l++)
    {
        const int of_a = l / piece * piece + first + l % piece / (2 * width) * width + l % width;
        from[l] = (ZC_LANE)(l / width % 2 ? of_a + LANES : of_a);
    }
    return __builtin_shuffle(a, b, from);
#endif
}

/* Of `count` rows, those i and i + half are interleaved, like two halves of a deck of cards. */
ZC_INTO_CALLER void ZC_FN(riffle)(ZC_FN(factors) * row, const int count, const int width, const int piece)
{
    enum { SIDE = ZC_SQUARE_BYTES / sizeof(ZC_T) };
    ZC_FN(factors) next[SIDE];
    ZC_UNROLL for (int i = 0; i < count / 2; i++)
    {
        const int low = width == 1 ? 2 * i : i, high = width == 1 ? low + 1 : i + count / 2;
        next[low] = ZC_FN(interleaved)(row[i], row[i + count / 2], width, piece, 0);
        next[high] = ZC_FN(interleaved)(row[i], row[i + count / 2], width, piece, piece / 2);
    }
    ZC_UNROLL for (int i = 0; i < count; i++) row[i] = next[i];
}

/* Rows of an operand, as many as there are lanes. Chains are that far apart, which needs no steps in registers. */
typedef struct ZC_FN(inner_rows) {
    const ZC_T *first[ZC_INNER_LANES / ROWS_TOGETHER]; /* of some that are together; of chains of all */
    row_steps steps;
    bool are_chains;
} ZC_FN(inner_rows);

ZC_INTO_CALLER ZC_FN(inner_rows)
    ZC_FN(find_rows)(const void *from, int64_t lane, const int lanes, const bool are_chains)
{
    ZC_FN(inner_rows) rows = {.first = {from}, .are_chains = are_chains};
    if (are_chains)
        return rows;
    rows.steps = find_steps((intptr_t)(lane * (int64_t)sizeof(ZC_T)));
    ZC_UNROLL for (int i = 0; i < lanes / ROWS_TOGETHER; i++) rows.first[i] =
        (const ZC_T *)from + i * ROWS_TOGETHER * lane;
    return rows;
}

ZC_INTO_CALLER void ZC_FN(move_rows)(ZC_FN(inner_rows) * rows, int factors, const int lanes)
{
    if (rows->are_chains) {
        rows->first[0] += factors;
        return;
    }
    ZC_UNROLL for (int i = 0; i < lanes / ROWS_TOGETHER; i++)
    {
        rows->first[i] += factors;
        __asm__("" : "+r"(rows->first[i]));
    }
}

/* Factors from `at` on of one row. */
ZC_INTO_CALLER ZC_FN(row_part) ZC_FN(read_row)(const ZC_FN(inner_rows) * rows, int row, int at)
{
    const char *from;
    ZC_FN(row_part) part;
    if (rows->are_chains)
        from = (const char *)(rows->first[0] + row * ZC_CHAIN + at);
    else
        from = (const char *)(rows->first[row / ROWS_TOGETHER] + at) + rows->steps.to[row % ROWS_TOGETHER];
    memcpy(&part, from, sizeof part);
    return part;
}

/* A square for each vector of lanes, or two that are beside each other in a line of memory. */
typedef struct ZC_FN(squares) {
    ZC_FN(factors) row[2][ZC_SQUARE_BYTES / sizeof(ZC_T)];
} ZC_FN(squares);

/* Reads factors from `at` on of as many rows as a vector has lanes, from row `first` on: line by line, since lines of
 * all rows may need the same places of the cache. */
ZC_INTO_CALLER void ZC_FN(read_squares)(ZC_FN(squares) * to, const int count, const ZC_FN(inner_rows) * rows, int first,
                                        int at)
{
    enum { SIDE = ZC_SQUARE_BYTES / sizeof(ZC_T) };
    ZC_UNROLL for (int i = 0; i < SIDE; i++)
    {
        ZC_UNROLL for (int s = 0; s < count; s++) to->row[s][i] = ZC_SIDE_BY_SIDE(
            ZC_FN(read_row)(rows, first + i, at + s * SIDE), ZC_FN(read_row)(rows, first + SIDE + i, at + s * SIDE));
    }
}

/* row[i] = factor i of each row. Instructions interleave within pieces of 16 bytes, so these change places before. */
ZC_INTO_CALLER void ZC_FN(turn)(ZC_FN(factors) * row)
{
    enum { SIDE = ZC_SQUARE_BYTES / sizeof(ZC_T), PIECE = 16 / sizeof(ZC_T) };
    if (SIDE > PIECE)
        ZC_FN(riffle)(row, SIDE, PIECE, SIDE);
    for (int done = 1; done < PIECE; done *= 2) {
        ZC_UNROLL for (int i = 0; i < SIDE; i += PIECE) ZC_FN(riffle)(row + i, PIECE, 1, PIECE);
    }
}

/* The next products of lanes from `first` on, of `count` squares. */
ZC_INTO_CALLER ZC_FN(factors)
    ZC_FN(add_square)(ZC_FN(factors) sum, const int count, int first, const ZC_FN(inner_rows) * x,
                      const ZC_FN(inner_rows) * y, const int at, const bool is_shared)
{
    enum { SIDE = ZC_SQUARE_BYTES / sizeof(ZC_T) };
    ZC_FN(squares) a, b;
    if (!is_shared)
        ZC_FN(read_squares)(&a, count, x, first, at);
    ZC_FN(read_squares)(&b, count, y, first, at);
    ZC_UNROLL for (int s = 0; s < count; s++)
    {
        if (!is_shared)
            ZC_FN(turn)(a.row[s]);
        ZC_FN(turn)(b.row[s]);
        ZC_UNROLL for (int i = 0; i < SIDE; i++)
        {
            if (is_shared)
                a.row[s][i] = ZC_SPLAT(x->first[0][at + s * SIDE + i], ZC_FN(factors));
            sum = ZC_ADD_PRODUCT(a.row[s][i], b.row[s][i], sum);
        }
    }
    return sum;
}

/* The next products of all lanes, of some squares. What a line of memory has is read before the next lanes'; of one
 * operand at once, where registers have room for it. */
ZC_INTO_CALLER void ZC_FN(add_squares)(ZC_FN(factors) * sum, ZC_FN(inner_rows) * x, ZC_FN(inner_rows) * y,
                                       const int lanes, const int squares, const bool is_shared)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_T), SIDE = ZC_SQUARE_BYTES / sizeof(ZC_T) };
    const int at_once = is_shared && ZC_LANE_BYTES > ZC_SQUARE_BYTES ? squares : 1;
    ZC_UNROLL for (int v = 0; v < lanes / LANES; v++)
    {
        ZC_UNROLL for (int s = 0; s < squares; s += at_once) sum[v] =
            ZC_FN(add_square)(sum[v], at_once, v * LANES, x, y, s * SIDE, is_shared);
    }
    ZC_FN(move_rows)(x, squares * SIDE, is_shared ? ROWS_TOGETHER : lanes);
    ZC_FN(move_rows)(y, squares * SIDE, lanes);
}
/* LCOV_EXCL_BR_STOP */

/* The next product of some lanes. */
ZC_INTO_CALLER void ZC_FN(add_products)(const zc_contract_inner *t, int64_t k, int64_t first, int64_t end)
{
    const ZC_T *x = (const ZC_T *)t->x + k, *y = (const ZC_T *)t->y + k;
    ZC_T *sums = t->sums;
    for (int64_t l = first; l < end; l++)
        sums[l] = ZC_JOIN(fma, ZC_D)(x[l * t->x_lane], y[l * t->y_lane], sums[l]);
}

/* Asks for lines, in the order that they are read in. */
ZC_INTO_CALLER void ZC_FN(ask_for)(const void *from, int64_t at, const int lines)
{
    const uintptr_t next = (uintptr_t)from + (uintptr_t)at * sizeof(ZC_T);
    ZC_UNROLL for (int i = 0; i < lines; i++) /* LCOV_EXCL_BR_LINE: likewise */
        __builtin_prefetch((const void *)(next + (uintptr_t)i * ZC_LINE_BYTES), 0, ZC_ASKED);
}

/* Reads a byte of each line. */
ZC_INTO_CALLER void ZC_FN(touch)(const void *from, int64_t elements)
{
    const volatile char *bytes = from;
    for (int64_t i = 0; i < elements * (int64_t)sizeof(ZC_T); i += ZC_LINE_BYTES)
        (void)bytes[i];
}

/* LCOV_EXCL_BR_START: counts of lanes, and whether x is shared, are known where these are inlined */
/* Chains of `lanes` lanes, from lane `first` on. */
ZC_INTO_CALLER void ZC_FN(contract_some)(const zc_contract_inner *t, int64_t first, const int lanes,
                                         const bool is_shared, const bool are_chains)
{
    enum {
        LANES = ZC_LANE_BYTES / sizeof(ZC_T),
        SIDE = ZC_SQUARE_BYTES / sizeof(ZC_T),
        LINE = ZC_LINE_BYTES / sizeof(ZC_T)
    };
    const ZC_T *from_x = (const ZC_T *)t->x + first * t->x_lane, *from_y = (const ZC_T *)t->y + first * t->y_lane;
    ZC_FN(inner_rows) x = ZC_FN(find_rows)(from_x, t->x_lane, is_shared ? ROWS_TOGETHER : lanes, are_chains);
    ZC_FN(inner_rows) y = ZC_FN(find_rows)(from_y, t->y_lane, lanes, are_chains);
    ZC_FN(factors) sum[ZC_INNER_LANES / LANES];
    ZC_UNROLL for (int v = 0; v < lanes / LANES; v++) sum[v] =
        ZC_SPLAT((ZC_T)-0.0, ZC_FN(factors)); /* the first product is rounded, and keeps its sign */
    int64_t k = 0;
    for (; k + LINE <= t->length; k += LINE) {
        if (!is_shared && t->fetched == ZC_FETCHED_AHEAD) {
            ZC_FN(ask_for)(from_x, (t->x_lane + k) * lanes, lanes);
            ZC_FN(ask_for)(from_y, (t->y_lane + k) * lanes, lanes);
        }
        ZC_FN(add_squares)(sum, &x, &y, lanes, LINE / SIDE, is_shared);
    }
    for (; k + SIDE <= t->length; k += SIDE)
        ZC_FN(add_squares)(sum, &x, &y, lanes, 1, is_shared);
    memcpy((ZC_T *)t->sums + first, sum, (size_t)lanes * sizeof(ZC_T));
    for (; k < t->length; k++)
        ZC_FN(add_products)(t, k, first, first + lanes);
}

/* As many lanes at a time as wait for each other least. Of two operands not more than have lines in the first-level
 * cache where they are powers of two apart, as chains are: 64 KB of a run of float64 share 32 places. */
ZC_INTO_CALLER void ZC_FN(contract_inner)(const zc_contract_inner *t)
{
    enum { LANES = ZC_LINE_BYTES / sizeof(ZC_T), MOST = (int)ZC_INNER_LANES_OF(sizeof(ZC_T)) };
    const bool are_chains = MOST > (int)ZC_CONTRACT_LANES && t->x_lane == ZC_CHAIN && t->y_lane == ZC_CHAIN;
    int64_t first = 0;
    if (t->x_lane == 0) {
        for (; first + MOST <= t->lanes; first += MOST)
            ZC_FN(contract_some)(t, first, MOST, true, false);
        for (; MOST > (int)ZC_CONTRACT_LANES && first < t->lanes; first += ZC_CONTRACT_LANES)
            ZC_FN(contract_some)(t, first, ZC_CONTRACT_LANES, true, false);
        return;
    }
    if (t->fetched == ZC_FETCHED_IN_ORDER) {
        ZC_FN(touch)(t->x, t->x_lane * t->lanes);
        ZC_FN(touch)(t->y, t->y_lane * t->lanes);
    }
    for (; are_chains && first + MOST <= t->lanes; first += MOST)
        ZC_FN(contract_some)(t, first, MOST, false, true);
    for (; first < t->lanes; first += LANES)
        ZC_FN(contract_some)(t, first, LANES, false, false);
}

/* LCOV_EXCL_BR_STOP */

void ZC_KERNEL(contract_inner)(const zc_contract_inner *t)
{
    ZC_FN(contract_inner)(t);
    ZC_END_VECTORS();
}

#include "materialize/kernels/contract/rows_tmpl.h"

#undef ZC_LANE
#elif !defined(ZC_ADD_PAIRS)
/* Sums that wrap have no order: compilers make vectors of them. */
void ZC_KERNEL(contract_lanes)(void *sums, const void *x, const void *y, int64_t length)
{
    ZC_T sum[ZC_CONTRACT_LANES] = {0};
    for (const ZC_T *a = x, *b = y; length > 0; length--, a += ZC_CONTRACT_LANES, b += ZC_CONTRACT_LANES)
        for (int l = 0; l < ZC_CONTRACT_LANES; l++)
            sum[l] = (ZC_T)(sum[l] + 1U * a[l] * b[l]);
    memcpy(sums, sum, sizeof sum);
}

void ZC_KERNEL(contract_inner)(const zc_contract_inner *t)
{
    for (int l = 0; l < t->lanes; l++) {
        const ZC_T *x = (const ZC_T *)t->x + l * t->x_lane, *y = (const ZC_T *)t->y + l * t->y_lane;
        ZC_T sum = 0;
        for (int64_t k = 0; k < t->length; k++)
            sum = (ZC_T)(sum + 1U * x[k] * y[k]);
        memcpy((ZC_T *)t->sums + l, &sum, sizeof sum);
    }
}
#endif

#if !defined(ZC_ADD_PAIRS)
#if ZC_IS_FLOAT
#define ZC_PLUS_PRODUCT(sum, x, y) ZC_JOIN(fma, ZC_D)(x, y, sum)
#else
#define ZC_PLUS_PRODUCT(sum, x, y) ((ZC_T)((sum) + 1U * (x) * (y)))
#endif

/* Results side by side: some products of each at a time, so that sums are read less often than factors. */
ZC_INTO_CALLER void ZC_FN(add_batches)(const zc_contract_batches *t, int64_t k, const int products)
{
    const ZC_T *x[ZC_PRODUCTS_AT_ONCE], *y[ZC_PRODUCTS_AT_ONCE];
    ZC_T *sums = t->sums;
    for (int i = 0; i < products; i++)
        x[i] = (const ZC_T *)t->x + t->x_at[k + i], y[i] = (const ZC_T *)t->y + t->y_at[k + i];
    const int64_t count = t->count; /* which sums might overwrite, for all that compilers know */
    ZC_PARALLEL for (int64_t r = 0; r < count; r++)
    {
        ZC_UNROLL for (int i = 0; i < products; i++) sums[r] = ZC_PLUS_PRODUCT(sums[r], x[i][r], y[i][r]);
    }
}

void ZC_KERNEL(contract_batches)(const zc_contract_batches *t)
{
    ZC_T *sums = t->sums;
    const int64_t count = t->count; /* as above */
    int64_t k = 0;
    for (int64_t r = 0; r < count; r++)
        sums[r] = (ZC_T)-0.0; /* the first product is rounded, and keeps its sign */
    for (; k + ZC_PRODUCTS_AT_ONCE <= t->length; k += ZC_PRODUCTS_AT_ONCE)
        ZC_FN(add_batches)(t, k, ZC_PRODUCTS_AT_ONCE);
    for (; k < t->length; k++)
        ZC_FN(add_batches)(t, k, 1);
}
#undef ZC_PLUS_PRODUCT
#endif

#undef ZC_FIRST_PRODUCT
#undef ZC_ADD_PRODUCT
#undef ZC_T
#undef ZC_D
