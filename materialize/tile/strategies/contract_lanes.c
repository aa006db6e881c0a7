/*
 * Contracts rows with rows, as inner products do, where each factor is used once. Chains are summed side by side in
 * vector lanes: those of several results where each has one chain, those of one result where it has more.
 */
#include "materialize/tile/contraction.h"
#include "materialize/tile/store.h"
#include "materialize/tile/strategy.h"

#include <string.h>

/* Digits of the counter of runs of ZC_CHAINS_END products. */
enum { MOST_LEVELS = 64 };

/* What program->own points to. */
typedef struct contract_lanes {
    zc_contract_shape shape;
    int64_t results; /* of a unit */
} contract_lanes;

static int cost(const zc_tile_program *p)
{
    zc_contract_shape s;
    bool applies = zc_contract_find(p, &s) && p->kernels->contract[s.dtype].lanes != NULL && s.rows.size == 1 &&
                   s.columns.size == 1;
    return applies ? 0 : ZC_STRATEGY_NONE;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    enum { MOST_RESULTS = 64 * ZC_CONTRACT_LANES };
    contract_lanes *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &own->shape); /* as cost() has found */
    const int64_t all = own->shape.batches.size;
    int64_t most = p->threads > 1 ? all / (4 * (int64_t)p->threads) : all;
    own->results = zc_smaller(zc_larger(most / ZC_CONTRACT_LANES, 1) * ZC_CONTRACT_LANES, MOST_RESULTS);
    p->own = own;
    p->units = (all + own->results - 1) / own->results;
    return ZC_PREPARED;
}

/* ---- Scratch memory ---- */

typedef struct lanes {
    zc_tile_worker *w;
    const contract_lanes *own;
    const char *first[2]; /* of the operands */
    char *run[2];         /* [ZC_CHAINS_END]: a run of factors next to each other */
    char *lane[2];        /* [ZC_CHAIN][ZC_CONTRACT_LANES] */
    int64_t *row_at;      /* [ZC_CHAIN]: how far products are, or 0 */
    int64_t *column_at;   /* [ZC_CHAINS_END]: likewise, or results */
    char *lines;
    char *sums;   /* [ZC_CONTRACT_LANES] */
    char *levels; /* [MOST_LEVELS] */
} lanes;

static size_t scratch_bytes(const zc_tile_program *p)
{
    const size_t item = ((const contract_lanes *)p->own)->shape.item;
    return 4 * ZC_CHAINS_END * item + (ZC_CHAIN + ZC_CHAINS_END) * sizeof(int64_t) + ZC_CONTRACT_LINE_BYTES +
           zc_align_data(ZC_CONTRACT_LANES * item) + MOST_LEVELS * item;
}

static lanes find_lanes(zc_tile_worker *w)
{
    const contract_lanes *own = w->program->own;
    const size_t item = own->shape.item, run = ZC_CHAINS_END * item;
    char *row_at = w->own + 4 * run, *column_at = row_at + ZC_CHAIN * sizeof(int64_t);
    char *lines = column_at + ZC_CHAINS_END * sizeof(int64_t), *sums = lines + ZC_CONTRACT_LINE_BYTES;
    return (lanes){
        .w = w,
        .own = own,
        .first = {zc_contract_base(w->program, own->shape.x_value), zc_contract_base(w->program, own->shape.y_value)},
        .run = {w->own, w->own + run},
        .lane = {w->own + 2 * run, w->own + 3 * run},
        .row_at = (int64_t *)(void *)row_at,
        .column_at = (int64_t *)(void *)column_at,
        .lines = lines,
        .sums = sums,
        .levels = sums + zc_align_data(ZC_CONTRACT_LANES * item)};
}

static const zc_contract_walk *walk_of(const zc_contract_axes *axes, int operand)
{
    return operand == 0 ? &axes->x : &axes->y;
}

/* How far a result is from the first one, in an operand. */
static const char *find_result(const lanes *l, int operand, int64_t result)
{
    const zc_contract_shape *s = &l->own->shape;
    return l->first[operand] + zc_contract_offset(walk_of(&s->batches, operand), result) * (int64_t)s->item;
}

/* Sums the lanes. */
static void sum_lanes(const lanes *l, int64_t length)
{
    l->w->program->kernels->contract[l->own->shape.dtype].lanes(l->sums, l->lane[0], l->lane[1], length);
}

static void store(const lanes *l, int64_t result, char *sum)
{
    const zc_tile_program *p = l->w->program;
    const zc_contract_shape *s = &l->own->shape;
    const int64_t at = p->stage->store_offset + zc_contract_offset(&s->batches.result, result);
    zc_finalize(p->stage, sum, NULL, sum, 1);
    memcpy(p->slots[p->stage->store_slot] + (size_t)at * s->item, sum, s->item);
}

/* ---- Results of one chain ---- */

static void contract_results(const lanes *l, int64_t first, int64_t count)
{
    const zc_contract_shape *s = &l->own->shape;
    for (int i = 0; i < 2; i++) {
        const zc_contract_part part = {l->first[i], l->row_at, l->column_at, s->products.size, count};
        zc_contract_offsets(walk_of(&s->products, i), 0, s->products.size, l->row_at);
        zc_contract_offsets(walk_of(&s->batches, i), first, count, l->column_at);
        zc_contract_pack(l->w->program->kernels, s->dtype, &part, l->lane[i], ZC_CONTRACT_LANES, l->lines);
    }
    sum_lanes(l, s->products.size);
    for (int64_t i = 0; i < count; i++)
        store(l, first + i, l->sums + i * (int64_t)s->item);
}

/* ---- Results of several chains ---- */

/* Consecutive factors: where they are, or copied. */
static const char *take_run(const lanes *l, int operand, int64_t result, int64_t product, int64_t length)
{
    const zc_contract_shape *s = &l->own->shape;
    const zc_contract_walk *products = walk_of(&s->products, operand);
    const char *from = find_result(l, operand, result);
    if (zc_contract_is_run(products))
        return from + product * (int64_t)s->item;
    const zc_contract_part part = {from, l->row_at, l->column_at, 1, length};
    l->row_at[0] = 0;
    zc_contract_offsets(products, product, length, l->column_at);
    zc_contract_pack(l->w->program->kernels, s->dtype, &part, l->run[operand], length, l->lines);
    return l->run[operand];
}

/* `count` chains of `length` products, ZC_CHAIN apart. */
static void sum_chains(const lanes *l, const char *const *from, int64_t count, int64_t length)
{
    const zc_contract_shape *s = &l->own->shape;
    for (int i = 0; i < 2; i++) {
        if (count == ZC_CONTRACT_LANES) {
            l->w->program->kernels->transpose[zc_item_size(s->item)](l->lane[i], from[i], ZC_CHAIN, length,
                                                                     ZC_CONTRACT_LANES);
            continue;
        }
        memset(l->lane[i], 0, (size_t)length * ZC_CONTRACT_LANES * s->item);
        for (int64_t c = 0; c < count; c++)
            l->w->program->kernels->unpack[s->dtype](l->lane[i] + c * (int64_t)s->item,
                                                     from[i] + c * ZC_CHAIN * (int64_t)s->item, ZC_CONTRACT_LANES,
                                                     length);
    }
    sum_lanes(l, length);
}

static void add(const lanes *l, char *into, const char *left, const char *right)
{
    l->w->program->kernels->map[ZC_OP_ADD][l->own->shape.dtype](into, left, right, NULL, 1);
}

/* The sum of up to ZC_CHAINS_END products, at `to`. */
static void contract_run(const lanes *l, int64_t result, int64_t product, int64_t length, char *to)
{
    const size_t item = l->own->shape.item;
    const char *from[2] = {take_run(l, 0, result, product, length), take_run(l, 1, result, product, length)};
    const int64_t chains = length / ZC_CHAIN, rest = length % ZC_CHAIN;
    if (chains > 0)
        sum_chains(l, from, chains, ZC_CHAIN);
    if (chains > 0)
        memcpy(to, l->sums, item);
    for (int64_t c = 1; c < chains; c++)
        add(l, to, to, l->sums + (size_t)c * item);
    if (rest == 0)
        return;
    const char *last[2] = {from[0] + (size_t)(chains * ZC_CHAIN) * item, from[1] + (size_t)(chains * ZC_CHAIN) * item};
    sum_chains(l, last, 1, rest);
    if (chains == 0)
        memcpy(to, l->sums, item);
    else
        add(l, to, to, l->sums);
}

static void contract_chains(const lanes *l, int64_t result)
{
    const size_t item = l->own->shape.item;
    const int64_t all = l->own->shape.products.size;
    zc_scalar sum;
    int64_t runs = 0;
    int digit;
    for (int64_t at = 0; at < all && !l->w->progress.is_stopped; at += ZC_CHAINS_END, runs++) {
        contract_run(l, result, at, zc_smaller(ZC_CHAINS_END, all - at), (char *)sum.bytes);
        for (digit = 0; (runs >> digit & 1) != 0; digit++)
            add(l, (char *)sum.bytes, l->levels + (size_t)digit * item, (const char *)sum.bytes);
        memcpy(l->levels + (size_t)digit * item, sum.bytes, item);
        zc_tile_count(l->w, zc_smaller(ZC_CHAINS_END, all - at));
    }
    if (runs == 0) /* stopped before */
        return;
    digit = __builtin_ctzll((unsigned long long)runs);
    memcpy(sum.bytes, l->levels + (size_t)digit * item, item);
    for (digit++; runs >> digit != 0; digit++) {
        if ((runs >> digit & 1) != 0)
            add(l, (char *)sum.bytes, l->levels + (size_t)digit * item, (const char *)sum.bytes);
    }
    store(l, result, (char *)sum.bytes);
}

static void run_unit(zc_tile_worker *w)
{
    const lanes l = find_lanes(w);
    const zc_contract_shape *s = &l.own->shape;
    const int64_t first = w->unit * l.own->results, end = zc_smaller(first + l.own->results, s->batches.size);
    if (s->products.size > ZC_CHAIN) {
        for (int64_t r = first; r < end && !w->progress.is_stopped; r++)
            contract_chains(&l, r);
        return;
    }
    for (int64_t r = first; r < end && !w->progress.is_stopped; r += ZC_CONTRACT_LANES) {
        int64_t count = zc_smaller(ZC_CONTRACT_LANES, end - r);
        contract_results(&l, r, count);
        zc_tile_count(w, count * s->products.size);
    }
}

const zc_strategy zc_strategy_contract_lanes = {
    .name = "contract_lanes", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
