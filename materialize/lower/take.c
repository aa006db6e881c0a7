/* Reading through computed positions: takes, and copies that repeat their operand. */
#include "materialize/lower/machine.h"
#include "views/compose.h"

/* ---- Takes ---- */

/* The frame of a take first waits for the positions, one after the other, and then for the operand's value. */

static bool see_edge(const zc_task *t, const zc_seen *seen, int i, zc_view *out)
{
    zc_view view, edge;
    zc_builder_view(&t->builder, seen, &view);
    zc_node_edge_view(seen->node, i, &edge);
    return zc_view_compose(&edge, &view, out);
}

/* Beside the axes that it is seen through; on its own it may have any number of them. */
static bool has_room_for_axes(const zc_task *t, const zc_seen *seen, int count)
{
    int seen_through = zc_builder_count_picked(&t->builder, seen->rank, seen->stride);
    return (seen_through == 0 || seen_through + count <= ZC_MAX_ARITY) && zc_builder_has_room(&t->builder, count);
}

static zc_outcome descend(zc_machine *m, zc_task *t, zc_frame *f, const zc_seen *seen)
{
    f->waits = true;
    return zc_frame_push(m, t, seen) != NULL ? ZC_LOWER_DESCEND : ZC_LOWER_FAILED;
}

static zc_outcome begin(zc_machine *m, zc_task *t, zc_frame *f)
{
    const int count = f->seen.node->edge_count - 1;
    zc_view shown;
    bool fits = has_room_for_axes(t, &f->seen, count);
    for (int i = 0; i <= count && fits; i++)
        fits = see_edge(t, &f->seen, i, &shown);
    if (!fits)
        return zc_use_rows(m, t, &f->seen, ZC_STAGE_NOT_AFFINE); /* no result, whose domain is the take's own */
    f->picked = zc_arena_take(&m->lowering.plan->arena, (size_t)count, sizeof *f->picked);
    t->builder.promised_count += count; /* takes among the positions pick axes of their own */
    return f->picked != NULL ? ZC_LOWER_DESCEND : ZC_LOWER_FAILED;
}

/* The positions along axis f->done of the taken ones. */
static zc_outcome see_positions(zc_machine *m, zc_task *t, zc_frame *f)
{
    zc_view positions;
    zc_seen seen;
    (void)see_edge(t, &f->seen, f->done + 1, &positions); /* as begin() has found */
    if (!zc_see(m, f->seen.node->edges[f->done + 1].node, &positions, &seen))
        return ZC_LOWER_FAILED;
    return descend(m, t, f, &seen);
}

static bool pick_axis(zc_task *t, zc_frame *f)
{
    const zc_node *node = f->seen.node;
    t->builder.promised_count--;
    int axis = zc_builder_pick_axis(&t->builder, node, (zc_take_kind)node->op, t->value, &node->taken[f->done]);
    f->picked[f->done++] = axis;
    return axis >= 0;
}

/* The operand as the domain sees element 0 of its axes, moved along those that the positions pick. */
static zc_outcome see_operand(zc_machine *m, zc_task *t, zc_frame *f)
{
    const zc_node *node = f->seen.node;
    zc_view operand;
    zc_seen seen;
    (void)see_edge(t, &f->seen, 0, &operand); /* as begin() has found */
    for (int i = 0; i < f->done; i++) {
        int axis = f->picked[i];
        for (; operand.rank <= axis; operand.rank++)
            operand.stride[operand.rank] = 0;
        (void)zc_checked_add(operand.stride[axis], node->taken[i].stride, &operand.stride[axis]);
    }
    if (!zc_see(m, node->edges[0].node, &operand, &seen))
        return ZC_LOWER_FAILED;
    return descend(m, t, f, &seen);
}

/* Positions that nothing is read by are checked all the same. */
static zc_outcome end(zc_task *t, zc_frame *f)
{
    zc_builder *builder = &t->builder;
    int32_t value = t->value;
    for (int i = 0; i < f->done && value >= 0; i++) {
        const zc_picked_axis *picked = &builder->picked[f->picked[i] - builder->stage.rank];
        if (!picked->is_read)
            value = zc_builder_guard(builder, f->seen.node, value, picked->check);
    }
    return zc_frame_end(t, value);
}

zc_outcome zc_enter_take(zc_machine *m, zc_task *t, zc_frame *f)
{
    const int count = f->seen.node->edge_count - 1;
    if (f->picked == NULL)
        return begin(m, t, f);
    if (f->waits && f->done == count)
        return end(t, f);
    if (f->waits && !pick_axis(t, f))
        return ZC_LOWER_FAILED;
    return f->done < count ? see_positions(m, t, f) : see_operand(m, t, f);
}

/* ---- Copies that repeat ---- */

/* The axes of a copy, merged where its operand's strides continue each other: an index is a number with a digit for
 * each, and digit * stride is where the operand's element stands. */
typedef struct digits {
    int count, moving; /* moving: those with a stride */
    int64_t extent[ZC_MAX_RANK];
    int64_t stride[ZC_MAX_RANK];
} digits;

static void merge_axes(const zc_view *edge, digits *d)
{
    d->count = d->moving = 0;
    for (int a = 0; a < edge->rank; a++) {
        int64_t extent = edge->shape[a], stride = edge->stride[a], continued;
        if (extent == 1)
            continue;
        (void)zc_checked_multiply(extent, stride, &continued); /* inside the operand's memory, or one step beyond */
        if (d->count > 0 && continued == d->stride[d->count - 1]) {
            d->moving -= d->stride[--d->count] != 0;
            (void)zc_checked_multiply(extent, d->extent[d->count], &extent); /* at most the copy's size */
        }
        d->extent[d->count] = extent;
        d->stride[d->count++] = stride;
        d->moving += stride != 0;
    }
}

/* position / weight % extent; the remainder only where there are digits above. */
static int32_t compute_digit(zc_builder *b, const zc_node *node, int32_t position, int64_t weight, int64_t extent,
                             bool is_first)
{
    int32_t by = weight == 1 ? -1 : zc_builder_number(b, node, weight);
    if (weight != 1)
        position = by < 0 ? -1 : zc_builder_derive(b, node, ZC_OP_FLOOR_DIVIDE, position, by);
    if (position < 0 || is_first)
        return position;
    by = zc_builder_number(b, node, extent);
    return by < 0 ? -1 : zc_builder_derive(b, node, ZC_OP_REMAINDER, position, by);
}

/* Computes the digits that move the operand, as picked axes of *out. */
static bool map_positions(zc_task *t, const zc_seen *seen, const digits *d, zc_view *out)
{
    zc_builder *b = &t->builder;
    int32_t position = zc_builder_position(b, seen);
    int64_t weight = 1;
    for (int i = d->count - 1; i >= 0 && position >= 0; weight *= d->extent[i--]) { /* proven: the copy's size */
        if (d->stride[i] == 0)
            continue;
        int32_t digit = compute_digit(b, seen->node, position, weight, d->extent[i], i == 0);
        int axis = digit < 0
                       ? -1
                       : zc_builder_pick_axis(b, seen->node, ZC_TAKE, digit, &(zc_taken_axis){.extent = d->extent[i]});
        if (axis < 0)
            return false;
        for (; out->rank <= axis; out->rank++)
            out->stride[out->rank] = 0;
        out->stride[axis] = d->stride[i];
    }
    return position >= 0;
}

bool zc_map_copy(zc_machine *m, zc_task *t, zc_frame *f, zc_outcome *outcome)
{
    const zc_node *node = f->seen.node;
    zc_view edge, shown = {.rank = t->builder.stage.rank};
    digits d;
    if (node->op != ZC_OP_COPY) /* of a result the domain is the copy's own */
        return false;
    zc_node_edge_view(node, 0, &edge);
    merge_axes(&edge, &d);
    if (zc_view_broadcast_axes(&edge) == 0 || d.moving > ZC_MAX_ARITY || !zc_builder_has_room(&t->builder, d.moving))
        return false;
    shown.offset = edge.offset;
    for (int a = 0; a < shown.rank; a++)
        shown.stride[a] = 0;
    bool mapped = map_positions(t, &f->seen, &d, &shown) && zc_see(m, node->edges[0].node, &shown, &f->operands[0]);
    *outcome = mapped ? ZC_LOWER_DESCEND : ZC_LOWER_FAILED;
    return true;
}
