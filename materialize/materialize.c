#include "materialize/materialize.h"

#include "materialize/execute/run.h"
#include "materialize/plan/plan_cache.h"
#include "materialize/plan/planner.h"
#include "runtime/graph/invariance.h"
#include "runtime/graph/leaf.h"
#include "runtime/graph/realise.h"
#include "views/overlap.h"

/* The argument checks every call begins with. */
static zc_status check_arguments(const zc_tensor *t, const void *out, const char *function)
{
    if (t == NULL)
        return ZC_ERROR_ARGUMENT;
    return out != NULL ? ZC_OK : zc_fail(t->ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the result");
}

/* The same, with the result emptied first. */
static zc_status begin(const zc_tensor *t, zc_tensor **out, const char *function)
{
    if (out != NULL)
        *out = NULL;
    return check_arguments(t, out, function);
}

/* Plans and runs t into a buffer of its own; *view shows the result in it. */
static zc_status compute(const zc_tensor *t, zc_layout layout, const char *function, zc_buffer **buffer, zc_view *view)
{
    zc_plan *plan;
    zc_status status = zc_plan_get(t, layout, NULL, 0, function, &plan);
    if (status != ZC_OK)
        return status;
    status = zc_plan_run(plan, function, NULL, buffer);
    zc_view_copy(&plan->output_view, view);
    zc_plan_put_back(plan);
    return status;
}

static zc_status hand_over(const zc_tensor *t, zc_buffer *buffer, const zc_view *view, const char *function,
                           zc_tensor **out)
{
    *out = zc_leaf_tensor(t->ctx, buffer, zc_dtype_of(t), view, function);
    return *out != NULL ? ZC_OK : ZC_ERROR_MEMORY;
}

/* Computes all of a node for good: the node keeps the buffer too. */
static zc_status realise(const zc_tensor *t, const char *function, zc_buffer **buffer, zc_view *view)
{
    if (!zc_realise_begin(t->node)) {
        *buffer = zc_buffer_retain(zc_node_data(t->node));
        return ZC_OK;
    }
    zc_status status = compute(t, ZC_LAYOUT_DENSE, function, buffer, view);
    zc_realise_end(t->node, status == ZC_OK ? zc_buffer_retain(*buffer) : NULL);
    return status;
}

static bool is_whole_node(const zc_tensor *t, const zc_view *view)
{
    return !zc_node_is_given(t->node) && zc_view_is_identity(view, t->node->size);
}

zc_status zc_materialize_for(const zc_tensor *t, const char *function, zc_tensor **out)
{
    zc_status status = begin(t, out, function);
    if (status != ZC_OK)
        return status;
    zc_view view;
    zc_tensor_view(t, &view);
    zc_buffer *buffer = zc_node_data(t->node);
    if (buffer != NULL && zc_view_is_dense(&view))
        (void)zc_buffer_retain(buffer);
    else if (is_whole_node(t, &view))
        status = realise(t, function, &buffer, &view);
    else
        status = compute(t, ZC_LAYOUT_DENSE, function, &buffer, &view);
    return status == ZC_OK ? hand_over(t, buffer, &view, function, out) : status;
}

zc_status zc_materialize(const zc_tensor *t, zc_tensor **out)
{
    return zc_materialize_for(t, "materialize", out);
}

zc_status zc_compact(const zc_tensor *t, zc_tensor **out)
{
    zc_status status = begin(t, out, "compact");
    if (status != ZC_OK)
        return status;
    zc_view view, stored;
    zc_tensor_view(t, &view);
    zc_invariant_view(t->node, &view, &view);
    zc_view_drop_axes(&view, zc_view_broadcast_axes(&view), &stored);
    zc_buffer *buffer = zc_node_data(t->node);
    if (buffer != NULL && zc_view_is_dense(&stored))
        (void)zc_buffer_retain(buffer);
    else
        status = compute(t, ZC_LAYOUT_COMPACT, "compact", &buffer, &view);
    return status == ZC_OK ? hand_over(t, buffer, &view, "compact", out) : status;
}

/* ---- Into the caller's memory ---- */

/* Whether a plan reads memory between the first and the last element of the target, of that size each. */
static bool reads_target(const zc_plan *plan, const void *data, const zc_view *target, size_t item)
{
    int64_t lowest, highest;
    zc_view_reach(target, &lowest, &highest);
    uintptr_t first = (uintptr_t)data + (uintptr_t)lowest * item;
    uintptr_t bytes = ((uintptr_t)highest - (uintptr_t)lowest + 1) * item;
    for (int32_t s = 0; s < plan->slot_count; s++) {
        if (plan->slots[s].kind != ZC_SLOT_INPUT)
            continue;
        const zc_buffer *buffer = plan->slots[s].buffer;
        uintptr_t read = (uintptr_t)buffer->memory;
        if (read >= first ? read - first < bytes : first - read < (uintptr_t)buffer->bytes)
            return true;
    }
    return false;
}

/* How many elements of that size memory holds, of as many bytes as int64 counts. */
static int64_t elements_in(size_t bytes, size_t item)
{
    const uint64_t all = bytes, counted = all > INT64_MAX ? INT64_MAX : all; /* a size_t may have fewer bits */
    return (int64_t)(counted / item);
}

static zc_status check_target(const zc_tensor *t, const void *data, size_t bytes, const int64_t *strides,
                              int64_t offset, zc_view *target, zc_reason *why)
{
    size_t item = zc_dtype_bytes(zc_dtype_of(t));
    int64_t row_major[ZC_MAX_RANK];
    zc_shape_row_major(t->rank, t->dims, row_major);
    if ((data == NULL && t->size > 0) || (uintptr_t)data % item != 0)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the target is %s", data == NULL ? "NULL" : "not aligned");
    zc_status status = zc_view_prove(t->rank, t->dims, strides != NULL ? strides : row_major, offset,
                                     elements_in(bytes, item), target, why);
    if (status == ZC_OK && !zc_view_is_injective(target))
        status = zc_refuse(why, ZC_ERROR_ARGUMENT, "elements of the target may share an address");
    return status;
}

static zc_status write_into(const zc_tensor *t, void *data, size_t bytes, const zc_view *target, bool *overlaps)
{
    zc_plan *plan;
    zc_buffer *none = NULL;
    size_t item = zc_dtype_bytes(zc_dtype_of(t));
    int64_t elements = elements_in(bytes, item);
    zc_status status = zc_plan_get(t, ZC_LAYOUT_DENSE, target, elements, "materialize_into", &plan);
    if (status != ZC_OK)
        return status;
    *overlaps = reads_target(plan, data, target, item);
    if (!*overlaps)
        status = zc_plan_run(plan, "materialize_into", data, &none);
    zc_plan_put_back(plan);
    return status;
}

/* Computes t first and copies then, for targets that overlap what t reads. */
static zc_status write_staged(const zc_tensor *t, void *data, size_t bytes, const zc_view *target)
{
    zc_buffer *buffer = NULL;
    zc_view view;
    zc_status status = compute(t, ZC_LAYOUT_DENSE, "materialize_into", &buffer, &view);
    zc_tensor *staged = NULL;
    if (status == ZC_OK)
        status = hand_over(t, buffer, &view, "materialize_into", &staged);
    bool overlaps = false;
    if (status == ZC_OK)
        status = write_into(staged, data, bytes, target, &overlaps);
    zc_release(staged);
    return status;
}

zc_status zc_materialize_into(const zc_tensor *t, void *data, size_t bytes, const int64_t *strides, int64_t offset)
{
    if (t == NULL)
        return ZC_ERROR_ARGUMENT;
    zc_view target;
    zc_reason why;
    zc_status status = check_target(t, data, bytes, strides, offset, &target, &why);
    if (status != ZC_OK)
        return zc_fail_because(t->ctx, status, "materialize_into", &why);
    if (t->size == 0)
        return ZC_OK;
    bool overlaps = false;
    status = write_into(t, data, bytes, &target, &overlaps);
    return status == ZC_OK && overlaps ? write_staged(t, data, bytes, &target) : status;
}

/* ---- Asking ---- */

zc_status zc_cost_of(const zc_tensor *t, zc_cost *cost)
{
    zc_status status = check_arguments(t, cost, "cost_of");
    if (status != ZC_OK)
        return status;
    zc_plan plan;
    status = zc_plan_make(t, ZC_LAYOUT_DENSE, NULL, 0, "cost_of", &plan);
    if (status != ZC_OK)
        return status;
    zc_view view;
    zc_tensor_view(t, &view);
    bool exists = zc_node_data(t->node) != NULL && zc_view_is_dense(&view);
    *cost = (zc_cost){.logical_bytes = plan.bytes[ZC_OUTPUT_SLOT],
                      .held_bytes = plan.held_bytes,
                      .written_bytes = exists ? 0 : plan.written_bytes,
                      .peak_bytes = exists ? 0 : plan.peak_bytes,
                      .plan_bytes = plan.plan_bytes,
                      .work = exists ? 0 : zc_plan_work(&plan)};
    zc_plan_free(&plan);
    return ZC_OK;
}
