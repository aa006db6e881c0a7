#include "materialize/tile/contractions/computed_operand.h"

#include "materialize/stages/contract.h"
#include "materialize/stages/map.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

/* ---- Preparing ---- */

/* The values under one of them as all that the stage has. */
static bool take_values(const zc_stage *from, int32_t value, zc_stage *to, zc_arena *arena)
{
    const uint64_t under = zc_stage_values_under(from, value);
    int32_t number[ZC_MOST_CONTRACTED_VALUES] = {0}, count = 0;
    to->values = zc_arena_take(arena, (size_t)__builtin_popcountll(under), sizeof *to->values);
    for (int32_t v = 0; to->values != NULL && v <= value; v++) {
        if ((under >> v & 1) == 0)
            continue;
        zc_value *taken = &to->values[count];
        *taken = from->values[v];
        for (int i = 0; i < taken->arity; i++)
            taken->arg[i] = number[taken->arg[i]];
        number[v] = count++;
    }
    to->value_count = count;
    return to->values != NULL;
}

/* The last of some axes: -1 of none. */
static int last_axis(uint64_t axes)
{
    return axes == 0 ? -1 : 63 - __builtin_clzll(axes);
}

/* Tiles of rows that need not be whole. Of long rows one: its elements are read where they are. */
static void set_extents(zc_tile_program *p, int64_t most_columns)
{
    enum { LONG = 128 };
    const int64_t all_rows = p->row_axis < 0 ? 1 : p->shape[p->row_axis];
    const int64_t all_columns = p->col_axis < 0 ? 1 : p->shape[p->col_axis];
    p->columns = p->column_step = zc_smaller(all_columns, zc_smaller(most_columns, ZC_TILE));
    p->rows = p->columns >= LONG ? 1 : zc_smaller(all_rows, ZC_TILE / p->columns);
}

/* No strategy walks these tiles: the contraction's does. */
static const zc_strategy none = {.name = "none"};

zc_computed_operand *zc_computed_operand_prepare(const zc_tile_program *contraction, int32_t value, uint64_t row_axes,
                                                 uint64_t column_axes, int64_t most_columns, zc_arena *arena)
{
    zc_computed_operand *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return NULL;
    own->stage = *contraction->stage;
    own->stage.kept = own->stage.rank;
    own->stage.kind = &zc_stage_kind_map;
    if (!take_values(contraction->stage, value, &own->stage, arena))
        return NULL;
    zc_tile_program *p = &own->program;
    *p = *contraction;
    p->stage = &own->stage;
    p->strategy = &none;
    p->own = NULL;
    p->outer_count = p->inner_count = 0; /* no value of one tile is kept for the next */
    p->row_axis = last_axis(row_axes);
    p->col_axis = last_axis(column_axes);
    set_extents(p, most_columns);
    return zc_tile_prepare_blocks(p, arena) ? own : NULL;
}

/* ---- A worker's memory: the worker, where its blocks are, and the blocks ---- */

static size_t pointer_bytes(const zc_computed_operand *operand)
{
    return zc_align_data((size_t)operand->stage.value_count * sizeof(char *));
}

size_t zc_computed_operand_bytes(const zc_computed_operand *operand)
{
    if (operand == NULL)
        return 0;
    return zc_align_data(sizeof(zc_tile_worker)) + pointer_bytes(operand) +
           zc_align_data(operand->program.blocks.bytes);
}

/* Moves to an index along some axes. */
static void move_along(zc_tile_worker *w, uint64_t axes, int64_t index)
{
    for (int a; axes != 0; axes &= ~(UINT64_C(1) << a)) {
        const bool is_first = (axes & (axes - 1)) == 0;
        a = last_axis(axes);
        w->position[a] = is_first ? index : index % w->program->shape[a]; /* a division takes as long as a vector */
        index = is_first ? 0 : index / w->program->shape[a];
    }
}

zc_tile_worker *zc_computed_operand_begin(const zc_computed_operand *operand, char *memory, uint64_t axes,
                                          int64_t index)
{
    if (operand == NULL)
        return NULL;
    zc_tile_worker *w = (zc_tile_worker *)(void *)memory;
    char *pointers = memory + zc_align_data(sizeof *w);
    zc_tile_worker_init(w, &operand->program, pointers + pointer_bytes(operand), NULL, (char **)(void *)pointers);
    move_along(w, axes, index);
    return w;
}

/* ---- Computing ---- */

/* Moves to index `at` of those, and returns how many from there on are next to each other along the last axis; at most
 * as many as a tile has. */
static int64_t move(zc_tile_worker *w, const zc_indices *of, int64_t at, int64_t most)
{
    const int last = last_axis(of->axes);
    move_along(w, of->axes, of->first + at);
    if (last < 0)
        return 1;
    const int64_t run = zc_smaller(w->program->shape[last] - w->position[last], of->count - at);
    return zc_smaller(run, most);
}

/* The tile at hand. */
static void take_tile(zc_tile_worker *w, char *to, int64_t pitch)
{
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)zc_stage_result(w->program->stage)->dtype);
    const bool is_dense = w->rows == 1 || w->columns == pitch;
    const char *from = zc_tile_compute(w, is_dense ? to : NULL);
    if (from == to)
        return;
    for (int64_t r = 0; r < w->rows; r++)
        memcpy(to + r * pitch * item, from + r * w->columns * item, (size_t)(w->columns * item));
}

void zc_computed_operand_take(zc_tile_worker *w, zc_indices rows, zc_indices columns, char *to, int64_t pitch)
{
    const zc_tile_program *p = w->program;
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)zc_stage_result(p->stage)->dtype);
    if (columns.count < pitch)
        memset(to, 0, (size_t)(rows.count * pitch * item));
    for (int64_t r = 0; r < rows.count; r += w->rows) {
        w->rows = move(w, &rows, r, p->rows);
        for (int64_t c = 0; c < columns.count; c += w->columns) {
            w->columns = move(w, &columns, c, p->columns);
            take_tile(w, to + (r * pitch + c) * item, pitch);
        }
    }
}
