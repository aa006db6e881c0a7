#include "materialize/tile/program/blocks.h"

#include "materialize/tile/program/chains.h"
#include "materialize/tile/program/positions.h"
#include "materialize/tile/program/program.h"

/* Values that keep blocks of their own; beyond that, all share. */
enum { MOST_KEPT = 64 };

size_t zc_tile_widest_item(const zc_tile_program *p)
{
    size_t widest = 1;
    for (int32_t v = 0; v < p->stage->value_count; v++) {
        size_t item = zc_dtype_bytes((zc_dtype)p->stage->values[v].dtype);
        widest = item > widest ? item : widest;
    }
    return widest;
}

/* ---- The values ---- */

static uint64_t axes_of_access(const zc_tile_program *p, int32_t access)
{
    uint64_t axes = 0;
    for (int a = 0; a < p->rank; a++)
        axes |= (uint64_t)(zc_tile_load_stride(p, access, a) != 0) << a;
    return axes;
}

/* The axis that moves from one tile to the next, as a bit; 0 when there is one tile. */
static uint64_t fastest_axis(const zc_tile_program *p)
{
    for (int i = p->inner_count - 1; i >= 0; i--) {
        if (p->inner[i].count > 1)
            return UINT64_C(1) << p->inner[i].axis;
    }
    for (int i = p->outer_count - 1; i >= 0; i--) {
        if (p->outer[i].count > 1)
            return UINT64_C(1) << p->outer[i].axis;
    }
    return 0;
}

static void describe_values(const zc_tile_program *p, zc_tile_value *values)
{
    const zc_stage *stage = p->stage;
    uint64_t fastest = fastest_axis(p);
    int32_t kept = 0;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        zc_tile_value *out = &values[v];
        *out = (zc_tile_value){.item = zc_dtype_bytes((zc_dtype)value->dtype), .chain = -1};
        if (zc_value_moves(value))
            out->axes = axes_of_access(p, value->access);
        for (int i = 0; i < value->arity; i++)
            out->axes |= values[value->arg[i]].axes;
        if (value->kind == ZC_VALUE_OP)
            out->kernel = zc_kernel_of(p->kernels, stage, value);
        out->is_kept = fastest != 0 && (out->axes & fastest) == 0 && kept < MOST_KEPT;
        kept += out->is_kept;
    }
}

/* A value may be kept only if what it is computed from is. */
static void drop_unsupported(const zc_stage *stage, zc_tile_value *values)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        for (int i = 0; i < value->arity; i++)
            values[v].is_kept &= values[value->arg[i]].is_kept;
    }
}

/* ---- Positions that are the same all along a row ---- */

/* Tells whether a value may have one element for each row: it varies along rows only, and so do its operands. */
static bool may_be_per_row(const zc_tile_program *p, int32_t v)
{
    const zc_value *value = &p->stage->values[v];
    const zc_tile_value *prepared = &p->blocks.values[v];
    bool is_it = value->kind != ZC_VALUE_CONSTANT && value->kind != ZC_VALUE_PICK && prepared->chain < 0 &&
                 !prepared->is_strip && !prepared->is_single && (prepared->axes >> p->col_axis & 1) == 0;
    for (int i = 0; i < value->arity; i++)
        is_it &= p->blocks.values[value->arg[i]].is_per_row;
    return is_it;
}

/* Tells whether a value takes operands with one element for each row. Picks take all of theirs so, or none. */
static bool takes_rows(const zc_tile_program *p, int32_t v)
{
    const zc_value *value = &p->stage->values[v];
    bool takes = p->blocks.values[v].is_per_row || value->kind == ZC_VALUE_PICK;
    for (int i = 0; i < value->arity; i++)
        takes &= p->blocks.values[value->arg[i]].is_per_row;
    return takes;
}

/* Clears is_per_row of values that cannot be so after all; true when there were any. Walks from users to operands, so
 * that one walk is enough except for values with several users. */
static bool drop_rows(const zc_tile_program *p)
{
    zc_tile_value *values = p->blocks.values;
    bool dropped = false;
    for (int32_t v = p->stage->value_count - 1; v >= 0; v--) {
        const zc_value *value = &p->stage->values[v];
        if (value->arity == 0 || takes_rows(p, v))
            continue;
        dropped |= values[v].is_per_row;
        values[v].is_per_row = false;
        for (int i = 0; i < value->arity; i++) {
            dropped |= values[value->arg[i]].is_per_row;
            values[value->arg[i]].is_per_row = false;
        }
    }
    return dropped;
}

/* Finds positions of picks that need one element per row, because the row is moved as a whole. */
static void find_rows(const zc_tile_program *p)
{
    enum { WALKS = 8 };
    const zc_stage *stage = p->stage;
    bool picks = false;
    int count;
    for (int32_t v = 0; v < stage->value_count; v++)
        picks |= stage->values[v].kind == ZC_VALUE_PICK;
    if (!picks || p->col_axis < 0)
        return;
    for (int32_t v = 0; v < stage->value_count; v++)
        p->blocks.values[v].is_per_row = may_be_per_row(p, v);
    const int32_t *besides = zc_stage_besides(stage, &count);
    for (int i = 0; i < count; i++)
        p->blocks.values[besides[i]].is_per_row = false;
    p->blocks.values[stage->value_count - 1].is_per_row = false;
    bool dropped = true;
    for (int i = 0; i < WALKS && dropped; i++)
        dropped = drop_rows(p);
    for (int32_t v = 0; v < stage->value_count && dropped; v++)
        p->blocks.values[v].is_per_row = false;
}

/* ---- The blocks ---- */

/* Checked positions may be where they were before (bad_index.h), so these are there as long. */
static void extend_positions(const zc_stage *stage, int32_t *last_use)
{
    for (int32_t v = stage->value_count - 1; v >= 0; v--) {
        const zc_value *value = &stage->values[v];
        if (value->kind == ZC_VALUE_CHECK && last_use[value->arg[0]] < last_use[v])
            last_use[value->arg[0]] = last_use[v];
    }
}

/* Finds where each value is read for the last time: at the end of the chain that reads or makes it, if any. */
static void find_last_uses(const zc_tile_program *p, int32_t *last_use)
{
    const zc_stage *stage = p->stage;
    const zc_tile_value *values = p->blocks.values;
    int32_t count = stage->value_count;
    int besides_count;
    for (int32_t v = 0; v < count; v++) {
        int32_t at = values[v].chain >= 0 ? p->blocks.chains[values[v].chain].last : v;
        last_use[v] = v == count - 1 || values[v].is_kept ? count : at;
        for (int i = 0; i < stage->values[v].arity; i++) {
            int32_t arg = stage->values[v].arg[i];
            last_use[arg] = last_use[arg] < at ? at : last_use[arg];
        }
    }
    const int32_t *besides = zc_stage_besides(stage, &besides_count);
    for (int i = 0; i < besides_count; i++)
        last_use[besides[i]] = count;
    extend_positions(stage, last_use);
}

/* Tells whether all tiles of a load are laid out in memory as in a block. */
static bool is_always_in_place(const zc_tile_program *p, int32_t v)
{
    const zc_value *value = &p->stage->values[v];
    return value->kind == ZC_VALUE_LOAD && p->rows == 1 &&
           (p->col_axis < 0 || zc_tile_load_stride(p, value->access, p->col_axis) == 1);
}

/* Tells whether the result goes to where it is stored without a block in between. */
static bool is_stored_directly(const zc_tile_program *p)
{
    return p->stores_directly && p->rows == 1 && zc_stage_result(p->stage)->kind == ZC_VALUE_OP &&
           !p->blocks.values[p->stage->value_count - 1].is_kept;
}

/* State of the scan over the values: the block of each value, and the free blocks. */
typedef struct assignment {
    int32_t *last_use;    /* [value_count] */
    int32_t *first_ended; /* [value_count + 1]: the first value whose last use is there, or -1; the others follow */
    int32_t *next_ended;  /* [value_count] */
    int32_t *free_blocks; /* [value_count], of which the first `free_count` are in use */
    int32_t *number;      /* [value_count]: number of the block of a whole tile, or -1 */
    int32_t free_count;
} assignment;

static bool begin_assignment(const zc_tile_program *p, zc_arena *arena, assignment *a)
{
    enum { LISTS = 5 };
    const size_t count = (size_t)p->stage->value_count;
    int32_t *lists = zc_arena_take(arena, count + 1, LISTS * sizeof *lists);
    if (lists == NULL)
        return false;
    a->last_use = lists;
    a->next_ended = a->last_use + count;
    a->free_blocks = a->next_ended + count;
    a->number = a->free_blocks + count;
    a->first_ended = a->number + count;
    a->free_count = 0;
    find_last_uses(p, a->last_use);
    for (size_t v = 0; v <= count; v++)
        a->first_ended[v] = -1;
    return true;
}

/* Assigns a block of a whole tile: one that is free again, unless the value is kept. */
static void assign_block(zc_tile_program *p, assignment *a, int32_t v)
{
    bool takes_over = a->free_count > 0 && !p->blocks.values[v].is_kept;
    a->number[v] = takes_over ? a->free_blocks[--a->free_count] : p->blocks.full_count++;
    a->next_ended[v] = a->first_ended[a->last_use[v]];
    a->first_ended[a->last_use[v]] = v;
}

static bool assign_blocks(zc_tile_program *p, zc_arena *arena)
{
    assignment a;
    if (!begin_assignment(p, arena, &a))
        return false;
    const int32_t count = p->stage->value_count;
    const size_t strip_bytes = p->kernels->chains != NULL ? (size_t)p->kernels->chains->tile_bytes : 0;
    const size_t tile_bytes = zc_align_data((size_t)(p->rows * p->columns) * zc_tile_widest_item(p));
    size_t strips = 0;
    p->blocks.full_count = 0;
    for (int32_t v = 0; v < count; v++) {
        bool needs_none = is_always_in_place(p, v) || p->blocks.values[v].is_implied ||
                          (v == count - 1 && (p->counts || p->joins_picked || is_stored_directly(p)));
        a.number[v] = -1;
        if (p->blocks.values[v].is_strip)
            p->blocks.values[v].block = strip_bytes * strips++;
        else if (!needs_none)
            assign_block(p, &a, v);
        for (int32_t e = a.first_ended[v]; e >= 0; e = a.next_ended[e])
            a.free_blocks[a.free_count++] = a.number[e];
    }
    for (int32_t v = 0; v < count; v++) {
        if (a.number[v] >= 0)
            p->blocks.values[v].block = strip_bytes * strips + (size_t)a.number[v] * tile_bytes;
    }
    p->blocks.bytes = strip_bytes * strips + (size_t)p->blocks.full_count * tile_bytes;
    return true;
}

bool zc_tile_prepare_blocks(zc_tile_program *p, zc_arena *arena)
{
    p->blocks = (zc_tile_blocks){0};
    p->blocks.values = zc_arena_take(arena, (size_t)p->stage->value_count, sizeof *p->blocks.values);
    if (p->blocks.values == NULL)
        return false;
    describe_values(p, p->blocks.values);
    drop_unsupported(p->stage, p->blocks.values);
    if (!zc_tile_find_chains(p, arena))
        return false;
    zc_tile_find_compared_positions(p);
    if (!assign_blocks(p, arena))
        return false;
    find_rows(p);
    return true;
}
