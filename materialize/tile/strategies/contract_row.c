/*
 * Contracts one row with many columns that are next to each other in memory: the product of a vector and a matrix. Each
 * factor of the matrix is used once, so what counts is that it is read from front to back: some rows at a time, over
 * all columns whose sums stay in the first-level cache.
 */
#include "materialize/execute/counter.h"
#include "materialize/tile/blocking.h"
#include "materialize/tile/strategy.h"

#include <string.h>

/* What program->own points to. */
typedef struct contract_row {
    zc_contract_shape shape;
    int64_t columns; /* of a unit */
    int64_t units;   /* of columns */
    int64_t runs;    /* of ZC_CHAINS_END products, */
    int64_t at_once; /* of which one task makes so many */
    int levels;      /* of a counter of runs */
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

/* Of a unit: the last one has those that are left over, too. */
static int64_t most_columns(const contract_row *own)
{
    return own->columns + own->shape.columns.size % own->columns;
}

/* As many columns to a unit as leave enough units, but no fewer than rows are worth reading for. */
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
    int64_t first, columns; /* of the unit */
    char *x;                /* [ZC_CHAIN]: factors that are not next to each other */
    int64_t *x_at;          /* [ZC_CHAIN]: how far they are */
    char *lines, *chain, *sums;
    zc_counter counter;
} row;

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
    row r = {.w = w,
             .own = own,
             .at = zc_contract_find_batch(p, s, w->unit / own->units),
             .first = unit * own->columns,
             .columns = unit + 1 < own->units ? own->columns : most_columns(own),
             .x = w->own,
             .x_at = (int64_t *)(void *)x_at,
             .lines = x_at + ZC_CHAIN * sizeof(int64_t),
             .chain = chain,
             .sums = sums};
    r.counter = (zc_counter){.join = p->kernels->map[ZC_OP_ADD][s->dtype],
                             .levels = sums + sum_bytes(own),
                             .width = r.columns,
                             .item = s->item};
    return r;
}

/* ---- Running ---- */

/* Factors of x: where they are, or copied. */
static const char *take_factors(const row *r, int64_t product, int64_t length)
{
    static const int64_t first_row = 0;
    const zc_contract_shape *s = &r->own->shape;
    const zc_contract_walk *products = &s->products.x;
    if (zc_contract_is_run(products))
        return r->at.x + product * (int64_t)s->item; /* proven: verified to be inside */
    const zc_contract_part part = {r->at.x, &first_row, r->x_at, 1, length};
    zc_contract_offsets(products, product, length, r->x_at);
    zc_contract_pack(r->w->program->kernels, s->dtype, &part, r->x, length, r->lines);
    return r->x;
}

/* Up to ZC_CHAINS_END products of each column, from a product on. */
static void contract_run(const row *r, int64_t product)
{
    const zc_contract_shape *s = &r->own->shape;
    const int64_t end = zc_smaller(product + ZC_CHAINS_END, s->products.size),
                  y_row = zc_contract_stride(&s->products.y);
    for (int64_t at = product; at < end && !r->w->progress.is_stopped; at += ZC_CHAIN) {
        const int64_t length = zc_smaller(ZC_CHAIN, end - at);
        zc_contract_row chain = {
            .sums = at == product ? r->sums : r->chain, .y_row = y_row, .length = length, .columns = r->columns};
        chain.x = take_factors(r, at, length);
        chain.y = r->at.y + (r->first + at * y_row) * (int64_t)s->item; /* proven: likewise */
        r->w->program->kernels->contract[s->dtype].row(&chain);
        if (at != product)
            r->counter.join(r->sums, r->sums, r->chain, NULL, r->columns);
        zc_tile_count(r->w, r->columns * length); /* proven: not more than the domain's size */
    }
}

/* Some runs, one after the other. */
static void contract_runs(row *r, int64_t first)
{
    const int64_t end = zc_smaller(first + r->own->at_once, r->own->runs);
    for (int64_t run = first; run < end && !r->w->progress.is_stopped; run++) {
        contract_run(r, run * ZC_CHAINS_END);
        if (end - first > 1)
            zc_counter_push(&r->counter, r->sums, 0);
    }
    if (r->counter.leaves > 0)
        zc_counter_end(&r->counter, r->sums);
}

static void store(const row *r)
{
    zc_contract_store(r->w, &r->own->shape.columns.result, r->at.result, r->first, r->sums, r->columns);
}

static void run_unit(zc_tile_worker *w)
{
    row r = find_row(w);
    contract_runs(&r, 0);
    store(&r);
}

static void run_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    row r = find_row(w);
    (void)numbers;
    contract_runs(&r, group * r.own->at_once);
    memcpy(results, r.sums, (size_t)r.columns * r.own->shape.item);
}

static void end_groups(zc_tile_worker *w, char *results, int64_t *numbers)
{
    const zc_tile_program *p = w->program;
    row r = find_row(w);
    (void)numbers;
    for (int64_t group = 0; group < p->groups; group++)
        zc_counter_push(&r.counter, results + group * p->joined * (int64_t)r.own->shape.item, 0);
    zc_counter_end(&r.counter, r.sums);
    store(&r);
}

const zc_strategy zc_strategy_contract_row = {.name = "contract_row",
                                              .cost = cost,
                                              .prepare = prepare,
                                              .scratch_bytes = scratch_bytes,
                                              .run_unit = run_unit,
                                              .run_group = run_group,
                                              .end_groups = end_groups};
