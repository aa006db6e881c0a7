/* Adds tile after tile to the stored elements, in one order, since several tiles may add to the same place. */
#include "materialize/tile/store.h"
#include "materialize/tile/strategy.h"

static int cost(const zc_tile_program *p)
{
    return p->stage->adds ? 0 : ZC_STRATEGY_NONE;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    p->col_axis = p->rank - 1; /* -1: none */
    p->row_axis = p->rank > 1 ? p->rank - 2 : -1;
    zc_tile_set_extents(p, ZC_TILE, ZC_TILE);
    zc_tile_make_loops(p, p->kept);
    return zc_tile_prepare_blocks(p, arena) ? ZC_PREPARED : ZC_NOT_PREPARED;
}

/* Where several checks move the place, how far they do together. */
static size_t scratch_bytes(const zc_tile_program *p)
{
    return p->stage->store_moves < 2 ? 0 : (size_t)(p->rows * p->columns) * sizeof(int64_t);
}

/* How far the places of the tile's elements are moved, in steps of *stride; NULL: not at all. */
static const int64_t *find_moves(const zc_tile_worker *w, int64_t *stride)
{
    const zc_stage *stage = w->program->stage;
    int64_t *together = (int64_t *)(void *)w->own;
    *stride = 1;
    for (int m = 0; m < stage->store_moves; m++) {
        const int64_t *position = (const int64_t *)(const void *)w->block[stage->store_move[m].check];
        const int64_t step = stage->store_move[m].stride;
        *stride = stage->store_moves == 1 ? step : 1;
        if (stage->store_moves == 1)
            return position;
        for (int64_t i = 0; i < w->rows * w->columns; i++)
            together[i] = (m == 0 ? 0 : together[i]) + position[i] * step; /* proven: verified to be inside */
    }
    return stage->store_moves == 0 ? NULL : together;
}

static void add_tile(zc_tile_worker *w, const char *elements)
{
    const zc_tile_program *p = w->program;
    const zc_stage *stage = p->stage;
    const size_t row_bytes = (size_t)w->columns * zc_dtype_bytes(stage->result_dtype);
    int64_t step;
    const int64_t *moved = find_moves(w, &step);
    char *to = zc_tile_store_address(w);
    for (int64_t r = 0; r < w->rows; r++, to += zc_tile_store_pitch(p), elements += row_bytes) {
        p->kernels->add[stage->result_dtype](to, elements, zc_tile_store_stride(p, p->col_axis), moved, step,
                                             w->columns);
        moved = moved == NULL ? NULL : moved + w->columns;
    }
}

static void run_unit(zc_tile_worker *w)
{
    int64_t at[ZC_MAX_RANK] = {0};
    do {
        zc_tile_move_inside(w, at);
        add_tile(w, zc_tile_evaluate(w, NULL));
    } while (zc_tile_next(w, at));
}

const zc_strategy zc_strategy_scatter_add = {
    .name = "scatter_add", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
