#include "runtime/record/record.h"

#include <string.h>

#include "runtime/dtypes/scalar.h"
#include "views/broadcast.h"

/* ---- Conversions ---- */

zc_node *zc_record_constant(zc_heap *heap, zc_dtype dtype, zc_scalar value, bool is_weak)
{
    zc_node_spec spec = {.kind = ZC_NODE_CONSTANT, .dtype = dtype, .size = 1, .constant = value, .is_weak = is_weak};
    return zc_node_new(heap, &spec);
}

zc_node_spec zc_record_unary(const zc_tensor *t, const zc_view *seen, zc_op op, zc_dtype dtype, zc_edge *edge)
{
    *edge = zc_edge_of(t->node, seen);
    return (zc_node_spec){.kind = ZC_NODE_MAP,
                          .op = (int)op,
                          .dtype = dtype,
                          .rank = seen->rank,
                          .shape = seen->shape,
                          .size = zc_view_size(seen),
                          .edge_count = 1,
                          .edges = edge};
}

/* Copies: a plain one, one that was asked for in memory, and one that gradients end at. */
typedef enum copy_kind { PLAIN, STORED, HELD } copy_kind;

/* A map of one operand over t's own shape. */
static zc_node *unary_node(const zc_tensor *t, zc_op op, zc_dtype dtype, copy_kind kind)
{
    zc_view seen;
    zc_edge edge;
    zc_tensor_view(t, &seen);
    zc_node_spec spec = zc_record_unary(t, &seen, op, dtype, &edge);
    spec.is_explicit_copy = kind == STORED;
    spec.is_constant = kind == HELD;
    return zc_node_new(t->heap, &spec);
}

zc_node *zc_record_copy(const zc_tensor *t)
{
    return unary_node(t, ZC_OP_COPY, zc_tensor_dtype(t), PLAIN);
}

zc_node *zc_record_held(const zc_tensor *t)
{
    return unary_node(t, ZC_OP_COPY, zc_tensor_dtype(t), HELD);
}

zc_node *zc_record_cast(const zc_tensor *t, zc_dtype dtype, zc_view *view)
{
    zc_tensor_view(t, view);
    zc_dtype from = zc_tensor_dtype(t);
    if (from == dtype && !t->node->is_weak)
        return zc_node_retain(t->node);
    if (t->node->kind == ZC_NODE_CONSTANT)
        return zc_record_constant(t->heap, dtype, zc_scalar_convert(t->node->constant, from, dtype), false);
    zc_node *cast = unary_node(t, ZC_OP_CAST, dtype, PLAIN);
    zc_view_row_major(t->rank, t->dims, view);
    return cast;
}

zc_node *zc_record_bitcast(const zc_tensor *t, zc_dtype dtype, zc_view *view)
{
    zc_dtype from = zc_tensor_dtype(t);
    if (from == dtype || from == ZC_BOOL || dtype == ZC_BOOL)
        return zc_record_cast(t, dtype, view); /* a byte's value and its truth are all there is */
    zc_tensor_view(t, view);
    if (t->node->kind == ZC_NODE_CONSTANT)
        return zc_record_constant(t->heap, dtype, t->node->constant, false);
    zc_node *bits = unary_node(t, ZC_OP_BITCAST, dtype, PLAIN);
    zc_view_row_major(t->rank, t->dims, view);
    return bits;
}

zc_tensor *zc_copy(const zc_tensor *t)
{
    if (ZC_REFUSE_LOST("copy", t))
        return NULL;
    return zc_tensor_of_node(t->ctx, unary_node(t, ZC_OP_COPY, zc_tensor_dtype(t), STORED), "copy");
}

zc_tensor *zc_astype(const zc_tensor *x, zc_dtype dtype)
{
    if (ZC_REFUSE_LOST("astype", x))
        return NULL;
    if (!zc_dtype_is_valid(dtype)) {
        (void)zc_fail(x->ctx, ZC_ERROR_DTYPE, "astype", "%d is not a dtype", (int)dtype);
        return NULL;
    }
    if (zc_dtype_is_complex(zc_tensor_dtype(x)) && !zc_dtype_is_complex(dtype) && dtype != ZC_BOOL) {
        (void)zc_fail(x->ctx, ZC_ERROR_DTYPE, "astype",
                      "%s to %s would drop the imaginary parts; take real(), imag() or abs() first",
                      zc_dtype_name(zc_tensor_dtype(x)), zc_dtype_name(dtype));
        return NULL;
    }
    zc_view view;
    zc_node *node = zc_record_cast(x, dtype, &view);
    if (node == NULL) {
        (void)zc_fail_memory(x->ctx, "astype");
        return NULL;
    }
    return zc_tensor_new(x->ctx, node, &view, "astype");
}

/* ---- Which dtype the operands meet in ---- */

bool zc_record_fits(const zc_tensor *t, zc_dtype dtype)
{
    if (!zc_tensor_is_weak(t))
        return true;
    if (zc_tensor_dtype(t) == ZC_INT64)
        return zc_dtype_holds(dtype, t->node->constant.int64);
    if (zc_tensor_dtype(t) == ZC_UINT64) /* beyond int64 */
        return dtype == ZC_UINT64 || zc_dtype_describe(dtype)->kind >= ZC_KIND_FLOAT;
    return true;
}

zc_tensor *zc_record_by_value(const zc_tensor *t, const zc_tensor *other)
{
    const zc_dtype dtype = zc_tensor_dtype(other);
    const bool is_beyond = !zc_tensor_is_weak(other) && dtype != ZC_BOOL && !zc_record_fits(t, dtype);
    return is_beyond ? zc_astype(t, zc_tensor_dtype(t)) : zc_retain((zc_tensor *)(uintptr_t)t);
}

/* The dtype of two that are both strong, or both weak: an integer beyond int64 meets others as uint64. */
static zc_dtype promote_alike(zc_dtype a, zc_dtype b, bool is_weak)
{
    const bool are_integers = zc_dtype_describe(a)->kind < ZC_KIND_FLOAT && zc_dtype_describe(b)->kind < ZC_KIND_FLOAT;
    if (is_weak && are_integers && (a == ZC_UINT64 || b == ZC_UINT64))
        return ZC_UINT64;
    return zc_dtype_promote(a, b);
}

/* Promotes the operands from `first` on: the strong ones by the table, then the weak ones to them. */
static zc_dtype promote(const zc_tensor *const *operands, int first, int count)
{
    int strong = -1, weak = -1;
    for (int i = first; i < count; i++) {
        const bool is_weak = zc_tensor_is_weak(operands[i]);
        int *meeting = is_weak ? &weak : &strong;
        zc_dtype dtype = zc_tensor_dtype(operands[i]);
        *meeting = *meeting < 0 ? (int)dtype : (int)promote_alike((zc_dtype)*meeting, dtype, is_weak);
    }
    if (strong < 0 || weak < 0)
        return (zc_dtype)(strong < 0 ? weak : strong);
    return zc_dtype_promote_weak((zc_dtype)strong, (zc_dtype)weak);
}

zc_dtype zc_record_meeting(const zc_tensor *const *operands, int count)
{
    return promote(operands, 0, count);
}

static zc_status check_weak(zc_context *ctx, const char *name, const zc_tensor *const *operands, int first, int count,
                            zc_dtype meeting)
{
    for (int i = first; i < count; i++) {
        const zc_scalar *value = &operands[i]->node->constant;
        if (zc_record_fits(operands[i], meeting))
            continue;
        if (zc_tensor_dtype(operands[i]) == ZC_UINT64)
            return zc_fail(ctx, ZC_ERROR_OVERFLOW, name, "the integer %llu does not fit in %s",
                           (unsigned long long)value->words[0], zc_dtype_name(meeting));
        return zc_fail(ctx, ZC_ERROR_OVERFLOW, name, "the integer %lld does not fit in %s", (long long)value->int64,
                       zc_dtype_name(meeting));
    }
    return ZC_OK;
}

bool zc_record_refuse_dtype(zc_context *ctx, zc_dtype dtype, const char *function)
{
    if (zc_dtype_is_valid(dtype))
        return false;
    (void)zc_fail(ctx, ZC_ERROR_DTYPE, function, "%d is not a dtype", (int)dtype);
    return true;
}

zc_status zc_record_check_contexts(const char *function, const zc_tensor *const *operands, int count)
{
    for (int i = 1; i < count; i++) {
        if (operands[i]->ctx != operands[0]->ctx)
            return zc_fail(operands[0]->ctx, ZC_ERROR_ARGUMENT, function,
                           "operands belong to different contexts; zc_adopt brings them together");
    }
    return ZC_OK;
}

zc_status zc_record_promote(const char *function, const zc_tensor *const *operands, int count, zc_dtype *dtype)
{
    zc_status status = zc_record_check_contexts(function, operands, count);
    if (status != ZC_OK)
        return status;
    *dtype = promote(operands, 0, count);
    return check_weak(operands[0]->ctx, function, operands, 0, count, *dtype);
}

/* The dtype in which an operation of that domain takes its operands. */
static zc_status apply_domain(zc_context *ctx, const zc_op_info *op, zc_dtype *dtype)
{
    zc_kind kind = zc_dtype_describe(*dtype)->kind;
    if (op->domain == ZC_DOMAIN_NUMBER && kind == ZC_KIND_BOOL)
        return zc_fail(ctx, ZC_ERROR_DTYPE, op->name, "takes numbers, not bool; convert with astype");
    if (op->domain == ZC_DOMAIN_BITS && kind >= ZC_KIND_FLOAT)
        return zc_fail(ctx, ZC_ERROR_DTYPE, op->name, "takes integers or bool, not %s", zc_dtype_name(*dtype));
    if (op->complex == ZC_RESULT_NO && kind == ZC_KIND_COMPLEX)
        return zc_fail(ctx, ZC_ERROR_DTYPE, op->name, "takes real numbers, not %s", zc_dtype_name(*dtype));
    if (op->domain == ZC_DOMAIN_FLOAT && kind < ZC_KIND_FLOAT)
        *dtype = ZC_FLOAT64;
    return ZC_OK;
}

/* Tells operands of one dtype, none of them weak. */
static bool are_alike(const zc_tensor *const *operands, int first, int count)
{
    bool are_alike = true;
    for (int i = first; i < count; i++)
        are_alike &= operands[i]->node->dtype == operands[first]->node->dtype && !operands[i]->node->is_weak;
    return are_alike;
}

static zc_status meet(const zc_op_info *op, const zc_tensor *const *operands, zc_dtype *meeting)
{
    zc_context *ctx = operands[0]->ctx;
    int first = op->domain == ZC_DOMAIN_SELECT ? 1 : 0;
    if (first == 1 && zc_tensor_dtype(operands[0]) != ZC_BOOL)
        return zc_fail(ctx, ZC_ERROR_DTYPE, op->name, "the condition is %s, not bool",
                       zc_dtype_name(zc_tensor_dtype(operands[0])));
    const bool alike = are_alike(operands, first, op->arity);
    *meeting = alike ? zc_tensor_dtype(operands[first]) : promote(operands, first, op->arity);
    if (op->domain == ZC_DOMAIN_TRUTH) {
        *meeting = ZC_BOOL;
        return ZC_OK;
    }
    zc_status status = apply_domain(ctx, op, meeting); /* an int8 and 300 are divided as float64, which holds both */
    return status == ZC_OK && !alike ? check_weak(ctx, op->name, operands, first, op->arity, *meeting) : status;
}

/* ---- The node ---- */

/* The shape that the operands broadcast to; most often it is the first one's, and then nothing has to be proven again.
 */
static zc_status meet_shapes(const zc_op_info *op, const zc_tensor *const *operands, zc_node_spec *spec, int64_t *shape)
{
    zc_context *ctx = operands[0]->ctx;
    zc_reason why;
    bool is_first = true;
    spec->rank = operands[0]->rank;
    spec->shape = operands[0]->dims;
    spec->size = operands[0]->size;
    for (int i = 1; i < op->arity; i++) {
        const zc_tensor *t = operands[i];
        if (t->rank == 0 || zc_shape_equal(spec->rank, spec->shape, t->rank, t->dims))
            continue;
        zc_status status = zc_shape_broadcast(spec->rank, spec->shape, t->rank, t->dims, &spec->rank, shape, &why);
        if (status != ZC_OK)
            return zc_fail_because(ctx, status, op->name, &why);
        spec->shape = shape;
        is_first = false;
    }
    zc_status status = is_first ? ZC_OK : zc_shape_size(spec->rank, shape, &spec->size, &why);
    return status == ZC_OK ? ZC_OK : zc_fail_because(ctx, status, op->name, &why);
}

/* An operand on its way to an edge. */
typedef struct converted {
    zc_node *made; /* a node that converts it, and our reference to that; or NULL */
    zc_view view;  /* where the edge's strides stand, unless they are the tensor's own */
} converted;

/* The operand in the dtype that the operation takes, in its own shape. */
static bool convert(const zc_tensor *t, zc_dtype dtype, converted *to, zc_edge *edge)
{
    if (zc_tensor_dtype(t) == dtype && !t->node->is_weak) {
        *edge = (zc_edge){t->node, t->offset, t->dims + t->rank};
        return true;
    }
    to->made = zc_record_cast(t, dtype, &to->view);
    *edge = zc_edge_of(to->made, &to->view);
    return to->made != NULL;
}

/* The edge, over the operand's shape, as one over the shape it broadcasts to. */
static void broadcast(const zc_tensor *t, const zc_node_spec *spec, converted *to, zc_edge *edge)
{
    if (zc_shape_equal(t->rank, t->dims, spec->rank, spec->shape))
        return;
    zc_view own;
    own.rank = t->rank;
    own.offset = edge->offset;
    for (int a = 0; a < t->rank; a++) {
        own.shape[a] = t->dims[a];
        own.stride[a] = edge->stride[a];
    }
    zc_view_broadcast_right(&own, spec->rank, spec->shape, &to->view);
    *edge = zc_edge_of(edge->node, &to->view);
}

zc_tensor *zc_record_converted(zc_op op, zc_dtype meeting, const zc_tensor *const *operands)
{
    const zc_op_info *info = zc_op_describe(op);
    const int arity = info->arity;
    zc_context *ctx = operands[0]->ctx;
    int64_t shape[ZC_MAX_RANK];
    zc_edge edges[ZC_MAX_ARITY];
    converted to[ZC_MAX_ARITY];
    zc_node_spec spec = {.kind = ZC_NODE_MAP, .op = (int)op, .edge_count = arity, .edges = edges};
    spec.dtype = zc_op_result(info, meeting);
    if (meet_shapes(info, operands, &spec, shape) != ZC_OK)
        return NULL;
    bool ok = true;
    for (int i = 0; i < arity; i++) {
        bool is_condition = info->domain == ZC_DOMAIN_SELECT && i == 0;
        to[i].made = NULL;
        ok = ok && convert(operands[i], is_condition ? ZC_BOOL : meeting, &to[i], &edges[i]);
        if (ok)
            broadcast(operands[i], &spec, &to[i], &edges[i]);
    }
    zc_tensor *result = zc_tensor_of_node(ctx, ok ? zc_node_new(ctx->heap, &spec) : NULL, info->name);
    for (int i = 0; i < arity; i++) {
        if (to[i].made != NULL)
            zc_node_release(to[i].made);
    }
    return result;
}

/* The operands' names in zerocast.h. */
static const char *names_of(zc_op op, int count)
{
    switch (op) {
    case ZC_OP_ATAN2:
        return "y, x";
    case ZC_OP_CLIP:
        return "x, low, high";
    case ZC_OP_FMA:
        return "x, y, z";
    case ZC_OP_LERP:
        return "a, b, weight";
    case ZC_OP_WHERE:
        return "condition, a, b";
    default:
        return count == 1 ? "x" : "a, b";
    }
}

zc_tensor *zc_record_map(zc_op op, const zc_tensor *const *operands, int count)
{
    const zc_op_info *info = zc_op_describe(op);
    if (zc_refuse_lost(info->name, names_of(op, count), operands, count))
        return NULL;
    zc_dtype meeting = ZC_BOOL;
    if (zc_record_check_contexts(info->name, operands, count) != ZC_OK || meet(info, operands, &meeting) != ZC_OK)
        return NULL;
    return zc_record_converted(op, meeting, operands);
}

zc_status zc_result_type(int count, const zc_tensor *const *tensors, zc_dtype *dtype)
{
    if (count <= 0)
        return zc_fail(NULL, ZC_ERROR_ARGUMENT, "result_type", "there are no tensors");
    if (zc_refuse_lost_in_list(NULL, "result_type", "tensors", count, tensors))
        return ZC_ERROR_ARGUMENT;
    if (dtype == NULL)
        return zc_fail(tensors[0]->ctx, ZC_ERROR_ARGUMENT, "result_type", "there is nowhere to put the result");
    return zc_record_promote("result_type", tensors, count, dtype);
}
