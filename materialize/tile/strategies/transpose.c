/*
 * Transposes tiles: some load is consecutive along another axis than the store. That axis becomes the rows of a tile,
 * which are as long as the caches hold, so that both sides move many lines at a time. Where rows of the result begin
 * inside cache lines, neighbouring tiles share the columns of one line, and each tile stores whole lines.
 */
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

/* The bytes that a tile reads of a row of the load; the most columns of a tile, of elements below 8 bytes; the bytes of
 * the second-level cache for all blocks; and the least elements of a tile when threads share the work. */
enum { RUN_BYTES = 2048, MOST_COLUMNS = 128, MOST_BYTES = 512 << 10, LEAST_ELEMENTS = 4096 };

/* The axis along which the most loads are consecutive, of the loads that have another stride than 0, 1 and -1 along the
 * last axis. -1: there is no such load. */
static int find_rows(const zc_tile_program *p)
{
    int found = -1, last = p->rank - 1;
    int32_t most = 0;
    for (int a = 0; a < last; a++) {
        int32_t count = 0;
        for (int32_t access = 0; access < p->stage->access_count; access++) {
            int64_t leap = zc_tile_load_stride(p, access, last);
            count += zc_tile_load_stride(p, access, a) == 1 && leap != 0 && leap != 1 && leap != -1;
        }
        if (count > most) {
            most = count;
            found = a;
        }
    }
    return found;
}

static int cost(const zc_tile_program *p)
{
    enum { COST = 1 };
    return zc_tile_is_stored(p) && !p->stage->kind->reduces && find_rows(p) >= 0 ? COST : ZC_STRATEGY_NONE;
}

/* ---- Tiles ---- */

/* Tells whether rows of the result begin inside cache lines. */
static bool has_broken_lines(const zc_tile_program *p)
{
    size_t item = zc_dtype_bytes(p->stage->store.dtype);
    size_t broken = (size_t)(uintptr_t)p->slots[p->stage->store.slot] + (size_t)p->stage->store.offset * item;
    for (int a = 0; a < p->rank; a++)
        broken |= a == p->col_axis ? 0 : (size_t)p->stride[a] * item; /* proven: verified to be inside */
    return broken % ZC_DATA_ALIGNMENT != 0;
}

/* Sets columns for some cache lines and rows for many, while every thread gets work. Few rows get more columns. */
static void set_extents(zc_tile_program *p, int64_t most)
{
    enum { SQUARE = 16 };
    const int64_t all_rows = p->shape[p->row_axis], all_columns = p->shape[p->col_axis];
    const int64_t item = (int64_t)zc_tile_widest_item(p);
    const bool overlaps =
        p->stage->store.overwritten < 0 && p->is_streamed && p->stride[p->col_axis] == 1 && has_broken_lines(p);
    most = zc_smaller(most, zc_tile_fair_share(p, LEAST_ELEMENTS));
    int64_t columns = item < (int64_t)sizeof(double) ? MOST_COLUMNS : MOST_COLUMNS / 2;
    columns = zc_smaller(zc_larger(columns, most / all_rows), all_columns);
    int64_t rows = zc_smaller(RUN_BYTES / item, zc_larger(most / columns, 1));
    rows -= rows > SQUARE ? rows % SQUARE : 0;
    int64_t shared = overlaps ? ZC_DATA_ALIGNMENT / (int64_t)zc_dtype_bytes(p->stage->store.dtype) : 0;
    if (columns + shared >= all_columns) { /* one tile is as wide: there is no neighbour to share with */
        columns = all_columns;
        shared = 0;
    }
    p->rows = zc_smaller(rows, all_rows);
    p->columns = columns + shared;
    p->column_step = columns;
}

/* Tiles follow each other along their rows, so that a tile reads on in the lines that the tile before has begun. */
static bool prepare_tiles(zc_tile_program *p, int64_t most, zc_arena *arena)
{
    set_extents(p, most);
    zc_tile_make_loops(p, p->rank);
    zc_tile_move_loop_to_end(p, p->row_axis);
    return zc_tile_prepare_blocks(p, arena);
}

/* The first attempt finds how many blocks share the cache. */
static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    p->col_axis = p->rank - 1;
    p->row_axis = find_rows(p);
    p->is_streamed = zc_tile_should_stream(p);
    const int64_t most = MOST_BYTES / (int64_t)zc_tile_widest_item(p) / 2;
    bool ready = prepare_tiles(p, most, arena);
    const int64_t blocks = p->blocks.full_count;
    if (ready && blocks > 2)
        ready = prepare_tiles(p, zc_larger(2 * most / blocks, ZC_TILE), arena);
    return ready ? ZC_PREPARED : ZC_NOT_PREPARED;
}

/* ---- Storing ---- */

/* The first column from `column` on that begins a cache line in a row of the tile. The columns before it belong to the
 * tile before. */
static int64_t first_own_column(const zc_tile_worker *w, const char *row, int64_t column)
{
    int64_t item = (int64_t)zc_dtype_bytes(w->program->stage->store.dtype);
    int64_t begun = (int64_t)((uintptr_t)(row + column * item) % ZC_DATA_ALIGNMENT);
    int64_t rest = begun == 0 ? 0 : (ZC_DATA_ALIGNMENT - begun) / item;
    return zc_smaller(column + rest, w->columns);
}

/* Stores a row of a tile that shares columns with its neighbours: each element once, with the rest of its line. */
static void store_own_columns(const zc_tile_worker *w, char *row, const char *from)
{
    const zc_tile_program *p = w->program;
    const int64_t at = w->position[p->col_axis], item = (int64_t)zc_dtype_bytes(p->stage->store.dtype);
    int64_t first = at == 0 ? 0 : first_own_column(w, row, 0);
    int64_t end = at + p->column_step >= p->shape[p->col_axis] ? w->columns : first_own_column(w, row, p->column_step);
    if (first < end)
        zc_tile_store_run(w, row + first * item, from + first * item, 1, end - first);
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const bool overlaps = p->column_step < p->columns;
    const size_t row_bytes = (size_t)w->columns * zc_dtype_bytes(p->stage->store.dtype);
    char *to = zc_tile_store_address(w);
    const char *from = zc_tile_evaluate(w, !overlaps && zc_tile_may_compute_in_place(w) ? to : NULL);
    if (!overlaps) {
        zc_tile_store(w, to, from);
        return;
    }
    for (int64_t r = 0; r < w->rows; r++, to += zc_tile_store_pitch(p), from += row_bytes)
        store_own_columns(w, to, from);
}

const zc_strategy zc_strategy_transpose = {.name = "transpose", .cost = cost, .prepare = prepare, .run_unit = run_unit};
