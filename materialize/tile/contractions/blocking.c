#include "materialize/tile/contractions/blocking.h"

#include "materialize/execute/counter.h"
#include "materialize/stages/contract.h"
#include "materialize/stages/reduce.h"
#include "materialize/tile/program/share.h"

/* A block's rows in calls of the kernel, fewer where it has sums of several runs or computes rows, which take memory
 * that is not read yet; its columns, and the bytes of its sums where they are in scratch memory; rows of x are worth
 * packing for so many columns, and stay in the caches up to so many bytes; below so many bytes y stays there unpacked.
 * How often blocks are halved at most. Fewer products than so many are summed sooner than a sum is copied. */
enum {
    ROW_CALLS = 40,
    SHORT_ROW_CALLS = 60, /* items of 4 bytes and less: a chain of them takes less of the caches */
    GROUP_ROW_CALLS = 44, /* packing columns takes more of the time where products take less */
    FEW_ROW_CALLS = 16,
    MOST_COLUMNS = 4096,
    MOST_SUM_BYTES = 1 << 20,
    LEAST_COLUMNS_TO_PACK_FOR = 256,
    MOST_ROW_BYTES = 1 << 19,
    MOST_BYTES_IN_PLACE = 1 << 18,
    MOST_BYTES_NEAR = 1 << 14,
    LEAST_PRODUCTS_TO_MIRROR = 32,
    MOST_HALVINGS = 7
};

/* Columns whose sums may go to the result, from a multiple of as many on; 0: none. Rows are equally far apart there, as
 * many at least as a call of the kernel takes. */
static int64_t find_result_run(const zc_stage *stage, const zc_contract_shape *s, int64_t least_rows)
{
    const zc_contract_walk *columns = &s->columns.result, *rows = &s->rows.result;
    if (zc_stage_reduced(stage)->invariant_count != 1 || s->products.size > ZC_CHAINS_END ||
        (rows->count > 1 && rows->extent[rows->count - 1] < least_rows) || columns->count == 0 ||
        columns->stride[columns->count - 1] != 1)
        return 0;
    return columns->extent[columns->count - 1];
}

/* Tells whether `count` rows or columns stay one block, so that the other operand is computed only once. Positions that
 * a view of an index range sees may meet more; computing them again costs nothing. */
static bool stay_together(const zc_blocking *b, int64_t count)
{
    return count <= ZC_MOST_CONTRACTED_LINE / (int64_t)b->shape.item;
}

/* Divides all rows into blocks of about the same size. */
static void set_rows(zc_blocking *b, int halvings)
{
    const int64_t height = b->kernels.rows, all = b->shape.rows.size;
    const bool are_groups = b->groups.pairs != NULL;
    const int64_t plain = b->shape.item > sizeof(float) ? ROW_CALLS : SHORT_ROW_CALLS;
    const int64_t many = are_groups ? GROUP_ROW_CALLS : plain;
    const int64_t calls = (b->levels > 0 || (b->x != NULL && !are_groups) ? FEW_ROW_CALLS : many) >> halvings;
    const int64_t most = b->y != NULL && stay_together(b, all) ? all : height * zc_larger(calls, 1);
    b->rows = zc_smaller(all, zc_round_up(zc_divide_up(all, zc_divide_up(all, most)), height));
}

/* Chooses which factors are packed, and whether panels are summed one by one. */
static void choose_packing(zc_blocking *b, int halvings)
{
    const zc_contract_shape *s = &b->shape;
    const int64_t item = (int64_t)s->item, products = s->products.size, columns = s->columns.size;
    const bool x_is_rows = s->rows.x.count <= 1 && zc_contract_is_run(&s->products.x);
    const zc_contract_walk *y_columns = &s->columns.y;
    const bool y_is_rows = zc_contract_last_stride(y_columns) == 1 && s->products.y.count <= 1;
    b->y_run = y_is_rows ? y_columns->extent[y_columns->count - 1] : 0;
    const bool y_is_small = products <= MOST_BYTES_IN_PLACE / item / columns;
    const bool are_changed = b->groups.pairs != NULL;
    b->x_in_place = b->x == NULL && !are_changed && x_is_rows &&
                    (columns < LEAST_COLUMNS_TO_PACK_FOR || b->rows <= b->kernels.rows);
    const int64_t y_step = zc_contract_stride(&s->products.y), y_distance = y_step < 0 ? -y_step : y_step;
    const bool y_is_near = y_distance <= MOST_BYTES_NEAR / item / zc_smaller(products, ZC_CHAIN);
    b->y_in_place =
        b->y == NULL && !are_changed && y_is_rows && (b->rows <= 2 * b->kernels.rows || y_is_small || y_is_near);
    b->rows_stay =
        products <= (MOST_ROW_BYTES >> halvings) / item / b->rows && (y_is_small || y_is_near || !b->y_in_place);
    b->span = ZC_CHAIN;
    while (b->x != NULL && b->span < ZC_CHAINS_END && 2 * b->span <= (MOST_ROW_BYTES >> halvings) / item / b->rows)
        b->span *= 2;
    b->table = zc_smaller(products, b->rows_stay ? ZC_CHAINS_END : b->span);
}

/* Tells whether there are enough units, counting the runs that they are divided into where there is room for their
 * sums. */
static bool has_enough_units(const zc_tile_program *p, const zc_blocking *b, int halvings)
{
    const zc_contract_shape *s = &b->shape;
    const int64_t units =
        s->batches.size * zc_divide_up(s->rows.size, b->rows) * zc_divide_up(s->columns.size, b->columns);
    return units * (halvings == 0 ? b->runs : 1) >= zc_contract_least_units(p); /* proven: not more than the domain */
}

/* Blocks as large as the caches hold, and small enough that every thread has several. A block of fewer rows packs the
 * same columns again. */
static void set_columns(const zc_tile_program *p, zc_blocking *b, int halvings)
{
    const zc_contract_shape *s = &b->shape;
    const int64_t width = b->kernels.columns, height = b->kernels.rows, item = (int64_t)s->item;
    const bool is_direct = b->rows_stay || b->result_run == s->columns.size;
    const int64_t most = is_direct ? MOST_COLUMNS >> halvings
                                   : (MOST_SUM_BYTES >> halvings) / (b->rows * item * (1 + b->levels)) / width * width;
    const bool keeps_rows = b->y != NULL && stay_together(b, s->rows.size);
    const bool keeps_columns = b->x != NULL && stay_together(b, s->columns.size);
    b->columns = keeps_columns ? s->columns.size : zc_smaller(s->columns.size, zc_larger(most, width));
    const int64_t least_columns = b->x_in_place ? 2 * width : 8 * width; /* each block packs its rows of x */
    while (!has_enough_units(p, b, halvings)) {
        const bool has_rows = !keeps_rows && b->rows >= 2 * height;
        const bool has_columns = !keeps_columns && b->columns >= least_columns;
        if (!has_rows && !has_columns)
            break;
        if (has_rows && (!has_columns || (b->columns < b->rows && !b->x_in_place)))
            b->rows = zc_round_up(b->rows / 2, height);
        else
            b->columns = zc_round_up(b->columns / 2, width);
    }
    b->row_blocks = zc_divide_up(s->rows.size, b->rows);
    b->col_blocks = zc_divide_up(s->columns.size, b->columns);
    b->panels = b->rows_stay ? 1 : zc_divide_up(b->columns, width);
    b->sum_panels = is_direct ? 1 : b->panels;
    if (!is_direct)
        b->result_run = 0;
}

/* Divides with blocks that are halved so often; with the smallest ones nothing is data memory. */
static void divide(zc_tile_program *p, zc_blocking *b, int halvings)
{
    b->result_run = find_result_run(p->stage, &b->shape, b->kernels.rows);
    set_rows(b, halvings);
    choose_packing(b, halvings);
    set_columns(p, b, halvings);
    p->units = b->shape.batches.size * b->row_blocks * b->col_blocks; /* proven: not more than the domain's size */
    p->groups = p->joined = p->columns = 1;
    b->runs_at_once = halvings < MOST_HALVINGS ? zc_contract_divide(p, b->runs) : b->runs;
    if (p->groups > 1)
        p->joined = p->columns = b->rows * zc_round_up(b->columns, b->kernels.columns);
    const int64_t joined_bytes = p->units * p->groups * p->joined * (int64_t)b->shape.item; /* proven: of blocks */
    p->takes_data = halvings < MOST_HALVINGS && (zc_blocking_lay_out(b).bytes > ZC_BLOCKING_SMALL ||
                                                 (p->groups > 1 && joined_bytes > ZC_BLOCKING_SMALL));
}

/* Rows of x are packed with their products next to each other, products of y with their columns. */
static bool prepare_operands(const zc_tile_program *p, zc_blocking *b, zc_arena *arena)
{
    const zc_contract_shape *s = &b->shape;
    const uint64_t products = s->products.axes;
    if (s->x_is_computed)
        b->x = zc_computed_operand_prepare(p, s->x_value, s->rows.axes, products, ZC_CHAIN, arena);
    if (s->y_is_computed)
        b->y = zc_computed_operand_prepare(p, s->y_value, products, s->columns.axes, b->kernels.columns, arena);
    return (b->x != NULL) == s->x_is_computed && (b->y != NULL) == s->y_is_computed;
}

bool zc_blocking_choose(zc_tile_program *p, zc_blocking *b, zc_arena *arena)
{
    p->own = b;
    b->x = b->y = NULL;
    b->kernels = p->kernels->contract[b->shape.dtype];
    b->groups = zc_groups_find(p->kernels, &b->shape);
    b->is_symmetric = b->shape.products.size >= LEAST_PRODUCTS_TO_MIRROR && zc_contract_is_symmetric(p, &b->shape);
    b->runs = zc_divide_up(b->shape.products.size, ZC_CHAINS_END);
    b->levels = b->runs > 1 ? zc_counter_levels(b->runs) : 0;
    if (!prepare_operands(p, b, arena))
        return false;
    divide(p, b, 0);
    for (int halvings = 1; zc_tile_data_bytes(p) > p->stage->scratch_limit; halvings++)
        divide(p, b, halvings);
    return true;
}

/* ---- Memory ---- */

size_t zc_blocking_sum_bytes(const zc_blocking *b)
{
    return (size_t)(b->rows * b->sum_panels * b->kernels.columns) * b->shape.item; /* proven: MOST_SUM_BYTES */
}

/* Products whose rows of x are packed at once. */
static int64_t products_of_x(const zc_blocking *b)
{
    const int64_t all = b->shape.products.size;
    return b->x_in_place ? 0 : b->rows_stay ? all : zc_smaller(all, b->span);
}

zc_blocking_layout zc_blocking_lay_out(const zc_blocking *b)
{
    const size_t item = b->shape.item, width = b->kernels.columns, at = sizeof(int64_t);
    const int64_t chain = zc_smaller(b->shape.products.size, ZC_CHAIN);
    zc_blocking_layout l = {.x = 0};
    l.y = zc_align_data((size_t)(b->rows * products_of_x(b)) * item);
    l.sums = l.y + (size_t)chain * width * item;
    l.row_at = l.sums + zc_align_data(zc_blocking_sum_bytes(b) * (size_t)(1 + b->levels));
    l.column_at = l.row_at + (size_t)b->rows * at;
    l.x_at = l.column_at + width * at;
    l.y_at = l.x_at + (size_t)b->table * at;
    l.lines = zc_align_data(l.y_at + (size_t)b->table * at);
    l.x_worker = l.lines + ZC_CONTRACT_LINE_BYTES;
    l.y_worker = l.x_worker + zc_computed_operand_bytes(b->x);
    l.bytes = l.y_worker + zc_computed_operand_bytes(b->y);
    return l;
}
