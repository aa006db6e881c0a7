/*
 * Contracts rows of four factors with matrices of four by four, as points are moved: many small matrices, or many rows
 * by one. A vector holds whole rows, and each factor is spread within its row, so nothing is packed or turned.
 */
#include "materialize/tile/contractions/contraction.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

/* Most rows of a unit, bytes of sums that are computed at a time, and fewest rows that are worthwhile. */
enum { UNIT_ROWS = 1 << 13, BLOCK_BYTES = 1 << 13, LEAST_ROWS = 64, SIDE = ZC_SQUARE_SIDE };

/* State of the prepared strategy, at program->own. */
typedef struct contract_squares {
    zc_contract_shape shape;
    int64_t rows;    /* rows of a unit, in each of its batches */
    int64_t units;   /* units of a batch */
    int64_t batches; /* batches of a unit; more than one where a unit has all rows of each */
} contract_squares;

static bool is_axis(const zc_contract_walk *walk, int64_t stride)
{
    return walk->count == 1 && walk->stride[0] == stride;
}

/* Tells whether rows and matrices are where a kernel reads them, and rows of the result are next to each other. */
static bool are_in_place(const zc_contract_shape *s)
{
    return is_axis(&s->rows.x, SIDE) && is_axis(&s->products.x, 1) && s->products.y.count == 1 &&
           is_axis(&s->columns.y, 1) && is_axis(&s->columns.result, 1) && is_axis(&s->rows.result, SIDE) &&
           s->batches.x.count <= 1 && s->batches.y.count <= 1;
}

static int cost(const zc_tile_program *p)
{
    zc_contract_shape s;
    const bool applies = zc_contract_find(p, &s) && p->kernels->contract[s.dtype].squares != NULL &&
                         s.columns.size == SIDE && s.products.size == SIDE && !s.x_is_computed && !s.y_is_computed &&
                         are_in_place(&s) && (s.batches.size == 1 || s.rows.size % SIDE == 0) &&
                         s.rows.size * s.batches.size >= LEAST_ROWS; /* proven: not more than the domain's size */
    return applies ? 0 : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_squares *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &own->shape); /* as cost() has found */
    const zc_contract_shape *s = &own->shape;
    const int64_t wanted = zc_contract_least_units(p);
    const int64_t share = zc_round_up(zc_divide_up(s->rows.size, zc_divide_up(wanted, s->batches.size)), SIDE);
    own->rows = zc_smaller(UNIT_ROWS, zc_larger(share, LEAST_ROWS));
    own->units = zc_divide_up(s->rows.size, own->rows);
    own->batches = own->units > 1 ? 1 : zc_larger(zc_smaller(UNIT_ROWS / s->rows.size, s->batches.size / wanted), 1);
    p->units = own->units * zc_divide_up(s->batches.size, own->batches); /* proven: not more than the domain's size */
    p->own = own;
    return ZC_PREPARED;
}

/* The sums. */
static size_t scratch_bytes(const zc_tile_program *p)
{
    (void)p;
    return BLOCK_BYTES;
}

/* ---- Running ---- */

/* Rows of a batch that are no multiple of what the kernel takes: copied, with what follows them. */
static void contract_rest(const zc_tile_worker *w, const zc_contract_squares *of, int64_t rows)
{
    const contract_squares *own = w->program->own;
    const size_t row_bytes = SIDE * own->shape.item;
    char x[SIDE * SIDE * sizeof(double)] = {0}, sums[sizeof x];
    zc_contract_squares rest = *of;
    rest.x = memcpy(x, of->x, (size_t)rows * row_bytes);
    rest.sums = sums;
    rest.rows = SIDE;
    w->program->kernels->contract[own->shape.dtype].squares(&rest);
    memcpy(of->sums, sums, (size_t)rows * row_bytes);
}

/* Rows of one batch or all rows of some, whose results follow each other or are stored batch by batch. */
static void contract(zc_tile_worker *w, const zc_contract_batch *at, int64_t rows, int64_t batches)
{
    const contract_squares *own = w->program->own;
    const zc_contract_shape *s = &own->shape;
    const int64_t item = (int64_t)s->item, rest = rows % SIDE, whole = rows - rest;
    zc_contract_squares some = {.x = at->x,
                                .y = at->y,
                                .sums = w->own,
                                .x_batch = zc_contract_stride(&s->batches.x),
                                .y_batch = zc_contract_stride(&s->batches.y),
                                .y_row = zc_contract_stride(&s->products.y),
                                .rows = whole,
                                .batches = batches};
    if (whole > 0)
        w->program->kernels->contract[s->dtype].squares(&some);
    some.batches = 1;
    some.x = at->x + whole * SIDE * item;
    some.sums = (char *)w->own + whole * SIDE * item;
    if (rest > 0)
        contract_rest(w, &some, rest);
    zc_contract_store_together(w, at->result, w->own, rows * SIDE * batches);
    zc_tile_count(w, rows * SIDE * SIDE * batches); /* proven: not more than the domain's size */
}

static void run_unit(zc_tile_worker *w)
{
    const contract_squares *own = w->program->own;
    const zc_contract_shape *s = &own->shape;
    const int64_t item = (int64_t)s->item, most_rows = BLOCK_BYTES / item / SIDE / SIDE * SIDE;
    const int64_t first = w->unit / own->units * own->batches, begin = w->unit % own->units * own->rows;
    const int64_t end = zc_smaller(first + own->batches, s->batches.size);
    const int64_t end_row = zc_smaller(begin + own->rows, s->rows.size);
    for (int64_t batch = first, count; batch < end && !w->progress.is_stopped; batch += count) {
        const int64_t fitting = begin == 0 && end_row == s->rows.size ? most_rows / s->rows.size : 0;
        const zc_contract_batch at = zc_contract_find_batch(w->program, s, batch);
        count = fitting > 1 ? zc_contract_find_run(&s->batches.result, s->rows.size * SIDE, batch,
                                                   zc_smaller(fitting, end - batch))
                            : 1;
        for (int64_t row = begin, rows; row < end_row; row += rows) {
            const int64_t before = row * SIDE * item; /* proven: verified to be inside */
            const zc_contract_batch from = {.x = at.x + before, .y = at.y, .result = at.result + before};
            rows = zc_smaller(most_rows, end_row - row);
            contract(w, &from, rows, count);
        }
    }
}

const zc_strategy zc_strategy_contract_squares = {
    .name = "contract_squares", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
