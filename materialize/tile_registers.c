/* The scratch memory of a tile program: the registers, and what comes after them. */
#include "materialize/tile.h"

size_t zc_tile_widest_item(const zc_tile_program *p)
{
    size_t widest = 1;
    for (int32_t v = 0; v < p->stage->value_count; v++) {
        size_t item = zc_dtype_bytes((zc_dtype)p->stage->values[v].dtype);
        widest = item > widest ? item : widest;
    }
    return widest;
}

/* Where each value is read for the last time: of what a chain reads or makes, at its end. */
static void find_last_uses(const zc_tile_program *p, int32_t *last_use)
{
    const zc_stage *stage = p->stage;
    int32_t count = stage->value_count;
    for (int32_t v = 0; v < count; v++) {
        int32_t at = p->values[v].chain >= 0 ? p->chains[p->values[v].chain].last : v;
        last_use[v] = v == count - 1 || p->values[v].is_kept ? count : at;
        for (int i = 0; i < stage->values[v].arity; i++) {
            int32_t arg = stage->values[v].arg[i];
            last_use[arg] = last_use[arg] < at ? at : last_use[arg];
        }
    }
    if (stage->adds && stage->store_check >= 0)
        last_use[stage->store_check] = count; /* read when the result is added, */
    if (stage->scan_factor >= 0)
        last_use[stage->scan_factor] = count; /* or scanned */
}

/* Whether the tiles of a load lie in memory as they would in a register, all of them. */
static bool is_always_in_place(const zc_tile_program *p, int32_t v)
{
    const zc_value *value = &p->stage->values[v];
    return value->kind == ZC_VALUE_LOAD && (p->rows == 1 || p->is_by_rows) &&
           (p->col_axis < 0 || zc_tile_load_stride(p, value->access, p->col_axis) == 1);
}

/* Whether the result goes to where it is stored without a register in between. */
static bool is_stored_directly(const zc_tile_program *p)
{
    return p->mode == ZC_TILE_STORE && !p->stage->reduces && (p->rows == 1 || p->is_by_rows) &&
           p->shared_columns == 0 && zc_stage_result(p->stage)->kind == ZC_VALUE_OP &&
           !p->values[p->stage->value_count - 1].is_kept &&
           (p->col_axis < 0 || zc_tile_store_stride(p, p->col_axis) == 1);
}

/* By a scan: a register that holds a value nobody reads any more is given to the next. Kept values never give theirs
 * back, and small ones have their own. */
bool zc_tile_assign_registers(zc_tile_program *p, zc_arena *arena, int32_t *full_count)
{
    const zc_stage *stage = p->stage;
    int32_t count = stage->value_count, free_count = 0;
    int32_t *last_use = zc_arena_take(arena, (size_t)count, sizeof *last_use);
    int32_t *first_ended = zc_arena_take(arena, (size_t)count + 1, sizeof *first_ended); /* with each value; a chain: */
    int32_t *next_ended = zc_arena_take(arena, (size_t)count, sizeof *next_ended);
    int32_t *free_list = zc_arena_take(arena, (size_t)count, sizeof *free_list);
    int32_t *number = zc_arena_take(arena, (size_t)count, sizeof *number);
    if (last_use == NULL || first_ended == NULL || next_ended == NULL || free_list == NULL || number == NULL)
        return false;
    find_last_uses(p, last_use);
    for (int32_t v = 0; v <= count; v++)
        first_ended[v] = -1;
    const size_t size = zc_align_data((size_t)(p->rows * p->columns) * zc_tile_widest_item(p));
    const size_t small_size = p->kernels->chains != NULL ? (size_t)p->kernels->chains->tile_bytes : 0;
    size_t small_bytes = 0;
    *full_count = 0;
    for (int32_t v = 0; v < count; v++) {
        zc_tile_value *value = &p->values[v];
        bool needs_none = p->is_bare || p->mode == ZC_TILE_PAIRS || is_always_in_place(p, v) ||
                          (v == count - 1 && is_stored_directly(p));
        number[v] = -1;
        if (value->is_small) {
            value->reg = small_bytes;
            small_bytes += small_size;
        } else if (!needs_none) {
            number[v] = free_count > 0 && !value->is_kept ? free_list[--free_count] : (*full_count)++;
            next_ended[v] = first_ended[last_use[v]];
            first_ended[last_use[v]] = v;
        }
        for (int32_t e = first_ended[v]; e >= 0; e = next_ended[e])
            free_list[free_count++] = number[e];
    }
    for (int32_t v = 0; v < count; v++) {
        if (number[v] >= 0)
            p->values[v].reg = small_bytes + (size_t)number[v] * size;
    }
    p->results_at = small_bytes + (size_t)*full_count * size;
    return true;
}

/* Results that are in the scratch memory at once: those of a tile of a unit. */
static int64_t results_at_once(const zc_tile_program *p)
{
    switch (p->mode) {
    case ZC_TILE_STORE:
        return p->stage->reduces ? p->rows * p->columns : 0;
    case ZC_TILE_PAIRS:
        return p->partners != NULL ? zc_tile_whole_vectors(zc_smaller(p->block_columns, p->columns))
                                   : p->rows * p->columns;
    case ZC_TILE_ROWS:
        return p->rows;
    case ZC_TILE_COLUMN:
    case ZC_TILE_SCAN_COLUMN:
        return p->columns;
    default:
        return 1; /* of what is added, none */
    }
}

void zc_tile_lay_out(zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    const size_t results = (size_t)results_at_once(p);
    const bool has_numbers = stage->reduces && zc_reduction_is_index(stage->reduction);
    p->numbers_at = p->results_at + zc_align_data(results * sizeof(zc_scalar));
    p->line_at = p->joiner_at = p->numbers_at + (has_numbers ? zc_align_data(results * sizeof(int64_t)) : 0);
    p->scratch_bytes = p->joiner_at + (stage->scans ? zc_align_data((size_t)(p->columns + 1) * sizeof(zc_scalar)) : 0);
    if (stage->reduces && p->mode != ZC_TILE_STORE) {
        zc_dtype dtype = (zc_dtype)zc_stage_result(stage)->dtype;
        p->scratch_bytes += zc_joiner_bytes(stage->reduction, dtype, p->joined, zc_walked_count(stage));
    }
    p->turned_at = zc_align_data(p->scratch_bytes);
    if (p->partners != NULL) {
        int64_t elements = zc_tile_whole_vectors(p->columns) * p->shape[p->kept]; /* proven: a few cache lines more */
        p->scratch_bytes = p->turned_at + (size_t)elements * p->values[0].item;
    }
}
