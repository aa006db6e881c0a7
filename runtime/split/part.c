/*
 * States of a part of a reduction's numbers: reductions of views of what it reduces.
 *
 * A smaller view may show more axes to be invariant than the whole did. So every axis of a part is walked,
 * as it is in the whole.
 */
#include <string.h>

#include "runtime/graph/keep.h"
#include "runtime/graph/scope.h"
#include "runtime/record/contract.h"
#include "runtime/record/record.h"
#include "runtime/record/reductions.h"
#include "runtime/record/select.h"
#include "runtime/split/parted.h"
#include "views/compose.h"

static const char function[] = "part";

/* ---- Operands ---- */

/* Operand i over the axes of p->domain. Where no strides express it, it is recorded as a copy. NULL after a failure. */
static const zc_tensor *see_operand(const zc_parted *p, int i)
{
    zc_view edge, shown;
    zc_context *ctx = p->r->ctx;
    zc_node *node = p->node->edges[i].node;
    zc_node_edge_view(p->node, i, &edge);
    if (zc_view_compose(&edge, &p->domain, &shown))
        return zc_tensor_new(ctx, zc_node_retain(node), &shown, function);
    const zc_tensor *whole = zc_tensor_new(ctx, zc_node_retain(node), &edge, function);
    zc_node *copy = whole == NULL ? NULL : zc_record_copy(whole);
    if (copy == NULL)
        return (void)zc_fail_memory(ctx, function), NULL;
    return zc_tensor_new(ctx, copy, &p->domain, function);
}

/* The numbers from begin to end of an operand, whose last axes, from `kept` on, are walked: one axis, or several where
 * these are whole rows. */
static const zc_tensor *cut(const zc_tensor *t, int kept, int64_t begin, int64_t end, bool in_rows)
{
    if (t == NULL || t->rank == kept)
        return t == NULL ? NULL : zc_expand_dims(t, -1);
    int64_t row = 1, shape[ZC_MAX_RANK];
    for (int a = kept + 1; a < t->rank; a++)
        row *= t->dims[a]; /* proven: numbers of the reduction */
    const int64_t first = begin / row;
    t = zc_slice(t, kept, first, zc_divide_up(end, row), 1);
    if (t == NULL || t->rank == kept + 1 || (in_rows && begin % row == 0 && end % row == 0))
        return t;
    zc_copy_list(kept, t->dims, shape);
    shape[kept] = -1;
    int64_t size = 1;
    for (int a = kept; a < t->rank; a++)
        size *= t->dims[a]; /* proven: likewise */
    shape[kept] = size;
    return zc_slice(zc_reshape(t, kept + 1, shape), kept, begin - first * row, end - first * row, 1);
}

/* ---- States ---- */

/* Walks all axes. */
static zc_tensor *walk_all(zc_tensor *t)
{
    if (t != NULL) /* a handle on a reduction, or a contraction */
        t->node->by_rule = 0;
    return t;
}

/* The axes of an operand that are walked. */
static int list_walked(const zc_tensor *t, int kept, int *axes)
{
    int count = 0;
    for (int a = kept; t != NULL && a < t->rank; a++)
        axes[count++] = a;
    return count;
}

/* A product of complex numbers begins with one: an infinite part becomes NaN beside its 0, also of a number alone. */
static const zc_tensor *begin_product(const zc_parted *p, const zc_tensor *t, int kept, int64_t count)
{
    int64_t shape[ZC_MAX_RANK];
    const bool is_alone = count == 1 && p->numbers > 1 && p->reduction == ZC_REDUCTION_PROD;
    if (t == NULL || !is_alone || !zc_dtype_is_complex(zc_dtype_of(t)))
        return t;
    zc_copy_list(t->rank, t->dims, shape);
    const zc_tensor *one = zc_full(t->ctx, t->rank, shape, zc_dtype_of(t), 1);
    return zc_concat(t->ctx, 2, (const zc_tensor *const[]){t, one}, kept);
}

/* The extreme of one walked axis, and its number. */
static void find_extreme(const zc_parted *p, const zc_tensor *t, int kept, int64_t first, zc_tensor **out)
{
    const zc_tensor *at = walk_all(zc_record_reduction(p->reduction, t, 1, &kept, true));
    const zc_tensor *value = zc_take_along_axis(t, at, kept);
    out[0] = zc_squeeze(value, 1, &kept);
    out[1] = zc_add(zc_squeeze(at, 1, &kept), zc_weak_int(p->r->ctx, first));
}

/* The first elements of a line, and their places. */
static void select_places(const zc_parted *p, const zc_tensor *t, int64_t first, zc_tensor **out)
{
    if (t == NULL)
        return;
    const int line = t->rank - 1;
    const int64_t most = p->node->shape[p->node->rank - 1], count = zc_smaller(most, t->dims[line]);
    const bool is_largest = p->reduction == ZC_REDUCTION_ARGMAX;
    const zc_tensor *at = NULL;
    if (t->dims[line] == 1) {
        out[0] = zc_copy(t);
        at = zc_full_int64(t->ctx, t->rank, t->dims, ZC_INT64, 0);
    } else {
        out[0] = zc_record_select(t, line, count, is_largest ? ZC_REDUCTION_MAX : ZC_REDUCTION_MIN, function);
        at = zc_record_select(t, line, count, p->reduction, function);
    }
    out[1] = zc_add(at, zc_weak_int(t->ctx, first));
}

/* The states of a piece: `out` has p->states of them, NULL after a failure. */
static void make_piece(const zc_parted *p, int64_t begin, int64_t end, zc_tensor **out)
{
    int axes[ZC_MAX_RANK];
    const int kept = p->domain.rank - __builtin_popcountll(p->walked);
    const zc_tensor *operands[2] = {NULL, NULL};
    for (int i = 0; i < p->node->edge_count; i++)
        operands[i] = cut(see_operand(p, i), kept, begin, end, p->states == 1);
    const zc_tensor *t = operands[0];
    if (p->node->kind == ZC_NODE_SELECT) {
        select_places(p, t, begin, out);
    } else if (p->states == 2) {
        find_extreme(p, t, kept, begin, out);
    } else if (p->node->kind == ZC_NODE_CONTRACT) {
        const uint64_t summed = t == NULL ? 0 : zc_all_axes(t->rank) & ~zc_all_axes(kept);
        out[0] = walk_all(zc_record_contract(t, operands[1], summed, function));
    } else {
        const zc_tensor *begun = begin_product(p, t, kept, end - begin);
        const int count = list_walked(begun, kept, axes);
        const zc_reduction by = p->reduction == ZC_REDUCTION_MEAN ? ZC_REDUCTION_SUM : p->reduction;
        out[0] = walk_all(zc_reduction_has_log_sums(by) ? zc_record_log_sums(begun, count, axes)
                                                        : zc_record_reduction(by, begun, count, axes, false));
    }
}

/* ---- The calls ---- */

static zc_status make_pieces(const zc_parted *p, int64_t begin, int64_t end, int *n, zc_tensor **out)
{
    for (int64_t at = begin, to; at < end; at = to) {
        to = zc_parted_piece_end(p, at, end);
        make_piece(p, at, to, out + *n);
        *n += p->states;
        for (int i = *n - p->states; i < *n; i++) {
            if (out[i] == NULL)
                return zc_error_status(p->r->ctx);
        }
    }
    return ZC_OK;
}

zc_status zc_part_numbers(const zc_tensor *r, int64_t *numbers, int64_t *step)
{
    zc_parted p;
    if (ZC_REFUSE_LOST("part_numbers", r))
        return ZC_ERROR_ARGUMENT;
    zc_graph_follow_begin();
    const zc_status status = zc_parted_read(r, "part_numbers", &p);
    zc_graph_follow_end();
    if (numbers != NULL)
        *numbers = status == ZC_OK ? p.numbers : 0;
    if (step != NULL)
        *step = status == ZC_OK ? p.step : 0;
    return status;
}

static zc_status part(const zc_tensor *r, int64_t first, int64_t count, int *n, zc_tensor **out)
{
    zc_parted p;
    zc_status status = zc_parted_read(r, function, &p);
    if (status == ZC_OK && (first < 0 || count < 1 || count > p.numbers - first))
        return zc_fail(r->ctx, ZC_ERROR_ARGUMENT, function, "%lld numbers from %lld on are no range of %lld",
                       (long long)count, (long long)first, (long long)p.numbers);
    if (status == ZC_OK)
        status = zc_parted_check_range(&p, first, first + count); /* proven: inside */
    return status == ZC_OK ? make_pieces(&p, first, first + count, n, out) : status;
}

zc_status zc_part(const zc_tensor *r, int64_t first, int64_t count, int *n, zc_tensor *out[ZC_MOST_STATES])
{
    zc_tensor *made[ZC_MOST_STATES] = {NULL};
    if (n != NULL)
        *n = 0;
    if (ZC_REFUSE_LOST(function, r))
        return ZC_ERROR_ARGUMENT;
    if (n == NULL || out == NULL)
        return zc_fail(r->ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the states");
    zc_scope *scope = zc_scope_begin(r->ctx);
    if (scope == NULL)
        return zc_error_status(r->ctx);
    int count_made = 0;
    zc_graph_follow_begin();
    const zc_status status = part(r, first, count, &count_made, made);
    zc_graph_follow_end();
    for (int i = 0; i < count_made && status == ZC_OK; i++)
        out[i] = zc_keep_outside(made[i]);
    *n = status == ZC_OK ? count_made : 0;
    zc_scope_end(scope);
    return status;
}
