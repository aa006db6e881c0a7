#include "runtime/serialize/restore.h"

#include <string.h>

#include "runtime/graph/keep.h"
#include "runtime/graph/leaf.h"
#include "runtime/record/contract.h"
#include "runtime/record/record.h"
#include "runtime/record/reductions.h"
#include "runtime/record/select.h"

static const char function[] = "deserialize";

/* All operands, over the node's shape: tensors, [operand_count]. False after a failure. */
static bool read_tensors(zc_reader *r, const zc_described *n, const zc_tensor **tensors)
{
    for (int64_t i = 0; i < n->operand_count; i++) {
        tensors[i] = zc_read_tensor(r, n->rank, n->shape);
        if (tensors[i] == NULL)
            return false;
    }
    return true;
}

/* Tells all elements of a source in a row, which stand for its node. */
static bool is_whole_source(const zc_tensor *t)
{
    return t->node->kind == ZC_NODE_SOURCE && t->offset == 0 && t->size == t->node->size;
}

zc_tensor *zc_restore_leaf(zc_reader *r, const zc_described *n)
{
    const int64_t *input = zc_read_words(r, 1);
    if (input == NULL)
        return NULL;
    const zc_tensor *t = *input >= 0 && *input < r->input_count ? r->inputs[*input] : NULL;
    if (t == NULL || n->rank != 1 || t->rank != 1 || t->size != n->size || zc_dtype_of(t) != n->dtype ||
        (zc_node_data(t->node) == NULL && !is_whole_source(t)) || (t->size > 1 && zc_strides(t)[0] != 1)) {
        (void)zc_read_refuse(
            r, "has no input of its dtype and length whose elements stand in a row in memory, or in a source");
        return NULL;
    }
    if (t->node->invariant == 0)
        return zc_adopt(r->ctx, t);
    zc_view view; /* what uses a leaf knows of no axis that does not change */
    zc_tensor_view(t, &view);
    return zc_leaf_tensor(r->ctx, zc_node_share(t->node), n->dtype, &view, function);
}

/* Tells whether constants of that dtype may be weak, as Python's scalars are. */
static bool may_be_weak(zc_dtype dtype)
{
    return dtype == ZC_BOOL || dtype == ZC_INT64 || dtype == ZC_UINT64 || dtype == ZC_FLOAT64 || dtype == ZC_COMPLEX128;
}

zc_tensor *zc_restore_constant(zc_reader *r, const zc_described *n)
{
    zc_scalar value;
    const int64_t *words = zc_read_words(r, (int64_t)(sizeof value / sizeof *words));
    if (words == NULL || n->rank != 0 || (n->is_weak && !may_be_weak(n->dtype)))
        return (void)zc_read_refuse(r, "is no constant"), NULL;
    value = zc_scalar_load(n->dtype, words);
    return zc_tensor_of_node(r->ctx, zc_record_constant(r->ctx->heap, n->dtype, value, n->is_weak), function);
}

/* Nothing writes one. */
zc_tensor *zc_restore_source(zc_reader *r, const zc_described *n)
{
    (void)n;
    (void)zc_read_refuse(r, "is of no kind that travels");
    return NULL;
}

zc_tensor *zc_restore_iota(zc_reader *r, const zc_described *n)
{
    return n->rank == 1 ? zc_iota(r->ctx, n->size) : ((void)zc_read_refuse(r, "is no row of numbers"), NULL);
}

/* Operations that are no rows of ops.def. */
static zc_tensor *restore_conversion(zc_reader *r, const zc_described *n, const zc_tensor *const *operands)
{
    const zc_tensor *t = operands[0];
    zc_view view;
    bool is_complex = zc_dtype_is_complex(zc_dtype_of(t));
    switch (n->op) {
    case ZC_OP_CAST:
        return zc_astype(t, n->dtype);
    case ZC_OP_COPY:
        if (n->is_constant)
            return zc_tensor_of_node(r->ctx, zc_record_held(t), function);
        return n->is_explicit_copy ? zc_copy(t) : zc_tensor_of_node(r->ctx, zc_record_copy(t), function);
    case ZC_OP_BITCAST:
        if (zc_dtype_bytes(zc_dtype_of(t)) == zc_dtype_bytes(n->dtype))
            return zc_tensor_of_node(r->ctx, zc_record_bitcast(t, n->dtype, &view), function);
        break;
    case ZC_OP_COMPLEX:
        if (zc_dtype_is_wide_float(zc_dtype_of(t)) && zc_dtype_of(t) == zc_dtype_of(operands[1]))
            return zc_record_converted(ZC_OP_COMPLEX, zc_dtype_of(t), operands);
        break;
    default:
        if (is_complex)
            return zc_record_converted((zc_op)n->op, zc_dtype_of(t), operands);
    }
    (void)zc_read_refuse(r, "takes no such dtype");
    return NULL;
}

zc_tensor *zc_restore_map(zc_reader *r, const zc_described *n)
{
    const zc_tensor *operands[ZC_MAX_ARITY] = {NULL};
    if (n->op >= ZC_OP_COUNT || n->operand_count != zc_op_describe((zc_op)n->op)->arity) {
        (void)zc_read_refuse(r, "is no operation on so many operands");
        return NULL;
    }
    if (!read_tensors(r, n, operands))
        return NULL;
    if (n->op >= ZC_OP_ROWS)
        return restore_conversion(r, n, operands);
    return zc_record_map((zc_op)n->op, operands, (int)n->operand_count);
}

/* Reads what a reduction and a contraction have besides: the axes that disappear, those of them that are reduced by
 * rule, and the shape of the domain, which is returned. NULL after a failure. */
static const int64_t *read_domain(zc_reader *r, const zc_described *n, uint64_t *reduced, uint64_t *by_rule)
{
    const int64_t *words = zc_read_words(r, 2 + (int64_t)n->domain_rank);
    if (words == NULL)
        return NULL;
    *reduced = (uint64_t)words[0];
    *by_rule = (uint64_t)words[1];
    bool is_there = (*reduced & ~zc_all_axes(n->domain_rank)) == 0 && (*by_rule & ~*reduced) == 0;
    for (int a = 0; a < n->domain_rank && is_there; a++)
        is_there = (*by_rule >> a & 1) == 0 || words[2 + a] > 1;
    if (!is_there) {
        (void)zc_read_refuse(r, "reduces an axis that is not there");
        return NULL;
    }
    return words + 2;
}

/* The rule is that of what was written: less of its operands may be there now, and along which axes these do not change
 * may be found out more or less well. NULL after a failure. */
static zc_tensor *set_rule(zc_tensor *t, int kind, uint64_t by_rule)
{
    if (t != NULL && t->node->kind == kind) /* else it is refused (deserialize.c) */
        t->node->by_rule = by_rule;
    return t;
}

zc_tensor *zc_restore_reduce(zc_reader *r, const zc_described *n)
{
    uint64_t reduced, by_rule;
    int axes[ZC_MAX_RANK], count = 0;
    bool is_one = n->op < ZC_REDUCTION_COUNT && n->operand_count == 1;
    const int64_t *domain = is_one ? read_domain(r, n, &reduced, &by_rule) : NULL;
    const zc_tensor *x = domain == NULL ? NULL : zc_read_tensor(r, n->domain_rank, domain);
    if (x == NULL)
        return (void)zc_read_refuse(r, "is no reduction"), NULL;
    for (int a = 0; a < n->domain_rank; a++) {
        if ((reduced >> a & 1) != 0)
            axes[count++] = a;
    }
    const bool are_log_sums = zc_reduction_has_log_sums((zc_reduction)n->op) && zc_dtype_is_complex(n->dtype);
    zc_tensor *result = are_log_sums ? zc_record_log_sums(x, count, axes)
                                     : zc_record_reduction((zc_reduction)n->op, x, count, axes, false);
    return set_rule(result, ZC_NODE_REDUCE, by_rule);
}

zc_tensor *zc_restore_select(zc_reader *r, const zc_described *n)
{
    uint64_t reduced, by_rule;
    const int last = n->domain_rank - 1;
    const bool is_value = n->op == ZC_REDUCTION_MAX || n->op == ZC_REDUCTION_MIN;
    const bool is_one = (is_value || n->op == ZC_REDUCTION_ARGMAX || n->op == ZC_REDUCTION_ARGMIN) &&
                        n->operand_count == 1 && last == n->rank && last > 0;
    const int64_t *domain = is_one ? read_domain(r, n, &reduced, &by_rule) : NULL;
    const zc_tensor *lines = domain == NULL ? NULL : zc_read_tensor(r, n->domain_rank, domain);
    const zc_tensor *x = lines == NULL ? NULL : zc_squeeze(zc_slice(lines, last - 1, 0, 1, 1), ZC_AXES(last - 1));
    if (x == NULL || reduced != UINT64_C(1) << last || !zc_may_select(x, last - 1, domain[last - 1]) ||
        domain[last - 1] > domain[last] || zc_dtype_is_complex(zc_dtype_of(x)))
        return (void)zc_read_refuse(r, "is no selection"), NULL;
    return zc_record_select(x, last - 1, domain[last - 1], (zc_reduction)n->op, function);
}

zc_tensor *zc_restore_contract(zc_reader *r, const zc_described *n)
{
    uint64_t reduced, by_rule;
    const int64_t *domain = n->operand_count == 2 ? read_domain(r, n, &reduced, &by_rule) : NULL;
    const zc_tensor *a = domain == NULL ? NULL : zc_read_tensor(r, n->domain_rank, domain);
    const zc_tensor *b = a == NULL ? NULL : zc_read_tensor(r, n->domain_rank, domain);
    if (b == NULL || n->dtype == ZC_BOOL || zc_dtype_is_narrow(n->dtype) || zc_dtype_of(a) != n->dtype ||
        zc_dtype_of(b) != n->dtype)
        return (void)zc_read_refuse(r, "is no contraction"), NULL;
    return set_rule(zc_record_contract(a, b, reduced, function), ZC_NODE_CONTRACT, by_rule);
}

static zc_tensor *concat_operands(zc_reader *r, const zc_described *n, const int64_t *start, const zc_tensor **tensors)
{
    int64_t shape[ZC_MAX_RANK];
    memcpy(shape, n->shape, (size_t)n->rank * sizeof *shape);
    for (int64_t i = 0; i < n->operand_count; i++) {
        if (!zc_checked_subtract(start[i + 1], start[i], &shape[n->op]))
            return (void)zc_read_refuse(r, "joins parts of no length"), NULL;
        tensors[i] = zc_read_tensor(r, n->rank, shape);
        if (tensors[i] == NULL)
            return NULL;
    }
    return zc_concat(r->ctx, (int)n->operand_count, tensors, n->op);
}

zc_tensor *zc_restore_concat(zc_reader *r, const zc_described *n)
{
    const int64_t *start = n->op < n->rank ? zc_read_words(r, n->operand_count + 1) : NULL;
    if (start == NULL)
        return (void)zc_read_refuse(r, "joins nothing"), NULL;
    const size_t bytes = (size_t)n->operand_count * sizeof(zc_tensor *); /* proven: as many words are there */
    const zc_tensor **tensors = zc_heap_take(r->ctx->heap, bytes);
    if (tensors == NULL)
        return (void)zc_fail_memory(r->ctx, function), NULL;
    zc_tensor *joined = concat_operands(r, n, start, tensors);
    zc_heap_give(r->ctx->heap, tensors, bytes);
    return joined;
}
