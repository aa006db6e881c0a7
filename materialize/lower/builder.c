#include "materialize/lower/builder.h"

#include <string.h>

enum { FIRST_ACCESSES = 8 };

bool zc_builder_begin(zc_builder *builder, zc_plan *plan, int rank, const int64_t *shape)
{
    *builder = (zc_builder){.plan = plan, .values.arena = &plan->arena, .nodes.arena = &plan->arena};
    builder->stage.rank = builder->stage.kept = rank;
    builder->stage.invariant_count = 1;
    builder->stage.scan_factor = -1;
    builder->stage.shape = zc_arena_grow(&plan->arena, shape, (size_t)rank, (size_t)rank, sizeof *shape);
    return builder->stage.shape != NULL;
}

static uint64_t hash_of(const zc_builder *builder, const zc_seen *seen)
{
    uint64_t hash = zc_hash_word((uint64_t)(uintptr_t)seen->node, (uint64_t)seen->offset);
    for (int a = 0; a < seen->rank; a++) {
        if (a < builder->stage.rank || seen->stride[a] != 0) /* axes picked later are no difference */
            hash = zc_hash_word(zc_hash_word(hash, (uint64_t)a), (uint64_t)seen->stride[a]);
    }
    return hash;
}

static uint64_t hash_of_node(const zc_node *node)
{
    return zc_hash_word(1, (uint64_t)(uintptr_t)node);
}

/* LCOV_EXCL_START: it differs only where hashes collide */
static bool is_same(const zc_value *value, const zc_seen *seen)
{
    if (value->node != seen->node || value->node_offset != seen->offset)
        return false;
    for (int a = 0; a < value->node_rank || a < seen->rank; a++) {
        int64_t known = a < value->node_rank ? value->node_stride[a] : 0;
        if (known != (a < seen->rank ? seen->stride[a] : 0))
            return false;
    }
    return true;
}
/* LCOV_EXCL_STOP */

int32_t zc_builder_find(const zc_builder *builder, const zc_seen *seen)
{
    size_t cursor = 0;
    uint64_t hash = hash_of(builder, seen);
    int32_t at;
    while ((at = zc_table_next(&builder->values, hash, &cursor)) >= 0) {
        if (is_same(&builder->stage.values[at], seen)) /* LCOV_EXCL_BR_LINE: likewise */
            return at;
    }
    return -1;
}

bool zc_builder_has_other_view(const zc_builder *builder, const zc_seen *seen)
{
    size_t cursor = 0; /* the hash of a single word is no other word's, and that very view would have been found */
    return zc_table_next(&builder->nodes, hash_of_node(seen->node), &cursor) >= 0;
}

static bool make_room(zc_builder *builder)
{
    zc_stage *stage = &builder->stage;
    void *values = stage->values;
    if (!zc_arena_make_room(&builder->plan->arena, &values, stage->value_count, &builder->value_room,
                            sizeof *stage->values))
        return false;
    stage->values = values;
    return true;
}

static int32_t add_value(zc_builder *builder, const zc_seen *seen, zc_value value)
{
    if (!make_room(builder))
        return -1;
    int32_t at = builder->stage.value_count;
    value.node = seen->node;
    value.node_offset = seen->offset;
    value.node_rank = seen->rank;
    value.node_stride = seen->stride;
    if (!zc_table_add(&builder->values, hash_of(builder, seen), at))
        return -1;
    if (value.kind == ZC_VALUE_OP && !zc_table_add(&builder->nodes, hash_of_node(seen->node), at))
        return -1;
    builder->stage.values[at] = value;
    builder->stage.value_count++;
    return at;
}

/* ---- Values that no node stands for ---- */

static int32_t add_derived(zc_builder *builder, zc_value value, int32_t x, int32_t y, int32_t z)
{
    const int32_t args[ZC_MAX_ARITY] = {x, y, z};
    if (!make_room(builder))
        return -1;
    zc_stage *stage = &builder->stage;
    for (int i = 0; i < ZC_MAX_ARITY && args[i] >= 0; i++) {
        value.arg[value.arity++] = args[i];
        value.axes |= stage->values[args[i]].axes;
    }
    stage->values[stage->value_count] = value;
    return stage->value_count++;
}

int32_t zc_builder_derive(zc_builder *builder, const zc_node *node, zc_op op, int32_t x, int32_t y)
{
    zc_value value = {.kind = ZC_VALUE_OP,
                      .op = (uint8_t)op,
                      .dtype = (uint8_t)zc_op_result(zc_op_describe(op), (zc_dtype)builder->stage.values[x].dtype),
                      .node = node};
    return add_derived(builder, value, x, y, -1);
}

int32_t zc_builder_number(zc_builder *builder, const zc_node *node, int64_t number)
{
    zc_value value = {.kind = ZC_VALUE_CONSTANT, .dtype = ZC_INT64, .constant = {.int64 = number}, .node = node};
    return add_derived(builder, value, -1, -1, -1);
}

int32_t zc_builder_guard(zc_builder *builder, const zc_node *node, int32_t value, int32_t check)
{
    int32_t zero = zc_builder_number(builder, node, 0);
    int32_t inside = zero < 0 ? -1 : zc_builder_derive(builder, node, ZC_OP_GREATER_EQUAL, check, zero);
    if (inside < 0)
        return -1;
    zc_value same = {.kind = ZC_VALUE_OP, .op = ZC_OP_WHERE, .dtype = builder->stage.values[value].dtype, .node = node};
    return add_derived(builder, same, inside, value, value);
}

/* ---- Accesses ---- */

static bool make_access_room(zc_builder *builder)
{
    zc_stage *stage = &builder->stage;
    if (stage->access_count < builder->access_room)
        return true;
    zc_arena *arena = &builder->plan->arena;
    size_t used = (size_t)builder->access_room, room = used == 0 ? FIRST_ACCESSES : 2 * used;
    size_t row = (size_t)stage->rank * sizeof(int64_t);
    int64_t *offset = zc_arena_grow(arena, stage->offset, used, room, sizeof *offset);
    int64_t *stride = zc_arena_grow(arena, stage->stride, used, room, row);
    if (offset == NULL || stride == NULL)
        return false;
    stage->offset = offset;
    stage->stride = stride;
    builder->access_room = (int32_t)room;
    return true;
}

static uint64_t moving_axes(const zc_stage *stage, const int64_t *stride)
{
    uint64_t axes = 0;
    for (int a = 0; a < stage->rank; a++) {
        if (stride[a] != 0)
            axes |= UINT64_C(1) << a;
    }
    return axes;
}

static bool add_access(zc_builder *builder, int64_t offset, const int64_t *stride, zc_value *value)
{
    if (!make_access_room(builder))
        return false;
    zc_stage *stage = &builder->stage;
    value->access = stage->access_count++;
    value->axes |= moving_axes(stage, stride);
    stage->offset[value->access] = offset;
    memcpy(stage->stride + (size_t)value->access * (size_t)stage->rank, stride, (size_t)stage->rank * sizeof *stride);
    return true;
}

/* position + check * stride, of a picked axis; position -1 is 0. */
static int32_t add_picked_step(zc_builder *builder, const zc_node *node, int32_t position, int axis, int64_t stride)
{
    zc_picked_axis *picked = &builder->picked[axis - builder->stage.rank];
    picked->is_read = true;
    int32_t step = zc_builder_number(builder, node, stride);
    if (step >= 0)
        step = zc_builder_derive(builder, node, ZC_OP_MULTIPLY, picked->check, step);
    return step < 0 || position < 0 ? step : zc_builder_derive(builder, node, ZC_OP_ADD, position, step);
}

/* Makes the load a pick that one position moves: where all picked axes together lead, counted from the lowest such
 * place, which the load's offset then is. */
static bool join_picked_axes(zc_builder *builder, const zc_seen *seen, const int64_t *strides, int64_t *offset,
                             zc_value *value)
{
    zc_taken_axis joined = {.extent = 1, .axis = -1};
    int32_t position = -1;
    int64_t lowest = 0;
    for (int a = builder->stage.rank; a < seen->rank; a++) {
        int64_t reach, last = builder->picked[a - builder->stage.rank].extent - 1, stride = strides[a];
        if (stride == 0)
            continue;
        position = add_picked_step(builder, seen->node, position, a, stride);
        (void)zc_checked_multiply(last < 0 ? 0 : last, stride, &reach); /* all of it inside the node */
        (void)zc_checked_add(joined.extent, reach < 0 ? -reach : reach, &joined.extent);
        (void)zc_checked_add(lowest, reach < 0 ? reach : 0, &lowest);
    }
    int32_t back = zc_builder_number(builder, seen->node, -lowest);
    position = position < 0 || back < 0 ? -1 : zc_builder_derive(builder, seen->node, ZC_OP_ADD, position, back);
    int axis = position < 0 ? -1 : zc_builder_pick_axis(builder, seen->node, ZC_GATHER, position, &joined);
    int64_t *step = zc_arena_take(&builder->plan->arena, 1, sizeof *step);
    if (axis < 0 || step == NULL)
        return false;
    (void)zc_checked_add(*offset, lowest, offset);
    *step = 1;
    value->kind = ZC_VALUE_PICK;
    value->pick_stride = step;
    value->arity = 1;
    value->arg[0] = builder->picked[axis - builder->stage.rank].check;
    value->axes |= builder->stage.values[value->arg[0]].axes;
    return true;
}

/* Makes the load a pick when picked axes move it. */
static bool add_picked_axes(zc_builder *builder, int rank, const int64_t *stride, zc_value *value)
{
    int count = zc_builder_count_picked(builder, rank, stride);
    if (count == 0)
        return true;
    int64_t *steps = zc_arena_take(&builder->plan->arena, (size_t)count, sizeof *steps);
    if (steps == NULL)
        return false;
    value->kind = ZC_VALUE_PICK;
    value->pick_stride = steps;
    for (int a = builder->stage.rank; a < rank; a++) {
        if (stride[a] == 0)
            continue;
        zc_picked_axis *picked = &builder->picked[a - builder->stage.rank];
        int32_t check = picked->check;
        picked->is_read = true;
        steps[value->arity] = stride[a];
        value->arg[value->arity++] = check;
        value->axes |= builder->stage.values[check].axes;
    }
    return true;
}

int32_t zc_builder_load(zc_builder *builder, const zc_seen *seen, int32_t slot, zc_dtype dtype, int64_t offset,
                        const int64_t *stride)
{
    zc_value value = {.kind = ZC_VALUE_LOAD, .dtype = (uint8_t)dtype, .slot = slot};
    bool is_joined = zc_builder_count_picked(builder, seen->rank, stride) > ZC_MAX_ARITY;
    bool is_moved = is_joined ? join_picked_axes(builder, seen, stride, &offset, &value)
                              : add_picked_axes(builder, seen->rank, stride, &value);
    bool ready = is_moved && add_access(builder, offset, stride, &value);
    return ready ? add_value(builder, seen, value) : -1;
}

int32_t zc_builder_position(zc_builder *builder, const zc_seen *seen)
{
    zc_value value = {.kind = ZC_VALUE_INDEX, .dtype = ZC_INT64, .node = seen->node};
    if (!add_access(builder, seen->offset, seen->stride, &value))
        return -1;
    int32_t position = add_derived(builder, value, -1, -1, -1);
    for (int a = builder->stage.rank; a < seen->rank && position >= 0; a++) {
        if (seen->stride[a] != 0)
            position = add_picked_step(builder, seen->node, position, a, seen->stride[a]);
    }
    return position;
}

int32_t zc_builder_index(zc_builder *builder, const zc_seen *seen)
{
    if (zc_builder_count_picked(builder, seen->rank, seen->stride) > 0)
        return zc_builder_position(builder, seen);
    zc_value value = {.kind = ZC_VALUE_INDEX, .dtype = ZC_INT64};
    return add_access(builder, seen->offset, seen->stride, &value) ? add_value(builder, seen, value) : -1;
}

int32_t zc_builder_constant(zc_builder *builder, const zc_seen *seen)
{
    return add_value(
        builder, seen,
        (zc_value){.kind = ZC_VALUE_CONSTANT, .dtype = seen->node->dtype, .constant = seen->node->constant});
}

int32_t zc_builder_op(zc_builder *builder, const zc_seen *seen, const int32_t *args)
{
    const zc_node *node = seen->node;
    zc_value value = {.kind = ZC_VALUE_OP, .op = node->op, .dtype = node->dtype, .arity = (uint8_t)node->edge_count};
    for (int i = 0; i < node->edge_count; i++) {
        value.arg[i] = args[i];
        value.axes |= builder->stage.values[args[i]].axes;
    }
    return add_value(builder, seen, value);
}

/* ---- Picked axes ---- */

void zc_builder_view(const zc_builder *builder, const zc_seen *seen, zc_view *out)
{
    const zc_stage *stage = &builder->stage;
    out->rank = seen->rank;
    out->offset = seen->offset;
    memcpy(out->shape, stage->shape, (size_t)stage->rank * sizeof(int64_t));
    for (int a = stage->rank; a < seen->rank; a++)
        out->shape[a] = builder->picked[a - stage->rank].extent;
    memcpy(out->stride, seen->stride, (size_t)seen->rank * sizeof(int64_t));
}

bool zc_builder_has_room(const zc_builder *builder, int count)
{
    return builder->stage.rank + builder->picked_count + builder->promised_count + count <= ZC_MAX_RANK;
}

int zc_builder_count_picked(const zc_builder *builder, int rank, const int64_t *stride)
{
    int count = 0;
    for (int a = builder->stage.rank; a < rank; a++)
        count += stride[a] != 0;
    return count;
}

int zc_builder_pick_axis(zc_builder *builder, const zc_node *node, zc_take_kind kind, int32_t positions,
                         const zc_taken_axis *axis)
{
    const int64_t extent = axis->extent;
    zc_stage *stage = &builder->stage;
    for (int32_t i = 0; i < builder->picked_count; i++) {
        if (builder->picked[i].extent == extent && stage->values[builder->picked[i].check].arg[0] == positions)
            return stage->rank + i;
    }
    void *axes = builder->picked;
    if (!zc_arena_make_room(&builder->plan->arena, &axes, builder->picked_count, &builder->picked_room,
                            sizeof *builder->picked))
        return -1;
    builder->picked = axes;
    zc_value check = {.kind = ZC_VALUE_CHECK,
                      .op = (uint8_t)kind,
                      .dtype = ZC_INT64,
                      .extent = extent,
                      .axis = axis->axis,
                      .node = node};
    int32_t at = add_derived(builder, check, positions, -1, -1);
    if (at < 0)
        return -1;
    builder->picked[builder->picked_count] = (zc_picked_axis){.check = at, .extent = extent};
    return stage->rank + builder->picked_count++;
}

/* ---- Extraction ---- */

/* The entries of a row whose axes are kept, closed up. */
static int keep_entries(const int64_t *row, int rank, uint64_t keep, int64_t *out)
{
    int count = 0;
    for (int a = 0; a < rank; a++) {
        if ((keep >> a & 1) != 0)
            out[count++] = row[a];
    }
    return count;
}

static uint64_t keep_bits(uint64_t bits, int rank, uint64_t keep)
{
    uint64_t out = 0;
    int count = 0;
    for (int a = 0; a < rank; a++) {
        if ((keep >> a & 1) != 0)
            out |= (bits >> a & 1) << count++;
    }
    return out;
}

static int64_t *kept_row(zc_arena *arena, const int64_t *row, int rank, uint64_t keep)
{
    int64_t *out = zc_arena_take(arena, (size_t)rank, sizeof *out);
    if (out != NULL)
        (void)keep_entries(row, rank, keep, out);
    return out;
}

/* new_index[v] = 1 for the values that `result` and `other` need, else 0. */
static void mark_needed(const zc_stage *from, int32_t result, int32_t *new_index)
{
    memset(new_index, 0, (size_t)(result + 1) * sizeof *new_index);
    new_index[result] = 1;
    for (int i = 0; i < from->store_moves; i++)
        new_index[from->store_move[i].check] = 1;
    if (from->scan_factor >= 0)
        new_index[from->scan_factor] = 1;
    for (int32_t v = result; v >= 0; v--) {
        const zc_value *value = &from->values[v];
        for (int i = 0; new_index[v] != 0 && i < value->arity; i++)
            new_index[value->arg[i]] = 1;
    }
}

/* How the node is seen: the kept axes, then the picked ones. */
static bool keep_node_stride(zc_arena *arena, const zc_stage *from, const zc_value *value, uint64_t keep,
                             zc_value *copy)
{
    if (value->node_stride == NULL) /* no node stands for it */
        return true;
    int64_t *stride = zc_arena_take(arena, (size_t)value->node_rank, sizeof *stride);
    if (stride == NULL)
        return false;
    int kept = keep_entries(value->node_stride, from->rank, keep, stride);
    for (int a = from->rank; a < value->node_rank; a++)
        stride[kept++] = value->node_stride[a];
    copy->node_rank = kept;
    copy->node_stride = stride;
    return true;
}

static bool copy_value(zc_arena *arena, const zc_stage *from, const zc_value *value, uint64_t keep,
                       const int32_t *new_index, zc_stage *out)
{
    zc_value copy = *value;
    copy.axes = keep_bits(value->axes, from->rank, keep);
    if (!keep_node_stride(arena, from, value, keep, &copy))
        return false;
    for (int i = 0; i < value->arity; i++)
        copy.arg[i] = new_index[value->arg[i]];
    if (zc_value_moves(value)) {
        copy.access = out->access_count++;
        out->offset[copy.access] = from->offset[value->access];
        (void)keep_entries(from->stride + (size_t)value->access * (size_t)from->rank, from->rank, keep,
                           out->stride + (size_t)copy.access * (size_t)out->rank);
    }
    out->values[out->value_count++] = copy;
    return true;
}

static bool take_arrays(zc_arena *arena, const zc_stage *from, uint64_t keep, int32_t values, zc_stage *out)
{
    out->shape = zc_arena_take(arena, (size_t)from->rank, sizeof *out->shape);
    if (out->shape == NULL)
        return false;
    out->rank = keep_entries(from->shape, from->rank, keep, out->shape);
    uint64_t kept_axes = from->kept == 64 ? keep : keep & ((UINT64_C(1) << from->kept) - 1);
    out->kept = __builtin_popcountll(kept_axes);
    out->value_count = out->access_count = 0;
    out->values = zc_arena_take(arena, (size_t)values, sizeof *out->values);
    out->offset = zc_arena_take(arena, (size_t)from->access_count, sizeof *out->offset);
    out->stride = zc_arena_take(arena, (size_t)from->access_count * (size_t)out->rank, sizeof *out->stride);
    return out->values != NULL && out->offset != NULL && out->stride != NULL;
}

bool zc_stage_extract(zc_plan *plan, const zc_stage *from, int32_t result, uint64_t keep, zc_stage *out)
{
    zc_arena *arena = &plan->arena;
    int32_t *new_index = zc_arena_take(arena, (size_t)result + 1, sizeof *new_index);
    *out = *from;
    if (new_index == NULL || !take_arrays(arena, from, keep, result + 1, out))
        return false;
    if (from->index_weight != NULL) {
        int64_t full[ZC_MAX_RANK] = {0};
        memcpy(full + from->kept, from->index_weight, (size_t)(from->rank - from->kept) * sizeof *full);
        int64_t *weights = kept_row(arena, full, from->rank, keep);
        if (weights == NULL)
            return false;
        out->index_weight = weights + out->kept;
    }
    mark_needed(from, result, new_index);
    for (int32_t v = 0; v <= result; v++) {
        if (new_index[v] == 0)
            continue;
        int32_t at = out->value_count;
        if (!copy_value(arena, from, &from->values[v], keep, new_index, out))
            return false;
        new_index[v] = at;
    }
    /* Of a whole stage: what is hoisted has neither. */
    if (from->store_moves > 0)
        out->store_move = zc_arena_copy(arena, from->store_move, (size_t)from->store_moves, sizeof *out->store_move);
    for (int i = 0; i < out->store_moves && out->store_move != NULL; i++)
        out->store_move[i].check = new_index[out->store_move[i].check];
    out->scan_factor = from->scan_factor >= 0 ? new_index[from->scan_factor] : -1;
    return from->store_moves == 0 || out->store_move != NULL;
}
