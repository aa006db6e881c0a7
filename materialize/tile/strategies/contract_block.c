/*
 * Contracts blocks: of a block of rows and columns, chain by chain of products, panels of as many columns as a kernel
 * takes are packed into the first-level cache, and multiplied with all rows of the block, which are packed once per
 * chain, or read where they are. The sums stay in registers for a chain, and go to the result after it.
 *
 * Where results are not next to each other in memory, are not finished when they are summed, or have more than
 * ZC_CHAINS_END products, the sums go to scratch memory: panel by panel, the rows of a panel one after the other.
 */
#include "materialize/tile/contraction.h"
#include "materialize/tile/store.h"
#include "materialize/tile/strategy.h"

#include <string.h>

/* A block's rows in calls of the kernel; the columns of a block whose results are in the result, and the bytes of one
 * whose are in scratch memory; rows of x are worth packing for so many columns; below so many bytes y stays in the
 * caches unpacked. */
enum {
    ROW_CALLS = 40,
    MOST_COLUMNS = 4096,
    MOST_SUM_BYTES = 1 << 20,
    LEAST_COLUMNS_TO_PACK_FOR = 256,
    MOST_BYTES_IN_PLACE = 1 << 18
};

/* What program->own points to. */
typedef struct contract_block {
    zc_contract_shape shape;
    zc_contract_kernels kernels;
    int64_t rows, columns;          /* of a block, */
    int64_t row_blocks, col_blocks; /* of which there are so many */
    int64_t panels;                 /* of a block */
    bool is_direct;                 /* sums go to the result */
    bool x_in_place, y_in_place;
    int levels; /* of the tree over ZC_CHAINS_END products; 0: one such run is all */
} contract_block;

/* Where a worker's scratch memory has what. */
typedef struct layout {
    size_t x, y, sums, edge, offsets, bytes;
} layout;

static int cost(const zc_tile_program *p)
{
    enum { COST = 1 };
    zc_contract_shape shape;
    return zc_contract_find(p, &shape) ? COST : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

static int64_t blocks_of(int64_t all, int64_t block)
{
    return (all + block - 1) / block;
}

static int64_t round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

static bool is_finished(const zc_stage *stage)
{
    return stage->invariant_count == 1;
}

static bool is_direct(const zc_stage *stage, const zc_contract_shape *s)
{
    return is_finished(stage) && s->products.size <= ZC_CHAINS_END && s->rows.count <= 1 && s->columns.count == 1 &&
           s->columns.result[0] == 1;
}

static int count_levels(int64_t products)
{
    int levels = 0;
    for (int64_t runs = blocks_of(products, ZC_CHAINS_END); runs > 1; runs = blocks_of(runs, 2))
        levels++;
    return levels == 0 ? 0 : levels + 1;
}

/* Blocks as large as the caches hold, and small enough that every thread has several. */
static void set_extents(const zc_tile_program *p, contract_block *b)
{
    enum { BLOCKS_PER_THREAD = 2 };
    const zc_contract_shape *s = &b->shape;
    const int64_t width = b->kernels.columns, height = b->kernels.rows;
    b->rows = zc_smaller(s->rows.size, ROW_CALLS * height);
    int64_t most = b->is_direct ? MOST_COLUMNS : MOST_SUM_BYTES / (b->rows * (int64_t)s->item) / width * width;
    b->columns = zc_smaller(s->columns.size, zc_larger(most, width));
    int64_t least = p->threads > 1 ? BLOCKS_PER_THREAD * (int64_t)p->threads : 1;
    while (s->batches.size * blocks_of(s->rows.size, b->rows) * blocks_of(s->columns.size, b->columns) < least &&
           (b->columns >= 8 * width || b->rows >= 2 * height)) {
        bool divides_rows = b->rows >= 2 * height && (b->columns < 8 * width || b->columns < b->rows);
        if (divides_rows)
            b->rows = round_up(b->rows / 2, height);
        else
            b->columns = round_up(b->columns / 2, width);
    }
    b->row_blocks = blocks_of(s->rows.size, b->rows);
    b->col_blocks = blocks_of(s->columns.size, b->columns);
    b->panels = blocks_of(b->columns, width);
}

static void choose_packing(contract_block *b)
{
    const zc_contract_shape *s = &b->shape;
    bool x_is_rows = s->rows.count <= 1 && s->products.count == 1 && s->products.x[0] == 1;
    bool y_is_rows = s->columns.count == 1 && s->columns.y[0] == 1 && s->products.count == 1;
    bool y_is_small = s->products.size <= MOST_BYTES_IN_PLACE / (int64_t)s->item / s->columns.size;
    b->x_in_place = x_is_rows && (b->columns < LEAST_COLUMNS_TO_PACK_FOR || b->rows <= b->kernels.rows);
    b->y_in_place = y_is_rows && (b->rows <= 2 * b->kernels.rows || y_is_small);
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_block *b = zc_arena_take(arena, 1, sizeof *b);
    if (b == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &b->shape); /* as cost() has found */
    b->kernels = p->kernels->contract[b->shape.dtype];
    b->is_direct = is_direct(p->stage, &b->shape);
    b->levels = count_levels(b->shape.products.size);
    set_extents(p, b);
    choose_packing(b);
    p->own = b;
    p->units = b->shape.batches.size * b->row_blocks * b->col_blocks; /* proven: not more than the domain's size */
    return ZC_PREPARED;
}

/* Elements of a block's sums, panel by panel. */
static int64_t sum_count(const contract_block *b)
{
    return b->rows * b->panels * b->kernels.columns; /* proven: MOST_SUM_BYTES, or a panel */
}

static layout lay_out(const zc_tile_program *p)
{
    const contract_block *b = p->own;
    const size_t item = b->shape.item, width = b->kernels.columns;
    layout l = {.x = 0};
    l.y = zc_align_data(b->x_in_place ? 0 : (size_t)b->rows * ZC_CHAIN * item);
    l.sums = l.y + ZC_CHAIN * width * item;
    l.edge = l.sums + (b->is_direct ? 0 : zc_align_data((size_t)sum_count(b) * item * (size_t)(1 + b->levels)));
    l.offsets = l.edge + zc_align_data((size_t)b->rows * width * item);
    l.bytes = l.offsets + ZC_CHAIN * sizeof(int64_t);
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
    layout at;
    const char *x, *y; /* first elements of the batch's operands */
    char *result;      /* of the block's first element, where results are direct */
    int64_t first_row, first_column;
    int64_t rows, columns;
} block;

static block find_block(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const contract_block *b = p->own;
    const zc_contract_shape *s = &b->shape;
    const int64_t item = (int64_t)s->item;
    const int64_t batch = w->unit / (b->row_blocks * b->col_blocks), rest = w->unit % (b->row_blocks * b->col_blocks);
    block k = {.w = w, .b = b, .at = lay_out(p)};
    k.first_row = rest / b->col_blocks * b->rows;
    k.first_column = rest % b->col_blocks * b->columns;
    k.rows = zc_smaller(b->rows, s->rows.size - k.first_row);
    k.columns = zc_smaller(b->columns, s->columns.size - k.first_column);
    k.x = zc_contract_base(p, s->x_value) + zc_contract_offset(&s->batches, s->batches.x, batch) * item;
    k.y = zc_contract_base(p, s->y_value) + zc_contract_offset(&s->batches, s->batches.y, batch) * item;
    k.result = p->slots[p->stage->store_slot] +
               (p->stage->store_offset + zc_contract_offset(&s->batches, s->batches.result, batch)) * item;
    return k;
}

/* The rows of x for a chain: packed, or where they are. */
static const char *take_rows(const block *k, int64_t product, int64_t length, int64_t *pitch)
{
    const zc_contract_shape *s = &k->b->shape;
    if (k->b->x_in_place) {
        *pitch = zc_contract_stride(&s->rows, s->rows.x);
        return k->x + (k->first_row * *pitch + product) * (int64_t)s->item; /* proven: verified to be inside */
    }
    const zc_contract_part part = {&s->rows,     &s->products, s->rows.x, s->products.x,
                                   k->first_row, product,      k->rows,   length};
    *pitch = length;
    zc_contract_pack(k->w->program->kernels, s, &part, k->x, k->w->own + k->at.x, length,
                     (int64_t *)(void *)(k->w->own + k->at.offsets));
    return k->w->own + k->at.x;
}

/* A panel of y likewise; columns that the last one lacks are zero. */
static const char *take_panel(const block *k, int64_t product, int64_t length, int64_t column, int64_t count,
                              int64_t *pitch)
{
    const zc_contract_shape *s = &k->b->shape;
    const int64_t width = k->b->kernels.columns, item = (int64_t)s->item;
    char *packed = k->w->own + k->at.y;
    if (k->b->y_in_place && count == width) {
        *pitch = s->products.y[0];
        return k->y + ((k->first_column + column) + product * *pitch) * item; /* proven: likewise */
    }
    const zc_contract_part part = {
        &s->products, &s->columns, s->products.y, s->columns.y, product, k->first_column + column, length, count};
    *pitch = width;
    if (count < width)
        memset(packed, 0, (size_t)(length * width * item));
    zc_contract_pack(k->w->program->kernels, s, &part, k->y, packed, width,
                     (int64_t *)(void *)(k->w->own + k->at.offsets));
    return packed;
}

/* Where the sums of a panel go: into the result, or, at the edge of a direct block and elsewhere, into scratch memory.
 */
static char *find_sums(const block *k, char *sums, int64_t panel, int64_t count, int64_t *pitch)
{
    const contract_block *b = k->b;
    const int64_t width = b->kernels.columns, item = (int64_t)b->shape.item;
    *pitch = width;
    if (!b->is_direct)
        return sums + panel * b->rows * width * item;
    if (count < width)
        return k->w->own + k->at.edge;
    *pitch = zc_contract_stride(&b->shape.rows, b->shape.rows.result);
    return k->result + (k->first_row * *pitch + k->first_column + panel * width) * item; /* proven: likewise */
}

/* One chain of all sums. */
static void contract_chain(const block *k, int64_t product, int64_t length, bool adds, char *sums)
{
    const int64_t width = k->b->kernels.columns;
    zc_contract_tile tile = {
        .length = length, .rows = (int)k->rows, .adds = adds, .is_exchanged = k->b->shape.is_exchanged};
    tile.x = take_rows(k, product, length, &tile.x_row);
    for (int64_t panel = 0; panel * width < k->columns; panel++) {
        int64_t count = zc_smaller(width, k->columns - panel * width);
        tile.y = take_panel(k, product, length, panel * width, count, &tile.y_row);
        tile.sums = find_sums(k, sums, panel, count, &tile.sums_row);
        k->b->kernels.block(&tile);
    }
    zc_tile_count(k->w, k->rows * k->columns * length); /* proven: a block is small */
}

/* Up to ZC_CHAINS_END products. */
static void contract_run(const block *k, int64_t first, char *sums)
{
    const int64_t end = zc_smaller(first + ZC_CHAINS_END, k->b->shape.products.size);
    for (int64_t at = first; at < end && !k->w->progress.is_stopped; at += ZC_CHAIN)
        contract_chain(k, at, zc_smaller(ZC_CHAIN, end - at), at > first, sums);
}

/* Adds two blocks' sums: the former came before. */
static void add_sums(const block *k, char *into, const char *left, const char *right)
{
    const contract_block *b = k->b;
    zc_map_kernel *add = k->w->program->kernels->map[ZC_OP_ADD][b->shape.dtype];
    add(into, left, right, NULL, blocks_of(k->columns, b->kernels.columns) * b->rows * b->kernels.columns);
}

/* All products: runs one after the other, added by a binary counter. Returns where the sums are. */
static char *contract_all(const block *k)
{
    const contract_block *b = k->b;
    const size_t bytes = (size_t)sum_count(b) * b->shape.item;
    char *run = k->w->own + k->at.sums, *levels = run + bytes;
    int64_t runs = 0;
    int digit;
    for (int64_t first = 0; first < b->shape.products.size; first += ZC_CHAINS_END, runs++) {
        contract_run(k, first, run);
        if (b->levels == 0 || k->w->progress.is_stopped)
            return run;
        for (digit = 0; (runs >> digit & 1) != 0; digit++)
            add_sums(k, run, levels + (size_t)digit * bytes, run);
        memcpy(levels + (size_t)digit * bytes, run, bytes);
    }
    digit = __builtin_ctzll((unsigned long long)runs);
    char *result = levels + (size_t)digit * bytes;
    for (digit++; runs >> digit != 0; digit++) {
        if ((runs >> digit & 1) != 0)
            add_sums(k, result, levels + (size_t)digit * bytes, result);
    }
    return result;
}

/* ---- Storing ---- */

/* n sums of one row, from a column of the block on. */
static void store_row(const block *k, int64_t row, int64_t column, char *sums, int64_t n)
{
    const zc_tile_program *p = k->w->program;
    const zc_contract_shape *s = &k->b->shape;
    const int64_t item = (int64_t)s->item;
    const zc_contract_axes *columns = &s->columns;
    char *to = k->result + zc_contract_offset(&s->rows, s->rows.result, k->first_row + row) * item;
    zc_finalize(p->stage, sums, NULL, sums, n);
    for (int64_t done = 0; done < n;) {
        int64_t at = k->first_column + column + done, last = columns->count - 1;
        int64_t run = last < 0 ? n : zc_smaller(columns->extent[last] - at % columns->extent[last], n - done);
        char *first = to + zc_contract_offset(columns, columns->result, at) * item;
        zc_tile_store_run(k->w, first, sums + done * item, last < 0 ? 1 : columns->result[last], run);
        done += run;
    }
}

static void store_panel(const block *k, int64_t panel, char *sums)
{
    const int64_t width = k->b->kernels.columns, column = panel * width;
    for (int64_t r = 0; r < k->rows; r++, sums += width * (int64_t)k->b->shape.item)
        store_row(k, r, column, sums, zc_smaller(width, k->columns - column));
}

static void run_unit(zc_tile_worker *w)
{
    const block k = find_block(w);
    const contract_block *b = k.b;
    const int64_t width = b->kernels.columns, panels = blocks_of(k.columns, width);
    if (b->is_direct) {
        contract_run(&k, 0, NULL);
        if (k.columns % width != 0)
            store_panel(&k, panels - 1, w->own + k.at.edge);
        return;
    }
    char *sums = contract_all(&k);
    for (int64_t panel = 0; panel < panels; panel++)
        store_panel(&k, panel, sums + panel * b->rows * width * (int64_t)b->shape.item);
}

const zc_strategy zc_strategy_contract_block = {
    .name = "contract_block", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
