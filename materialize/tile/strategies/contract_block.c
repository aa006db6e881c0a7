/*
 * Contracts blocks: panels of as many columns as a kernel takes are packed into the first-level cache, a chain of
 * products at a time, and multiplied with all rows of the block. The sums stay in registers for a chain.
 *
 * Where the factors of a block's rows stay in the caches, they are packed once, and each panel is finished before the
 * next one begins. Where there are more, the block goes chain by chain: they are packed for one chain, and multiplied
 * with all panels.
 *
 * Sums go to the result after each chain where results of a panel are next to each other in memory, are finished when
 * they are summed, and have no more than ZC_CHAINS_END products; else to scratch memory, the rows of a panel one after
 * the other.
 */
#include "materialize/execute/counter.h"
#include "materialize/tile/contraction.h"
#include "materialize/tile/store.h"
#include "materialize/tile/strategy.h"

#include <string.h>

/* A block's rows in calls of the kernel, fewer where it has sums of several runs; its columns, and the bytes of its
 * sums where they are in scratch memory; rows of x are worth packing for so many columns, and stay in the caches up to
 * so many bytes; below so many bytes y stays there unpacked. */
enum {
    ROW_CALLS = 40,
    ROW_CALLS_OF_RUNS = 16,
    MOST_COLUMNS = 4096,
    MOST_SUM_BYTES = 1 << 20,
    LEAST_COLUMNS_TO_PACK_FOR = 256,
    MOST_ROW_BYTES = 1 << 19,
    MOST_BYTES_IN_PLACE = 1 << 18
};

/* What program->own points to. */
typedef struct contract_block {
    zc_contract_shape shape;
    zc_contract_kernels kernels;
    int64_t rows, columns;          /* of a block, */
    int64_t row_blocks, col_blocks; /* of which there are so many */
    int64_t panels;                 /* of a block that are summed at once: 1, or all */
    int64_t sum_panels;             /* of these, whose sums are in scratch memory */
    int64_t result_run;             /* columns whose results are next to each other; 0: no sums go to the result */
    int64_t table;                  /* products whose offsets are kept: those of a run */
    bool rows_stay;                 /* in the caches, so each panel is finished before the next one begins */
    bool x_in_place, y_in_place;
    int64_t runs;         /* of ZC_CHAINS_END products, */
    int64_t runs_at_once; /* of which one task makes so many */
    int levels;           /* of a counter of runs; 0: one is all */
} contract_block;

/* Where a worker's scratch memory has what. */
typedef struct layout {
    size_t x, y, sums, row_at, column_at, x_at, y_at, lines, bytes;
} layout;

static int cost(const zc_tile_program *p)
{
    enum { COST = 1 };
    zc_contract_shape shape;
    return zc_contract_find(p, &shape) ? COST : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

static int64_t round_up(int64_t n, int64_t to)
{
    return zc_divide_up(n, to) * to;
}

/* Columns whose sums may go to the result, from a multiple of as many on; 0: none. */
static int64_t find_result_run(const zc_stage *stage, const zc_contract_shape *s)
{
    const zc_contract_walk *columns = &s->columns.result;
    if (stage->invariant_count != 1 || s->products.size > ZC_CHAINS_END || s->rows.result.count > 1 ||
        columns->count == 0 || columns->stride[columns->count - 1] != 1)
        return 0;
    return columns->extent[columns->count - 1];
}

/* All rows in blocks of about the same size. */
static void set_rows(contract_block *b)
{
    const int64_t height = b->kernels.rows, all = b->shape.rows.size;
    const int64_t most = height * (b->levels > 0 ? ROW_CALLS_OF_RUNS : ROW_CALLS);
    b->rows = zc_smaller(all, round_up(zc_divide_up(all, zc_divide_up(all, most)), height));
}

/* What is packed, and whether panels are summed one by one. */
static void choose_packing(contract_block *b)
{
    const zc_contract_shape *s = &b->shape;
    const int64_t item = (int64_t)s->item, products = s->products.size, columns = s->columns.size;
    const bool x_is_rows = s->rows.x.count <= 1 && zc_contract_is_run(&s->products.x);
    const bool y_is_rows = zc_contract_is_run(&s->columns.y) && s->products.y.count <= 1;
    const bool y_is_small = products <= MOST_BYTES_IN_PLACE / item / columns;
    b->x_in_place = x_is_rows && (columns < LEAST_COLUMNS_TO_PACK_FOR || b->rows <= b->kernels.rows);
    b->y_in_place = y_is_rows && (b->rows <= 2 * b->kernels.rows || y_is_small);
    b->rows_stay = products <= MOST_ROW_BYTES / item / b->rows && (y_is_small || !b->y_in_place);
}

/* Blocks as large as the caches hold, and small enough that every thread has several. */
static void set_columns(const zc_tile_program *p, contract_block *b)
{
    const zc_contract_shape *s = &b->shape;
    const int64_t width = b->kernels.columns, height = b->kernels.rows, item = (int64_t)s->item;
    const bool is_direct = b->rows_stay || b->result_run == s->columns.size;
    const int64_t most = is_direct ? MOST_COLUMNS : MOST_SUM_BYTES / (b->rows * item * (1 + b->levels)) / width * width;
    b->columns = zc_smaller(s->columns.size, zc_larger(most, width));
    const int64_t least = zc_contract_least_units(p);
    while (s->batches.size * zc_divide_up(s->rows.size, b->rows) * zc_divide_up(s->columns.size, b->columns) < least &&
           (b->columns >= 8 * width || b->rows >= 2 * height)) {
        bool divides_rows = b->rows >= 2 * height && (b->columns < 8 * width || b->columns < b->rows);
        if (divides_rows)
            b->rows = round_up(b->rows / 2, height);
        else
            b->columns = round_up(b->columns / 2, width);
    }
    b->row_blocks = zc_divide_up(s->rows.size, b->rows);
    b->col_blocks = zc_divide_up(s->columns.size, b->columns);
    b->panels = b->rows_stay ? 1 : zc_divide_up(b->columns, width);
    b->sum_panels = is_direct ? 1 : b->panels;
    if (!is_direct)
        b->result_run = 0;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_block *b = zc_arena_take(arena, 1, sizeof *b);
    if (b == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &b->shape); /* as cost() has found */
    b->kernels = p->kernels->contract[b->shape.dtype];
    b->runs = zc_divide_up(b->shape.products.size, ZC_CHAINS_END);
    b->levels = b->runs > 1 ? zc_counter_levels(b->runs) : 0;
    b->result_run = find_result_run(p->stage, &b->shape);
    b->table = zc_smaller(b->shape.products.size, ZC_CHAINS_END);
    set_rows(b);
    choose_packing(b);
    set_columns(p, b);
    p->own = b;
    p->units = b->shape.batches.size * b->row_blocks * b->col_blocks; /* proven: not more than the domain's size */
    b->runs_at_once = zc_contract_divide(p, b->runs);
    if (p->groups > 1)
        p->joined = p->columns = b->rows * zc_divide_up(b->columns, b->kernels.columns) * b->kernels.columns;
    return ZC_PREPARED;
}

/* Bytes of the sums of panels, in scratch memory. */
static size_t sum_bytes(const contract_block *b)
{
    return (size_t)(b->rows * b->sum_panels * b->kernels.columns) * b->shape.item; /* proven: MOST_SUM_BYTES */
}

/* Products whose rows of x are packed at once. */
static int64_t products_of_x(const contract_block *b)
{
    const int64_t all = b->shape.products.size;
    return b->x_in_place ? 0 : b->rows_stay ? all : zc_smaller(all, ZC_CHAIN);
}

static layout lay_out(const zc_tile_program *p)
{
    const contract_block *b = p->own;
    const size_t item = b->shape.item, width = b->kernels.columns, at = sizeof(int64_t);
    const int64_t chain = zc_smaller(b->shape.products.size, ZC_CHAIN);
    layout l = {.x = 0};
    l.y = zc_align_data((size_t)(b->rows * products_of_x(b)) * item);
    l.sums = l.y + (size_t)chain * width * item;
    l.row_at = l.sums + zc_align_data(sum_bytes(b) * (size_t)(1 + b->levels));
    l.column_at = l.row_at + (size_t)b->rows * at;
    l.x_at = l.column_at + width * at;
    l.y_at = l.x_at + (size_t)b->table * at;
    l.lines = zc_align_data(l.y_at + (size_t)b->table * at);
    l.bytes = l.lines + ZC_CONTRACT_LINE_BYTES;
    return l;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return lay_out(p).bytes;
}

/* ---- Running ---- */

/* The block at hand. */
typedef struct block {
    zc_tile_worker *w;
    const contract_block *b;
    zc_contract_batch at;
    char *x_packed, *y_packed, *sums, *lines;
    int64_t *row_at, *column_at; /* how far the block's rows and a panel's columns are, in x and y, */
    int64_t *x_at, *y_at;        /* and products from `table_first` on */
    int64_t table_first;
    int64_t packed_from; /* the first product of x that is packed */
    int64_t first_row, first_column;
    int64_t rows, columns;
} block;

/* Where the block's memory is. */
static void find_scratch(block *k)
{
    const layout l = lay_out(k->w->program);
    char *own = k->w->own;
    k->x_packed = own + l.x;
    k->y_packed = own + l.y;
    k->sums = own + l.sums;
    k->lines = own + l.lines;
    k->row_at = (int64_t *)(void *)(own + l.row_at);
    k->column_at = (int64_t *)(void *)(own + l.column_at);
    k->x_at = (int64_t *)(void *)(own + l.x_at);
    k->y_at = (int64_t *)(void *)(own + l.y_at);
    k->table_first = -1;
}

static block find_block(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const contract_block *b = p->own;
    const zc_contract_shape *s = &b->shape;
    const int64_t batch = w->unit / (b->row_blocks * b->col_blocks), rest = w->unit % (b->row_blocks * b->col_blocks);
    block k = {.w = w, .b = b};
    find_scratch(&k);
    k.first_row = rest / b->col_blocks * b->rows;
    k.first_column = rest % b->col_blocks * b->columns;
    k.rows = zc_smaller(b->rows, s->rows.size - k.first_row);
    k.columns = zc_smaller(b->columns, s->columns.size - k.first_column);
    k.at = zc_contract_find_batch(p, s, batch);
    if (!b->x_in_place)
        zc_contract_offsets(&s->rows.x, k.first_row, k.rows, k.row_at);
    return k;
}

/* Where the products of the run that `product` is in are. */
static void find_products(block *k, int64_t product)
{
    const zc_contract_axes *products = &k->b->shape.products;
    const int64_t first = product / ZC_CHAINS_END * ZC_CHAINS_END;
    const int64_t count = zc_smaller(ZC_CHAINS_END, products->size - first);
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
    const zc_contract_part part = {k->at.x, k->row_at, k->x_at + product % ZC_CHAINS_END, k->rows, length};
    zc_contract_pack(k->w->program->kernels, k->b->shape.dtype, &part, to, length, k->lines);
}

/* The same for all chains from a product on, one after the other. */
static void pack_chains(block *k, int64_t first, int64_t end)
{
    const int64_t item = (int64_t)k->b->shape.item;
    k->packed_from = first;
    for (int64_t at = first; at < end; at += ZC_CHAIN) {
        find_products(k, at);
        pack_rows(k, at, zc_smaller(ZC_CHAIN, end - at), k->x_packed + k->rows * (at - first) * item);
    }
}

/* All of some runs, where panels are summed one by one. */
static void pack_runs(block *k, int64_t first, int64_t count)
{
    if (k->b->rows_stay && !k->b->x_in_place)
        pack_chains(k, first * ZC_CHAINS_END, zc_smaller((first + count) * ZC_CHAINS_END, k->b->shape.products.size));
}

/* The rows of x for a chain: packed, or where they are. */
static const char *find_rows(const block *k, int64_t product, int64_t length, int64_t *pitch)
{
    const zc_contract_shape *s = &k->b->shape;
    const int64_t item = (int64_t)s->item;
    if (k->b->x_in_place) {
        *pitch = zc_contract_stride(&s->rows.x);
        return k->at.x + (k->first_row * *pitch + product) * item; /* proven: verified to be inside */
    }
    *pitch = length;
    return k->x_packed + k->rows * (product - k->packed_from) * item;
}

/* A panel of y likewise; columns that the last one lacks are zero. */
static const char *take_panel(const block *k, int64_t product, int64_t length, int64_t column, int64_t count,
                              int64_t *pitch)
{
    const zc_contract_shape *s = &k->b->shape;
    const int64_t width = k->b->kernels.columns, item = (int64_t)s->item;
    if (k->b->y_in_place && count == width) {
        *pitch = zc_contract_stride(&s->products.y);
        return k->at.y + ((k->first_column + column) + product * *pitch) * item; /* proven: likewise */
    }
    zc_contract_offsets(&s->columns.y, k->first_column + column, count, k->column_at);
    const zc_contract_part part = {k->at.y, k->y_at + product % ZC_CHAINS_END, k->column_at, length, count};
    *pitch = width;
    zc_contract_pack(k->w->program->kernels, s->dtype, &part, k->y_packed, width, k->lines);
    return k->y_packed;
}

/* Panels that are summed at once: `count` of them from `first` on. */
typedef struct panels {
    int64_t first, count;
} panels;

static int64_t columns_of(const block *k, int64_t panel)
{
    const int64_t width = k->b->kernels.columns;
    return zc_smaller(width, k->columns - panel * width);
}

/* Whether a panel's sums go to the result. */
static bool is_direct(const block *k, int64_t panel)
{
    const int64_t width = k->b->kernels.columns, run = k->b->result_run;
    return run > 0 && columns_of(k, panel) == width && (k->first_column + panel * width) % run + width <= run;
}

/* Where the sums of a panel go: in scratch memory there is room for those of all panels, or of one. */
static char *find_sums(const block *k, panels of, int64_t panel, int64_t *pitch)
{
    const contract_block *b = k->b;
    const zc_contract_shape *s = &b->shape;
    const int64_t width = b->kernels.columns, item = (int64_t)s->item;
    *pitch = width;
    if (!is_direct(k, panel))
        return k->sums + (b->sum_panels == 1 ? 0 : panel - of.first) * b->rows * width * item;
    *pitch = zc_contract_stride(&s->rows.result);
    const int64_t column = zc_contract_offset(&s->columns.result, k->first_column + panel * width);
    return k->at.result + (k->first_row * *pitch + column) * item; /* proven: likewise */
}

/* Chains of all sums of some panels, from a product on; they are added to what is there, but for a run's first. */
static void contract_chains(const block *k, panels of, int64_t first, int64_t end)
{
    const int64_t width = k->b->kernels.columns;
    zc_contract_tile tile = {.rows = (int)k->rows, .is_exchanged = k->b->shape.is_exchanged};
    int64_t columns = 0;
    for (int64_t panel = of.first; panel < of.first + of.count; panel++) {
        const int64_t count = columns_of(k, panel);
        tile.sums = find_sums(k, of, panel, &tile.sums_row);
        for (int64_t at = first; at < end; at += ZC_CHAIN) {
            tile.length = zc_smaller(ZC_CHAIN, end - at);
            tile.adds = at % ZC_CHAINS_END != 0;
            tile.x = find_rows(k, at, tile.length, &tile.x_row);
            tile.y = take_panel(k, at, tile.length, panel * width, count, &tile.y_row);
            k->b->kernels.block(&tile);
        }
        columns += count;
    }
    zc_tile_count(k->w, k->rows * columns * (end - first)); /* proven: a block is small */
}

/* Up to ZC_CHAINS_END products. */
static void contract_run(block *k, panels of, int64_t first)
{
    const int64_t end = zc_smaller(first + ZC_CHAINS_END, k->b->shape.products.size);
    const int64_t span = k->b->rows_stay ? ZC_CHAINS_END : ZC_CHAIN;
    find_products(k, first);
    for (int64_t at = first; at < end && !k->w->progress.is_stopped; at += span) {
        const int64_t next = zc_smaller(at + span, end);
        if (!k->b->rows_stay && !k->b->x_in_place)
            pack_chains(k, at, next);
        contract_chains(k, of, at, next);
    }
}

static zc_counter begin_counter(const block *k)
{
    const contract_block *b = k->b;
    return (zc_counter){.join = k->w->program->kernels->map[ZC_OP_ADD][b->shape.dtype],
                        .levels = k->sums + sum_bytes(b),
                        .width = (int64_t)(sum_bytes(b) / b->shape.item),
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

/* n sums of one row, from a column of the block on. */
static void store_row(const block *k, int64_t row, int64_t column, char *sums, int64_t n)
{
    const zc_tile_program *p = k->w->program;
    const zc_contract_shape *s = &k->b->shape;
    const int64_t item = (int64_t)s->item;
    const zc_contract_walk *columns = &s->columns.result;
    const int last = columns->count - 1;
    char *to = k->at.result + zc_contract_offset(&s->rows.result, k->first_row + row) * item;
    zc_finalize(p->stage, sums, NULL, sums, n);
    for (int64_t done = 0, run; done < n; done += run) {
        const int64_t at = k->first_column + column + done;
        run = last < 0 ? n : zc_smaller(columns->extent[last] - at % columns->extent[last], n - done);
        char *first = to + zc_contract_offset(columns, at) * item;
        zc_tile_store_run(k->w, first, sums + done * item, last < 0 ? 1 : columns->stride[last], run);
    }
}

static void store_panel(const block *k, int64_t panel, char *sums)
{
    const int64_t width = k->b->kernels.columns, column = panel * width;
    for (int64_t r = 0; r < k->rows; r++, sums += width * (int64_t)k->b->shape.item)
        store_row(k, r, column, sums, columns_of(k, panel));
}

static void store_panels(const block *k, panels of)
{
    for (int64_t panel = of.first; panel < of.first + of.count; panel++) {
        int64_t pitch;
        if (!is_direct(k, panel))
            store_panel(k, panel, find_sums(k, of, panel, &pitch));
    }
}

/* The panels after these that are summed at once; none at the end. */
static panels next_panels(const block *k, panels of)
{
    const int64_t all = zc_divide_up(k->columns, k->b->kernels.columns), first = of.first + of.count;
    return (panels){first, zc_smaller(k->b->panels, all - first)};
}

static void run_unit(zc_tile_worker *w)
{
    block k = find_block(w);
    pack_runs(&k, 0, k.b->runs);
    for (panels of = next_panels(&k, (panels){0}); of.count > 0 && !w->progress.is_stopped; of = next_panels(&k, of)) {
        contract_runs(&k, of, 0, k.b->runs);
        store_panels(&k, of);
    }
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
    pack_runs(&k, first, k.b->runs_at_once);
    for (panels of = next_panels(&k, (panels){0}); of.count > 0 && !w->progress.is_stopped; of = next_panels(&k, of)) {
        contract_runs(&k, of, first, k.b->runs_at_once);
        memcpy(find_partial(&k, results, of), k.sums, sum_bytes(k.b));
    }
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
