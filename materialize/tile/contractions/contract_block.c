/*
 * Contracts blocks: panels of as many columns as a kernel takes are packed into the first-level cache, a chain of
 * products at a time, and multiplied with all rows of the block. The sums stay in registers for a chain.
 *
 * Where the factors of a block's rows stay in the caches, they are packed once, and each panel is finished before the
 * next one begins. Where there are more, the block goes chain by chain: they are packed for one chain, and multiplied
 * with all panels.
 *
 * Of a symmetric contraction, A.T @ A, a panel is summed from the call of the kernel on whose rows reach the diagonal;
 * the results that this leaves out are copied from those on the other side of it.
 *
 * Sums go to the result after each chain where results of a panel are next to each other in memory, are finished when
 * they are summed, and have no more than ZC_CHAINS_END products; else to scratch memory, the rows of a panel one after
 * the other.
 */
#include "materialize/execute/counter.h"
#include "materialize/tile/contractions/blocking.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

static int cost(const zc_tile_program *p)
{
    enum { COST = 1 };
    zc_contract_shape shape;
    return zc_contract_find(p, &shape) ? COST : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    zc_blocking *b = zc_arena_take(arena, 1, sizeof *b);
    if (b == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &b->shape); /* as cost() has found */
    return zc_blocking_choose(p, b, arena) ? ZC_PREPARED : ZC_NOT_PREPARED;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return zc_blocking_lay_out(p->own).bytes;
}

/* ---- Running ---- */

/* The block at hand. */
typedef struct block {
    zc_tile_worker *w;
    const zc_blocking *b;
    zc_contract_batch at;
    char *x_packed, *y_packed, *sums, *lines;
    zc_tile_worker *x_worker, *y_worker; /* workers that compute operands, else NULL */
    int64_t *row_at, *column_at;         /* offsets of the block's rows in x and of a panel's columns in y */
    int64_t *x_at, *y_at;                /* offsets of products from `table_first` on */
    int64_t table_first;
    int64_t packed_from, packed_to; /* products of x that are packed */
    zc_grouped grouped;             /* groups of the packed factors */
    int64_t first_row, first_column;
    int64_t rows, columns, all_columns; /* `columns` leaves out those that are copied */
} block;

/* Finds the block's memory and the workers that compute its operands. */
static void find_scratch(block *k, int64_t batch)
{
    const uint64_t batches = k->b->shape.batches.axes;
    const zc_blocking_layout l = zc_blocking_lay_out(k->b);
    char *own = k->w->own;
    k->x_packed = own + l.x;
    k->y_packed = own + l.y;
    k->sums = own + l.sums;
    k->lines = own + l.lines;
    k->x_worker = zc_computed_operand_begin(k->b->x, own + l.x_worker, batches, batch);
    k->y_worker = zc_computed_operand_begin(k->b->y, own + l.y_worker, batches, batch);
    k->row_at = (int64_t *)(void *)(own + l.row_at);
    k->column_at = (int64_t *)(void *)(own + l.column_at);
    k->x_at = (int64_t *)(void *)(own + l.x_at);
    k->y_at = (int64_t *)(void *)(own + l.y_at);
    k->table_first = -1;
}

/* Counts the columns up to the last panel that reaches the diagonal; none where the block is beyond it. */
static int64_t find_columns(const block *k)
{
    const int64_t reach = k->first_row + k->rows - k->first_column;
    return reach <= 0 ? 0 : zc_smaller(k->all_columns, zc_round_up(reach, k->b->kernels.columns));
}

static block find_block(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const zc_blocking *b = p->own;
    const zc_contract_shape *s = &b->shape;
    const int64_t blocks = b->row_blocks * b->col_blocks, batch = w->unit / blocks;
    const int64_t number = b->is_symmetric ? blocks - 1 - w->unit % blocks : w->unit % blocks; /* large ones first */
    block k = {.w = w, .b = b, .grouped = {.of = 1}};
    find_scratch(&k, batch);
    k.first_row = number / b->col_blocks * b->rows;
    k.first_column = number % b->col_blocks * b->columns;
    k.rows = zc_smaller(b->rows, s->rows.size - k.first_row);
    k.all_columns = zc_smaller(b->columns, s->columns.size - k.first_column);
    k.columns = b->is_symmetric ? find_columns(&k) : k.all_columns;
    k.at = zc_contract_find_batch(p, s, batch);
    if (!b->x_in_place)
        zc_contract_offsets(&s->rows.x, k.first_row, k.rows, k.row_at);
    return k;
}

/* Finds the offsets of the products in the chain or run that `product` belongs to. */
static void find_products(block *k, int64_t product)
{
    const zc_contract_axes *products = &k->b->shape.products;
    const int64_t first = product / k->b->table * k->b->table;
    const int64_t count = zc_smaller(k->b->table, products->size - first);
    if (first == k->table_first)
        return;
    k->table_first = first;
    if (!k->b->x_in_place)
        zc_contract_offsets(&products->x, first, count, k->x_at);
    zc_contract_offsets(&products->y, first, count, k->y_at);
}

/* Packs the rows of x for a chain. */
static void pack_rows(const block *k, int64_t product, int64_t length, char *to)
{
    const zc_contract_shape *s = &k->b->shape;
    if (k->x_worker != NULL) {
        zc_computed_operand_take(k->x_worker, (zc_indices){s->rows.axes, k->first_row, k->rows},
                                 (zc_indices){s->products.axes, product, length}, to, length);
        return;
    }
    const zc_contract_part part = {k->at.x, k->row_at, k->x_at + product % k->b->table, k->rows, length};
    zc_contract_pack(k->w->program->kernels, s->dtype, &part, to, length, k->lines);
}

/* Computes the rows of x for all chains from a product on, row by row, so that their operands are read from front to
 * back. */
static void compute_rows(const block *k, int64_t first, int64_t end)
{
    const zc_contract_shape *s = &k->b->shape;
    for (int64_t r = 0; r < k->rows; r++) {
        for (int64_t at = first; at < end; at += ZC_CHAIN) {
            const int64_t length = zc_smaller(ZC_CHAIN, end - at);
            zc_computed_operand_take(k->x_worker, (zc_indices){s->rows.axes, k->first_row + r, 1},
                                     (zc_indices){s->products.axes, at, length},
                                     k->x_packed + (k->rows * (at - first) + r * length) * (int64_t)s->item, length);
        }
    }
}

static zc_packed_rows packed_rows(const block *k)
{
    return (zc_packed_rows){k->x_packed, k->rows, k->packed_to - k->packed_from};
}

/* Packs the rows of x for all chains from a product on, one after the other. */
static void pack_chains(block *k, int64_t first, int64_t end)
{
    const int64_t item = (int64_t)k->b->shape.item;
    const bool is_by_rows = k->x_worker != NULL && end - first > ZC_CHAIN;
    k->packed_from = first;
    k->packed_to = end;
    if (is_by_rows)
        compute_rows(k, first, end);
    for (int64_t at = first; !is_by_rows && at < end; at += ZC_CHAIN) {
        find_products(k, at);
        pack_rows(k, at, zc_smaller(ZC_CHAIN, end - at), k->x_packed + k->rows * (at - first) * item);
    }
    k->grouped = zc_groups_make_rows(k->w->program->kernels, k->b->groups, packed_rows(k));
}

/* Packs the rows of x for all chains of some runs, where panels are summed one by one. */
static void pack_runs(block *k, int64_t first, int64_t count)
{
    if (k->b->rows_stay && !k->b->x_in_place)
        pack_chains(k, first * ZC_CHAINS_END, zc_smaller((first + count) * ZC_CHAINS_END, k->b->shape.products.size));
}

/* Finds the rows of x for a chain: packed, or in place. */
static const char *find_rows(const block *k, int64_t product, int64_t length, int64_t *pitch)
{
    const zc_contract_shape *s = &k->b->shape;
    const int64_t item = (int64_t)s->item;
    if (k->b->x_in_place) {
        *pitch = zc_contract_stride(&s->rows.x);
        return k->at.x + (k->first_row * *pitch + product) * item; /* proven: verified to be inside */
    }
    *pitch = zc_groups_of(k->grouped, length);
    return k->x_packed + k->rows * (product - k->packed_from) * item;
}

/* Packs some columns of y for a chain. */
static void pack_columns(const block *k, int64_t product, int64_t length, int64_t first, int64_t count)
{
    const zc_contract_shape *s = &k->b->shape;
    const int64_t width = k->b->kernels.columns;
    if (k->y_worker != NULL) {
        zc_computed_operand_take(k->y_worker, (zc_indices){s->products.axes, product, length},
                                 (zc_indices){s->columns.axes, first, count}, k->y_packed, width);
        return;
    }
    zc_contract_offsets(&s->columns.y, first, count, k->column_at);
    const zc_contract_part part = {k->at.y, k->y_at + product % k->b->table, k->column_at, length, count};
    zc_contract_pack(k->w->program->kernels, s->dtype, &part, k->y_packed, width, k->lines);
}

/* Tells whether the panel that begins with `column` is within one of the consecutive runs of `run` columns. */
static bool is_within_run(const block *k, int64_t column, int64_t run)
{
    return (k->first_column + column) % run + k->b->kernels.columns <= run;
}

/* Takes a panel of y for a chain, in place or packed; columns that the last one lacks are zero. */
static const char *take_panel(block *k, int64_t product, int64_t length, int64_t column, int64_t count, int64_t *pitch)
{
    const zc_contract_shape *s = &k->b->shape;
    const int64_t width = k->b->kernels.columns, item = (int64_t)s->item;
    if (k->b->y_in_place && count == width && is_within_run(k, column, k->b->y_run)) {
        *pitch = zc_contract_stride(&s->products.y);
        return k->at.y + (zc_contract_offset(&s->columns.y, k->first_column + column) + product * *pitch) *
                             item; /* proven: likewise */
    }
    *pitch = width;
    pack_columns(k, product, length, k->first_column + column, count);
    if (k->grouped.of > 1)
        k->grouped =
            zc_groups_make_panel(k->w->program->kernels, k->grouped, packed_rows(k), k->y_packed, length, width);
    return k->y_packed;
}

/* Panels that are summed together: `count` of them from `first` on. */
typedef struct panels {
    int64_t first, count;
} panels;

static int64_t columns_of(const block *k, int64_t panel)
{
    const int64_t width = k->b->kernels.columns;
    return zc_smaller(width, k->columns - panel * width);
}

/* Tells whether a panel's sums go to the result. */
static bool is_direct(const block *k, int64_t panel)
{
    const int64_t width = k->b->kernels.columns, run = k->b->result_run;
    return run > 0 && columns_of(k, panel) == width && is_within_run(k, panel * width, run);
}

/* Finds the sums of a panel from a row of the block on, as far as rows are equally far apart. Scratch memory has room
 * for the sums of all panels, or of one. */
static char *find_sums(const block *k, panels of, int64_t panel, int64_t row, int64_t *pitch)
{
    const zc_blocking *b = k->b;
    const zc_contract_shape *s = &b->shape;
    const int64_t width = b->kernels.columns, item = (int64_t)s->item;
    *pitch = width;
    if (!is_direct(k, panel))
        return k->sums + ((b->sum_panels == 1 ? 0 : panel - of.first) * b->rows + row) * width * item;
    *pitch = zc_contract_last_stride(&s->rows.result);
    const int64_t column = zc_contract_offset(&s->columns.result, k->first_column + panel * width);
    return k->at.result +
           (zc_contract_offset(&s->rows.result, k->first_row + row) + column) * item; /* proven: likewise */
}

/* Counts the rows from `row` up to `end` whose sums are equally far apart. */
static int64_t count_together(const block *k, int64_t panel, int64_t row, int64_t end)
{
    const zc_contract_walk *rows = &k->b->shape.rows.result;
    const int64_t extent = rows->count > 1 && is_direct(k, panel) ? rows->extent[rows->count - 1] : INT64_MAX;
    return zc_smaller(extent - (k->first_row + row) % extent, end - row);
}

/* Finds the row from which on a panel is summed: that of the first call whose rows reach the diagonal. */
static int64_t find_first_row(const block *k, int64_t panel)
{
    const int64_t above = k->first_column + panel * k->b->kernels.columns - k->first_row;
    return !k->b->is_symmetric || above <= 0 ? 0 : above / k->b->kernels.rows * k->b->kernels.rows;
}

/* Clears the sums that are left out, where they are in scratch memory: those of several runs are added up with the
 * others. */
static void clear_left_out(const block *k, panels of, int64_t panel, int64_t rows)
{
    int64_t pitch;
    char *sums = find_sums(k, of, panel, 0, &pitch);
    if (rows > 0 && !is_direct(k, panel))
        memset(sums, 0, (size_t)(rows * pitch) * k->b->shape.item);
}

/* Adds a chain to the sums of a panel, from a row on. */
static void contract_rows(const block *k, panels of, int64_t panel, int64_t first_row, zc_contract_tile *tile)
{
    const char *x = tile->x;
    const int64_t x_bytes = tile->x_row * (int64_t)k->b->shape.item;
    for (int64_t r = first_row; r < k->rows; r += tile->rows) {
        tile->rows = (int)count_together(k, panel, r, k->rows);
        tile->sums = find_sums(k, of, panel, r, &tile->sums_row);
        tile->x = x + r * x_bytes; /* proven: likewise */
        (k->grouped.of > 1 ? zc_groups_kernel(k->b->groups, k->grouped) : k->b->kernels.block)(tile);
    }
}

/* Chains of all sums of some panels, from a product on; they are added to what is there, but for a run's first. */
static void contract_chains(block *k, panels of, int64_t first, int64_t end)
{
    const int64_t width = k->b->kernels.columns;
    zc_contract_tile tile = {.is_exchanged = k->b->shape.is_exchanged};
    int64_t columns = 0;
    for (int64_t panel = of.first; panel < of.first + of.count; panel++) {
        const int64_t count = columns_of(k, panel), first_row = find_first_row(k, panel);
        tile.is_half = count <= width / 2 && k->b->levels == 0; /* several runs add up all sums */
        clear_left_out(k, of, panel, first_row);
        for (int64_t at = first; at < end; at += ZC_CHAIN) {
            const int64_t length = zc_smaller(ZC_CHAIN, end - at);
            tile.adds = at % ZC_CHAINS_END != 0;
            tile.y = take_panel(k, at, length, panel * width, count, &tile.y_row);
            tile.x = find_rows(k, at, length, &tile.x_row);
            tile.length = zc_groups_of(k->grouped, length);
            tile.is_flipped = k->grouped.are_flipped;
            contract_rows(k, of, panel, first_row, &tile);
        }
        columns += count;
    }
    zc_tile_count(k->w, k->rows * columns * (end - first)); /* proven: a block is small */
}

/* Up to ZC_CHAINS_END products. */
static void contract_run(block *k, panels of, int64_t first)
{
    const int64_t end = zc_smaller(first + ZC_CHAINS_END, k->b->shape.products.size);
    const int64_t span = k->b->rows_stay ? ZC_CHAINS_END : k->b->span;
    for (int64_t at = first; at < end && !k->w->progress.is_stopped; at += span) {
        const int64_t next = zc_smaller(at + span, end);
        find_products(k, at);
        if (!k->b->rows_stay && !k->b->x_in_place)
            pack_chains(k, at, next);
        contract_chains(k, of, at, next);
    }
}

static zc_counter begin_counter(const block *k)
{
    const zc_blocking *b = k->b;
    return (zc_counter){.join = k->w->program->kernels->map[ZC_OP_ADD][b->shape.dtype],
                        .levels = k->sums + zc_blocking_sum_bytes(b),
                        .width = (int64_t)(zc_blocking_sum_bytes(b) / b->shape.item),
                        .item = b->shape.item};
}

/* Some runs, one after the other. The sums are in scratch memory, or, of one run, where they go. */
static void contract_runs(block *k, panels of, int64_t first, int64_t count)
{
    zc_counter counter = begin_counter(k);
    const int64_t end = zc_smaller(first + count, k->b->runs);
    for (int64_t run = first; run < end && !k->w->progress.is_stopped; run++) {
        contract_run(k, of, run * ZC_CHAINS_END);
        if (end - first > 1)
            zc_counter_push(&counter, k->sums, 0);
    }
    if (counter.leaves > 0)
        zc_counter_end(&counter, k->sums);
}

/* ---- Storing ---- */

/* Stores the sums of some rows of the block as results on the other side of the diagonal, transposed: but for those
 * that are summed there. */
static void mirror_rows(const block *k, int64_t panel, int64_t first_row, int64_t rows, const char *sums, int64_t pitch)
{
    const zc_contract_shape *s = &k->b->shape;
    const int64_t width = k->b->kernels.columns, item = (int64_t)s->item, count = columns_of(k, panel);
    const int64_t row = k->first_row + first_row, column = k->first_column + panel * width;
    char *lines = k->lines;
    k->w->program->kernels->transpose[zc_item_size(s->item)](lines, sums, pitch, count, rows);
    for (int64_t c = 0; c < count; c++, lines += rows * item) {
        const int64_t summed = zc_round_up(zc_round_up(column + c + 1, k->b->kernels.rows), width);
        const int64_t from = zc_larger(summed - row, 0);
        char *to = k->at.result + zc_contract_offset(&s->rows.result, column + c) * item;
        if (from < rows)
            zc_contract_store(k->w, &s->columns.result, to, row + from, lines + from * item, rows - from);
    }
}

static void mirror_panel(const block *k, panels of, int64_t panel)
{
    const int64_t most = ZC_CONTRACT_LINE_BYTES / (k->b->kernels.columns * (int64_t)k->b->shape.item);
    for (int64_t r = find_first_row(k, panel), rows; r < k->rows; r += rows) {
        int64_t pitch;
        const char *sums = find_sums(k, of, panel, r, &pitch);
        rows = count_together(k, panel, r, zc_smaller(r + most, k->rows));
        mirror_rows(k, panel, r, rows, sums, pitch);
    }
}

static void store_panel(const block *k, int64_t panel, char *sums)
{
    const zc_contract_shape *s = &k->b->shape;
    const int64_t width = k->b->kernels.columns, first = k->first_column + panel * width, item = (int64_t)s->item;
    for (int64_t r = find_first_row(k, panel); r < k->rows; r++) {
        char *to = k->at.result + zc_contract_offset(&s->rows.result, k->first_row + r) * item;
        zc_contract_store(k->w, &s->columns.result, to, first, sums + r * width * item, columns_of(k, panel));
    }
}

static void store_panels(const block *k, panels of)
{
    for (int64_t panel = of.first; panel < of.first + of.count; panel++) {
        int64_t pitch;
        if (k->b->is_symmetric)
            mirror_panel(k, of, panel);
        if (!is_direct(k, panel))
            store_panel(k, panel, find_sums(k, of, panel, 0, &pitch));
    }
}

/* The panels after these that are summed at once; none at the end. */
static panels next_panels(const block *k, panels of)
{
    const int64_t all = zc_divide_up(k->columns, k->b->kernels.columns), first = of.first + of.count;
    return (panels){first, zc_smaller(k->b->panels, all - first)};
}

/* The products of some runs that are not summed, since their results are copied, as done. */
static void count_left_out(const block *k, int64_t first, int64_t runs)
{
    const int64_t end = zc_smaller((first + runs) * ZC_CHAINS_END, k->b->shape.products.size);
    zc_tile_count(k->w, k->rows * (k->all_columns - k->columns) * (end - first * ZC_CHAINS_END)); /* proven: a block */
}

static void run_unit(zc_tile_worker *w)
{
    block k = find_block(w);
    if (k.columns > 0)
        pack_runs(&k, 0, k.b->runs);
    for (panels of = next_panels(&k, (panels){0}); of.count > 0 && !w->progress.is_stopped; of = next_panels(&k, of)) {
        contract_runs(&k, of, 0, k.b->runs);
        store_panels(&k, of);
    }
    count_left_out(&k, 0, k.b->runs);
}

/* ---- Runs that are shared among threads ---- */

/* The sums of the panel `first` in those of a block. */
static char *find_partial(const block *k, char *results, panels of)
{
    return results + of.first * k->b->rows * k->b->kernels.columns * (int64_t)k->b->shape.item;
}

static void run_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    block k = find_block(w);
    const int64_t first = group * k.b->runs_at_once;
    (void)numbers;
    if (k.columns > 0)
        pack_runs(&k, first, k.b->runs_at_once);
    for (panels of = next_panels(&k, (panels){0}); of.count > 0 && !w->progress.is_stopped; of = next_panels(&k, of)) {
        contract_runs(&k, of, first, k.b->runs_at_once);
        memcpy(find_partial(&k, results, of), k.sums, zc_blocking_sum_bytes(k.b));
    }
    count_left_out(&k, first, k.b->runs_at_once);
}

static void end_groups(zc_tile_worker *w, char *results, int64_t *numbers)
{
    const zc_tile_program *p = w->program;
    block k = find_block(w);
    (void)numbers;
    for (panels of = next_panels(&k, (panels){0}); of.count > 0; of = next_panels(&k, of)) {
        zc_counter counter = begin_counter(&k);
        for (int64_t group = 0; group < p->groups; group++)
            zc_counter_push(&counter, find_partial(&k, results + group * p->joined * (int64_t)k.b->shape.item, of), 0);
        zc_counter_end(&counter, k.sums);
        store_panels(&k, of);
    }
}

const zc_strategy zc_strategy_contract_block = {.name = "contract_block",
                                                .cost = cost,
                                                .prepare = prepare,
                                                .scratch_bytes = scratch_bytes,
                                                .run_unit = run_unit,
                                                .run_group = run_group,
                                                .end_groups = end_groups};
