#include "materialize/tile/program/dots.h"

#include "materialize/stages/reduce.h"
#include "materialize/tile/program/store.h"

/* Which of them the stage's values are, given as loads 0 and 1; -1 for anything else. The last value is made of the
 * others. Magnitudes of complex numbers have another dtype than what is loaded. */
static int find_kind(const zc_stage *stage)
{
    const zc_value *v = stage->values;
    if (stage->value_count < 3 || stage->value_count > 4 || v[0].kind != ZC_VALUE_LOAD || v[1].kind != ZC_VALUE_LOAD ||
        v[0].dtype != zc_stage_result(stage)->dtype || v[2].kind != ZC_VALUE_OP || v[2].arity != 2 ||
        v[2].arg[0] + v[2].arg[1] != 1)
        return -1;
    if (stage->value_count == 3)
        return v[2].op == ZC_OP_MULTIPLY ? ZC_ROW_DOT_PRODUCT : -1;
    bool is_squared = v[3].arg[0] == 2 && (v[3].op == ZC_OP_SQUARE || (v[3].op == ZC_OP_MULTIPLY && v[3].arg[1] == 2));
    if (v[2].op != ZC_OP_SUBTRACT)
        return -1;
    const bool is_magnitude = v[3].arg[0] == 2 && v[3].op == ZC_OP_ABS;
    return is_squared ? ZC_ROW_DOT_DISTANCE : is_magnitude ? ZC_ROW_DOT_MAGNITUDE : -1;
}

static const int64_t *strides_of(const zc_tile_program *p, int load)
{
    return p->stride + (size_t)(1 + p->stage->values[load].access) * (size_t)p->pitch;
}

/* The last kept axis along which one load moves and the other does not, a short one where there is no other; -1: none.
 */
static int find_axis(const zc_tile_program *p, int moving)
{
    const int64_t *moves = strides_of(p, moving), *stays = strides_of(p, 1 - moving);
    int found = -1;
    for (int a = p->kept - 1; a >= 0; a--) {
        if (moves[a] == 0 || stays[a] != 0 || p->shape[a] < 2)
            continue;
        if (p->shape[a] >= ZC_DOT_BLOCK_ROWS)
            return a;
        found = found < 0 ? a : found;
    }
    return found;
}

bool zc_tile_find_dots(const zc_tile_program *p, zc_tile_dots *out)
{
    const zc_stage *stage = p->stage;
    int kind = zc_tile_is_joined(p) ? find_kind(stage) : -1;
    if (kind < 0 || p->rank != p->kept + 1 || p->shape[p->kept] == 0 ||
        zc_reduction_describe(zc_stage_reduced(stage)->reduction)->combine != ZC_OP_ADD ||
        strides_of(p, 0)[p->kept] != 1 || strides_of(p, 1)[p->kept] != 1)
        return false;
    int first = find_axis(p, 0), second = find_axis(p, 1);
    bool second_is_later = second > first;
    *out = (zc_tile_dots){.kind = (zc_row_dot)kind,
                          .dtype = (zc_dtype)zc_stage_result(stage)->dtype,
                          .length = p->shape[p->kept],
                          .row_axis = second_is_later ? first : second,
                          .col_axis = second_is_later ? second : first,
                          .row_load = second_is_later ? 0 : 1,
                          .col_load = second_is_later ? 1 : 0};
    return first >= 0 && second >= 0;
}

static zc_tile_row_list find_rows(const zc_tile_worker *w, int load, int axis, int64_t count)
{
    const zc_tile_program *p = w->program;
    const zc_value *value = &p->stage->values[load];
    const int64_t *stride = strides_of(p, load);
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)value->dtype);
    int64_t begin = p->stage->offset[value->access];
    for (int a = 0; a < p->kept; a++)
        begin += w->position[a] * stride[a]; /* proven: verified to be inside */
    int64_t step = stride[axis] * item;      /* proven: bytes of what is there */
    return (zc_tile_row_list){p->slots[value->slot] + begin * item, step, count};
}

zc_tile_row_list zc_tile_left_rows(const zc_tile_worker *w, const zc_tile_dots *dots)
{
    return find_rows(w, dots->row_load, dots->row_axis, w->rows);
}

zc_tile_row_list zc_tile_right_rows(const zc_tile_worker *w, const zc_tile_dots *dots)
{
    return find_rows(w, dots->col_load, dots->col_axis, w->columns);
}

char *zc_tile_row_address(const zc_tile_worker *w, int64_t row)
{
    return zc_tile_store_address(w) + row * zc_tile_store_pitch(w->program);
}

void zc_tile_count_dots(zc_tile_worker *w, const zc_tile_dots *dots)
{
    zc_tile_count(w, w->rows * w->columns * dots->length); /* proven: rows are in memory */
}
