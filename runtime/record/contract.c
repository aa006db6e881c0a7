/*
 * Contractions: products summed over axes that operands share. Each operand is a view over all the axes there are, with
 * stride 0 along those it does not have, so no operand is ever expanded in memory. Both are edges of one node, whose
 * order of summation is its own (docs/numerics.md): a function of how many products there are, and of nothing else.
 */
#include <string.h>

#include "runtime/graph/scope.h"
#include "runtime/record/contract.h"
#include "runtime/record/record.h"

/* The dtype a product of them has; false after a failure. */
static bool promote(const char *function, const zc_tensor *a, const zc_tensor *b, zc_dtype *dtype)
{
    if (ZC_REFUSE_LOST(function, a, b) ||
        zc_record_promote(function, (const zc_tensor *const[]){a, b}, 2, dtype) != ZC_OK)
        return false;
    if (*dtype != ZC_BOOL)
        return true;
    (void)zc_fail(a->ctx, ZC_ERROR_DTYPE, function, "takes numbers, not bool; convert with astype");
    return false;
}

/* Products of 16-bit floats are exact in float32, where they are summed. */
static zc_tensor *as_factor(const zc_tensor *t)
{
    if (t == NULL || !zc_dtype_is_narrow(zc_dtype_of(t)))
        return t == NULL ? NULL : zc_adopt(t->ctx, t);
    return zc_astype(t, ZC_FLOAT32);
}

/* An edge to t, which a contraction reads from memory: positions are stored for it. */
static zc_node *take_operand(const zc_tensor *t, zc_view *view)
{
    if (t->node->kind != ZC_NODE_IOTA) {
        zc_tensor_view(t, view);
        return zc_node_retain(t->node);
    }
    zc_view_row_major(t->rank, t->dims, view);
    return zc_record_copy(t);
}

zc_tensor *zc_record_contract(const zc_tensor *a, const zc_tensor *b, uint64_t summed, const char *function)
{
    if (a == NULL || b == NULL)
        return NULL;
    zc_view views[2], own;
    int64_t shape[ZC_MAX_RANK];
    zc_node *nodes[2] = {take_operand(a, &views[0]), take_operand(b, &views[1])}, *node = NULL;
    zc_node_spec spec = {.kind = ZC_NODE_CONTRACT,
                         .dtype = zc_dtype_of(a),
                         .shape = shape,
                         .reduced = summed,
                         .edge_count = 2,
                         .domain = &views[0]};
    for (int i = 0; i < a->rank; i++) {
        if ((summed >> i & 1) == 0)
            shape[spec.rank++] = a->dims[i];
    }
    (void)zc_shape_size(spec.rank, shape, &spec.size, NULL); /* a part of a's sizes: it fits */
    if (nodes[0] != NULL && nodes[1] != NULL) {
        spec.edges = (zc_edge[]){zc_edge_of(nodes[0], &views[0]), zc_edge_of(nodes[1], &views[1])};
        node = zc_node_new(a->heap, &spec);
    }
    zc_node_release(nodes[0]);
    zc_node_release(nodes[1]);
    if (node == NULL) {
        (void)zc_fail_memory(a->ctx, function);
        return NULL;
    }
    zc_view_row_major(node->rank, node->shape, &own);
    return zc_tensor_new(a->ctx, node, &own, function);
}

/* a and b over the shape that they broadcast to, contracted along an axis from the end, in the dtype of the product. */
static zc_tensor *contract_along(const zc_tensor *a, const zc_tensor *b, int axis, zc_dtype dtype, const char *function)
{
    int rank = 0;
    int64_t shape[ZC_MAX_RANK];
    a = as_factor(zc_astype(a, dtype));
    b = as_factor(zc_astype(b, dtype));
    if (a == NULL || b == NULL)
        return NULL;
    (void)zc_shape_broadcast(a->rank, a->dims, b->rank, b->dims, &rank, shape, NULL); /* as the callers have found */
    uint64_t summed = UINT64_C(1) << (rank + axis);
    zc_tensor *sums =
        zc_record_contract(zc_broadcast_to(a, rank, shape), zc_broadcast_to(b, rank, shape), summed, function);
    return zc_astype(sums, dtype);
}

static zc_tensor *refuse_shapes(const char *function, const char *what, const zc_tensor *a, const zc_tensor *b)
{
    char first[ZC_SHAPE_TEXT], second[ZC_SHAPE_TEXT];
    (void)zc_fail(a->ctx, ZC_ERROR_SHAPE, function, "%s: shapes %s and %s", what,
                  zc_shape_text(first, sizeof first, a->rank, a->dims),
                  zc_shape_text(second, sizeof second, b->rank, b->dims));
    return NULL;
}

/* ---- Matrices ---- */

/* (..., m, k) as (..., m, 1, k); a vector is one row, whose axis goes in the end. */
static zc_tensor *spread_rows(const zc_tensor *a)
{
    return a->rank == 1 ? zc_adopt(a->ctx, a) : zc_expand_dims(a, -2);
}

/* (..., k, n) as (..., 1, n, k); a vector as (k). */
static zc_tensor *spread_columns(const zc_tensor *a, const zc_tensor *b)
{
    if (b->rank == 1)
        return zc_adopt(b->ctx, b);
    zc_tensor *turned = zc_matrix_transpose(b);
    return a->rank == 1 ? turned : zc_expand_dims(turned, -3);
}

/* Checks that the axes before the last two broadcast and leave room for one more, which lays rows and columns side by
 * side. */
static bool check_batches(const char *function, const zc_tensor *a, const zc_tensor *b)
{
    int rank, count_a = a->rank < 2 ? 0 : a->rank - 2, count_b = b->rank < 2 ? 0 : b->rank - 2;
    int64_t shape[ZC_MAX_RANK];
    zc_reason why;
    if (zc_shape_broadcast(count_a, a->dims, count_b, b->dims, &rank, shape, &why) != ZC_OK)
        return refuse_shapes(function, "the axes before the last two cannot be broadcast", a, b) != NULL;
    if (rank + 3 > ZC_MAX_RANK)
        return refuse_shapes(function, "too many axes", a, b) != NULL;
    return true;
}

zc_tensor *zc_record_matmul(const zc_tensor *a, const zc_tensor *b, const char *function)
{
    zc_dtype dtype;
    if (!promote(function, a, b, &dtype))
        return NULL;
    if (a->rank == 0 || b->rank == 0)
        return refuse_shapes(function, "a scalar has no axis to sum over", a, b);
    if (a->dims[a->rank - 1] != b->dims[b->rank == 1 ? 0 : b->rank - 2])
        return refuse_shapes(function, "the axes that are summed over differ", a, b);
    if (!check_batches(function, a, b))
        return NULL;
    zc_scope *scope = zc_scope_begin(a->ctx);
    if (scope == NULL)
        return NULL;
    /* A vector on the right has no column axis: one stands in for it while the operands broadcast. */
    zc_tensor *left = b->rank == 1 ? zc_adopt(a->ctx, a) : spread_rows(a);
    zc_tensor *right = spread_columns(a, b);
    return zc_scope_end_with(scope, contract_along(left, right, -1, dtype, function));
}

zc_tensor *zc_matmul(const zc_tensor *a, const zc_tensor *b)
{
    return zc_record_matmul(a, b, "matmul");
}

zc_tensor *zc_vecdot(const zc_tensor *a, const zc_tensor *b, int axis)
{
    zc_dtype dtype;
    if (!promote("vecdot", a, b, &dtype))
        return NULL;
    int least = a->rank < b->rank ? a->rank : b->rank;
    if (axis >= 0 || axis < -least)
        return refuse_shapes("vecdot", "the axis is counted from the end, within both ranks", a, b);
    if (a->dims[a->rank + axis] != b->dims[b->rank + axis])
        return refuse_shapes("vecdot", "the axes that are summed over differ", a, b);
    int rank;
    int64_t shape[ZC_MAX_RANK];
    zc_reason why;
    zc_status status = zc_shape_broadcast(a->rank, a->dims, b->rank, b->dims, &rank, shape, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(a->ctx, status, "vecdot", &why);
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(a->ctx);
    if (scope == NULL)
        return NULL;
    return zc_scope_end_with(scope, contract_along(zc_conj(a), b, axis, dtype, "vecdot"));
}

zc_tensor *zc_outer(const zc_tensor *a, const zc_tensor *b)
{
    if (ZC_REFUSE_LOST("outer", a, b))
        return NULL;
    if (a->rank != 1 || b->rank != 1)
        return refuse_shapes("outer", "takes vectors", a, b);
    zc_scope *scope = zc_scope_begin(a->ctx);
    if (scope == NULL)
        return NULL;
    return zc_scope_end_with(scope, zc_multiply(zc_expand_dims(a, 1), b));
}

/* ---- Any axes ---- */

zc_tensor *zc_place_axes(const zc_tensor *operand, const zc_contraction *c, const int *place)
{
    const zc_tensor *t = as_factor(operand);
    if (t == NULL)
        return NULL;
    zc_view view = {.rank = c->rank, .offset = t->offset}, proven;
    zc_reason why;
    memcpy(view.shape, c->shape, (size_t)c->rank * sizeof *view.shape);
    memset(view.stride, 0, (size_t)c->rank * sizeof *view.stride);
    for (int a = 0; a < t->rank; a++)
        (void)zc_checked_add(view.stride[place[a]], t->dims[a] == 1 ? 0 : zc_strides(t)[a], &view.stride[place[a]]);
    zc_status status = zc_view_prove(c->rank, view.shape, view.stride, view.offset, t->node->size, &proven, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(t->ctx, status, c->function, &why);
        return NULL;
    }
    return zc_tensor_new(t->ctx, zc_node_retain(t->node), &proven, c->function);
}

/* t, which is over all axes, over these alone: along those that it does not have it repeats. */
static zc_tensor *keep_axes(const zc_contraction *c, const zc_tensor *t, uint64_t axes)
{
    zc_view view, kept;
    int64_t shape[ZC_MAX_RANK];
    int rank = 0;
    uint64_t all = zc_all_axes(t->rank);
    for (int a = 0; a < c->rank; a++) {
        if ((axes >> a & 1) != 0)
            shape[rank++] = c->shape[a];
    }
    zc_tensor_view(t, &view);
    zc_view_drop_axes(&view, all & ~axes, &kept);
    return zc_broadcast_to(zc_tensor_new(t->ctx, zc_node_retain(t->node), &kept, c->function), rank, shape);
}

void zc_contraction_own(const zc_contraction *c, uint64_t axes, zc_contraction *out)
{
    *out = *c;
    for (int a = 0; a < c->rank; a++)
        out->shape[a] = (axes >> a & 1) != 0 ? c->shape[a] : 1;
}

/* t, which has these axes, with one element along the others of the contraction. */
static zc_tensor *spread_axes(const zc_contraction *c, const zc_tensor *t, uint64_t axes)
{
    int place[ZC_MAX_RANK], count = 0;
    zc_contraction own;
    for (int a = 0; a < c->rank; a++) {
        if ((axes >> a & 1) != 0)
            place[count++] = a;
    }
    zc_contraction_own(c, axes, &own);
    return t == NULL ? NULL : zc_place_axes(t, &own, place);
}

/* Axes of `axes` counted among those of `among`. */
static uint64_t renumber(uint64_t axes, uint64_t among)
{
    uint64_t result = 0;
    for (int a = 0, to = 0; a < ZC_MAX_RANK; a++) {
        if ((among >> a & 1) != 0)
            result |= (axes >> a & 1) << to++;
    }
    return result;
}

/* A factor summed over some of its axes, in its dtype. */
static zc_factor sum_over(const zc_contraction *c, zc_factor f, uint64_t axes)
{
    if (axes == 0)
        return f;
    uint64_t summed = renumber(axes, f.axes);
    int list[ZC_MAX_RANK], count = 0;
    for (int a = 0; a < ZC_MAX_RANK; a++) {
        if ((summed >> a & 1) != 0)
            list[count++] = a;
    }
    zc_tensor *sums = zc_sum(keep_axes(c, f.shown, f.axes), count, list, false);
    uint64_t left = f.axes & ~axes;
    return (zc_factor){spread_axes(c, zc_astype(sums, zc_dtype_of(f.shown)), left), left};
}

zc_factor zc_contract_step(const zc_contraction *c, zc_factor a, zc_factor b, uint64_t summed)
{
    const uint64_t only_a = summed & a.axes & ~b.axes, only_b = summed & b.axes & ~a.axes;
    a = sum_over(c, a, only_a);
    b = sum_over(c, b, only_b);
    const uint64_t axes = a.axes | b.axes;
    summed &= axes;
    if (a.shown == NULL || b.shown == NULL)
        return (zc_factor){NULL, 0};
    const zc_tensor *left = keep_axes(c, a.shown, axes), *right = keep_axes(c, b.shown, axes);
    zc_tensor *sums =
        summed == 0 ? zc_multiply(left, right) : zc_record_contract(left, right, renumber(summed, axes), c->function);
    return (zc_factor){spread_axes(c, sums, axes & ~summed), axes & ~summed};
}

zc_tensor *zc_contract_result(const zc_contraction *c, const zc_tensor *product, zc_dtype dtype)
{
    return zc_astype(keep_axes(c, product, zc_all_axes(c->kept)), dtype);
}

zc_tensor *zc_sum_product(const zc_contraction *c, const zc_tensor *product, zc_dtype dtype)
{
    int summed[ZC_MAX_RANK], count = 0;
    for (int a = c->kept; a < c->rank; a++)
        summed[count++] = a;
    if (count == 0)
        return zc_astype(product, dtype);
    return zc_astype(zc_sum(product, count, summed, false), dtype);
}

zc_tensor *zc_contract_placed(const zc_contraction *c, const zc_tensor *a, const zc_tensor *b, zc_dtype dtype)
{
    uint64_t summed = 0;
    for (int i = c->kept; i < c->rank; i++)
        summed |= UINT64_C(1) << i;
    return zc_astype(summed == 0 ? zc_multiply(a, b) : zc_record_contract(a, b, summed, c->function), dtype);
}

static bool find_pairs(const zc_tensor *a, const zc_tensor *b, int count, const int *axes_a, const int *axes_b,
                       int *pair_a, int *pair_b)
{
    zc_reason why;
    uint64_t set;
    zc_status status = zc_axes_resolve(count, axes_a, a->rank, &set, &why);
    if (status == ZC_OK)
        status = zc_axes_resolve(count, axes_b, b->rank, &set, &why);
    for (int i = 0; i < count && status == ZC_OK; i++) {
        (void)zc_axis_resolve(axes_a[i], a->rank, &pair_a[i], &why);
        (void)zc_axis_resolve(axes_b[i], b->rank, &pair_b[i], &why);
        if (a->dims[pair_a[i]] != b->dims[pair_b[i]])
            status = zc_refuse(&why, ZC_ERROR_SHAPE, "axis %d of %lld elements cannot be summed with axis %d of %lld",
                               pair_a[i], (long long)a->dims[pair_a[i]], pair_b[i], (long long)b->dims[pair_b[i]]);
    }
    if (status == ZC_OK)
        return true;
    (void)zc_fail_because(a->ctx, status, "tensordot", &why);
    return false;
}

/* Gives the axes of t that are in no pair the next places. */
static void place_others(const zc_tensor *t, zc_contraction *c, int *place)
{
    for (int a = 0; a < t->rank; a++) {
        if (place[a] >= 0)
            continue;
        c->shape[c->kept] = t->dims[a];
        place[a] = c->kept++;
    }
}

zc_tensor *zc_tensordot(const zc_tensor *a, const zc_tensor *b, int count, const int *axes_a, const int *axes_b)
{
    zc_dtype dtype;
    int pair_a[ZC_MAX_RANK], pair_b[ZC_MAX_RANK], place_a[ZC_MAX_RANK], place_b[ZC_MAX_RANK];
    zc_contraction c = {.function = "tensordot"};
    if (!promote("tensordot", a, b, &dtype))
        return NULL;
    if (count < 0 || (count > 0 && (axes_a == NULL || axes_b == NULL)) || a->rank + b->rank - count > ZC_MAX_RANK)
        return refuse_shapes("tensordot", "too many axes, or a list of them is missing", a, b);
    if (!find_pairs(a, b, count, axes_a, axes_b, pair_a, pair_b))
        return NULL;
    c.rank = a->rank + b->rank - count;
    int first = c.rank - count; /* of the summed axes */
    memset(place_a, -1, sizeof place_a);
    memset(place_b, -1, sizeof place_b);
    for (int i = 0; i < count; i++) {
        place_a[pair_a[i]] = place_b[pair_b[i]] = first + i;
        c.shape[first + i] = a->dims[pair_a[i]];
    }
    place_others(a, &c, place_a);
    place_others(b, &c, place_b);
    zc_scope *scope = zc_scope_begin(a->ctx);
    if (scope == NULL)
        return NULL;
    zc_tensor *left = zc_place_axes(zc_astype(a, dtype), &c, place_a);
    zc_tensor *right = zc_place_axes(zc_astype(b, dtype), &c, place_b);
    return zc_scope_end_with(scope, zc_contract_placed(&c, left, right, dtype));
}
