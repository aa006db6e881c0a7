/*
 * Inner products, whose factors are next to each other, and chains side by side. Included with ZC_D the name of a
 * dtype, ZC_T the C type of its parts, ZC_PARTS how many a number has (two of complex ones), ZC_NUMBER an unsigned
 * integer of the size of a number, but of complex128, and
 *
 *   ZC_FN(factors)                      a vector of parts,
 *   ZC_FN(signs)(c)                     what add_factors needs where the left operand is conjugated, or is not,
 *   ZC_FN(add_factors)(x, y, sum, s, e) sum + x * y of such vectors; y is the left operand where e is true,
 *   ZC_FN(add_factor)(sum, x, y, e, c)  the same of one number,
 *   ZC_FN(spread)(number)               a vector of one number.
 *
 * Squares, of as many factors of as many rows, are turned in registers and multiplied at once, those of all rows that a
 * vector has lanes for side by side. A lane holds a number.
 */
typedef ZC_T ZC_FN(number)[ZC_PARTS];
typedef ZC_NUMBER ZC_FN(numbers) __attribute__((vector_size(ZC_LANE_BYTES)));

/* LCOV_EXCL_BR_START: counts and whether x is shared are known where these are inlined */
/* Numbers of a and b by turns, from each piece of them those from number `first` on. */
ZC_INTO_CALLER ZC_FN(factors) ZC_FN(interleaved)(ZC_FN(factors) a, ZC_FN(factors) b, const int first)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_FN(number)), PIECE = ZC_PIECE_BYTES / sizeof(ZC_FN(number)) };
    const ZC_FN(numbers) of_a = (ZC_FN(numbers))a, of_b = (ZC_FN(numbers))b;
#if defined(__clang__)
    ZC_FN(numbers) out;
    for (int l = 0; l < LANES; l++)
        out[l] = (l % 2 ? of_b : of_a)[l / PIECE * PIECE + first + l % PIECE / 2];
    return (ZC_FN(factors))out;
#else
    ZC_FN(numbers) from = {0};
    ZC_UNROLL for (int l = 0; l < LANES; l++)
    {
        const int at = l / PIECE * PIECE + first + l % PIECE / 2;
        from[l] = (ZC_NUMBER)(l % 2 ? at + LANES : at);
    }
    return (ZC_FN(factors))__builtin_shuffle(of_a, of_b, from);
#endif
}

/* Interleaves rows i and i + half of a piece, like two halves of a deck of cards. */
ZC_INTO_CALLER void ZC_FN(riffle)(ZC_FN(factors) * row)
{
    enum { PIECE = ZC_PIECE_BYTES / sizeof(ZC_FN(number)) };
    ZC_FN(factors) next[PIECE];
    ZC_UNROLL for (int i = 0; i < PIECE / 2; i++)
    {
        next[2 * i] = ZC_FN(interleaved)(row[i], row[i + PIECE / 2], 0);
        next[2 * i + 1] = ZC_FN(interleaved)(row[i], row[i + PIECE / 2], PIECE / 2);
    }
    ZC_UNROLL for (int i = 0; i < PIECE; i++) row[i] = next[i];
}

/* Rows of an operand, as many as there are lanes. Chains are that far apart, which needs no steps in registers. */
typedef struct ZC_FN(inner_rows) {
    const ZC_FN(number) * first[ZC_INNER_LANES / ROWS_TOGETHER]; /* rows that are together; of chains, all */
    row_steps steps;
    bool are_chains;
} ZC_FN(inner_rows);

ZC_INTO_CALLER ZC_FN(inner_rows)
    ZC_FN(find_rows)(const void *from, int64_t lane, const int lanes, const bool are_chains)
{
    ZC_FN(inner_rows) rows = {.first = {from}, .are_chains = are_chains};
    if (are_chains)
        return rows;
    rows.steps = find_steps((intptr_t)(lane * (int64_t)sizeof(ZC_FN(number))));
    ZC_UNROLL for (int i = 0; i < lanes / ROWS_TOGETHER; i++) rows.first[i] =
        (const ZC_FN(number) *)from + i * ROWS_TOGETHER * lane;
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

/* Finds the factors from `at` on of one row. */
ZC_INTO_CALLER const char *ZC_FN(find_row)(const ZC_FN(inner_rows) * rows, int row, int at)
{
    if (rows->are_chains)
        return (const char *)(rows->first[0] + row * ZC_CHAIN + at);
    return (const char *)(rows->first[row / ROWS_TOGETHER] + at) + rows->steps.to[row % ROWS_TOGETHER];
}

/* A square for each vector of lanes, or some that are beside each other in a line of memory. */
typedef struct ZC_FN(squares) {
    ZC_FN(factors) row[ZC_SQUARES_AT_ONCE][ZC_SQUARE_BYTES / sizeof(ZC_FN(number))];
} ZC_FN(squares);

/* Reads factors from `at` on of as many rows as a vector has lanes, from row `first` on: line by line, since lines of
 * all rows may need the same places of the cache. A register has a row and the one that is a piece of rows further. */
ZC_INTO_CALLER void ZC_FN(read_squares)(ZC_FN(squares) * to, const int count, const ZC_FN(inner_rows) * rows, int first,
                                        int at)
{
    enum { SIDE = ZC_SQUARE_BYTES / sizeof(ZC_FN(number)), PIECE = ZC_PIECE_BYTES / sizeof(ZC_FN(number)) };
    ZC_UNROLL for (int i = 0; i < SIDE; i++)
    {
        const int row = first + i / PIECE * 2 * PIECE + i % PIECE;
        ZC_UNROLL for (int s = 0; s < count; s++) to->row[s][i] = (ZC_FN(factors))ZC_SIDE_BY_SIDE(
            ZC_FN(find_row)(rows, row, at + s * SIDE), ZC_FN(find_row)(rows, row + PIECE, at + s * SIDE));
    }
}

/* row[i] = factor i of each row. Instructions interleave within pieces of 16 bytes, so these change places before. */
ZC_INTO_CALLER void ZC_FN(turn)(ZC_FN(factors) * row)
{
    enum { SIDE = ZC_SQUARE_BYTES / sizeof(ZC_FN(number)), PIECE = ZC_PIECE_BYTES / sizeof(ZC_FN(number)) };
#if ZC_SQUARE_BYTES > ZC_PIECE_BYTES
    ZC_UNROLL for (int i = 0; i < PIECE; i++)
    {
        const zc_whole_lanes a = (zc_whole_lanes)row[i], b = (zc_whole_lanes)row[i + PIECE];
        row[i] = (ZC_FN(factors))ZC_EVEN_PIECES(a, b);
        row[i + PIECE] = (ZC_FN(factors))ZC_ODD_PIECES(a, b);
    }
#endif
    for (int done = 1; done < PIECE; done *= 2) {
        ZC_UNROLL for (int i = 0; i < SIDE; i += PIECE) ZC_FN(riffle)(row + i);
    }
}

/* The next products of lanes from `first` on, of `count` squares. */
ZC_INTO_CALLER ZC_FN(factors) ZC_FN(add_square)(ZC_FN(factors) sum, const int count, int first,
                                                const ZC_FN(inner_rows) * x, const ZC_FN(inner_rows) * y, const int at,
                                                ZC_FN(factors) signs, const bool is_shared, const bool is_exchanged)
{
    enum { SIDE = ZC_SQUARE_BYTES / sizeof(ZC_FN(number)) };
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
                a.row[s][i] = ZC_FN(spread)(x->first[0][at + s * SIDE + i]);
            sum = ZC_FN(add_factors)(a.row[s][i], b.row[s][i], sum, signs, is_exchanged);
        }
    }
    return sum;
}

/* The next products of all lanes, of some squares. What a line of memory has is read before the next lanes'; of one
 * operand at once, where registers have room for it. */
ZC_INTO_CALLER void ZC_FN(add_squares)(ZC_FN(factors) * sum, ZC_FN(inner_rows) * x, ZC_FN(inner_rows) * y,
                                       const int lanes, const int squares, ZC_FN(factors) signs, const bool is_shared,
                                       const bool is_exchanged)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_FN(number)), SIDE = ZC_SQUARE_BYTES / sizeof(ZC_FN(number)) };
    const int at_once = is_shared && ZC_SQUARES_AT_ONCE > 1 ? squares : 1;
    ZC_UNROLL for (int v = 0; v < lanes / LANES; v++)
    {
        ZC_UNROLL for (int s = 0; s < squares; s += at_once) sum[v] =
            ZC_FN(add_square)(sum[v], at_once, v * LANES, x, y, s * SIDE, signs, is_shared, is_exchanged);
    }
    ZC_FN(move_rows)(x, squares * SIDE, is_shared ? ROWS_TOGETHER : lanes);
    ZC_FN(move_rows)(y, squares * SIDE, lanes);
}

/* Reads a square of a piece from `at` on: rows of a register are pieces of as many rows as it has room for. */
ZC_INTO_CALLER void ZC_FN(read_pieces)(ZC_FN(factors) * row, const ZC_FN(inner_rows) * rows, int first, int at)
{
    enum { PIECE = ZC_PIECE_BYTES / sizeof(ZC_FN(number)) };
    ZC_UNROLL for (int i = 0; i < PIECE; i++) row[i] = (ZC_FN(factors))ZC_PIECES_SIDE_BY_SIDE(
        ZC_FN(find_row)(rows, first + i, at), ZC_FN(find_row)(rows, first + i + PIECE, at),
        ZC_FN(find_row)(rows, first + i + 2 * PIECE, at), ZC_FN(find_row)(rows, first + i + 3 * PIECE, at));
    if (PIECE > 1)
        ZC_FN(riffle)(row);
    if (PIECE > 2)
        ZC_FN(riffle)(row);
}

/* Products of all lanes, of a piece from `at` on, whose first `done` ones were added before. */
ZC_INTO_CALLER void ZC_FN(add_piece)(ZC_FN(factors) * sum, const ZC_FN(inner_rows) * x, const ZC_FN(inner_rows) * y,
                                     const int lanes, int at, int done, ZC_FN(factors) signs, const bool is_shared,
                                     const bool is_exchanged)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_FN(number)), PIECE = ZC_PIECE_BYTES / sizeof(ZC_FN(number)) };
    ZC_UNROLL for (int v = 0; v < lanes / LANES; v++)
    {
        ZC_FN(factors) a[PIECE], b[PIECE];
        if (!is_shared)
            ZC_FN(read_pieces)(a, x, v * LANES, at);
        ZC_FN(read_pieces)(b, y, v * LANES, at);
        ZC_UNROLL for (int i = 0; i < PIECE; i++)
        {
            if (is_shared)
                a[i] = ZC_FN(spread)(x->first[0][at + i]);
            if (i >= done)
                sum[v] = ZC_FN(add_factors)(a[i], b[i], sum[v], signs, is_exchanged);
        }
    }
}

/* The next product of some lanes. */
ZC_INTO_CALLER void ZC_FN(add_products)(const zc_contract_inner *t, int64_t k, int64_t first, int64_t end)
{
    const ZC_FN(number) *x = (const ZC_FN(number) *)t->x + k, *y = (const ZC_FN(number) *)t->y + k;
    ZC_FN(number) *sums = t->sums;
    for (int64_t l = first; l < end; l++)
        ZC_FN(add_factor)(sums[l], x[l * t->x_lane], y[l * t->y_lane], t->is_exchanged, t->is_conjugated);
}
/* LCOV_EXCL_BR_STOP */

/* Asks for lines, in the order that they are read in. */
ZC_INTO_CALLER void ZC_FN(ask_for)(const void *from, int64_t at, const int lines)
{
    const uintptr_t next = (uintptr_t)from + (uintptr_t)at * sizeof(ZC_FN(number));
    ZC_UNROLL for (int i = 0; i < lines; i++) /* LCOV_EXCL_BR_LINE: likewise */
        __builtin_prefetch((const void *)(next + (uintptr_t)i * ZC_LINE_BYTES), 0, ZC_ASKED);
}

/* Asks for a line of each row, so many lines ahead that as many are under way of few rows as of many. */
ZC_INTO_CALLER void ZC_FN(ask_for_rows)(const ZC_FN(inner_rows) * rows, const int lanes)
{
    enum { UNDER_WAY = 192, LINE = ZC_LINE_BYTES / sizeof(ZC_FN(number)) };
    const int ahead = UNDER_WAY / lanes * LINE;
    ZC_UNROLL for (int l = 0; l < lanes; l++) /* LCOV_EXCL_BR_LINE: likewise */
        __builtin_prefetch(ZC_FN(find_row)(rows, l, ahead), 0, ZC_ASKED);
}

/* Reads a byte of each line. */
ZC_INTO_CALLER void ZC_FN(touch)(const void *from, int64_t elements)
{
    const volatile char *bytes = from;
    for (int64_t i = 0; i < elements * (int64_t)sizeof(ZC_FN(number)); i += ZC_LINE_BYTES)
        (void)bytes[i];
}

/* LCOV_EXCL_BR_START: counts of lanes, and whether x is shared, are known where these are inlined */
/* Chains of `lanes` lanes, from lane `first` on. */
ZC_INTO_CALLER void ZC_FN(contract_some)(const zc_contract_inner *t, int64_t first, const int lanes,
                                         const bool is_shared, const bool are_chains, const bool is_exchanged)
{
    enum {
        LANES = ZC_LANE_BYTES / sizeof(ZC_FN(number)),
        SIDE = ZC_SQUARE_BYTES / sizeof(ZC_FN(number)),
        PIECE = ZC_PIECE_BYTES / sizeof(ZC_FN(number)),
        LINE = ZC_LINE_BYTES / sizeof(ZC_FN(number))
    };
    const ZC_FN(number) *from_x = (const ZC_FN(number) *)t->x + first * t->x_lane;
    const ZC_FN(number) *from_y = (const ZC_FN(number) *)t->y + first * t->y_lane;
    ZC_FN(inner_rows) x = ZC_FN(find_rows)(from_x, t->x_lane, is_shared ? ROWS_TOGETHER : lanes, are_chains);
    ZC_FN(inner_rows) y = ZC_FN(find_rows)(from_y, t->y_lane, lanes, are_chains);
    ZC_FN(factors) sum[ZC_INNER_LANES / LANES];
    const ZC_FN(factors) signs = ZC_FN(signs)(t->is_conjugated);
    ZC_UNROLL for (int v = 0; v < lanes / LANES; v++) sum[v] =
        ZC_SPLAT((ZC_T)-0.0, ZC_FN(factors)); /* the first product is rounded, and keeps its sign */
    int64_t k = 0;
    for (; k + LINE <= t->length; k += LINE) {
        if (is_shared && t->fetched == ZC_FETCHED_AHEAD)
            ZC_FN(ask_for_rows)(&y, lanes);
        if (!is_shared && t->fetched == ZC_FETCHED_AHEAD) {
            ZC_FN(ask_for)(from_x, (t->x_lane + k) * lanes, lanes);
            ZC_FN(ask_for)(from_y, (t->y_lane + k) * lanes, lanes);
        }
        ZC_FN(add_squares)(sum, &x, &y, lanes, LINE / SIDE, signs, is_shared, is_exchanged);
    }
    for (; k + SIDE <= t->length; k += SIDE)
        ZC_FN(add_squares)(sum, &x, &y, lanes, 1, signs, is_shared, is_exchanged);
    if (t->length >= PIECE) { /* a rest of less than a piece is the end of one */
        const int64_t from = k, last = t->length - PIECE;
        for (int64_t at; k < t->length; k = at + PIECE) {
            at = k < last ? k : last;
            ZC_FN(add_piece)(sum, &x, &y, lanes, (int)(at - from), (int)(k - at), signs, is_shared, is_exchanged);
        }
    }
    memcpy((ZC_FN(number) *)t->sums + first, sum, (size_t)lanes * sizeof(ZC_FN(number)));
    for (; k < t->length; k++)
        ZC_FN(add_products)(t, k, first, first + lanes);
}

/* As many lanes at a time as wait for each other least, but no more than have lines in the first-level cache. */
ZC_INTO_CALLER void ZC_FN(contract_shared)(const zc_contract_inner *t, const bool is_exchanged)
{
    enum {
        VECTOR = ZC_LANE_BYTES / sizeof(ZC_FN(number)),
        FEW = (int)VECTOR > ZC_LINES_OF_A_PLACE ? (int)VECTOR : (int)ZC_LINES_OF_A_PLACE,
        MOST = (int)ZC_INNER_LANES_OF(sizeof(ZC_FN(number)))
    };
    const int64_t together = rows_with_places(t->y_lane * (int64_t)sizeof(ZC_FN(number)));
    int64_t first = 0;
    for (; first + MOST <= t->lanes && together >= MOST; first += MOST)
        ZC_FN(contract_some)(t, first, MOST, true, false, is_exchanged);
    for (; first < t->lanes && together >= ZC_CONTRACT_LANES; first += ZC_CONTRACT_LANES)
        ZC_FN(contract_some)(t, first, ZC_CONTRACT_LANES, true, false, is_exchanged);
    for (; first < t->lanes; first += FEW)
        ZC_FN(contract_some)(t, first, FEW, true, false, is_exchanged);
}

/* The same of two operands, x the left one, but not more lanes than have lines in the first-level cache where they are
 * powers of two apart, as chains are: 64 KB of a run of float64 share 32 places. Of complex numbers two vectors: each
 * product waits for the one before, twice. */
ZC_INTO_CALLER void ZC_FN(contract_apart)(const zc_contract_inner *t)
{
    enum {
        LINE = ZC_LINE_BYTES / sizeof(ZC_FN(number)),
        VECTORS = ZC_PARTS * ZC_LANE_BYTES / sizeof(ZC_FN(number)),
        TOGETHER = LINE > VECTORS ? LINE : VECTORS,
        MOST = (int)ZC_INNER_LANES_OF(sizeof(ZC_FN(number)))
    };
    const bool are_chains = MOST > (int)ZC_CONTRACT_LANES && t->x_lane == ZC_CHAIN && t->y_lane == ZC_CHAIN;
    int64_t first = 0;
    if (t->fetched == ZC_FETCHED_IN_ORDER) {
        ZC_FN(touch)(t->x, t->x_lane * t->lanes);
        ZC_FN(touch)(t->y, t->y_lane * t->lanes);
    }
    for (; are_chains && first + MOST <= t->lanes; first += MOST)
        ZC_FN(contract_some)(t, first, MOST, false, true, false);
    for (; first < t->lanes; first += TOGETHER)
        ZC_FN(contract_some)(t, first, TOGETHER, false, false, false);
}

/* LCOV_EXCL_BR_STOP */

void ZC_KERNEL(contract_inner)(const zc_contract_inner *t)
{
    zc_contract_inner turned = *t;
    turned.x = t->y, turned.x_lane = t->y_lane, turned.y = t->x, turned.y_lane = t->x_lane;
    turned.is_exchanged = false;
    const bool is_exchanged = ZC_PARTS > 1 && t->is_exchanged;
    if (t->x_lane != 0)
        ZC_FN(contract_apart)(is_exchanged ? &turned : t);
    else if (is_exchanged)
        ZC_FN(contract_shared)(t, true);
    else
        ZC_FN(contract_shared)(t, false);
    ZC_END_VECTORS();
}

/* Chains of `count` vectors, the products of each a row further. */
ZC_INTO_CALLER void ZC_FN(contract_vectors)(ZC_T *sums, const ZC_T *x, const ZC_T *y, const int count, int64_t length)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_T), ROW = ZC_PARTS * ZC_CONTRACT_LANES };
    ZC_FN(factors) sum[ZC_VECTORS_TOGETHER], a, b;
    ZC_UNROLL for (int v = 0; v < count; v++) sum[v] = ZC_SPLAT((ZC_T)-0.0, ZC_FN(factors)); /* as above */
    for (int64_t k = 0; k < length; k++, x += ROW, y += ROW) {
        ZC_UNROLL for (int v = 0; v < count; v++)
        {
            memcpy(&a, x + v * LANES, sizeof a);
            memcpy(&b, y + v * LANES, sizeof b);
            sum[v] = ZC_FN(add_factors)(a, b, sum[v], ZC_FN(signs)(false), false);
        }
    }
    memcpy(sums, sum, (size_t)count * sizeof *sum);
}

void ZC_KERNEL(contract_lanes)(void *sums, const void *x, const void *y, int64_t length)
{
    enum {
        PARTS = ZC_PARTS * ZC_CONTRACT_LANES,
        VECTORS = PARTS * sizeof(ZC_T) / ZC_LANE_BYTES,
        COUNT = VECTORS < ZC_VECTORS_TOGETHER ? VECTORS : ZC_VECTORS_TOGETHER,
    };
    for (int64_t l = 0; l < PARTS; l += COUNT * (int64_t)(ZC_LANE_BYTES / sizeof(ZC_T)))
        ZC_FN(contract_vectors)((ZC_T *)sums + l, (const ZC_T *)x + l, (const ZC_T *)y + l, COUNT, length);
    ZC_END_VECTORS();
}
