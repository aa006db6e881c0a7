/* Computing what recorded nodes alone hold memory for, in a program that computes nothing. */
#include "materialize/materialize.h"
#include "runtime/graph/pending.h"
#include "runtime/graph/tensor.h"

/* Computes all of a pending node, and what is due besides. */
static zc_status compute_node(zc_context *ctx, zc_node *node)
{
    static const char function[] = "compute_pending";
    zc_scope *scope = zc_scope_begin(ctx);
    if (scope == NULL)
        return zc_fail_memory(ctx, function);
    const zc_tensor *all = zc_tensor_of_node(ctx, zc_node_retain(node), function);
    zc_tensor *out;
    const zc_status status = all == NULL ? zc_error_status(ctx) : zc_materialize_for(1, &all, function, &out);
    zc_scope_end(scope);
    return status;
}

/* A run fails where one of what is due does: so each is computed by itself that none before has computed. What cannot
 * be computed at all is forgotten, and the next call goes on behind it; another failure counts as a look, since the
 * caller goes on recording, and would try again at each call. */
zc_status zc_compute_pending(zc_context *ctx)
{
    zc_node *due[ZC_PENDING_NODES];
    zc_status status = ZC_OK;
    if (zc_refuse_no_context(ctx, "compute_pending"))
        return ZC_ERROR_ARGUMENT;
    if (ctx->options.recompute || !zc_pending_has_grown(ctx->heap))
        return ZC_OK;
    const int count = zc_pending_list(ctx->heap, due);
    int i = 0;
    while (i < count && (zc_node_data(due[i]) != NULL || (status = compute_node(ctx, due[i])) == ZC_OK))
        i++;
    const bool is_hopeless = status == ZC_ERROR_INDEX || status == ZC_ERROR_BUDGET;
    if (is_hopeless)
        zc_pending_remove(due[i]);
    zc_pending_end(ctx->heap, count, due, !is_hopeless);
    return status;
}
