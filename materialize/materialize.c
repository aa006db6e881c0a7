#include "materialize/materialize.h"

#include "materialize/cost.h"
#include "materialize/planner/budget.h"
#include "materialize/planner/plan_cache.h"
#include "materialize/planner/planner.h"
#include "materialize/run/few.h"
#include "materialize/run/run.h"
#include "runtime/gradient/variable.h"
#include "runtime/graph/invariance.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/leaf.h"
#include "runtime/graph/pending.h"
#include "runtime/graph/realise.h"
#include "runtime/graph/variables.h"
#include "views/overlap.h"

#include <string.h>

zc_status zc_check_tensors(int count, const zc_tensor *const *tensors, const char *function)
{
    if (count < 0)
        return zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "%d tensors are no list", count);
    if (count == 1 && tensors != NULL) { /* one tensor has the name t everywhere */
        const zc_tensor *t = tensors[0];
        return ZC_REFUSE_LOST(function, t) ? ZC_ERROR_ARGUMENT : ZC_OK;
    }
    if (zc_refuse_lost_in_list(NULL, function, "tensors", count, tensors))
        return ZC_ERROR_ARGUMENT;
    for (int i = 0; i < count; i++) {
        if (tensors[i]->ctx != tensors[0]->ctx)
            return zc_fail(tensors[0]->ctx, ZC_ERROR_ARGUMENT, function,
                           "results belong to different contexts; zc_adopt brings them together");
    }
    return ZC_OK;
}

zc_status zc_refuse_place(const zc_tensor *t, const char *function)
{
    return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the result");
}

/* The same, with the results emptied first. */
static zc_status begin(int count, const zc_tensor *const *tensors, zc_tensor **out, const char *function)
{
    for (int i = 0; out != NULL && i < count; i++)
        out[i] = NULL;
    zc_status status = zc_check_tensors(count, tensors, function);
    return status == ZC_OK && count > 0 && out == NULL ? zc_refuse_place(tensors[0], function) : status;
}

/* ---- What a run has made ---- */

/* Hands out a tensor over given memory as it is, and computed elements as a leaf, with an origin if they vary. Whether
 * a node has its data already is up to what was read, so that decides about the memory alone, and not about the node by
 * which gradients are asked for. */
static zc_status hand_over(const zc_tensor *t, zc_buffer *buffer, const zc_view *view, const char *function,
                           zc_tensor **out)
{
    zc_node *node = t->node;
    zc_view own, stored;
    const bool varies = zc_node_varies(node), is_own = zc_node_data(node) == buffer;
    if (is_own)
        (void)zc_node_pin(node);
    if (is_own && node->kind == ZC_NODE_LEAF) {
        zc_buffer_release(buffer); /* the node has a reference of its own */
        *out = zc_tensor_new(t->ctx, zc_node_retain(node), view, function);
        return *out != NULL ? ZC_OK : ZC_ERROR_MEMORY;
    }
    *out = zc_leaf_tensor(t->ctx, buffer, zc_dtype_of(t), view, function);
    if (*out == NULL)
        return ZC_ERROR_MEMORY;
    (*out)->node->is_constant = node->is_constant;
    if (is_own)
        zc_view_row_major(1, &node->size, &own);
    else
        zc_tensor_view(t, &own);
    zc_view_drop_axes(&own, is_own ? 0 : zc_view_broadcast_axes(view), &stored);
    if (!varies || zc_origin_keep(*out, t, &stored))
        return ZC_OK;
    zc_release(*out);
    *out = NULL;
    return zc_fail_memory(t->ctx, function);
}

/* Hands out what a plan has made, all of it or nothing. */
static zc_status hand_over_all(const zc_plan *plan, const zc_plan_request *r, zc_tensor **out)
{
    zc_status status = ZC_OK;
    zc_sources sources;
    bool are_listed = false;
    for (int i = 0; i < r->count && status == ZC_OK; i++) {
        const zc_plan_result *result = &plan->results[i];
        zc_view view;
        zc_tensor_view(r->tensors[i], &view);
        view.offset = result->offset;
        memcpy(view.stride, result->stride, (size_t)view.rank * sizeof *view.stride);
        zc_buffer *buffer = zc_plan_take_result(plan, i);
        if (!zc_result_exists(plan, i) && zc_node_has_gradients(r->tensors[i]->node)) {
            if (!are_listed)
                zc_plan_list_sources(plan, &sources);
            are_listed = true;
            buffer->sources = sources;
        }
        status = hand_over(r->tensors[i], buffer, &view, r->function, &out[i]);
    }
    for (int i = 0; i < r->count && status != ZC_OK; i++) {
        zc_release(out[i]);
        out[i] = NULL;
    }
    return status;
}

/* The node whose elements, which are no result, a run of the plan has left in a memory of its own, or NULL. */
static zc_node *left_in(const zc_plan *plan, int32_t memory)
{
    return plan->buffers[memory] == NULL ? NULL : (zc_node *)(uintptr_t)plan->slots[plan->slots[memory].holder].node;
}

/* Gives nodes the elements of theirs that are left. */
static void keep_all(const zc_plan *plan)
{
    zc_sources sources;
    bool are_listed = false;
    for (int32_t s = 0; s < plan->slot_count; s++) {
        zc_node *node = left_in(plan, s);
        if (node == NULL)
            continue;
        if (!are_listed)
            zc_plan_list_sources(plan, &sources);
        are_listed = true;
        if (zc_node_has_gradients(node))
            plan->buffers[s]->sources = sources;
        zc_node_keep(zc_node_retain(node), plan->buffers[s]);
    }
}

/* Ends a run behind which nobody follows edges any more. */
static void end_keeping(zc_plan *plan)
{
    for (int32_t s = 0; s < plan->slot_count; s++) {
        zc_node *node = left_in(plan, s);
        if (node == NULL)
            continue;
        zc_kept_add(node);
        zc_node_release(node);
    }
    zc_kept_trim(plan->ctx->heap);
}

/* ---- Running ---- */

/* Tells a plan that reads memory between the first and the last element of a place in it. item: bytes of each. */
static bool reads_memory(const zc_plan *plan, const void *data, const zc_view *target, size_t item)
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

/* The caller's memory that a run writes. */
typedef struct destination {
    void *data;
    size_t item;          /* bytes of an element */
    const zc_view *place; /* of the result's elements, in elements of the memory */
    bool overlaps;        /* the plan reads that memory, so nothing was run */
} destination;

static bool is_overlapped(const zc_plan *plan, destination *to)
{
    to->overlaps = reads_memory(plan, to->data, to->place, to->item);
    return to->overlaps;
}

/* Plans and runs what is asked for, into buffers of its own where `to` is NULL. The plan is put back by the caller,
 * also after a failure; it is NULL where there was none. */
static zc_status run(const zc_plan_request *r, destination *to, zc_plan **plan)
{
    zc_status status = zc_plan_get(r, plan);
    if (status != ZC_OK || (to != NULL && is_overlapped(*plan, to)))
        return status;
    zc_reason why;
    status = zc_plan_check_budget(*plan, r, &why);
    if (status != ZC_OK)
        return zc_fail_because((*plan)->ctx, status, r->function, &why);
    status = zc_plan_run(*plan, r, to != NULL ? to->data : NULL);
    if (status == ZC_OK)
        zc_plan_charge(*plan);
    return status;
}

/* The same, and once more without purchases where these may be why it failed: there was no memory for them, another
 * thread came in between, or they take elements, which nobody asked for, from places that are none or of a source. */
static zc_status run_affordable(const zc_plan_request *r, destination *to, zc_plan **plan)
{
    zc_status status = run(r, to, plan);
    if ((status != ZC_ERROR_MEMORY && status != ZC_ERROR_INDEX && status != ZC_ERROR_FILE) || *plan == NULL ||
        ((*plan)->bought_bytes == 0 && (*plan)->takeover_room == 0))
        return status;
    zc_plan_request alone = *r;
    alone.buys = false;
    zc_plan_put_back(*plan);
    zc_error_clear(r->tensors[0]->ctx);
    return run(&alone, to, plan);
}

/* Hands out the only result where it is one element that needs no plan. */
static bool hand_over_element(const zc_plan_request *r, zc_tensor **out, zc_status *status)
{
    const zc_tensor *t = r->tensors[0];
    zc_scalar element;
    zc_few known;
    zc_view view;
    if (r->count != 1 || t->size != 1 || !zc_compute_element(t, NULL, &element, &known))
        return false;
    zc_buffer *buffer = zc_store_few(t, &element, &known);
    if (buffer == NULL)
        return false;
    zc_view_row_major(t->rank, t->dims, &view);
    *status = hand_over(t, buffer, &view, r->function, out);
    return true;
}

/* Runs a request to its end, together with the nodes that are due: hands results out where `to` is NULL, and keeps what
 * the plan keeps. Before a refusal, what is kept goes, once. */
static zc_status compute(zc_plan_request *r, destination *to, zc_tensor **out)
{
    zc_plan *plan;
    zc_heap *heap = r->tensors[0]->ctx->heap;
    zc_node *due[ZC_PENDING_NODES];
    zc_graph_follow_begin();
    r->due_count = r->buys ? zc_pending_list(heap, due) : 0;
    r->due = due;
    zc_status status;
    if (to == NULL && r->due_count == 0 && hand_over_element(r, out, &status)) {
        zc_graph_follow_end();
        zc_pending_end(heap, 0, due, true);
        r->due = NULL;
        return status;
    }
    status = run_affordable(r, to, &plan);
    if (status == ZC_ERROR_BUDGET && zc_kept_release(r->tensors[0]->heap)) {
        if (plan != NULL)
            zc_plan_put_back(plan);
        zc_error_clear(r->tensors[0]->ctx);
        status = run_affordable(r, to, &plan);
    }
    const bool has_run = status == ZC_OK && (to == NULL || !to->overlaps);
    if (has_run && to == NULL)
        status = hand_over_all(plan, r, out);
    const bool keeps = has_run && status == ZC_OK;
    if (keeps)
        keep_all(plan);
    zc_graph_follow_end();
    zc_pending_end(heap, r->due_count, due, keeps && r->buys);
    r->due = NULL;
    r->due_count = 0;
    if (keeps)
        end_keeping(plan);
    if (has_run)
        zc_plan_end_run(plan);
    if (plan != NULL)
        zc_plan_put_back(plan);
    return status;
}

/* ---- New memory ---- */

/* A reference to the data of a tensor that exists densely, or NULL. */
static zc_buffer *share_dense(const zc_tensor *t, zc_view *view)
{
    zc_tensor_view(t, view);
    return zc_view_is_dense(view) ? zc_node_share(t->node) : NULL;
}

/* Tells whether a tensor is all of a node that is computed. */
static bool is_whole_node(const zc_tensor *t)
{
    zc_view view;
    zc_tensor_view(t, &view);
    return !zc_node_is_given(t->node) && zc_view_is_identity(&view, t->node->size);
}

/* Computes, and lets nodes of which all is asked for keep their data for good. `nodes` has room for them. */
static zc_status realise(zc_plan_request *r, zc_node **nodes, zc_tensor **out)
{
    for (int i = 0; i < r->count; i++)
        nodes[i] = is_whole_node(r->tensors[i]) ? r->tensors[i]->node : NULL;
    zc_realise_begin(r->count, nodes);
    zc_status status = compute(r, NULL, out);
    for (int i = 0; i < r->count; i++) {
        zc_buffer *data = status == ZC_OK ? zc_node_share(out[i]->node) : NULL;
        if (nodes[i] != NULL)
            zc_realise_end(nodes[i], data);
        else
            zc_buffer_release(data);
    }
    const zc_context *ctx = r->tensors[0]->ctx;
    for (int i = 0; i < r->count && !ctx->options.recompute; i++) {
        if (nodes[i] != NULL)
            zc_kept_add(nodes[i]);
    }
    zc_kept_trim(ctx->heap);
    return status;
}

zc_status zc_materialize_for(int count, const zc_tensor *const *tensors, const char *function, zc_tensor **out)
{
    enum { FEW = 8 };
    zc_node *few[FEW], **nodes = few;
    zc_view view;
    zc_status status = begin(count, tensors, out, function);
    if (status != ZC_OK || count == 0)
        return status;
    zc_buffer *data = count == 1 ? share_dense(tensors[0], &view) : NULL;
    if (data != NULL)
        return hand_over(tensors[0], data, &view, function, out);
    zc_heap *heap = tensors[0]->heap;
    size_t bytes = (size_t)count * sizeof(zc_node *); /* proven: as many tensors are in memory */
    if (count > FEW && (nodes = zc_heap_take(heap, bytes)) == NULL)
        return zc_fail_memory(tensors[0]->ctx, function);
    status =
        realise(&(zc_plan_request){.count = count, .tensors = tensors, .function = function, .buys = true}, nodes, out);
    if (nodes != few)
        zc_heap_give(heap, nodes, bytes);
    return status;
}

zc_status zc_materialize_all(int count, const zc_tensor *const *tensors, zc_tensor **out)
{
    return zc_materialize_for(count, tensors, "materialize_all", out);
}

zc_status zc_materialize(const zc_tensor *t, zc_tensor **out)
{
    return zc_materialize_for(1, &t, "materialize", out);
}

zc_status zc_materialize_parts(int count, const zc_tensor *const *tensors, const char *function, zc_tensor **out)
{
    for (int i = 0; i < count; i++)
        out[i] = NULL;
    return compute(&(zc_plan_request){.count = count, .tensors = tensors, .function = function}, NULL, out);
}

zc_status zc_materialize_part(const zc_tensor *t, const char *function, zc_tensor **out)
{
    return zc_materialize_parts(1, &t, function, out);
}

zc_status zc_compact(const zc_tensor *t, zc_tensor **out)
{
    zc_status status = begin(1, &t, out, "compact");
    if (status != ZC_OK)
        return status;
    zc_view view, stored;
    zc_tensor_view(t, &view);
    zc_distinct_view(t->node, &view, &view);
    zc_view_drop_axes(&view, zc_view_broadcast_axes(&view), &stored);
    zc_buffer *data = zc_view_is_dense(&stored) ? zc_node_share(t->node) : NULL;
    if (data != NULL)
        return hand_over(t, data, &view, "compact", out);
    return compute(
        &(zc_plan_request){.count = 1, .tensors = &t, .layout = ZC_LAYOUT_COMPACT, .function = "compact", .buys = true},
        NULL, out);
}

/* ---- Into the caller's memory ---- */

/* Number of elements of that size that memory holds, of as many bytes as int64 counts. */
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
    if ((data == NULL && t->size > 0) || (uintptr_t)data % zc_dtype_alignment(zc_dtype_of(t)) != 0)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the target is %s", data == NULL ? "NULL" : "not aligned");
    zc_status status = zc_view_prove(t->rank, t->dims, strides != NULL ? strides : row_major, offset,
                                     elements_in(bytes, item), target, why);
    if (status == ZC_OK && !zc_view_is_injective(target))
        status = zc_refuse(why, ZC_ERROR_ARGUMENT, "elements of the target may share an address");
    return status;
}

/* Writes t where no slot of its plan is read; else sets *overlaps and writes nothing. */
static zc_status write_into(const zc_tensor *t, void *data, size_t bytes, const zc_view *target, const char *function,
                            bool *overlaps)
{
    const size_t item = zc_dtype_bytes(zc_dtype_of(t));
    destination to = {.data = data, .item = item, .place = target};
    zc_status status = compute(&(zc_plan_request){.count = 1,
                                                  .tensors = &t,
                                                  .target = target,
                                                  .target_elements = elements_in(bytes, item),
                                                  .function = function,
                                                  .buys = true},
                               &to, NULL);
    *overlaps = to.overlaps;
    return status;
}

/* Bytes that t takes row-major, within the context's limit together with the temporaries of its plan. */
static zc_status reserve_copy(const zc_tensor *t, const char *function, int64_t *bytes)
{
    zc_reason why;
    zc_cost cost;
    zc_status status = zc_ask_cost(1, &t, function, &cost);
    if (status != ZC_OK)
        return status;
    *bytes = cost.logical_bytes; /* the peak counts them already, unless t exists densely */
    status = zc_kept_make_room(t->ctx, cost.peak_bytes > *bytes ? cost.peak_bytes : *bytes, &why);
    return status == ZC_OK ? ZC_OK : zc_fail_because(t->ctx, status, function, &why);
}

zc_status zc_materialize_copy(const zc_tensor *t, const char *function, zc_buffer **out)
{
    int64_t bytes;
    bool overlaps = false;
    zc_view dense;
    *out = NULL;
    zc_status status = reserve_copy(t, function, &bytes);
    if (status != ZC_OK)
        return status;
    zc_buffer *buffer = zc_buffer_new(t->ctx->heap, bytes);
    if (buffer == NULL)
        return zc_fail_memory(t->ctx, function);
    zc_view_row_major(t->rank, t->dims, &dense);
    if (t->size > 0) /* memory that is new overlaps nothing */
        status = write_into(t, buffer->memory, (size_t)bytes, &dense, function, &overlaps);
    if (status == ZC_OK)
        *out = buffer;
    else
        zc_buffer_release(buffer);
    return status;
}

/* Writes a target that overlaps memory which t reads: by way of a copy. */
static zc_status write_staged(const zc_tensor *t, void *data, size_t bytes, const zc_view *target, const char *function)
{
    bool overlaps = false;
    zc_buffer *buffer;
    zc_view dense;
    zc_status status = zc_materialize_copy(t, function, &buffer);
    if (status != ZC_OK)
        return status;
    zc_view_row_major(t->rank, t->dims, &dense);
    zc_tensor *copy = zc_leaf_tensor(t->ctx, buffer, zc_dtype_of(t), &dense, function);
    if (copy == NULL)
        return ZC_ERROR_MEMORY;
    status = write_into(copy, data, bytes, target, function, &overlaps);
    zc_release(copy);
    return status;
}

zc_status zc_materialize_into_for(const zc_tensor *t, void *data, size_t bytes, const int64_t *strides, int64_t offset,
                                  const char *function)
{
    if (ZC_REFUSE_LOST(function, t))
        return ZC_ERROR_ARGUMENT;
    zc_view target;
    zc_reason why;
    zc_status status = check_target(t, data, bytes, strides, offset, &target, &why);
    if (status != ZC_OK)
        return zc_fail_because(t->ctx, status, function, &why);
    if (t->size == 0 || zc_peek(t, (char *)data + (size_t)target.offset * zc_dtype_bytes(zc_dtype_of(t))))
        return ZC_OK;
    bool overlaps = false;
    status = write_into(t, data, bytes, &target, function, &overlaps);
    return status == ZC_OK && overlaps ? write_staged(t, data, bytes, &target, function) : status;
}

zc_status zc_materialize_into(const zc_tensor *t, void *data, size_t bytes, const int64_t *strides, int64_t offset)
{
    return zc_materialize_into_for(t, data, bytes, strides, offset, "materialize_into");
}
