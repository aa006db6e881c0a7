/*
 * Computes sums over pairs of short rows, which would spend most of their time at the ends of the sums. Each row is
 * combined with a whole vector of others at a time. The others are packed into a transposed panel, which is used again
 * by the following tiles along the rows.
 */
#include "materialize/stages/reduce_finalize.h"
#include "materialize/tile/program/dots.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

/* The longest rows; the bytes of a tile's panel, which stays in the second-level cache, and of the part that is read at
 * a time, which stays in the first. */
enum { LONGEST = 128, PANEL_BYTES = 256 << 10, PART_BYTES = 16 << 10, MOST_ROWS = 32 };

/* Bytes of rows from which on they are turned in registers. */
enum { LEAST_TURNED_BYTES = 16 };

/* State of the prepared strategy, at program->own. */
typedef struct row_dots {
    zc_tile_dots pairs;
    zc_row_panel_kernel *kernel;
    int64_t part_columns; /* columns of a tile that are computed at a time */
} row_dots;

/* Finds pairs whose columns fill vectors: where those of the results' last axis do not, those of the other one, which
 * the results of a row are stored along. What is summed is the same either way. */
static bool find_pairs(const zc_tile_program *p, zc_tile_dots *dots)
{
    if (!zc_tile_find_dots(p, dots))
        return false;
    const zc_tile_dots found = *dots;
    if (p->shape[found.col_axis] < ZC_LANES && p->shape[found.row_axis] > p->shape[found.col_axis]) {
        dots->row_axis = found.col_axis;
        dots->col_axis = found.row_axis;
        dots->row_load = found.col_load;
        dots->col_load = found.row_load;
    }
    return true;
}

static int cost(const zc_tile_program *p)
{
    zc_tile_dots dots;
    bool applies = find_pairs(p, &dots) && dots.length <= LONGEST && p->shape[dots.col_axis] >= ZC_LANES &&
                   p->kernels->row_panel[dots.kind][dots.dtype] != NULL;
    return applies ? 0 : ZC_STRATEGY_NONE;
}

/* Counts the columns whose rows fit into `bytes`: whole vectors of them. */
static int64_t columns_in(const zc_tile_dots *dots, int64_t bytes)
{
    int64_t count = bytes / (dots->length * (int64_t)zc_dtype_bytes(dots->dtype)); /* proven: a short row */
    return zc_larger(count - count % ZC_LANES, ZC_LANES);
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    row_dots *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)find_pairs(p, &own->pairs); /* as cost() has found */
    own->kernel = p->kernels->row_panel[own->pairs.kind][own->pairs.dtype];
    own->part_columns = zc_smaller(columns_in(&own->pairs, PART_BYTES), ZC_TILE / 2);
    p->own = own;
    p->row_axis = own->pairs.row_axis;
    p->col_axis = own->pairs.col_axis;
    p->is_streamed = zc_tile_should_stream(p);
    p->columns = p->column_step = zc_smaller(columns_in(&own->pairs, PANEL_BYTES), p->shape[p->col_axis]);
    p->rows = zc_smaller(MOST_ROWS, p->shape[p->row_axis]);
    zc_tile_make_loops(p, p->kept);
    zc_tile_move_loop_to_end(p, p->row_axis); /* so that a panel is of use again */
    return ZC_PREPARED;
}

/* The results of a row, then the panel. */
static size_t result_bytes(const zc_tile_program *p)
{
    const row_dots *own = p->own;
    return zc_align_data((size_t)zc_round_up(zc_smaller(own->part_columns, p->columns), ZC_LANES) * sizeof(zc_scalar));
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    const zc_tile_dots *dots = &((const row_dots *)p->own)->pairs;
    int64_t elements = zc_round_up(p->columns, ZC_LANES) * dots->length; /* proven: a few cache lines more */
    return result_bytes(p) + (size_t)elements * zc_dtype_bytes(dots->dtype);
}

/* Columns that meet a row at a time, from `at` on, and as whole vectors; where they are packed. */
typedef struct part {
    int64_t at, count, pitch;
    char *packed;
} part;

static part part_at(const zc_tile_worker *w, int64_t at)
{
    const row_dots *own = w->program->own;
    const int64_t count = zc_smaller(own->part_columns, w->columns - at);
    /* proven: inside the scratch memory */
    const int64_t before = at * own->pairs.length * (int64_t)zc_dtype_bytes(own->pairs.dtype);
    return (part){at, count, zc_round_up(count, ZC_LANES), w->own + result_bytes(w->program) + before};
}

/* Packs the columns' rows: whole vectors of them in squares, else element by element. Zeros fill the last vector up. */
static void pack(const zc_tile_worker *w, const zc_tile_row_list *right, const part *c)
{
    const zc_tile_dots *dots = &((const row_dots *)w->program->own)->pairs;
    const int64_t item = (int64_t)zc_dtype_bytes(dots->dtype);
    const char *from = right->first + c->at * right->step;
    char *to = c->packed;
    if (c->pitch == c->count && dots->length * item >= LEAST_TURNED_BYTES && right->step > 0) {
        w->program->kernels->transpose[zc_item_size((size_t)item)](to, from, right->step / item, dots->length,
                                                                   c->count);
        return;
    }
    for (int64_t i = 0; i < dots->length; i++, to += c->pitch * item) {
        w->program->kernels->pack[dots->dtype](to, from + i * item, right->step / item, c->count);
        memset(to + c->count * item, 0, (size_t)((c->pitch - c->count) * item));
    }
}

/* Computes every row of the tile for a part of its columns, in place in the result when whole vectors fit. */
static void reduce_part(zc_tile_worker *w, const zc_tile_row_list *left, const part *c)
{
    const zc_tile_program *p = w->program;
    const row_dots *own = p->own;
    const int64_t stride = zc_tile_store_stride(p, p->col_axis);
    const int64_t offset = c->at * stride * (int64_t)zc_dtype_bytes(p->stage->store.dtype);
    const bool is_direct = stride == 1 && !p->is_streamed && c->pitch == c->count;
    for (int64_t r = 0; r < w->rows; r++) {
        char *to = zc_tile_row_address(w, r) + offset, *results = is_direct ? to : w->own;
        own->kernel(results, left->first + r * left->step, c->packed, own->pairs.length, c->pitch);
        zc_finalize(p->stage, results, NULL, results, c->count);
        if (!is_direct)
            zc_tile_store_run(w, to, results, stride, c->count);
    }
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const row_dots *own = p->own;
    const zc_tile_row_list left = zc_tile_left_rows(w, &own->pairs), right = zc_tile_right_rows(w, &own->pairs);
    const bool is_packed = !w->is_fresh && (w->moved & ~(UINT64_C(1) << p->row_axis)) == 0;
    for (int64_t at = 0; at < w->columns; at += own->part_columns) {
        const part c = part_at(w, at);
        if (!is_packed)
            pack(w, &right, &c);
        reduce_part(w, &left, &c);
    }
    w->is_fresh = false;
    w->moved = 0;
    zc_tile_count_dots(w, &own->pairs);
}

const zc_strategy zc_strategy_row_dot = {
    .name = "row_dot", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
