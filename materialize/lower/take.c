/* Reading through computed positions: takes, and copies that repeat their operand. */
#include "materialize/lower/machine.h"
#include "views/compose.h"

/* ---- Takes ---- */

/* The frame of a take first waits for the positions, then for the operand's value; args[AXIS] keeps, in between, the
 * axis that the positions pick. */
enum { AXIS };

static bool see_edge(const zc_task *t, const zc_seen *seen, int i, zc_view *out)
{
    zc_view view, edge;
    zc_builder_view(&t->builder, seen, &view);
    zc_node_edge_view(seen->node, i, &edge);
    return zc_view_compose(&edge, &view, out);
}

static bool has_room_for_axis(const zc_task *t, const zc_seen *seen)
{
    return zc_builder_count_picked(&t->builder, seen->rank, seen->stride) < ZC_MAX_ARITY &&
           zc_builder_has_room(&t->builder, 1);
}

static zc_outcome descend(zc_machine *m, zc_task *t, zc_frame *f, const zc_seen *seen)
{
    f->waits = true;
    return zc_frame_push(m, t, seen) != NULL ? ZC_LOWER_DESCEND : ZC_LOWER_FAILED;
}

static zc_outcome see_positions(zc_machine *m, zc_task *t, zc_frame *f)
{
    zc_view operand, positions;
    zc_seen seen;
    if (!has_room_for_axis(t, &f->seen) || !see_edge(t, &f->seen, 0, &operand) || !see_edge(t, &f->seen, 1, &positions))
        return zc_use_rows(m, t, &f->seen, ZC_STAGE_NOT_AFFINE); /* no result, whose domain is the take's own */
    if (!zc_see(m, f->seen.node->edges[1].node, &positions, &seen))
        return ZC_LOWER_FAILED;
    t->builder.promised_count++; /* takes among the positions pick axes of their own */
    return descend(m, t, f, &seen);
}

/* The operand as the domain sees element 0 of its axis, moved along the axis that the positions pick. */
static zc_outcome see_operand(zc_machine *m, zc_task *t, zc_frame *f)
{
    const zc_node *node = f->seen.node;
    zc_view operand;
    zc_seen seen;
    t->builder.promised_count--;
    int axis = zc_builder_pick_axis(&t->builder, node, t->value, node->taken.extent);
    if (axis < 0)
        return ZC_LOWER_FAILED;
    (void)see_edge(t, &f->seen, 0, &operand); /* as see_positions() has found */
    f->args[AXIS] = axis;
    for (; operand.rank <= axis; operand.rank++)
        operand.stride[operand.rank] = 0;
    (void)zc_checked_add(operand.stride[axis], node->taken.stride, &operand.stride[axis]);
    if (!zc_see(m, node->edges[0].node, &operand, &seen))
        return ZC_LOWER_FAILED;
    return descend(m, t, f, &seen);
}

static zc_outcome end(zc_task *t, zc_frame *f)
{
    const zc_builder *builder = &t->builder;
    const zc_picked_axis *picked = &builder->picked[f->args[AXIS] - builder->stage.rank];
    if (picked->is_read)
        return zc_frame_end(t, t->value);
    return zc_frame_end(t, zc_builder_guard(&t->builder, f->seen.node, t->value, picked->check));
}

zc_outcome zc_enter_take(zc_machine *m, zc_task *t, zc_frame *f)
{
    if (!f->waits)
        return see_positions(m, t, f);
    return f->done++ == 0 ? see_operand(m, t, f) : end(t, f);
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
        int axis = digit < 0 ? -1 : zc_builder_pick_axis(b, seen->node, digit, d->extent[i]);
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
