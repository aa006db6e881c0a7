#include "runtime/record/update.h"

#include "runtime/graph/keep.h"
#include "runtime/record/diagonals.h"
#include "runtime/record/record.h"
#include "runtime/record/take.h"
#include "views/compose.h"
#include "views/view_ops.h"

static const char update[] = "update";

zc_tensor *zc_places(const zc_tensor *t)
{
    if (ZC_REFUSE_LOST("places", t))
        return NULL;
    zc_tensor *numbers = zc_iota(t->ctx, t->size);
    zc_tensor *places = numbers == NULL ? NULL : zc_reshape(numbers, t->rank, t->dims);
    zc_release(numbers);
    return places;
}

/* ---- Nodes ---- */

/* The node of a description; the edges of the positions are there already. */
static zc_tensor *record(zc_node_spec spec, zc_edge *edges, const zc_tensor *x, const zc_tensor *values,
                         const char *function)
{
    zc_view base, shown;
    zc_tensor_view(x, &base);
    zc_tensor_view(values, &shown);
    edges[0] = zc_edge_of(values->node, &shown);
    edges[spec.edge_count - 1] = zc_edge_of(x->node, &base);
    spec.kind = ZC_NODE_SCATTER;
    spec.dtype = zc_dtype_of(x);
    spec.rank = x->rank;
    spec.shape = x->dims;
    spec.size = x->size;
    spec.domain = &shown;
    spec.edges = edges;
    spec.has_base = true;
    return zc_tensor_of_node(x->ctx, zc_node_new(x->ctx->heap, &spec), function);
}

zc_tensor *zc_record_update(const zc_node *like, zc_update_op op, const zc_tensor *x, const zc_tensor *values,
                            const char *function)
{
    zc_edge edges[2 + ZC_MAX_RANK];
    zc_view place;
    if (x == NULL || values == NULL)
        return NULL;
    const zc_scattered *from = like->scattered;
    zc_node_place(like, &place);
    for (int i = 1; i <= from->moved_count; i++)
        edges[i] = like->edges[i];
    zc_node_spec spec = {.op = (int)op,
                         .edge_count = 2 + from->moved_count,
                         .place = &place,
                         .taken = from->moved,
                         .taken_count = from->moved_count,
                         .named = (zc_take_kind)from->named};
    return record(spec, edges, x, values, function);
}

/* Along the axes of `dense` the positions move. */
static zc_node *take_at(const zc_node *like, zc_node *dense, const zc_view *place)
{
    zc_edge edges[1 + ZC_MAX_RANK];
    const zc_scattered *from = like->scattered;
    edges[0] = zc_edge_of(dense, place);
    for (int i = 1; i <= from->moved_count; i++)
        edges[i] = like->edges[i];
    zc_node_spec spec = {.kind = ZC_NODE_TAKE,
                         .op = from->named,
                         .dtype = (zc_dtype)dense->dtype,
                         .rank = place->rank,
                         .shape = place->shape,
                         .size = zc_view_size(place),
                         .edge_count = 1 + from->moved_count,
                         .edges = edges,
                         .taken = from->moved,
                         .taken_count = from->moved_count};
    return zc_node_new(dense->heap, &spec);
}

zc_tensor *zc_record_at(const zc_node *like, const zc_tensor *t, const char *function)
{
    zc_view place, own, shown;
    if (t == NULL)
        return NULL;
    zc_node_place(like, &place);
    zc_tensor_view(t, &own);
    bool is_moved = like->scattered->moved_count > 0;
    if (!is_moved && zc_view_compose(&own, &place, &shown))
        return zc_tensor_new(t->ctx, zc_node_retain(t->node), &shown, function);
    zc_node *dense = zc_record_copy(t);
    if (dense != NULL && !is_moved)
        return zc_tensor_new(t->ctx, dense, &place, function);
    zc_node *taken = dense == NULL ? NULL : take_at(like, dense, &place);
    zc_node_release(dense);
    return zc_tensor_of_node(t->ctx, taken, function);
}

/* ---- Places ---- */

/* Places of an update: a view of the updated tensor's elements, and the positions that move it. */
typedef struct described {
    zc_view place;
    const zc_taken_axis *moved;
    int moved_count;
    zc_taken_axis row; /* axis over all elements, for places that are numbers of any kind */
    zc_node *numbers;  /* such places; our reference */
    zc_edge *edges;    /* [2 + moved_count], the first and the last set later; their strides follow */
    size_t edge_bytes;
} described;

static int64_t *take_edges(described *d, zc_heap *heap, int moved_count, int rank)
{
    d->moved_count = moved_count;
    d->edge_bytes = (size_t)(2 + moved_count) * sizeof *d->edges + (size_t)(moved_count * rank) * sizeof(int64_t);
    d->edges = zc_heap_take(heap, d->edge_bytes);
    return d->edges == NULL ? NULL : (int64_t *)(void *)(d->edges + 2 + moved_count);
}

static void end_description(described *d, zc_heap *heap)
{
    zc_heap_give(heap, d->edges, d->edge_bytes);
    zc_node_release(d->numbers);
    d->edges = NULL;
    d->numbers = NULL;
}

/* Views of numbers: whether those that they reach are elements of x. */
static zc_status describe_view(const zc_tensor *x, const zc_tensor *places, described *d)
{
    int64_t lowest = 0, highest = -1;
    zc_tensor_view(places, &d->place);
    if (places->size > 0)
        zc_view_reach(&d->place, &lowest, &highest);
    if (highest >= x->size)
        return zc_fail(x->ctx, ZC_ERROR_INDEX, update, "place %lld is out of bounds for a tensor of %lld elements",
                       (long long)highest, (long long)x->size);
    return take_edges(d, x->ctx->heap, 0, 0) != NULL ? ZC_OK : zc_fail_memory(x->ctx, update);
}

/* Takes of numbers, seen so that strides show all of it; else *is_so is false. */
static zc_status describe_taken(const zc_tensor *x, const zc_tensor *places, described *d, bool *is_so)
{
    const zc_node *node = places->node;
    zc_view edge, view, shown;
    const int count = node->edge_count - 1;
    *is_so = node->kind == ZC_NODE_TAKE && !zc_node_gave_up(node) && node->edges[0].node->kind == ZC_NODE_IOTA &&
             node->edges[0].node->size <= x->size && places->rank + count <= ZC_MAX_RANK;
    if (!*is_so)
        return ZC_OK;
    int64_t *stride = take_edges(d, x->ctx->heap, count, places->rank);
    if (stride == NULL)
        return zc_fail_memory(x->ctx, update);
    zc_tensor_view(places, &view);
    for (int i = 0; i <= count && *is_so; i++) {
        zc_node_edge_view(node, i, &edge);
        *is_so = zc_view_compose(&edge, &view, i == 0 ? &d->place : &shown);
        if (!*is_so || i == 0)
            continue;
        d->edges[i] = (zc_edge){node->edges[i].node, shown.offset, stride};
        for (int a = 0; a < places->rank; a++)
            *stride++ = shown.stride[a];
    }
    d->moved = node->taken;
    if (!*is_so)
        end_description(d, x->ctx->heap);
    return ZC_OK;
}

/* Any other numbers. */
static zc_status describe_numbers(const zc_tensor *x, const zc_tensor *places, described *d)
{
    zc_view view;
    zc_context *ctx = x->ctx;
    if (places->rank == ZC_MAX_RANK)
        return zc_fail(ctx, ZC_ERROR_SHAPE, update, "rank %d of the places leaves no room for what they number",
                       places->rank);
    if (places->size > 0 && x->size == 0)
        return zc_fail(ctx, ZC_ERROR_INDEX, update, "there is no element to update");
    d->numbers = zc_record_positions(places, &view);
    int64_t *stride = d->numbers == NULL ? NULL : take_edges(d, ctx->heap, 1, places->rank);
    if (stride == NULL)
        return zc_fail_memory(ctx, update);
    d->edges[1] = (zc_edge){d->numbers, view.offset, stride};
    d->place = (zc_view){.rank = places->rank};
    for (int a = 0; a < places->rank; a++) {
        d->place.shape[a] = places->dims[a];
        stride[a] = view.stride[a];
    }
    d->row = (zc_taken_axis){.extent = x->size, .stride = 1, .axis = -1};
    d->moved = &d->row;
    return ZC_OK;
}

static zc_status describe(const zc_tensor *x, const zc_tensor *places, described *d)
{
    bool is_taken;
    if (places->node->kind == ZC_NODE_IOTA)
        return describe_view(x, places, d);
    zc_status status = describe_taken(x, places, d, &is_taken);
    return status != ZC_OK || is_taken ? status : describe_numbers(x, places, d);
}

/* ---- The call ---- */

static zc_status check_dtypes(const zc_tensor *x, const zc_tensor *places, const zc_tensor *values, zc_update_op op)
{
    zc_context *ctx = x->ctx;
    zc_dtype dtype = zc_dtype_of(x), meeting;
    zc_kind kind = zc_dtype_describe(zc_dtype_of(places))->kind;
    const zc_tensor *const both[] = {x, values};
    if (kind != ZC_KIND_SIGNED && kind != ZC_KIND_UNSIGNED)
        return zc_fail(ctx, ZC_ERROR_DTYPE, update, "places are integers, not %s", zc_dtype_name(zc_dtype_of(places)));
    zc_status status = zc_record_promote(update, both, 2, &meeting);
    if (status != ZC_OK)
        return status;
    if (meeting != dtype)
        return zc_fail(ctx, ZC_ERROR_DTYPE, update,
                       "values of %s do not fit into a tensor of %s; convert them with astype",
                       zc_dtype_name(zc_dtype_of(values)), zc_dtype_name(dtype));
    if (zc_dtype_is_complex(dtype) && (op == ZC_UPDATE_MIN || op == ZC_UPDATE_MAX))
        return zc_fail(ctx, ZC_ERROR_DTYPE, update, "%s takes real numbers, not %s", zc_update_describe(op)->name,
                       zc_dtype_name(dtype));
    return ZC_OK;
}

static zc_status check_update(const zc_tensor *x, const zc_tensor *places, const zc_tensor *values, zc_update_op op)
{
    if ((unsigned)op >= ZC_UPDATE_COUNT)
        return zc_fail(x->ctx, ZC_ERROR_ARGUMENT, update, "%d is no way to update", (int)op);
    if (places->ctx != x->ctx)
        return zc_fail(x->ctx, ZC_ERROR_ARGUMENT, update,
                       "operands belong to different contexts; zc_adopt brings them together");
    return check_dtypes(x, places, values, op);
}

/* The values in that dtype and the places' shape. */
static zc_tensor *fit_values(const zc_tensor *values, zc_dtype dtype, const zc_tensor *places)
{
    zc_view own, shown;
    zc_reason why;
    zc_node *node = zc_record_cast(values, dtype, &own);
    if (node == NULL) {
        (void)zc_fail_memory(values->ctx, update);
        return NULL;
    }
    zc_status status = zc_view_broadcast_to(&own, places->rank, places->dims, &shown, &why);
    if (status == ZC_OK)
        return zc_tensor_new(values->ctx, node, &shown, update);
    zc_node_release(node);
    (void)zc_fail_because(values->ctx, status, update, &why);
    return NULL;
}

/* Tells what a diagonal was set of: a choice between two by a comparison of numbers. What gave up its operands has no
 * gradients, so that it is as good to take it for something else. */
static bool has_set_diagonal(const zc_node *node)
{
    if (node->kind != ZC_NODE_MAP || (zc_op)node->op != ZC_OP_WHERE || zc_node_gave_up(node))
        return false;
    const zc_node *is_on = node->edges[0].node;
    return is_on->kind == ZC_NODE_MAP && (zc_op)is_on->op == ZC_OP_EQUAL && !zc_node_gave_up(is_on) &&
           is_on->edges[0].node->kind == ZC_NODE_IOTA && is_on->edges[1].node->kind == ZC_NODE_IOTA;
}

/* Sets a diagonal of what is computed: it need not be in memory then. Whether it is there by now, which may be because
 * it was read, does not decide. False where it is something else; of what was updated, many updates take work by their
 * elements. */
static bool set_diagonal(const zc_tensor *x, const described *d, const zc_tensor *values, zc_update_op op,
                         zc_tensor **result)
{
    bool is_so = op == ZC_UPDATE_SET && d->moved_count == 0 && !zc_node_is_given(x->node) &&
                 x->node->kind != ZC_NODE_SCATTER && !has_set_diagonal(x->node);
    zc_diagonal_place place;
    if (!is_so || !zc_find_diagonal(&d->place, x->rank, x->dims, &place))
        return false;
    *result = zc_record_on_diagonal(&place, values, x, &is_so, update);
    return is_so;
}

/* x and the values are of one dtype, the values of the places' shape. */
static zc_tensor *update_fitting(const zc_tensor *x, const zc_tensor *places, const zc_tensor *values, zc_update_op op,
                                 bool is_assigned)
{
    described d = {.edges = NULL};
    zc_tensor *result = NULL;
    const bool is_described = describe(x, places, &d) == ZC_OK && d.edges != NULL; /* LCOV_EXCL_BR_LINE: it fails */
    if (is_described && !set_diagonal(x, &d, values, op, &result)) {
        zc_node_spec spec = {.op = (int)op,
                             .edge_count = 2 + d.moved_count,
                             .place = &d.place,
                             .taken = d.moved,
                             .taken_count = d.moved_count,
                             .named = ZC_UPDATED,
                             .is_assigned = is_assigned};
        result = record(spec, d.edges, x, values, update);
    }
    end_description(&d, x->ctx->heap);
    return result;
}

static zc_tensor *update_any(const zc_tensor *t, const zc_tensor *places, const zc_tensor *values, zc_update_op op,
                             bool is_assigned)
{
    const zc_dtype dtype = zc_dtype_of(t);
    bool is_narrow = dtype == ZC_FLOAT16 || dtype == ZC_BFLOAT16;
    bool is_wide = is_narrow && (op == ZC_UPDATE_ADD || op == ZC_UPDATE_MULTIPLY);
    zc_tensor *x = zc_astype(t, is_wide ? ZC_FLOAT32 : dtype);
    zc_tensor *fitting = x == NULL ? NULL : fit_values(values, zc_dtype_of(x), places);
    zc_tensor *updated = fitting == NULL ? NULL : update_fitting(x, places, fitting, op, is_assigned);
    zc_tensor *result = updated == NULL ? NULL : zc_astype(updated, dtype);
    zc_release(updated);
    zc_release(fitting);
    zc_release(x);
    return result;
}

static zc_tensor *update_checked(const zc_tensor *t, const zc_tensor *places, const zc_tensor *values, zc_update_op op,
                                 bool is_assigned)
{
    if (ZC_REFUSE_LOST(update, t, places, values) || check_update(t, places, values, op) != ZC_OK)
        return NULL;
    zc_graph_follow_begin(); /* places that are takes of numbers are looked through */
    zc_tensor *result = update_any(t, places, values, op, is_assigned);
    zc_graph_follow_end();
    return result;
}

zc_tensor *zc_update(const zc_tensor *t, const zc_tensor *places, const zc_tensor *values, zc_update_op op)
{
    return update_checked(t, places, values, op, false);
}

zc_tensor *zc_record_assigned(const zc_tensor *t, const zc_tensor *places, const zc_tensor *values)
{
    return update_checked(t, places, values, ZC_UPDATE_SET, true);
}
