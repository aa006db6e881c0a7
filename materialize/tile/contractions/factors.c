#include "materialize/tile/contractions/factors.h"

/* Tells elements that are nearer to each other, or as near and not reversed. */
static bool is_nearer(int64_t stride, int64_t than)
{
    const int64_t size = stride < 0 ? -stride : stride, other = than < 0 ? -than : than;
    return size < other || (size == other && stride > 0);
}

static int count_moving_axes(const zc_tile_program *p, int32_t access)
{
    int count = 0;
    for (int a = 0; a < p->rank; a++)
        count += zc_tile_load_stride(p, access, a) != 0;
    return count;
}

/* The stride of a value in memory; of a computed one that of a load that moves along the axis: of those that move along
 * the most axes, the least. */
static int64_t stride_of(const zc_tile_program *p, int32_t value, int axis)
{
    const zc_stage *stage = p->stage;
    if (stage->values[value].kind == ZC_VALUE_LOAD)
        return zc_tile_load_stride(p, stage->values[value].access, axis);
    const uint64_t under = zc_stage_values_under(stage, value);
    int64_t found = 0;
    int most = 0;
    for (int32_t v = 0; v <= value; v++) {
        if ((under >> v & 1) == 0 || !zc_value_moves(&stage->values[v]))
            continue;
        const int64_t stride = zc_tile_load_stride(p, stage->values[v].access, axis);
        const int moving = stride == 0 ? 0 : count_moving_axes(p, stage->values[v].access);
        if (moving > most || (moving == most && is_nearer(stride, found)))
            found = stride;
        most = moving > most ? moving : most;
    }
    return found;
}

/* Tells results next to each other that belong to different rows: axes along which x moves alone. */
static bool has_rows_together(const zc_tile_program *p, const int64_t *x, const int64_t *y)
{
    int64_t rows = 1, columns = 1, step = 0;
    for (int a = 0; a < p->kept; a++) {
        const bool is_row = x[a] != 0 && y[a] == 0, is_column = x[a] == 0 && y[a] != 0;
        rows *= is_row ? p->shape[a] : 1;       /* proven: not more than the domain's size */
        columns *= is_column ? p->shape[a] : 1; /* proven: likewise */
        step = is_row ? p->stride[a] : step;
    }
    return columns == 1 || rows == 1 ? columns == 1 : step == 1;
}

bool zc_factors_find(zc_tile_program *p, zc_arena *arena)
{
    const zc_stage *stage = p->stage;
    const zc_value *product = zc_stage_result(stage);
    const size_t rank = (size_t)p->rank;
    if (!stage->kind->packs_operands || !zc_is_combined(stage))
        return true;
    int64_t *strides = zc_arena_take(arena, 3 * rank, sizeof *strides);
    if (strides == NULL)
        return false;
    int64_t *second = strides + rank;
    for (int a = 0; a < p->rank; a++) {
        strides[a] = strides[2 * rank + (size_t)a] = stride_of(p, product->arg[0], a);
        second[a] = stride_of(p, product->arg[1], a);
    }
    p->are_exchanged = has_rows_together(p, strides, second);
    p->factors = p->are_exchanged ? second : strides; /* the first follows the second once more */
    return true;
}
