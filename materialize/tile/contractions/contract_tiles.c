/*
 * Contracts bytes that become integers of 32 bits, as quantized weights do: the processor's registers of tiles multiply
 * the bytes as they are. Where a machine has none, contract_block casts them first.
 *
 * A unit is a block of rows and columns. Some steps of products of all its columns are packed, and of its rows, unless
 * tiles are read from where these are. Sums go to the result where tiles of it are in memory as they are in registers,
 * else to scratch memory. They wrap, so their order does not matter; where there are few blocks, threads share the
 * products of one.
 */
#include <string.h>

#include "materialize/kernels/tables/dispatch.h"
#include "materialize/stages/contract.h"
#include "materialize/stages/reduce.h"
#include "materialize/tile/contractions/blocking.h"
#include "materialize/tile/contractions/contraction.h"
#include "materialize/tile/program/share.h"
#include "materialize/tile/program/strategy.h"

/* Most rows and columns of a block, and most steps of products packed at a time: what the second-level cache holds. */
enum { SIDE = ZC_TILE_SIDE, STEP = ZC_TILE_PRODUCTS, MOST_SIDE = 512, MOST_STEPS = 16 };

/* State of the prepared strategy, at program->own. */
typedef struct contract_tiles {
    zc_contract_shape shape; /* contraction of the bytes */
    const zc_tile_kernels *kernels;
    bool x_is_signed, y_is_signed;
    bool x_in_place; /* products of x are next to each other, and rows in steps along one axis */
    bool y_in_place; /* columns of y are next to each other, and products in steps along one axis */
    bool is_direct;  /* columns of the result are next to each other, rows in steps along one axis, and sums need not be
                        finished */
    int64_t rows, columns; /* extents of a block: multiples of SIDE */
    int64_t row_blocks, column_blocks;
    int64_t steps;        /* steps of products packed at a time */
    int64_t runs_at_once; /* runs of ZC_CHAINS_END products that one task sums */
} contract_tiles;

/* ---- Applicability ---- */

/* Finds the bytes in memory that a value is cast from. True: *value is theirs. */
static bool take_bytes(const zc_stage *stage, int32_t *value, bool *is_signed)
{
    const zc_value *v = &stage->values[*value];
    if (v->kind != ZC_VALUE_OP || v->op != ZC_OP_CAST)
        return false;
    const zc_value *bytes = &stage->values[v->arg[0]];
    *value = v->arg[0];
    *is_signed = bytes->dtype == ZC_INT8;
    return bytes->kind == ZC_VALUE_LOAD && (bytes->dtype == ZC_INT8 || bytes->dtype == ZC_UINT8);
}

static bool find(const zc_tile_program *p, contract_tiles *own)
{
    zc_contract_shape *s = &own->shape;
    const bool applies = zc_contract_find(p, s) && (s->dtype == ZC_INT32 || s->dtype == ZC_UINT32) &&
                         s->rows.size >= ZC_LEAST_TILE_SIDE && s->columns.size >= ZC_LEAST_TILE_SIDE &&
                         s->products.size >= ZC_LEAST_TILE_PRODUCTS &&
                         take_bytes(p->stage, &s->x_value, &own->x_is_signed) &&
                         take_bytes(p->stage, &s->y_value, &own->y_is_signed);
    own->kernels = applies ? zc_kernels_tiles(p->kernels) : NULL; /* asks the system for the first such contraction */
    return own->kernels != NULL;
}

static int cost(const zc_tile_program *p)
{
    contract_tiles own;
    return find(p, &own) ? 0 : ZC_STRATEGY_NONE;
}

/* ---- Memory ---- */

/* Offsets of the parts of a worker's memory, and its size. */
typedef struct layout {
    size_t x, x_rest, y, bytes, sums, lines, row_at, x_at, y_at, column_at, all;
} layout;

/* Tells whether all sums go to the result. */
static bool is_all_direct(const contract_tiles *own)
{
    return own->is_direct && own->shape.rows.size % SIDE == 0 && own->shape.columns.size % SIDE == 0;
}

static layout lay_out(const contract_tiles *own)
{
    const size_t products = (size_t)own->steps * STEP, at = sizeof(int64_t);
    layout l = {.x = 0};
    l.x_rest = l.x + (own->x_in_place ? 0 : (size_t)own->rows * products);
    l.y = l.x_rest + SIDE * products;
    l.bytes = l.y + (size_t)own->columns * products;
    l.sums = l.bytes + SIDE * STEP;
    l.lines = l.sums + (is_all_direct(own) ? 0 : (size_t)(own->rows * own->columns) * own->shape.item);
    l.row_at = l.lines + ZC_CONTRACT_LINE_BYTES;
    l.x_at = l.row_at + (size_t)own->rows * at;
    l.y_at = l.x_at + products * at;
    l.column_at = l.y_at + products * at;
    l.all = l.column_at + (size_t)own->columns * at;
    return l;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return lay_out(p->own).all;
}

/* ---- Preparing ---- */

/* Chooses the side of blocks of about the same size. */
static int64_t choose_side(int64_t all, int64_t most)
{
    return zc_round_up(zc_divide_up(all, zc_divide_up(all, most)), SIDE);
}

static void halve(contract_tiles *own)
{
    if (own->rows > own->columns)
        own->rows = zc_round_up(own->rows / 2, SIDE);
    else if (own->columns > SIDE)
        own->columns = zc_round_up(own->columns / 2, SIDE);
    else
        own->steps = zc_divide_up(own->steps, 2);
}

static void count_blocks(zc_tile_program *p, contract_tiles *own)
{
    const zc_contract_shape *s = &own->shape;
    const int64_t runs = zc_divide_up(s->products.size, ZC_CHAINS_END);
    const bool is_smallest = own->rows + own->columns == 2 * SIDE && own->steps == 1; /* which always fits */
    own->row_blocks = zc_divide_up(s->rows.size, own->rows);
    own->column_blocks = zc_divide_up(s->columns.size, own->columns);
    p->units = s->batches.size * own->row_blocks * own->column_blocks; /* proven: not more than the domain's size */
    p->groups = p->joined = p->columns = 1;
    own->runs_at_once = is_smallest ? runs : zc_contract_divide(p, runs);
    if (p->groups > 1)
        p->joined = p->columns = own->rows * own->columns;
    own->is_direct = p->groups == 1 && zc_stage_reduced(p->stage)->invariant_count == 1 &&
                     zc_contract_is_run(&s->columns.result) && s->rows.result.count == 1;
    p->takes_data = p->groups > 1 || lay_out(own).all > ZC_BLOCKING_SMALL;
}

/* As large blocks as leave every thread some, and as there is room for. */
static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_tiles *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)find(p, own); /* as cost() has found */
    const zc_contract_shape *s = &own->shape;
    own->x_in_place = zc_contract_is_run(&s->products.x) && s->rows.x.count == 1 && s->products.size % STEP == 0;
    own->y_in_place = zc_contract_is_run(&s->columns.y) && s->products.y.count == 1;
    own->rows = choose_side(s->rows.size, MOST_SIDE);
    own->columns = choose_side(s->columns.size, MOST_SIDE);
    own->steps = zc_smaller(zc_divide_up(s->products.size, STEP), MOST_STEPS);
    p->own = own;
    for (count_blocks(p, own); p->units < zc_contract_least_units(p) && own->rows + own->columns > 2 * SIDE;
         count_blocks(p, own))
        halve(own);
    for (; zc_tile_data_bytes(p) > p->stage->scratch_limit; count_blocks(p, own))
        halve(own);
    return ZC_PREPARED;
}

/* ---- Running ---- */

/* The block at hand. */
typedef struct block {
    zc_tile_worker *w;
    const contract_tiles *own;
    zc_contract_batch at;
    int64_t first_row, rows, first_column, columns;
    int64_t whole;                             /* rows that fill tiles; the rest is fewer than SIDE */
    char *x, *x_rest;                          /* packed: [steps][whole][STEP], [steps][SIDE][STEP] */
    char *y;                                   /* panels of SIDE columns, in the order of a kernel */
    char *bytes;                               /* [STEP][SIDE]: a step of a panel, row by row */
    char *sums;                                /* [rows][columns] */
    char *lines;                               /* for packing */
    int64_t *row_at, *x_at, *y_at, *column_at; /* offsets of rows, products of both, and columns */
} block;

static block find_block(zc_tile_worker *w)
{
    const contract_tiles *own = w->program->own;
    const zc_contract_shape *s = &own->shape;
    const int64_t blocks = own->row_blocks * own->column_blocks, number = w->unit % blocks;
    const layout l = lay_out(own);
    char *memory = w->own;
    block b = {.w = w,
               .own = own,
               .at = zc_contract_find_batch(w->program, s, w->unit / blocks),
               .first_row = number / own->column_blocks * own->rows,
               .first_column = number % own->column_blocks * own->columns,
               .x = memory + l.x,
               .x_rest = memory + l.x_rest,
               .y = memory + l.y,
               .bytes = memory + l.bytes,
               .sums = memory + l.sums,
               .lines = memory + l.lines,
               .row_at = (int64_t *)(void *)(memory + l.row_at),
               .x_at = (int64_t *)(void *)(memory + l.x_at),
               .y_at = (int64_t *)(void *)(memory + l.y_at),
               .column_at = (int64_t *)(void *)(memory + l.column_at)};
    b.rows = zc_smaller(own->rows, s->rows.size - b.first_row);
    b.columns = zc_smaller(own->columns, s->columns.size - b.first_column);
    b.whole = b.rows / SIDE * SIDE;
    zc_contract_offsets(&s->rows.x, b.first_row, b.rows, b.row_at);
    zc_contract_offsets(&s->columns.y, b.first_column, b.columns, b.column_at);
    return b;
}

/* Products of a step, from the first that is packed on. */
static int64_t products_of(int64_t count, int64_t step)
{
    return zc_smaller(STEP, count - step * STEP);
}

/* Some rows of `count` products, step by step; what the last step lacks is 0. */
static void pack_rows(const block *b, int64_t first, int64_t rows, int64_t pitch, int64_t count, char *to)
{
    for (int64_t s = 0; rows > 0 && s * STEP < count; s++) {
        const zc_contract_part part = {b->at.x, b->row_at + first, b->x_at + s * STEP, rows, products_of(count, s)};
        zc_contract_pack(b->w->program->kernels, ZC_UINT8, &part, to + s * pitch * STEP, STEP, b->lines);
    }
}

/* A step of a panel of columns, row by row: where it is, or copied, with what it lacks as 0. */
static const char *take_columns(const block *b, int64_t column, const int64_t *product_at, int64_t products,
                                int64_t *row)
{
    const zc_contract_shape *s = &b->own->shape;
    const int64_t columns = zc_smaller(SIDE, b->columns - column);
    if (b->own->y_in_place && columns == SIDE && products == STEP) {
        *row = zc_contract_stride(&s->products.y);
        return b->at.y + (b->column_at[column] + product_at[0]); /* proven: verified to be inside */
    }
    const zc_contract_part part = {b->at.y, product_at, b->column_at + column, products, columns};
    *row = SIDE;
    zc_contract_pack(b->w->program->kernels, ZC_UINT8, &part, b->bytes, SIDE, b->lines);
    memset(b->bytes + products * SIDE, 0, (size_t)((STEP - products) * SIDE));
    return b->bytes;
}

/* Steps of all columns: those of a step are next to each other in many operands. */
static void pack_columns(const block *b, int64_t count)
{
    const int64_t steps = zc_divide_up(count, STEP), half = steps * STEP * SIDE / 2;
    for (int64_t s = 0; s < steps; s++) {
        for (int64_t c = 0; c < b->columns; c += SIDE) {
            int64_t row;
            const char *from = take_columns(b, c, b->y_at + s * STEP, products_of(count, s), &row);
            b->own->kernels->interleave(from, row, b->y + c * steps * STEP + s * STEP * SIDE / 2, half);
        }
    }
}

/* Tells whether the sums of the rows that fill tiles go to the result. */
static bool is_direct(const block *b, int64_t column)
{
    return b->own->is_direct && column + SIDE <= b->columns;
}

/* Finds the first of these sums in the result. */
static char *find_result(const block *b, int64_t column)
{
    const zc_contract_shape *s = &b->own->shape;
    return b->at.result + (zc_contract_offset(&s->rows.result, b->first_row) +
                           zc_contract_offset(&s->columns.result, b->first_column + column)) *
                              (int64_t)s->item; /* proven: likewise */
}

static void multiply_panel(const block *b, int64_t column, zc_byte_tiles tiles)
{
    const contract_tiles *own = b->own;
    const int64_t item = (int64_t)own->shape.item;
    tiles.y = b->y + column * tiles.steps * STEP;
    tiles.sums_row = own->columns;
    tiles.sums = b->sums + (b->whole * own->columns + column) * item;
    if (b->whole < b->rows) {
        zc_byte_tiles rest = tiles;
        rest.x = b->x_rest;
        rest.x_row = STEP;
        rest.x_step = SIDE * STEP;
        rest.rows = SIDE;
        own->kernels->multiply(&rest);
    }
    tiles.rows = b->whole;
    tiles.sums = b->sums + column * item;
    if (is_direct(b, column)) {
        tiles.sums = find_result(b, column);
        tiles.sums_row = zc_contract_stride(&own->shape.rows.result);
    }
    if (b->whole > 0)
        own->kernels->multiply(&tiles);
}

/* Some steps of products of all sums of the block; `adds`: to those that are there. */
static void contract(const block *b, int64_t first, int64_t count, bool adds)
{
    const contract_tiles *own = b->own;
    zc_byte_tiles tiles = {.x = b->x,
                           .x_row = STEP,
                           .x_step = b->whole * STEP,
                           .steps = zc_divide_up(count, STEP),
                           .x_is_signed = own->x_is_signed,
                           .y_is_signed = own->y_is_signed,
                           .adds = adds};
    zc_contract_offsets(&own->shape.products.x, first, count, b->x_at);
    zc_contract_offsets(&own->shape.products.y, first, count, b->y_at);
    if (own->x_in_place) {
        tiles.x = b->at.x + (b->row_at[0] + b->x_at[0]); /* proven: likewise */
        tiles.x_row = zc_contract_stride(&own->shape.rows.x);
        tiles.x_step = STEP;
    } else {
        pack_rows(b, 0, b->whole, b->whole, count, b->x);
    }
    pack_rows(b, b->whole, b->rows - b->whole, SIDE, count, b->x_rest);
    pack_columns(b, count);
    for (int64_t c = 0; c < b->columns; c += SIDE)
        multiply_panel(b, c, tiles);
    zc_tile_count(b->w, b->rows * b->columns * count); /* proven: a block is small */
}

/* Sums that are not there yet: of rows that fill tiles only those of the last columns may be left. */
static void store(const block *b)
{
    const zc_contract_shape *s = &b->own->shape;
    const int64_t item = (int64_t)s->item, stored = b->own->is_direct ? b->columns / SIDE * SIDE : 0;
    for (int64_t r = 0; r < b->rows; r++) {
        const int64_t first = r < b->whole ? stored : 0;
        char *to = b->at.result + zc_contract_offset(&s->rows.result, b->first_row + r) * item;
        if (first < b->columns)
            zc_contract_store(b->w, &s->columns.result, to, b->first_column + first,
                              b->sums + (r * b->own->columns + first) * item, b->columns - first);
    }
}

/* Products of some runs. */
static void contract_runs(const block *b, int64_t first_run)
{
    const int64_t first = first_run * ZC_CHAINS_END, most = b->own->steps * STEP;
    const int64_t end = zc_smaller(first + b->own->runs_at_once * ZC_CHAINS_END, b->own->shape.products.size);
    for (int64_t at = first; at < end && !b->w->progress.is_stopped; at += most)
        contract(b, at, zc_smaller(most, end - at), at > first);
}

static void run_unit(zc_tile_worker *w)
{
    const block b = find_block(w);
    contract_runs(&b, 0);
    store(&b);
}

/* Sums of all columns of the block, and of rows that it may lack. */
static size_t sum_bytes(const contract_tiles *own)
{
    return (size_t)(own->rows * own->columns) * own->shape.item;
}

static void run_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    const block b = find_block(w);
    (void)numbers;
    contract_runs(&b, group * b.own->runs_at_once);
    memcpy(results, b.sums, sum_bytes(b.own));
}

static void end_groups(zc_tile_worker *w, char *results, int64_t *numbers)
{
    const block b = find_block(w);
    const int64_t n = b.own->rows * b.own->columns;
    (void)numbers;
    memcpy(b.sums, results, sum_bytes(b.own));
    for (int64_t g = 1; g < w->program->groups; g++)
        w->program->kernels->map[ZC_OP_ADD][b.own->shape.dtype](b.sums, b.sums, results + g * (int64_t)sum_bytes(b.own),
                                                                NULL, n);
    store(&b);
}

const zc_strategy zc_strategy_contract_tiles = {.name = "contract_tiles",
                                                .cost = cost,
                                                .prepare = prepare,
                                                .scratch_bytes = scratch_bytes,
                                                .run_unit = run_unit,
                                                .run_group = run_group,
                                                .end_groups = end_groups};
