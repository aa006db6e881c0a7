/*
 * Contracts one row with many columns that are next to each other in memory: the product of a vector and a matrix. Each
 * factor of the matrix is used once, so what counts is that it is read from front to back: some rows at a time, over
 * all columns whose sums stay in the first-level cache.
 */
#include "materialize/execute/counter.h"
#include "materialize/tile/contractions/blocking.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

/* State of the prepared strategy, at program->own. */
typedef struct contract_row {
    zc_contract_shape shape;
    int64_t columns; /* columns of a unit */
    int64_t units;   /* units of columns */
    int64_t runs;    /* runs of ZC_CHAINS_END products */
    int64_t at_once; /* runs that one task sums */
    int levels;      /* levels of the counter of runs */
} contract_row;

static int cost(const zc_tile_program *p)
{
    zc_contract_shape s;
    bool applies = zc_contract_find(p, &s) && p->kernels->contract[s.dtype].row != NULL && s.rows.size == 1 &&
                   s.columns.size >= p->kernels->contract[s.dtype].columns && !s.x_is_computed && !s.y_is_computed &&
                   zc_contract_is_run(&s.columns.y) && s.products.y.count <= 1;
    return applies ? 0 : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

/* Most columns of a unit: the last one also has those left over. */
static int64_t most_columns(const contract_row *own)
{
    return own->columns + own->shape.columns.size % own->columns;
}

/* Gives a unit as many columns as leave enough units, but no fewer than make reading rows worthwhile. */
static void divide(zc_tile_program *p, contract_row *own)
{
    enum { MOST_BYTES = 1 << 14, LEAST_BYTES = 1 << 10 };
    const zc_contract_shape *s = &own->shape;
    const int64_t item = (int64_t)s->item, width = p->kernels->contract[s->dtype].columns, all = s->columns.size;
    const int64_t wanted = zc_divide_up(zc_contract_least_units(p), s->batches.size);
    const int64_t most = zc_smaller(MOST_BYTES, ZC_BLOCKING_SMALL / 2 / (2 + own->levels)) / item;
    const int64_t each = zc_smaller(zc_smaller(all, most), zc_larger(all / wanted, LEAST_BYTES / item));
    own->columns = zc_larger(each / width * width, width);
    own->units = all / own->columns;
    p->units = own->units * s->batches.size; /* proven: not more than the domain's size */
    own->at_once = zc_contract_divide(p, own->runs);
    if (p->groups > 1)
        p->joined = p->columns = most_columns(own);
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_row *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &own->shape); /* as cost() has found */
    own->runs = zc_divide_up(own->shape.products.size, ZC_CHAINS_END);
    own->levels = zc_counter_levels(own->runs);
    divide(p, own);
    p->own = own;
    return ZC_PREPARED;
}

/* ---- Scratch memory ---- */

typedef struct row {
    zc_tile_worker *w;
    const contract_row *own;
    zc_contract_batch at;
    int64_t first;         /* column of the unit */
    zc_contract_room room; /* [ZC_CHAIN]: for factors of x that are not next to each other */
    zc_contract_sums sums; /* sums of the unit's columns */
} row;

static void make_chain(const void *user, int64_t product, int64_t length, char *sums);

/* Sums of all columns of a unit. */
static size_t sum_bytes(const contract_row *own)
{
    return zc_align_data((size_t)most_columns(own) * own->shape.item);
}

static size_t x_bytes(const contract_row *own)
{
    return ZC_CHAIN * (own->shape.item + sizeof(int64_t)) + ZC_CONTRACT_LINE_BYTES;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    const contract_row *own = p->own;
    return x_bytes(own) + (size_t)(2 + own->levels) * sum_bytes(own);
}

static row find_row(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const contract_row *own = p->own;
    const zc_contract_shape *s = &own->shape;
    const int64_t unit = w->unit % own->units;
    char *x_at = w->own + ZC_CHAIN * s->item, *chain = w->own + x_bytes(own), *sums = chain + sum_bytes(own);
    const zc_counter counter = {.join = p->kernels->map[ZC_OP_ADD][s->dtype],
                                .levels = sums + sum_bytes(own),
                                .width = unit + 1 < own->units ? own->columns : most_columns(own),
                                .item = s->item};
    return (row){.w = w,
                 .own = own,
                 .at = zc_contract_find_batch(p, s, w->unit / own->units),
                 .first = unit * own->columns,
                 .room = {w->own, (int64_t *)(void *)x_at, x_at + ZC_CHAIN * sizeof(int64_t)},
                 .sums = {w, make_chain, s->products.size, counter, chain, sums, false}};
}

/* ---- Running ---- */

static void make_chain(const void *user, int64_t product, int64_t length, char *sums)
{
    const row *r = user;
    const zc_contract_shape *s = &r->own->shape;
    const zc_kernels *kernels = r->w->program->kernels;
    const int64_t y_row = zc_contract_stride(&s->products.y);
    const zc_contract_row chain = {
        .x = zc_contract_take(kernels, s->dtype, r->at.x, &s->products.x, product, length, &r->room),
        .y = r->at.y + (r->first + product * y_row) * (int64_t)s->item, /* proven: verified to be inside */
        .sums = sums,
        .y_row = y_row,
        .length = length,
        .columns = r->sums.counter.width,
        .is_exchanged = s->is_exchanged};
    kernels->contract[s->dtype].row(&chain);
}

static void store(const row *r)
{
    zc_contract_store(r->w, &r->own->shape.columns.result, r->at.result, r->first, r->sums.sums, r->sums.counter.width);
}

static void run_unit(zc_tile_worker *w)
{
    row r = find_row(w);
    zc_contract_sum_runs(&r.sums, &r, 0, r.own->at_once);
    store(&r);
}

static void run_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    row r = find_row(w);
    (void)numbers;
    zc_contract_sum_runs(&r.sums, &r, group * r.own->at_once, r.own->at_once);
    memcpy(results, r.sums.sums, (size_t)r.sums.counter.width * r.own->shape.item);
}

static void end_groups(zc_tile_worker *w, char *results, int64_t *numbers)
{
    row r = find_row(w);
    (void)numbers;
    zc_contract_join_groups(w->program, &r.sums.counter, results, r.sums.sums);
    store(&r);
}

const zc_strategy zc_strategy_contract_row = {.name = "contract_row",
                                              .cost = cost,
                                              .prepare = prepare,
                                              .scratch_bytes = scratch_bytes,
                                              .run_unit = run_unit,
                                              .run_group = run_group,
                                              .end_groups = end_groups};
