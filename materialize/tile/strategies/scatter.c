/* Scattering: each tile is put where it belongs, one after the other where any may meet the places of any other; then
 * the nest has no kept axes, and all of it is one unit. */
#include "materialize/stages/scatter.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

static int cost(const zc_tile_program *p)
{
    return p->stage->kind == &zc_stage_kind_scatter ? 0 : ZC_STRATEGY_NONE;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    p->col_axis = p->rank - 1; /* -1: none */
    p->row_axis = p->rank > 1 ? p->rank - 2 : -1;
    zc_tile_set_extents(p, ZC_TILE, ZC_TILE);
    zc_tile_make_loops(p, p->kept);
    return zc_tile_prepare_blocks(p, arena) ? ZC_PREPARED : ZC_NOT_PREPARED;
}

/* Bytes of the distances that several checks together move the elements' places by. */
static size_t scratch_bytes(const zc_tile_program *p)
{
    return p->stage->scatter.moves < 2 ? 0 : (size_t)(p->rows * p->columns) * sizeof(int64_t);
}

/* Finds how far the places of the tile's elements are moved, in steps of *stride; NULL: not at all. */
static const int64_t *find_moves(const zc_tile_worker *w, int64_t *stride)
{
    const zc_stage *stage = w->program->stage;
    int64_t *together = (int64_t *)(void *)w->own;
    *stride = 1;
    for (int m = 0; m < stage->scatter.moves; m++) {
        const int64_t *position = (const int64_t *)(const void *)w->block[stage->scatter.check[m]];
        const int64_t step = stage->scatter.step[m];
        *stride = stage->scatter.moves == 1 ? step : 1;
        if (stage->scatter.moves == 1)
            return position;
        for (int64_t i = 0; i < w->rows * w->columns; i++)
            together[i] = (m == 0 ? 0 : together[i]) + position[i] * step; /* proven: verified to be inside */
    }
    return stage->scatter.moves == 0 ? NULL : together;
}

/* Puts one element at a time, for dtypes without a kernel. */
static void put_singly(const zc_tile_program *p, char *to, const char *elements, const int64_t *moved, int64_t step,
                       int64_t n)
{
    const zc_stage *stage = p->stage;
    const int64_t item = (int64_t)zc_dtype_bytes(stage->store.dtype), stride = zc_tile_store_stride(p, p->col_axis);
    const zc_op op = zc_update_describe(stage->scatter.update)->op;
    zc_map_kernel *kernel = p->kernels->map[op][stage->store.dtype];
    for (int64_t i = 0; i < n; i++) {
        char *element = to + (i * stride + (moved == NULL ? 0 : moved[i] * step)) * item; /* proven: likewise */
        const char *value = elements + i * item;
        kernel(element, op == ZC_OP_COPY ? value : element, value, NULL, 1);
    }
}

static void put_tile(zc_tile_worker *w, const char *elements)
{
    const zc_tile_program *p = w->program;
    const zc_stage *stage = p->stage;
    const size_t row_bytes = (size_t)w->columns * zc_dtype_bytes(stage->store.dtype);
    zc_update_kernel *kernel = p->kernels->update[stage->scatter.update][stage->store.dtype];
    int64_t step;
    const int64_t *moved = find_moves(w, &step);
    char *to = zc_tile_store_address(w);
    for (int64_t r = 0; r < w->rows; r++, to += zc_tile_store_pitch(p), elements += row_bytes) {
        if (kernel != NULL)
            kernel(to, elements, zc_tile_store_stride(p, p->col_axis), moved, step, w->columns);
        else
            put_singly(p, to, elements, moved, step, w->columns);
        moved = moved == NULL ? NULL : moved + w->columns;
    }
}

static void run_unit(zc_tile_worker *w)
{
    int64_t at[ZC_MAX_RANK] = {0};
    do {
        zc_tile_move_inside(w, at);
        put_tile(w, zc_tile_evaluate(w, NULL));
    } while (zc_tile_next(w, at));
}

const zc_strategy zc_strategy_scatter = {
    .name = "scatter", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
