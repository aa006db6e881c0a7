/*
 * Contracts batches that are next to each other in both operands, such as inner products of columns: each factor is
 * used once, and the factors of many results are read from front to back. Sums of a unit's results stay in the
 * first-level cache.
 */
#include <string.h>

#include "materialize/execute/counter.h"
#include "materialize/tile/contractions/blocking.h"
#include "materialize/tile/program/strategy.h"

/* Fewest results side by side in each of many places, which are units of their own, and in a single place: fewer are
 * left to other strategies. */
enum { LEAST_OF_MANY = 16, LEAST_BESIDE = 4 };

/* State of the prepared strategy, at program->own. */
typedef struct contract_batches {
    zc_contract_shape shape;
    int64_t beside;  /* results next to each other in both operands */
    int64_t width;   /* results of a unit; the last one has the rest */
    int64_t units;   /* units of `beside` results */
    int64_t runs;    /* runs of ZC_CHAINS_END products */
    int64_t at_once; /* runs that one task sums */
    int levels;      /* levels of the counter of runs */
} contract_batches;

/* Counts the batches that are steps of one element before a walk leaps. */
static int64_t count_beside(const zc_contract_walk *walk, int64_t all)
{
    if (walk->count == 0 || walk->stride[walk->count - 1] != 1)
        return 0;
    return walk->count == 1 ? all : walk->extent[walk->count - 1];
}

/* Counts the same for both operands. One count divides the other, since both are of the last axes; 0: there are too
 * few. */
static int64_t find_beside(const zc_contract_shape *s)
{
    const int64_t x = count_beside(&s->batches.x, s->batches.size), y = count_beside(&s->batches.y, s->batches.size);
    const int64_t less = zc_smaller(x, y);
    const int64_t least = less < s->batches.size || s->columns.size > 1 ? LEAST_OF_MANY : LEAST_BESIDE;
    return less >= least ? less : 0;
}

static int cost(const zc_tile_program *p)
{
    zc_contract_shape s;
    bool applies = zc_contract_find(p, &s) && s.rows.size == 1 && !s.x_is_computed && !s.y_is_computed &&
                   !zc_contract_has_products_together(&s) && find_beside(&s) > 0;
    return applies ? 0 : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

/* Gives a unit as many results as leave enough units, but no fewer than make reading rows worthwhile. */
static void divide(zc_tile_program *p, contract_batches *own)
{
    enum { MOST_BYTES = 1 << 13, LEAST_BYTES = 1 << 8 };
    const zc_contract_shape *s = &own->shape;
    const int64_t item = (int64_t)s->item, others = s->batches.size / own->beside * s->columns.size;
    const int64_t wanted = zc_divide_up(zc_contract_least_units(p), zc_larger(others, 1));
    const int64_t most = zc_smaller(MOST_BYTES, ZC_BLOCKING_SMALL / 2 / (2 + own->levels)) / item;
    own->width = zc_smaller(zc_smaller(own->beside, most), zc_larger(own->beside / wanted, LEAST_BYTES / item));
    own->units = zc_divide_up(own->beside, own->width);
    p->units = own->units * others; /* proven: not more than the domain's size */
    own->at_once = zc_contract_divide(p, own->runs);
    if (p->groups > 1)
        p->joined = p->columns = own->width;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_batches *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &own->shape);                          /* as cost() has found */
    own->beside = zc_larger(find_beside(&own->shape), LEAST_BESIDE); /* likewise */
    own->runs = zc_divide_up(own->shape.products.size, ZC_CHAINS_END);
    own->levels = zc_counter_levels(own->runs);
    divide(p, own);
    p->own = own;
    return ZC_PREPARED;
}

/* ---- Scratch memory ---- */

typedef struct batches {
    zc_tile_worker *w;
    const contract_batches *own;
    zc_contract_batch at;  /* batch of the unit's first result, except `result`, which is for batch 0 */
    int64_t first;         /* first batch of the unit */
    int64_t *x_at, *y_at;  /* [ZC_CHAIN]: offsets of factors */
    zc_contract_sums sums; /* sums of the unit's results */
} batches;

static void make_chain(const void *user, int64_t product, int64_t length, char *sums);

static size_t sum_bytes(const contract_batches *own)
{
    return zc_align_data((size_t)own->width * own->shape.item);
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    const contract_batches *own = p->own;
    return 2 * ZC_CHAIN * sizeof(int64_t) + (size_t)(2 + own->levels) * sum_bytes(own);
}

/* Finds the unit's first factors, and the results of batch 0. */
static zc_contract_batch find_first(const zc_tile_program *p, int64_t batch, int64_t column)
{
    const contract_batches *own = p->own;
    const zc_contract_shape *s = &own->shape;
    const int64_t item = (int64_t)s->item;
    zc_contract_batch at = zc_contract_find_batch(p, s, batch);
    at.y += zc_contract_offset(&s->columns.y, column) * item;
    at.result = zc_contract_find_batch(p, s, 0).result + zc_contract_offset(&s->columns.result, column) * item;
    return at;
}

/* Results that columns tell apart are made one after the other. */
static batches find_batches(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const contract_batches *own = p->own;
    const zc_contract_shape *s = &own->shape;
    const int64_t columns = s->columns.size, beside = w->unit / own->units;
    const int64_t before = w->unit % own->units * own->width, first = beside / columns * own->beside + before;
    int64_t *x_at = (int64_t *)(void *)w->own;
    char *sums = (char *)(x_at + 2 * ZC_CHAIN), *chain = sums + sum_bytes(own);
    const zc_counter counter = {.join = p->kernels->map[ZC_OP_ADD][s->dtype],
                                .levels = chain + sum_bytes(own),
                                .width = zc_smaller(own->width, own->beside - before),
                                .item = s->item};
    return (batches){.w = w,
                     .own = own,
                     .at = find_first(p, first, beside % columns),
                     .first = first,
                     .x_at = x_at,
                     .y_at = x_at + ZC_CHAIN,
                     .sums = {w, make_chain, s->products.size, counter, chain, sums, false}};
}

/* ---- Running ---- */

static void make_chain(const void *user, int64_t product, int64_t length, char *sums)
{
    const batches *b = user;
    const zc_contract_shape *s = &b->own->shape;
    zc_contract_offsets(&s->products.x, product, length, b->x_at);
    zc_contract_offsets(&s->products.y, product, length, b->y_at);
    zc_contract_batches chain = {.x = b->at.x,
                                 .y = b->at.y,
                                 .sums = sums,
                                 .x_at = b->x_at,
                                 .y_at = b->y_at,
                                 .length = length,
                                 .count = b->sums.counter.width};
    if (zc_contract_x_is_right(s))
        chain.x = b->at.y, chain.x_at = b->y_at, chain.y = b->at.x, chain.y_at = b->x_at;
    b->w->program->kernels->contract[s->dtype].batches(&chain);
}

static void store(const batches *b)
{
    zc_contract_store(b->w, &b->own->shape.batches.result, b->at.result, b->first, b->sums.sums, b->sums.counter.width);
}

static void run_unit(zc_tile_worker *w)
{
    batches b = find_batches(w);
    zc_contract_sum_runs(&b.sums, &b, 0, b.own->at_once);
    store(&b);
}

static void run_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    batches b = find_batches(w);
    (void)numbers;
    zc_contract_sum_runs(&b.sums, &b, group * b.own->at_once, b.own->at_once);
    memcpy(results, b.sums.sums, (size_t)b.sums.counter.width * b.own->shape.item);
}

static void end_groups(zc_tile_worker *w, char *results, int64_t *numbers)
{
    batches b = find_batches(w);
    (void)numbers;
    zc_contract_join_groups(w->program, &b.sums.counter, results, b.sums.sums);
    store(&b);
}

const zc_strategy zc_strategy_contract_batches = {.name = "contract_batches",
                                                  .cost = cost,
                                                  .prepare = prepare,
                                                  .scratch_bytes = scratch_bytes,
                                                  .run_unit = run_unit,
                                                  .run_group = run_group,
                                                  .end_groups = end_groups};
