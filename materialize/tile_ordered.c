/*
 * Tiles that are done one after the other: scans, which carry what was joined so far from tile to tile, and additions,
 * where any tile may meet the places of any other.
 */
#include "materialize/tile.h"

#include <string.h>

/* Moves through all tiles of the worker's unit in order; false after the last. at: where it is, all 0 at first. */
static bool next_tile(const zc_tile_program *p, int64_t *at)
{
    for (int i = p->inner_count - 1; i >= 0; i--) {
        if (++at[i] < p->inner[i].count)
            return true;
        at[i] = 0;
    }
    return false;
}

static void move_to_tile(zc_tile_worker *w, const int64_t *at)
{
    const zc_tile_program *p = w->program;
    for (int i = 0; i < p->inner_count; i++)
        zc_tile_move(w, p->inner[i].axis, at[i] * p->inner[i].step); /* proven: inside the axis */
}

/* ---- Additions ---- */

static void add_tile(zc_tile_worker *w, const char *elements)
{
    const zc_tile_program *p = w->program;
    const zc_stage *stage = p->stage;
    size_t item = zc_dtype_bytes(stage->result_dtype);
    const int64_t *moved = stage->store_check < 0 ? NULL : (const int64_t *)(const void *)w->reg[stage->store_check];
    char *to = zc_tile_store_address(w);
    int64_t row_stride = zc_tile_store_stride(p, p->row_axis), col_stride = zc_tile_store_stride(p, p->col_axis);
    for (int64_t r = 0; r < w->rows; r++) {
        p->kernels->add[stage->result_dtype](to + r * row_stride * (int64_t)item, elements, col_stride, moved,
                                             stage->check_stride, w->columns);
        elements += (size_t)w->columns * item;
        moved = moved == NULL ? NULL : moved + w->columns;
    }
}

void zc_tile_add(zc_tile_worker *w)
{
    int64_t at[ZC_MAX_RANK] = {0};
    do {
        move_to_tile(w, at);
        add_tile(w, zc_tile_evaluate(w, NULL));
    } while (!w->pace.is_stopped && next_tile(w->program, at));
}

/* ---- Scans ---- */

/* The elements of a line, after each of which the carry stands in `to`; the first one of a recurrence as it is. */
static void scan_line(const zc_tile_worker *w, char *carry, const char *elements, char *to, bool is_first)
{
    const zc_tile_program *p = w->program;
    const zc_stage *stage = p->stage;
    int64_t n = w->columns;
    if (stage->scan != ZC_SCAN_RECURRENCE) {
        bool is_product = zc_scan_describe(stage->scan)->reduction == ZC_REDUCTION_PROD;
        p->kernels->scan[is_product][stage->result_dtype](to, carry, elements, n);
        return;
    }
    size_t item = zc_dtype_bytes(stage->result_dtype), first = is_first ? item : 0;
    if (is_first) {
        memcpy(carry, elements, item);
        memcpy(to, elements, item);
        n--;
    }
    p->kernels->recurrence[stage->result_dtype](to + first, carry, w->reg[stage->scan_factor] + first, elements + first,
                                                n);
}

/* A tile of one line. Of elements before, the line begins with what came before the tile. */
static void scan_run(zc_tile_worker *w, char *carry, const char *elements, bool is_first)
{
    const zc_tile_program *p = w->program;
    size_t item = zc_dtype_bytes(p->stage->result_dtype);
    char *line = w->scratch + p->line_at, *scanned = line;
    if (zc_scan_describe(p->stage->scan)->is_before) {
        memcpy(line, carry, item);
        scanned += item;
    }
    scan_line(w, carry, elements, scanned, is_first);
    zc_tile_store_run(w, zc_tile_store_address(w), line, zc_tile_store_stride(p, p->col_axis), w->columns);
}

/* One element of each line, in the row of a tile. */
static void take_row_in(const zc_tile_worker *w, char *carry, const char *elements, int64_t row, bool is_first)
{
    const zc_tile_program *p = w->program;
    const zc_stage *stage = p->stage;
    zc_op op = zc_reduction_describe(zc_scan_describe(stage->scan)->reduction)->combine;
    size_t row_bytes = (size_t)w->columns * zc_dtype_bytes(stage->result_dtype);
    if (stage->scan == ZC_SCAN_RECURRENCE && is_first) {
        memcpy(carry, elements, row_bytes);
        return;
    }
    if (stage->scan == ZC_SCAN_RECURRENCE)
        p->kernels->map[ZC_OP_MULTIPLY][stage->result_dtype](
            carry, carry, w->reg[stage->scan_factor] + (size_t)row * row_bytes, NULL, w->columns);
    p->kernels->map[op][stage->result_dtype](carry, carry, elements, NULL, w->columns);
}

/* A tile of many lines, of which each row holds one element. */
static void scan_rows(zc_tile_worker *w, char *carry, const char *elements, bool is_first)
{
    const zc_tile_program *p = w->program;
    bool is_before = zc_scan_describe(p->stage->scan)->is_before;
    size_t item = zc_dtype_bytes(p->stage->result_dtype);
    int64_t row_stride = zc_tile_store_stride(p, p->row_axis), col_stride = zc_tile_store_stride(p, p->col_axis);
    char *to = zc_tile_store_address(w);
    for (int64_t r = 0; r < w->rows; r++) {
        char *row = to + r * row_stride * (int64_t)item;
        if (is_before)
            zc_tile_store_run(w, row, carry, col_stride, w->columns);
        take_row_in(w, carry, elements, r, is_first && r == 0);
        if (!is_before)
            zc_tile_store_run(w, row, carry, col_stride, w->columns);
        elements += (size_t)w->columns * item;
    }
}

void zc_tile_scan(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    zc_dtype dtype = p->stage->result_dtype;
    zc_scalar nothing = zc_reduction_padding(zc_scan_describe(p->stage->scan)->reduction, dtype);
    char *carry = w->scratch + p->results_at;
    int64_t at[ZC_MAX_RANK] = {0};
    bool is_run = p->mode == ZC_TILE_SCAN_RUN, is_first = true;
    p->kernels->gather[dtype](carry, nothing.bytes, 0, is_run ? 1 : w->columns);
    do {
        move_to_tile(w, at);
        const char *elements = zc_tile_evaluate(w, NULL);
        if (is_run)
            scan_run(w, carry, elements, is_first);
        else
            scan_rows(w, carry, elements, is_first);
        is_first = false;
    } while (!w->pace.is_stopped && next_tile(p, at));
}
