/*
 * Scans lines in their order and carries the result so far from tile to tile. A tile is a run of one line; or each of
 * its rows holds one element of many lines, where loads are consecutive across the lines, or lines are short.
 */
#include "materialize/stages/scan.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

/* State of the prepared strategy, at program->own. */
typedef struct scan {
    bool by_columns; /* each row of a tile holds one element of many lines */
} scan;

static int cost(const zc_tile_program *p)
{
    return p->stage->kind == &zc_stage_kind_scan ? 0 : ZC_STRATEGY_NONE;
}

/* Tells whether lines are so short, and so many, that a tile of one line would have a few elements. The nest has no
 * axis for lines of one element. */
static bool has_short_lines(const zc_tile_program *p)
{
    enum { SHORT = 16 };
    if (p->rank == p->kept)
        return true;
    return p->kept > 0 && p->shape[p->rank - 1] <= SHORT && p->shape[p->kept - 1] >= p->shape[p->rank - 1];
}

static bool has_columns(const zc_tile_program *p)
{
    return has_short_lines(p) ||
           (p->kept > 0 && zc_tile_consecutive_along(p, p->kept - 1) > zc_tile_consecutive_along(p, p->rank - 1));
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    scan *own = p->own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    const bool by_columns = own->by_columns = has_columns(p);
    p->col_axis = by_columns ? p->kept - 1 : p->rank - 1;
    p->row_axis = by_columns && p->rank > p->kept ? p->rank - 1 : -1;
    p->columns = p->column_step =
        p->col_axis < 0 ? 1 : zc_smaller(p->shape[p->col_axis], by_columns ? ZC_TILE_COLUMNS : ZC_TILE);
    p->rows = p->row_axis < 0 ? 1 : zc_smaller(zc_larger(ZC_TILE / p->columns, 1), p->shape[p->row_axis]);
    zc_tile_make_loops(p, p->kept);
    return zc_tile_prepare_blocks(p, arena) ? ZC_PREPARED : ZC_NOT_PREPARED;
}

/* The bytes of each line's carry; the scratch memory then holds a line behind its first carry. */
static size_t carry_bytes(const zc_tile_program *p)
{
    return zc_align_data((size_t)p->columns * sizeof(zc_scalar));
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return carry_bytes(p) + (size_t)(p->columns + 1) * sizeof(zc_scalar);
}

/* Scans the elements of a line into `to`. The first element of a recurrence is its own result. */
static void scan_line(const zc_tile_worker *w, char *carry, const char *elements, char *to, bool is_first)
{
    const zc_tile_program *p = w->program;
    const zc_stage *stage = p->stage;
    int64_t n = w->columns;
    if (stage->scan.scan != ZC_SCAN_RECURRENCE) {
        bool is_product = zc_scan_describe(stage->scan.scan)->reduction == ZC_REDUCTION_PROD;
        p->kernels->scan[is_product][stage->store.dtype](to, carry, elements, n);
        return;
    }
    size_t item = zc_dtype_bytes(stage->store.dtype), first = is_first ? item : 0;
    if (is_first) {
        memcpy(carry, elements, item);
        memcpy(to, elements, item);
        n--;
    }
    p->kernels->recurrence[stage->store.dtype](to + first, carry, w->block[stage->scan.factor] + first,
                                               elements + first, n);
}

/* Scans a tile of one line. An exclusive scan stores the carry first. */
static void scan_run(zc_tile_worker *w, char *carry, const char *elements, bool is_first)
{
    const zc_tile_program *p = w->program;
    size_t item = zc_dtype_bytes(p->stage->store.dtype);
    char *line = w->own + carry_bytes(p), *scanned = line;
    if (zc_scan_describe(p->stage->scan.scan)->is_before) {
        memcpy(line, carry, item);
        scanned += item;
    }
    scan_line(w, carry, elements, scanned, is_first);
    zc_tile_store_run(w, zc_tile_store_address(w), line, zc_tile_store_stride(p, p->col_axis), w->columns);
}

/* Combines the carries with one element of each line, a row of the tile. */
static void take_row_in(const zc_tile_worker *w, char *carry, const char *elements, int64_t row, bool is_first)
{
    const zc_tile_program *p = w->program;
    const zc_stage *stage = p->stage;
    zc_op op = zc_reduction_describe(zc_scan_describe(stage->scan.scan)->reduction)->combine;
    size_t row_bytes = (size_t)w->columns * zc_dtype_bytes(stage->store.dtype);
    if (stage->scan.scan == ZC_SCAN_RECURRENCE && is_first) {
        memcpy(carry, elements, row_bytes);
        return;
    }
    if (stage->scan.scan == ZC_SCAN_RECURRENCE)
        p->kernels->map[ZC_OP_MULTIPLY][stage->store.dtype](
            carry, carry, w->block[stage->scan.factor] + (size_t)row * row_bytes, NULL, w->columns);
    p->kernels->map[op][stage->store.dtype](carry, carry, elements, NULL, w->columns);
}

/* Scans a tile whose rows hold one element of each line. */
static void scan_rows(zc_tile_worker *w, char *carry, const char *elements, bool is_first)
{
    const zc_tile_program *p = w->program;
    bool is_before = zc_scan_describe(p->stage->scan.scan)->is_before;
    const size_t row_bytes = (size_t)w->columns * zc_dtype_bytes(p->stage->store.dtype);
    const int64_t col_stride = zc_tile_store_stride(p, p->col_axis);
    char *to = zc_tile_store_address(w);
    for (int64_t r = 0; r < w->rows; r++, to += zc_tile_store_pitch(p), elements += row_bytes) {
        if (is_before)
            zc_tile_store_run(w, to, carry, col_stride, w->columns);
        take_row_in(w, carry, elements, r, is_first && r == 0);
        if (!is_before)
            zc_tile_store_run(w, to, carry, col_stride, w->columns);
    }
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    zc_dtype dtype = p->stage->store.dtype;
    zc_scalar nothing = zc_reduction_padding(zc_scan_describe(p->stage->scan.scan)->reduction, dtype);
    char *carry = w->own;
    int64_t at[ZC_MAX_RANK] = {0};
    const bool by_columns = ((const scan *)p->own)->by_columns;
    bool is_first = true;
    p->kernels->pack[dtype](carry, nothing.bytes, 0, by_columns ? w->columns : 1);
    do {
        zc_tile_move_inside(w, at);
        const char *elements = zc_tile_evaluate(w, NULL);
        if (by_columns)
            scan_rows(w, carry, elements, is_first);
        else
            scan_run(w, carry, elements, is_first);
        is_first = false;
    } while (zc_tile_next(w, at));
}

const zc_strategy zc_strategy_scan = {
    .name = "scan", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
