/*
 * Contracts one row with few columns that are next to each other in memory and long: a vector and a tall matrix. A row
 * of the matrix is one vector or two, or half of one, so what bounds a chain is that each addition waits for the one
 * before; chains that do not wait for each other are made together.
 */
#include "materialize/execute/counter.h"
#include "materialize/tile/contractions/contraction.h"
#include "materialize/tile/contractions/few_columns.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

/* Fewest products that are worthwhile. */
enum { LEAST_PRODUCTS = 64 };

/* State of the prepared strategy, at program->own. */
typedef struct contract_few {
    zc_contract_shape shape;
    int64_t lanes;    /* lanes of the vectors that a row of the matrix fills */
    int64_t in_place; /* batches, from the first on, whose matrices have every vector inside the operand */
    int64_t inside;   /* products, from the first on, for which that holds in every batch */
    int64_t runs;     /* number of runs of ZC_CHAINS_END products */
    int64_t at_once;  /* runs that one task makes */
    int levels;       /* levels of the counter of runs */
} contract_few;

static int cost(const zc_tile_program *p)
{
    zc_contract_shape s;
    if (!zc_contract_find(p, &s))
        return ZC_STRATEGY_NONE;
    const zc_contract_kernels *kernels = &p->kernels->contract[s.dtype];
    const bool applies = kernels->narrow != NULL && s.rows.size == 1 && s.columns.size > 1 &&
                         s.columns.size < kernels->columns && s.products.size >= LEAST_PRODUCTS && !s.x_is_computed &&
                         !s.y_is_computed && zc_contract_is_run(&s.columns.y) && s.products.x.count <= 1 &&
                         s.products.y.count == 1 && s.products.y.stride[0] > 0;
    return applies ? 0 : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_few *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &own->shape); /* as cost() has found */
    const zc_contract_shape *s = &own->shape;
    own->lanes = zc_few_columns_lanes(p, s);
    const int64_t beyond = zc_divide_up(own->lanes - s->columns.size, s->products.y.stride[0]);
    own->in_place = zc_few_columns_in_place(p, s);
    own->inside = zc_larger(s->products.size - beyond, 0);
    own->runs = zc_divide_up(s->products.size, ZC_CHAINS_END);
    own->levels = zc_counter_levels(own->runs);
    p->units = s->batches.size;
    own->at_once = zc_contract_divide(p, own->runs);
    if (p->groups > 1)
        p->joined = p->columns = s->columns.size;
    p->own = own;
    return ZC_PREPARED;
}

/* ---- Scratch memory ---- */

typedef struct few {
    zc_tile_worker *w;
    const contract_few *own;
    zc_contract_batch at;
    char *matrix; /* [ZC_CHAIN][lanes]: rows of which not all of a vector is inside the operand */
    int64_t *row_at, *column_at;
    char *lines;
    zc_contract_sums sums;
} few;

static void make_chains(const void *user, int64_t product, int64_t length, char *sums);

/* Sums of the chains of a run, and room for a vector's end. */
static size_t chain_bytes(const contract_few *own)
{
    const zc_contract_shape *s = &own->shape;
    return zc_align_data((size_t)(ZC_CONTRACT_LANES * s->columns.size + own->lanes) * s->item);
}

static size_t sum_bytes(const contract_few *own)
{
    return zc_align_data((size_t)own->shape.columns.size * own->shape.item);
}

static size_t packing_bytes(const contract_few *own)
{
    return zc_align_data((size_t)(ZC_CHAIN * own->lanes) * own->shape.item +
                         (size_t)(ZC_CHAIN + own->lanes) * sizeof(int64_t) + ZC_CONTRACT_LINE_BYTES);
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    const contract_few *own = p->own;
    return packing_bytes(own) + chain_bytes(own) + (size_t)(1 + own->levels) * sum_bytes(own);
}

static few find_few(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const contract_few *own = p->own;
    const zc_contract_shape *s = &own->shape;
    char *chains = w->own + packing_bytes(own), *sums = chains + chain_bytes(own);
    few f = {.w = w, .own = own, .at = zc_contract_find_batch(p, s, w->unit), .matrix = w->own};
    f.row_at = (int64_t *)(void *)(f.matrix + ZC_CHAIN * own->lanes * (int64_t)s->item);
    f.column_at = f.row_at + ZC_CHAIN;
    f.lines = (char *)(f.column_at + own->lanes);
    const zc_counter counter = {.join = p->kernels->map[ZC_OP_ADD][s->dtype],
                                .levels = sums + sum_bytes(own),
                                .width = s->columns.size,
                                .item = s->item};
    f.sums = (zc_contract_sums){.worker = w,
                                .make = make_chains,
                                .products = s->products.size,
                                .counter = counter,
                                .chain = chains,
                                .sums = sums,
                                .makes_runs = true};
    return f;
}

/* ---- Running ---- */

/* Makes `count` chains of `length` products each from one on, [count][columns]. */
static void multiply(const few *f, int64_t product, int64_t length, int64_t count, const char *y, int64_t y_row,
                     char *sums)
{
    const zc_contract_shape *s = &f->own->shape;
    const int64_t x_step = zc_contract_stride(&s->products.x);
    const zc_contract_narrow chains = {.x = f->at.x + product * x_step * (int64_t)s->item, /* proven: inside */
                                       .y = y,
                                       .sums = sums,
                                       .x_batch = length * x_step, /* proven: likewise */
                                       .x_step = x_step,
                                       .y_batch = length * y_row, /* proven: likewise */
                                       .y_row = y_row,
                                       .length = length,
                                       .rows = 1,
                                       .columns = s->columns.size,
                                       .batches = count};
    f->w->program->kernels->contract[s->dtype].narrow(&chains);
}

/* Makes one chain of rows of the matrix that are packed. */
static void multiply_packed(const few *f, int64_t product, int64_t length, char *sums)
{
    const zc_contract_shape *s = &f->own->shape;
    const zc_contract_part part = {f->at.y, f->row_at, f->column_at, length, s->columns.size};
    zc_contract_offsets(&s->products.y, product, length, f->row_at);
    zc_contract_offsets(&s->columns.y, 0, s->columns.size, f->column_at);
    zc_contract_pack(f->w->program->kernels, s->dtype, &part, f->matrix, f->own->lanes, f->lines);
    multiply(f, product, length, 1, f->matrix, f->own->lanes, sums);
}

static void make_chains(const void *user, int64_t product, int64_t length, char *sums)
{
    const few *f = user;
    const zc_contract_shape *s = &f->own->shape;
    const int64_t end = product + length, item = (int64_t)s->item, y_row = s->products.y.stride[0];
    const int64_t inside_to = f->w->unit < f->own->in_place ? s->products.size : f->own->inside;
    while (product < end) {
        const int64_t each = zc_smaller(ZC_CHAIN, end - product);
        const int64_t inside = (zc_smaller(inside_to, end) - product) / each, count = zc_larger(inside, 1);
        const char *y = f->at.y + product * y_row * item; /* proven: verified to be inside */
        if (inside > 0)
            multiply(f, product, each, count, y, y_row, sums);
        else
            multiply_packed(f, product, each, sums);
        product += count * each;
        sums += count * s->columns.size * item;
    }
}

static void store(const few *f)
{
    zc_contract_store(f->w, &f->own->shape.columns.result, f->at.result, 0, f->sums.sums, f->sums.counter.width);
}

static void run_unit(zc_tile_worker *w)
{
    few f = find_few(w);
    zc_contract_sum_runs(&f.sums, &f, 0, f.own->at_once);
    store(&f);
}

static void run_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    few f = find_few(w);
    (void)numbers;
    zc_contract_sum_runs(&f.sums, &f, group * f.own->at_once, f.own->at_once);
    memcpy(results, f.sums.sums, (size_t)f.sums.counter.width * f.own->shape.item);
}

static void end_groups(zc_tile_worker *w, char *results, int64_t *numbers)
{
    few f = find_few(w);
    (void)numbers;
    zc_contract_join_groups(w->program, &f.sums.counter, results, f.sums.sums);
    store(&f);
}

const zc_strategy zc_strategy_contract_few = {.name = "contract_few",
                                              .cost = cost,
                                              .prepare = prepare,
                                              .scratch_bytes = scratch_bytes,
                                              .run_unit = run_unit,
                                              .run_group = run_group,
                                              .end_groups = end_groups};
