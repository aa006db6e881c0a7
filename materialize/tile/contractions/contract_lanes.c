/*
 * Contracts one row with many: inner products, and products of matrices with vectors, where each factor of a side is
 * used once. Chains are summed side by side in vector lanes: the same one of LANES results, or, where there are few
 * results or factors are best read in their order, the LANES chains of a run of one result. Where products are next to
 * each other and the kernel is faster for it, of as many more results, or of more runs.
 *
 * Where products are next to each other in memory, a kernel turns them in registers; else they are packed.
 */
#include <string.h>

#include "materialize/execute/counter.h"
#include "materialize/kernels/tables/dispatch.h"
#include "materialize/stages/reduce_finalize.h"
#include "materialize/tile/contractions/computed_operand.h"
#include "materialize/tile/contractions/contraction.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

enum { LANES = ZC_CONTRACT_LANES, LEAST_PRODUCTS = 64 };

/* State of the prepared strategy, at program->own. */
typedef struct contract_lanes {
    zc_contract_shape shape;
    bool are_columns;   /* results side by side are columns, else batches */
    bool is_turned;     /* products are next to each other in both operands, and results in steps along one axis */
    bool by_chains;     /* lanes are the chains of one result */
    int64_t lanes;      /* lanes summed together: LANES, or more */
    int64_t results;    /* results of a unit */
    int64_t units;      /* units of results side by side */
    int64_t runs;       /* runs of ZC_CHAINS_END products */
    int64_t at_once;    /* runs that one task sums */
    int levels;         /* levels of the counter of runs */
    zc_fetched fetched; /* fetching of chains that follow each other, or of rows side by side */
    bool is_conjugated; /* the kernel conjugates the left operand, which is unchanged in memory */
    const zc_computed_operand *operand[2]; /* x and y where they are computed, else NULL */
} contract_lanes;

/* Tells whether the dtype suits: integers in memory, with several columns also many adjacent products (blocks multiply
 * the others in pairs); complex adjacent products that fill lanes by columns or chains, or few results. */
static bool suits_lanes(const zc_contract_shape *s)
{
    const bool are_together = zc_contract_has_products_together(s);
    const bool fill = s->columns.size >= LANES || s->products.size > ZC_CHAIN * s->columns.size;
    if (zc_dtype_is_complex(s->dtype))
        return s->columns.size > 1 ? are_together && fill : are_together || s->batches.size < LANES;
    return zc_dtype_describe(s->dtype)->kind == ZC_KIND_FLOAT ||
           (!s->x_is_computed && !s->y_is_computed &&
            (s->columns.size == 1 || (are_together && s->products.size >= LEAST_PRODUCTS)));
}

static int cost(const zc_tile_program *p)
{
    zc_contract_shape s;
    bool applies = zc_contract_find(p, &s) && s.rows.size == 1 &&
                   (s.columns.size == 1 || zc_contract_is_run(&s.products.y)) && suits_lanes(&s);
    return applies ? 0 : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

static const zc_contract_axes *along(const contract_lanes *own)
{
    return own->are_columns ? &own->shape.columns : &own->shape.batches;
}

/* Exchanges few columns and many batches where products are less than a run: results of a column, one of each batch,
 * are side by side. */
static void exchange_few_columns(zc_contract_shape *s)
{
    const zc_contract_axes columns = s->columns;
    const bool is_in_memory = !s->x_is_computed && !s->y_is_computed;
    if (columns.size == 1 || columns.size >= LANES || s->batches.size < LANES || !is_in_memory ||
        s->batches.x.count > 1 || s->batches.y.count > 1 || !zc_contract_has_products_together(s) ||
        s->products.size >= ZC_CHAINS_END)
        return;
    s->columns = s->batches;
    s->batches = columns;
}

/* Chooses lanes: many results of one chain, for fewer calls; one run of 8-byte items beyond the caches, where lines of
 * two share too few places. Few results go one by one unless operands would be computed again: packing takes longer. */
static void choose_lanes(contract_lanes *own, int inner_lanes)
{
    enum { MOST_LANES = 256, NEAR_PRODUCTS = (4 << 20) / (2 * sizeof(double)) };
    const zc_contract_shape *s = &own->shape;
    own->are_columns = s->columns.size > 1;
    const zc_contract_axes *side = along(own);
    const int64_t chains = zc_divide_up(s->products.size, ZC_CHAIN);
    own->is_turned = zc_contract_has_products_together(s) && (s->x_is_computed || side->x.count <= 1) &&
                     (s->y_is_computed || side->y.count <= 1);
    const bool are_runs = zc_contract_is_run(&s->products.x) && zc_contract_is_run(&s->products.y);
    const bool is_in_memory = !s->x_is_computed && !s->y_is_computed;
    own->by_chains = side->size < LANES ? is_in_memory || chains >= side->size : !own->are_columns && chains >= LANES;
    own->lanes = LANES;
    if (is_in_memory && own->by_chains && are_runs)
        own->lanes = s->item == sizeof(double) && s->products.size > NEAR_PRODUCTS ? LANES : inner_lanes;
    else if (is_in_memory && !own->by_chains && own->is_turned && side->size >= inner_lanes)
        own->lanes = chains > 1 ? inner_lanes : zc_smaller(side->size, MOST_LANES) / inner_lanes * inner_lanes;
}

/* Gives a unit as many results as leave enough units, and fewer where runs are divided. */
static void divide(zc_tile_program *p, contract_lanes *own)
{
    enum { MOST_RESULTS = 64 * LANES };
    const int64_t all = along(own)->size, batches = own->are_columns ? own->shape.batches.size : 1;
    const int64_t share = all / zc_divide_up(zc_contract_least_units(p), batches);
    if (own->lanes > ZC_INNER_LANES)
        own->lanes = zc_larger(zc_smaller(own->lanes, share / ZC_INNER_LANES * ZC_INNER_LANES), ZC_INNER_LANES);
    const int64_t lanes = own->by_chains ? 1 : own->lanes;
    own->results = zc_smaller(zc_larger(share / lanes, 1) * lanes, MOST_RESULTS);
    own->units = zc_divide_up(all, own->results);
    p->units = own->units * batches; /* proven: not more than the domain's size */
    own->at_once = zc_contract_divide(p, own->runs);
    if (p->groups > 1)
        p->joined = p->columns = own->results;
}

static bool prepare_operands(const zc_tile_program *p, contract_lanes *own, zc_arena *arena)
{
    const zc_contract_shape *s = &own->shape;
    const int32_t value[2] = {s->x_value, s->y_value};
    const bool is_computed[2] = {s->x_is_computed, s->y_is_computed};
    for (int i = 0; i < 2; i++) {
        own->operand[i] = NULL;
        if (!is_computed[i])
            continue;
        own->operand[i] =
            zc_computed_operand_prepare(p, value[i], along(own)->axes, s->products.axes, ZC_CHAINS_END, arena);
        if (own->operand[i] == NULL)
            return false;
    }
    return true;
}

/* Chooses how to fetch factors in memory and in no cache: chains of one result, where float64 comes no faster in order,
 * or rows that one row is multiplied with. */
static zc_fetched fetch(const contract_lanes *own)
{
    enum { CACHED = 16 << 20 };
    const zc_contract_shape *s = &own->shape;
    const int64_t most = CACHED / (int64_t)s->item, all = zc_saturating_multiply(s->products.size, along(own)->size);
    const bool are_rows = own->is_turned && !own->by_chains && !s->x_is_computed && !s->y_is_computed &&
                          zc_contract_stride(&along(own)->x) == 0;
    if (own->by_chains ? zc_kernels_ask_ahead() : are_rows && all > most)
        return ZC_FETCHED_AHEAD;
    const bool is_in_order = own->by_chains && s->products.size > most / 2 && s->dtype == ZC_FLOAT32;
    return is_in_order ? ZC_FETCHED_IN_ORDER : ZC_FETCHED_AS_READ;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_lanes *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &own->shape); /* as cost() has found */
    own->is_conjugated = zc_contract_take_conjugated(p, &own->shape);
    own->runs = zc_divide_up(own->shape.products.size, ZC_CHAINS_END);
    own->levels = zc_counter_levels(own->runs);
    exchange_few_columns(&own->shape);
    choose_lanes(own, p->kernels->contract[own->shape.dtype].inner_lanes);
    own->fetched = fetch(own);
    divide(p, own);
    p->own = own;
    return prepare_operands(p, own, arena) ? ZC_PREPARED : ZC_NOT_PREPARED;
}

/* ---- Scratch memory ---- */

typedef struct lanes {
    zc_tile_worker *w;
    const contract_lanes *own;
    const char *first[2];      /* first elements of the operands, for the unit's batch */
    char *result;              /* first element of the batch's result */
    char *lane[2];             /* [ZC_CHAIN][LANES] */
    char *run[2];              /* [ZC_CHAINS_END]: factors next to each other, of a run or of chains side by side */
    zc_tile_worker *worker[2]; /* workers that compute operands, else NULL */
    int64_t *row_at;           /* [ZC_CHAIN]: offsets of products */
    int64_t *column_at;        /* [ZC_CHAINS_END]: offsets of results, or of a run's products */
    char *lines;
    char *chains, *sums; /* [own->lanes] */
    zc_counter counter;  /* counter of runs, as wide as the results that are summed together */
} lanes;

static size_t scratch_bytes(const zc_tile_program *p)
{
    const contract_lanes *own = p->own;
    const size_t item = own->shape.item;
    return 4 * ZC_CHAINS_END * item + (ZC_CHAIN + ZC_CHAINS_END) * sizeof(int64_t) + ZC_CONTRACT_LINE_BYTES +
           (size_t)(2 + own->levels) * zc_align_data((size_t)own->lanes * item) +
           zc_computed_operand_bytes(own->operand[0]) + zc_computed_operand_bytes(own->operand[1]);
}

/* Results are counted side by side; those of a unit begin with the one that is returned. */
static lanes find_lanes(zc_tile_worker *w, int64_t *first_result)
{
    const zc_tile_program *p = w->program;
    const contract_lanes *own = p->own;
    const zc_contract_shape *s = &own->shape;
    const size_t run = ZC_CHAINS_END * s->item, sums = zc_align_data((size_t)own->lanes * s->item);
    const int64_t batch = own->are_columns ? w->unit / own->units : 0;
    const zc_contract_batch at = zc_contract_find_batch(p, s, batch);
    char *row_at = w->own + 4 * run, *column_at = row_at + ZC_CHAIN * sizeof(int64_t);
    char *lines = column_at + ZC_CHAINS_END * sizeof(int64_t), *chains = lines + ZC_CONTRACT_LINE_BYTES;
    char *workers = chains + (size_t)(2 + own->levels) * sums;
    *first_result = w->unit % own->units * own->results;
    lanes l = {.w = w,
               .own = own,
               .first = {at.x, at.y},
               .result = at.result,
               .lane = {w->own, w->own + run},
               .run = {w->own + 2 * run, w->own + 3 * run},
               .row_at = (int64_t *)(void *)row_at,
               .column_at = (int64_t *)(void *)column_at,
               .lines = lines,
               .chains = chains,
               .sums = chains + sums,
               .counter = {.join = p->kernels->map[ZC_OP_ADD][s->dtype],
                           .levels = chains + 2 * sums,
                           .width = own->by_chains ? 1 : own->lanes,
                           .item = s->item}};
    for (int i = 0; i < 2; i++, workers += zc_computed_operand_bytes(own->operand[0]))
        l.worker[i] =
            zc_computed_operand_begin(own->operand[i], workers, own->are_columns ? s->batches.axes : 0, batch);
    return l;
}

static const zc_contract_walk *walk_of(const zc_contract_axes *axes, int operand)
{
    return operand == 0 ? &axes->x : &axes->y;
}

static const char *find_result(const lanes *l, int operand, int64_t result)
{
    return l->first[operand] +
           zc_contract_offset(walk_of(along(l->own), operand), result) * (int64_t)l->own->shape.item;
}

static void store(const lanes *l, int64_t first, int64_t count, char *sums)
{
    const zc_contract_shape *s = &l->own->shape;
    const zc_contract_walk *results = &along(l->own)->result;
    const int64_t item = (int64_t)s->item;
    zc_finalize(l->w->program->stage, sums, NULL, sums, count);
    if (zc_contract_is_run(results)) {
        memcpy(l->result + first * item, sums, (size_t)(count * item));
        return;
    }
    zc_contract_offsets(results, first, count, l->column_at);
    for (int64_t i = 0; i < count; i++)
        memcpy(l->result + l->column_at[i] * item, sums + i * item, s->item);
}

/* to = the first chain's sums, or those before with `n` more. */
static void add_chains(const lanes *l, char *to, bool is_first, const char *chains, int64_t n)
{
    if (is_first)
        memcpy(to, chains, (size_t)n * l->own->shape.item);
    else
        l->counter.join(to, to, chains, NULL, n);
}

/* Computes factors of some results, those of each next to each other. */
static const char *compute(const lanes *l, int operand, int64_t first, int64_t count, int64_t product, int64_t length)
{
    zc_computed_operand_take(l->worker[operand], (zc_indices){along(l->own)->axes, first, count},
                             (zc_indices){l->own->shape.products.axes, product, length}, l->run[operand], length);
    return l->run[operand];
}

static void multiply_next(const lanes *l, zc_contract_inner inner)
{
    inner.is_exchanged = zc_contract_x_is_right(&l->own->shape);
    inner.is_conjugated = l->own->is_conjugated;
    l->w->program->kernels->contract[l->own->shape.dtype].inner(&inner);
}

/* ---- Lanes of results ---- */

/* A chain's factors of LANES results, and how far they are from one result to the next. */
static const char *find_factors(const lanes *l, int operand, int64_t first, int64_t product, int64_t length,
                                int64_t *lane)
{
    if (l->worker[operand] != NULL) {
        *lane = length;
        return compute(l, operand, first, LANES, product, length);
    }
    *lane = zc_contract_stride(walk_of(along(l->own), operand));
    return find_result(l, operand, first) + product * (int64_t)l->own->shape.item;
}

/* Products that are next to each other. */
static void turn_chain(const lanes *l, int64_t first, int64_t count, int64_t product, int64_t length)
{
    zc_contract_inner inner = {.sums = l->chains, .length = length, .lanes = (int)count, .fetched = l->own->fetched};
    inner.x = find_factors(l, 0, first, product, length, &inner.x_lane);
    inner.y = find_factors(l, 1, first, product, length, &inner.y_lane);
    multiply_next(l, inner);
}

/* Packs factors of some results: those in memory from where they are, others as they were computed. */
static void pack_factors(const lanes *l, int operand, int64_t first, int64_t count, int64_t product, int64_t length)
{
    static const zc_contract_walk together = {1, {INT64_MAX}, {1}};
    const zc_contract_walk apart = {1, {INT64_MAX}, {length}};
    const zc_contract_shape *s = &l->own->shape;
    zc_contract_part part = {l->first[operand], l->row_at, l->column_at, length, count};
    if (l->worker[operand] != NULL) {
        part.from = compute(l, operand, first, count, product, length);
        zc_contract_offsets(&together, 0, length, l->row_at);
        zc_contract_offsets(&apart, 0, count, l->column_at);
    } else {
        zc_contract_offsets(walk_of(&s->products, operand), product, length, l->row_at);
        zc_contract_offsets(walk_of(along(l->own), operand), first, count, l->column_at);
    }
    zc_contract_pack(l->w->program->kernels, s->dtype, &part, l->lane[operand], LANES, l->lines);
}

static void pack_chain(const lanes *l, int64_t first, int64_t count, int64_t product, int64_t length)
{
    pack_factors(l, 0, first, count, product, length);
    pack_factors(l, 1, first, count, product, length);
    const bool x_is_right = zc_contract_x_is_right(&l->own->shape);
    const zc_kernels *kernels = l->w->program->kernels;
    char *left = l->lane[x_is_right];
    if (l->own->is_conjugated)
        kernels->map[ZC_OP_CONJ][l->own->shape.dtype](left, left, NULL, NULL, length * LANES);
    kernels->contract[l->own->shape.dtype].lanes(l->chains, l->lane[x_is_right], l->lane[!x_is_right], length);
}

/* Lanes before the first result's: where results are the last ones and fewer than lanes, those before them are summed
 * again, which is faster than packing, but not where operands would be computed again. */
static int64_t lanes_before(const lanes *l, int64_t first, int64_t count)
{
    const int64_t width = zc_round_up(count, LANES);
    const bool is_in_memory = l->own->operand[0] == NULL && l->own->operand[1] == NULL;
    return l->own->is_turned && is_in_memory && !l->own->by_chains && first + count >= width ? width - count : 0;
}

static char *sums_of(const lanes *l, int64_t first, int64_t count)
{
    return l->sums + lanes_before(l, first, count) * (int64_t)l->own->shape.item;
}

/* Runs of some results, from a product on. */
static void contract_results(const lanes *l, int64_t first, int64_t count, int64_t product)
{
    const int64_t end = zc_smaller(product + ZC_CHAINS_END, l->own->shape.products.size);
    const int64_t before = lanes_before(l, first, count), width = zc_round_up(count, LANES);
    for (int64_t at = product; at < end; at += ZC_CHAIN) {
        const int64_t length = zc_smaller(ZC_CHAIN, end - at);
        if (l->own->is_turned && before + count == width)
            turn_chain(l, first - before, width, at, length);
        else
            pack_chain(l, first, count, at, length);
        add_chains(l, l->sums, at == product, l->chains, width);
    }
    zc_tile_count(l->w, count * (end - product));
}

/* ---- Lanes of chains ---- */

/* Consecutive factors: where they are, or copied. */
static const char *take_run(const lanes *l, int operand, int64_t result, int64_t product, int64_t length)
{
    const zc_contract_shape *s = &l->own->shape;
    const zc_contract_walk *products = walk_of(&s->products, operand);
    if (l->worker[operand] != NULL)
        return compute(l, operand, result, 1, product, length);
    const zc_contract_room room = {l->run[operand], l->column_at, l->lines};
    return zc_contract_take(l->w->program->kernels, s->dtype, find_result(l, operand, result), products, product,
                            length, &room);
}

/* Chains of `length` products each. Lanes of one chain alone all sum it; lanes that have none sum zeros. */
static void sum_chains(const lanes *l, const char *const *from, int64_t count, int64_t length)
{
    const zc_contract_shape *s = &l->own->shape;
    zc_contract_inner inner = {.sums = l->chains, .length = length, .lanes = (int)zc_larger(count, LANES)};
    const void *operand[2] = {from[0], from[1]};
    if (count > 1) {
        inner.x_lane = inner.y_lane = ZC_CHAIN;
        inner.fetched = count < LANES ? ZC_FETCHED_AS_READ : l->own->fetched;
    }
    for (int i = 0; i < 2 && count > 1 && count < LANES; i++) {
        const size_t bytes = (size_t)count * ZC_CHAIN * s->item;
        if (from[i] != l->run[i])
            memcpy(l->run[i], from[i], bytes);
        memset(l->run[i] + bytes, 0, ZC_CHAINS_END * s->item - bytes);
        operand[i] = l->run[i];
    }
    inner.x = operand[0];
    inner.y = operand[1];
    multiply_next(l, inner);
}

/* Whole runs of one result, as many as are summed at a time. */
static void push_runs(lanes *l, int64_t result, int64_t product)
{
    const char *from[2] = {take_run(l, 0, result, product, 0), take_run(l, 1, result, product, 0)};
    sum_chains(l, from, l->own->lanes, ZC_CHAIN);
    for (int64_t first = 0; first < l->own->lanes; first += LANES) {
        zc_contract_add_in_order(&l->counter, l->own->shape.dtype, l->chains + first * (int64_t)l->own->shape.item,
                                 LANES, l->sums);
        zc_counter_push(&l->counter, l->sums, 0);
    }
    zc_tile_count(l->w, l->own->lanes * ZC_CHAIN);
}

/* A run of one result. */
static void contract_chains(const lanes *l, int64_t result, int64_t product)
{
    const int64_t item = (int64_t)l->own->shape.item;
    const int64_t length = zc_smaller(ZC_CHAINS_END, l->own->shape.products.size - product);
    const char *from[2] = {take_run(l, 0, result, product, length), take_run(l, 1, result, product, length)};
    const int64_t whole = length / ZC_CHAIN, rest = length % ZC_CHAIN;
    zc_scalar last; /* the chain that is not whole: what follows chains may be overwritten as they are summed */
    if (rest > 0) {
        const int64_t at = whole * ZC_CHAIN * item;
        sum_chains(l, (const char *const[]){from[0] + at, from[1] + at}, 1, rest);
        memcpy(last.bytes, l->chains, l->own->shape.item);
    }
    if (whole > 0) {
        sum_chains(l, from, whole, ZC_CHAIN);
        zc_contract_add_in_order(&l->counter, l->own->shape.dtype, l->chains, whole, l->sums);
    }
    if (rest > 0)
        add_chains(l, l->sums, whole == 0, (const char *)last.bytes, 1);
    zc_tile_count(l->w, length);
}

/* ---- The whole ---- */

/* Some runs of some results, that are summed at once. */
static void contract_runs(lanes *l, int64_t first, int64_t count, int64_t first_run, char *to)
{
    const int64_t end = zc_smaller(first_run + l->own->at_once, l->own->runs);
    const int64_t whole = zc_smaller(end, l->own->shape.products.size / ZC_CHAINS_END), more = l->own->lanes / LANES;
    int64_t run = first_run;
    l->counter.leaves = 0;
    l->counter.width = l->own->by_chains ? 1 : zc_round_up(count, LANES);
    for (; l->own->by_chains && more > 1 && run + more <= whole && !l->w->progress.is_stopped; run += more)
        push_runs(l, first, run * ZC_CHAINS_END);
    for (; run < end && !l->w->progress.is_stopped; run++) {
        if (l->own->by_chains)
            contract_chains(l, first, run * ZC_CHAINS_END);
        else
            contract_results(l, first, count, run * ZC_CHAINS_END);
        zc_counter_push(&l->counter, l->sums, 0);
    }
    if (l->counter.leaves > 0)
        zc_counter_end(&l->counter, to);
}

/* Number of results summed together, starting at `first`. */
static int64_t next_results(const contract_lanes *own, int64_t first, int64_t end)
{
    return own->by_chains ? 1 : zc_smaller(own->lanes, end - first);
}

static void run_unit(zc_tile_worker *w)
{
    int64_t first;
    lanes l = find_lanes(w, &first);
    const int64_t end = zc_smaller(first + l.own->results, along(l.own)->size);
    for (int64_t r = first, count; r < end && !w->progress.is_stopped; r += count) {
        count = next_results(l.own, r, end);
        contract_runs(&l, r, count, 0, l.sums);
        store(&l, r, count, sums_of(&l, r, count));
    }
}

/* Results of a unit are summed at once where its runs are divided. */
static void run_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    int64_t first;
    lanes l = find_lanes(w, &first);
    const int64_t count = zc_smaller(l.own->results, along(l.own)->size - first);
    (void)numbers;
    contract_runs(&l, first, count, group * l.own->at_once, l.sums);
    memcpy(results, sums_of(&l, first, count), (size_t)count * l.own->shape.item);
}

static void end_groups(zc_tile_worker *w, char *results, int64_t *numbers)
{
    int64_t first;
    lanes l = find_lanes(w, &first);
    const int64_t count = zc_smaller(l.own->results, along(l.own)->size - first);
    (void)numbers;
    l.counter.width = count;
    zc_contract_join_groups(w->program, &l.counter, results, l.sums);
    store(&l, first, count, l.sums);
}

const zc_strategy zc_strategy_contract_lanes = {.name = "contract_lanes",
                                                .cost = cost,
                                                .prepare = prepare,
                                                .scratch_bytes = scratch_bytes,
                                                .run_unit = run_unit,
                                                .run_group = run_group,
                                                .end_groups = end_groups};
