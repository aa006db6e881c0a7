#include "materialize/eager/operand.h"

#include "materialize/materialize.h"
#include "materialize/planner/plan_cache.h"
#include "runtime/graph/history.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/leaf.h"
#include "runtime/graph/pending.h"

/* ---- What a call needs ---- */

static void add_bytes(zc_need *need, int64_t bytes)
{
    need->overflows |= !zc_checked_add(need->alive_bytes, bytes, &need->alive_bytes);
}

static void add_plan(zc_need *need, const zc_plan *plan)
{
    int64_t peak;
    if (!zc_checked_add(need->alive_bytes, plan->alive_bytes, &peak))
        need->overflows = true;
    else if (peak > need->peak_bytes)
        need->peak_bytes = peak;
    add_bytes(need, plan->output_bytes);
}

/* Adds the memory of the plan that will compute an operand, before anything runs. Its scratch memory is what is left
 * then. */
zc_status zc_need_add_operand(zc_need *need, const zc_tensor *t)
{
    zc_plan *plan;
    zc_node *due[ZC_PENDING_NODES];
    zc_heap *heap = need->ctx->heap;
    if (zc_is_view(t))
        return ZC_OK;
    zc_graph_follow_begin();
    zc_plan_request request = {.count = 1, .tensors = &t, .buys = !need->is_parted, .function = need->function};
    request.due_count = request.buys ? zc_pending_list(heap, due) : 0;
    request.due = due;
    zc_status status = zc_plan_get(&request, &plan);
    zc_graph_follow_end();
    if (status == ZC_OK) {
        add_plan(need, plan);
        zc_plan_put_back(plan);
    }
    zc_pending_end(heap, request.due_count, due, false);
    return status;
}

zc_status zc_need_begin(zc_need *need, zc_context *ctx, const char *function, int count,
                        const zc_tensor *const *operands)
{
    zc_status status = ZC_OK;
    *need = (zc_need){.ctx = ctx, .function = function};
    for (int i = 0; i < count && status == ZC_OK; i++)
        status = zc_need_add_operand(need, operands[i]);
    return status;
}

void zc_need_add(zc_need *need, int64_t count, size_t bytes_each)
{
    int64_t bytes;
    if (!zc_checked_multiply(count, (int64_t)bytes_each, &bytes)) {
        need->overflows = true;
        return;
    }
    need->own_bytes = zc_saturating_add(need->own_bytes, bytes);
    add_bytes(need, bytes);
}

zc_status zc_need_ask(const zc_need *need, zc_reason *why)
{
    const int64_t peak = need->is_parted ? zc_saturating_add(need->peak_bytes, need->own_bytes) : need->peak_bytes;
    if (need->overflows)
        return zc_refuse(why, ZC_ERROR_OVERFLOW, "takes more bytes than int64 counts");
    return zc_kept_make_room(need->ctx, zc_larger(peak, need->alive_bytes), why);
}

bool zc_need_fits(const zc_need *need)
{
    return zc_need_ask(need, NULL) == ZC_OK;
}

zc_status zc_need_check(const zc_need *need)
{
    zc_reason why;
    zc_status status = zc_need_ask(need, &why);
    return status == ZC_OK ? ZC_OK : zc_fail_because(need->ctx, status, need->function, &why);
}

/* ---- Operands ---- */

zc_status zc_operand_open(zc_operand *operand, const zc_tensor *t, const zc_need *need)
{
    zc_view *view = &operand->view;
    operand->tensor = NULL;
    operand->data = zc_node_share(t->node);
    operand->is_made = operand->data == NULL && need->is_parted;
    if (operand->data != NULL) {
        zc_tensor_view(t, view);
        operand->tensor = zc_tensor_new(t->ctx, zc_node_retain(t->node), view, need->function);
    } else if ((operand->is_made ? zc_materialize_part(t, need->function, &operand->tensor)
                                 : zc_materialize_for(1, &t, need->function, &operand->tensor)) == ZC_OK) {
        operand->data = zc_node_share(operand->tensor->node);
        (void)zc_kept_make_room(need->ctx, need->own_bytes, NULL); /* that there is room was checked */
    }
    if (operand->tensor == NULL) {
        zc_operand_close(operand);
        return zc_error_status(t->ctx);
    }
    zc_tensor_view(operand->tensor, view);
    if (view->rank == 0) {
        view->rank = 1;
        view->shape[0] = 1;
        view->stride[0] = 0;
    }
    operand->memory = operand->data->memory;
    operand->item_bytes = zc_dtype_bytes(zc_dtype_of(t));
    return ZC_OK;
}

void zc_operand_close(zc_operand *operand)
{
    zc_release(operand->tensor);
    zc_buffer_release(operand->data);
    operand->tensor = NULL;
    operand->data = NULL;
}

void zc_operand_sources(const zc_operand *operand, zc_sources *sources)
{
    if (operand->is_made)
        zc_sources_join(sources, &operand->data->sources);
    else
        zc_sources_add(sources, operand->data);
}

int64_t zc_line_start(const zc_view *view, int axis, int64_t line)
{
    int64_t at = view->offset;
    for (int a = view->rank - 1; a >= 0; a--) {
        if (a == axis)
            continue;
        (void)zc_checked_advance(at, line % view->shape[a], view->stride[a], &at);
        line /= view->shape[a];
    }
    return at;
}

/* ---- Results ---- */

zc_output zc_output_of(zc_tensor **out, zc_dtype dtype, int rank, const int64_t *shape)
{
    zc_output result = {.out = out, .dtype = dtype};
    zc_view_row_major(rank, shape, &result.view);
    return result;
}

void zc_outputs_drop(zc_output *results, int count)
{
    for (int i = 0; i < count; i++) {
        if (results[i].out != NULL)
            zc_buffer_release(results[i].buffer);
        results[i].buffer = NULL;
    }
}

zc_status zc_outputs_take(zc_output *results, int count, zc_context *ctx, const char *function)
{
    for (int i = 0; i < count; i++) {
        int64_t elements = zc_view_size(&results[i].view);
        int64_t item = (int64_t)zc_dtype_bytes(results[i].dtype);
        if (results[i].out == NULL)
            continue;
        results[i].buffer = zc_buffer_new(ctx->heap, elements * item); /* proven: the need was checked */
        if (results[i].buffer == NULL) {
            zc_outputs_drop(results, count);
            return zc_fail_memory(ctx, function);
        }
    }
    return ZC_OK;
}

zc_status zc_outputs_hand_out(zc_output *results, int count, zc_context *ctx, const char *function)
{
    bool done = true;
    for (int i = 0; i < count; i++) {
        zc_output *result = &results[i];
        if (result->out == NULL)
            continue;
        *result->out = zc_leaf_tensor(ctx, result->buffer, result->dtype, &result->view, function);
        done = done && *result->out != NULL;
    }
    for (int i = 0; i < count && !done; i++) {
        if (results[i].out == NULL)
            continue;
        zc_release(*results[i].out);
        *results[i].out = NULL;
    }
    return done ? ZC_OK : ZC_ERROR_MEMORY;
}

zc_status zc_output_keep_history(const zc_tensor *x, const zc_tensor *index, int axis, const char *function,
                                 zc_tensor **values)
{
    zc_tensor *taken = zc_take_along_axis(x, index, axis);
    const bool ok = taken != NULL && zc_history_keep((*values)->node, zc_node_retain(taken->node));
    const zc_status status = taken == NULL ? zc_error_status(x->ctx) : ok ? ZC_OK : zc_fail_memory(x->ctx, function);
    zc_release(taken);
    if (ok)
        return ZC_OK;
    zc_release(*values);
    *values = NULL;
    return status;
}

zc_status zc_check_outs(const zc_tensor *x, const char *function, int count, zc_tensor **const *outs)
{
    bool are_there = true;
    for (int i = 0; i < count; i++) {
        if (outs[i] != NULL)
            *outs[i] = NULL;
        are_there = are_there && outs[i] != NULL;
    }
    if (ZC_REFUSE_LOST(function, x))
        return ZC_ERROR_ARGUMENT;
    return are_there ? ZC_OK : zc_fail(x->ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the result");
}
