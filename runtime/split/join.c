/*
 * Joining the states of a reduction's parts: in the fixed tree, and then what a reduction does at its end, recorded.
 *
 * A stack holds what is joined so far. Two neighbors that are the halves of a piece become that piece; with the last
 * number all of them are one, joined from the right, as by the binary counter of the executors
 * (materialize/execute/counter.h).
 */
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/scope.h"
#include "runtime/memory/arena.h"
#include "runtime/ops/log_sums.h"
#include "runtime/record/record.h"
#include "runtime/record/reductions.h"
#include "runtime/record/select.h"
#include "runtime/split/parted.h"
#include "views/compose.h"

typedef struct piece {
    int64_t begin, end;
    const zc_tensor *state[2];
} piece;

typedef struct join {
    zc_parted p;
    zc_context *ctx;
    piece *stack; /* [count]: no two neighbors are halves of a piece */
    int32_t count;
    int given; /* states so far */
} join;

/* ---- Two pieces ---- */

/* Log sums, as materialize/kernels/elements/logsumexp_tmpl.h joins them. */
static const zc_tensor *join_log_sums(const join *j, const zc_tensor *left, const zc_tensor *right)
{
    const zc_tensor *most = zc_real(left), *sum = zc_imag(left), *other = zc_real(right), *other_sum = zc_imag(right);
    const bool is_single = zc_dtype_of(left) == ZC_COMPLEX64;
    const zc_tensor *least = zc_weak_float(j->ctx, is_single ? ZC_LEAST_EXPONENT_FLOAT32 : ZC_LEAST_EXPONENT_FLOAT64);
    const zc_tensor *rises = zc_greater(other, most), *distance = zc_negative(zc_abs(zc_subtract(other, most)));
    const zc_tensor *factor = zc_exp(zc_where(zc_greater(distance, least), distance, least));
    const zc_tensor *joined = zc_fma(zc_where(rises, sum, other_sum), factor, zc_where(rises, other_sum, sum));
    return zc_complex(zc_maximum(most, other), joined);
}

static const zc_tensor *join_values(const join *j, const zc_tensor *left, const zc_tensor *right)
{
    if (zc_reduction_has_log_sums(j->p.reduction))
        return join_log_sums(j, left, right);
    const zc_op op = zc_reduction_describe(j->p.reduction)->combine;
    return zc_record_map(op, (const zc_tensor *const[]){left, right}, 2);
}

/* The right extreme where it is beyond the left one, or the first NaN. */
static void join_extremes(const join *j, piece *left, const piece *right)
{
    const zc_tensor *x = left->state[0], *y = right->state[0];
    const zc_tensor *beyond = j->p.reduction == ZC_REDUCTION_ARGMAX ? zc_greater(y, x) : zc_less(y, x);
    const zc_tensor *is_first_nan = zc_logical_and(zc_not_equal(y, y), zc_equal(x, x));
    const zc_tensor *takes_right = zc_logical_or(beyond, is_first_nan);
    for (int i = 0; i < 2; i++)
        left->state[i] = zc_where(takes_right, right->state[i], left->state[i]);
}

/* The first elements of pieces side by side, in the order of sorting. */
static void join_selections(const join *j, piece *left, const piece *right)
{
    const int line = left->state[0]->rank - 1;
    const zc_tensor *both[2];
    for (int i = 0; i < 2; i++)
        both[i] = zc_concat(j->ctx, 2, (const zc_tensor *const[]){left->state[i], right->state[i]}, line);
    if (both[0] == NULL)
        return;
    const int64_t count = zc_smaller(j->p.node->shape[line], both[0]->dims[line]);
    const zc_tensor *at = zc_record_select(both[0], line, count, j->p.reduction, j->p.function);
    for (int i = 0; i < 2; i++)
        left->state[i] = zc_take_along_axis(both[i], at, line);
}

/* Joins a piece to the one before it. False after a failure. */
static bool join_pieces(const join *j, piece *left, const piece *right)
{
    if (j->p.node->kind == ZC_NODE_SELECT)
        join_selections(j, left, right);
    else if (j->p.states == 2)
        join_extremes(j, left, right);
    else
        left->state[0] = join_values(j, left->state[0], right->state[0]);
    left->end = right->end;
    return left->state[0] != NULL && (j->p.states == 1 || left->state[1] != NULL);
}

/* ---- All pieces ---- */

/* Tells two neighbors that are one piece. */
static bool are_halves(const join *j, const piece *left, const piece *right)
{
    return zc_parted_piece_end(&j->p, left->begin, right->end) == right->end;
}

/* Adds a piece to the stack. False after a failure. */
static bool push(join *j, const piece *added)
{
    j->stack[j->count++] = *added;
    bool joined = true;
    while (joined && j->count > 1 && are_halves(j, &j->stack[j->count - 2], &j->stack[j->count - 1])) {
        joined = join_pieces(j, &j->stack[j->count - 2], &j->stack[j->count - 1]);
        j->count--;
    }
    return joined;
}

/* The next state, which is to be of that dtype and shape. NULL after a failure. */
static const zc_tensor *take_state(join *j, const piece *of, int state, int n, const zc_tensor *const *states)
{
    int64_t shape[ZC_MAX_RANK];
    char expected[ZC_SHAPE_TEXT], other[ZC_SHAPE_TEXT];
    const int rank = zc_parted_shape(&j->p, of->begin, of->end, shape), i = j->given++;
    const zc_dtype dtype = zc_parted_dtype(&j->p, state);
    if (i >= n)
        return (void)zc_fail(j->ctx, ZC_ERROR_ARGUMENT, j->p.function, "there are %d states, and more in these ranges",
                             n),
               NULL;
    const zc_tensor *t = states[i];
    if (zc_dtype_of(t) == dtype && zc_shape_equal(t->rank, t->dims, rank, shape))
        return zc_adopt(j->ctx, t);
    (void)zc_fail(j->ctx, ZC_ERROR_ARGUMENT, j->p.function,
                  "states[%d] is of %s and shape %s, and that of numbers %lld to %lld of %s and %s", i,
                  zc_dtype_name(zc_dtype_of(t)), zc_shape_text(other, sizeof other, t->rank, t->dims),
                  (long long)of->begin, (long long)of->end, zc_dtype_name(dtype),
                  zc_shape_text(expected, sizeof expected, rank, shape));
    return NULL;
}

static bool join_range(join *j, int64_t begin, int64_t end, int n, const zc_tensor *const *states)
{
    if (zc_parted_check_range(&j->p, begin, end) != ZC_OK)
        return false;
    for (int64_t at = begin; at < end;) {
        piece next = {.begin = at, .end = zc_parted_piece_end(&j->p, at, end)};
        for (int i = 0; i < j->p.states; i++) {
            next.state[i] = take_state(j, &next, i, n, states);
            if (next.state[i] == NULL)
                return false;
        }
        if (!push(j, &next))
            return false;
        at = next.end;
    }
    return true;
}

static zc_status join_ranges(join *j, int ranges, const int64_t *begin, int n, const zc_tensor *const *states)
{
    for (int i = 0; i < ranges; i++) {
        if (!join_range(j, begin[i], begin[i + 1], n, states))
            return zc_error_status(j->ctx);
    }
    if (j->given < n)
        return zc_fail(j->ctx, ZC_ERROR_ARGUMENT, j->p.function, "there are %d states, and %d in these ranges", n,
                       j->given);
    return ZC_OK;
}

/* ---- The end ---- */

/* A part of a mean, divided in double and rounded. */
static const zc_tensor *divide(const join *j, const zc_tensor *t)
{
    const zc_dtype dtype = t == NULL ? ZC_FLOAT64 : zc_dtype_of(t);
    const zc_tensor *count = zc_astype(zc_weak_int(j->ctx, j->p.numbers), ZC_FLOAT64);
    return zc_astype(zc_divide(zc_astype(t, ZC_FLOAT64), count), dtype);
}

static const zc_tensor *divide_by_count(const join *j, const zc_tensor *t)
{
    if (j->p.numbers == 1)
        return t;
    return zc_dtype_is_complex(zc_dtype_of(t)) ? zc_complex(divide(j, zc_real(t)), divide(j, zc_imag(t)))
                                               : divide(j, t);
}

/* Reduces by rule over axes along which nothing changes: over one axis of as many elements, along which the joined
 * values repeat. */
static const zc_tensor *apply_rule(const join *j, zc_reduction reduction, const zc_tensor *t)
{
    const zc_node *node = j->p.node;
    int64_t shape[ZC_MAX_RANK], count = 1;
    for (int a = 0; a < node->domain_rank; a++)
        count *= (node->by_rule >> a & 1) != 0 ? zc_node_domain_shape(node)[a] : 1; /* proven: in the domain */
    if (t == NULL || count == 1 || (reduction != ZC_REDUCTION_SUM && reduction != ZC_REDUCTION_PROD))
        return t;
    zc_copy_list(t->rank, t->dims, shape);
    shape[t->rank] = count;
    const zc_tensor *repeated = zc_broadcast_to(zc_expand_dims(t, -1), t->rank + 1, shape);
    return zc_astype(zc_record_reduction(reduction, repeated, 1, (const int[]){-1}, false), zc_dtype_of(t));
}

static const zc_tensor *take_logarithm(const join *j, const zc_tensor *t)
{
    return zc_add(zc_log(apply_rule(j, ZC_REDUCTION_SUM, zc_imag(t))), zc_real(t));
}

/* The index over all reduced axes of a number among those that are walked. */
static const zc_tensor *find_index(const join *j, const zc_tensor *number)
{
    const zc_node *node = j->p.node;
    const int64_t *shape = zc_node_domain_shape(node);
    if (node->by_rule == 0)
        return number;
    int64_t below = 1, weight = 1; /* numbers, and indices, of the axes behind the one at hand */
    const zc_tensor *index = zc_full_int64(j->ctx, number->rank, number->dims, ZC_INT64, 0);
    for (int a = node->domain_rank - 1; a >= 0; a--) {
        if ((j->p.walked >> a & 1) != 0) {
            const zc_tensor *at = zc_floor_divide(number, zc_weak_int(j->ctx, below));
            at = zc_remainder(at, zc_weak_int(j->ctx, shape[a]));
            index = zc_add(index, zc_multiply(at, zc_weak_int(j->ctx, weight)));
            below *= shape[a]; /* proven: at most the numbers */
        }
        weight *= (node->reduced >> a & 1) != 0 ? shape[a] : 1; /* proven: in the domain */
    }
    return index;
}

/* Shows what the result does of all of its node. */
static const zc_tensor *show_view(const join *j, const zc_tensor *t)
{
    zc_view own, shown;
    zc_tensor_view(t, &own);
    if (zc_view_compose(&own, &j->p.view, &shown))
        return zc_tensor_new(j->ctx, zc_node_retain(t->node), &shown, j->p.function);
    zc_node *copy = zc_record_copy(t);
    if (copy == NULL)
        return (void)zc_fail_memory(j->ctx, j->p.function), NULL;
    return zc_tensor_new(j->ctx, copy, &j->p.view, j->p.function);
}

static const zc_tensor *finish(const join *j)
{
    const piece *all = &j->stack[0];
    const zc_tensor *result = all->state[0];
    if (j->p.node->kind == ZC_NODE_SELECT)
        result = all->state[zc_reduction_is_index((zc_reduction)j->p.node->op)];
    else if (j->p.states == 2)
        result = find_index(j, all->state[1]);
    else if (j->p.reduction == ZC_REDUCTION_MEAN)
        result = divide_by_count(j, result);
    else if (zc_reduction_has_log_sums(j->p.reduction))
        result = take_logarithm(j, result);
    else
        result = apply_rule(j, j->p.reduction, result);
    if (j->p.is_whole && result != NULL)
        result = show_view(j, result);
    for (int i = j->p.cast_count; i > 0; i--)
        result = zc_astype(result, j->p.casts[i - 1]);
    return result;
}

/* ---- The calls ---- */

static zc_status check_arguments(const zc_tensor *r, int ranges, const int64_t *begin, int n,
                                 const zc_tensor *const *states, const char *function)
{
    if (zc_refuse_lost(function, "r", &r, 1))
        return ZC_ERROR_ARGUMENT;
    if (ranges < 0 || n < 0 || (ranges > 0 && begin == NULL))
        return zc_fail(r->ctx, ZC_ERROR_ARGUMENT, function,
                       "there are %d ranges and %d states, or no list of where they begin", ranges, n);
    return zc_refuse_lost_in_list(r->ctx, function, "states", n, states) ? ZC_ERROR_ARGUMENT : ZC_OK;
}

/* Reads r and joins the states, on a stack in the arena; between zc_graph_follow_begin() and zc_graph_follow_end(). */
static zc_status join_states(join *j, zc_arena *arena, const zc_tensor *r, int ranges, const int64_t *begin, int n,
                             const zc_tensor *const *states, const char *function)
{
    const zc_status status = zc_parted_read(r, function, &j->p);
    if (status != ZC_OK)
        return status;
    j->ctx = r->ctx;
    j->stack = zc_arena_take(arena, (size_t)n + 1, sizeof *j->stack); /* proven: an int and one */
    if (j->stack == NULL)
        return zc_fail_memory(r->ctx, function);
    return join_ranges(j, ranges, begin, n, states);
}

/* The result of all numbers. NULL after a failure. */
static const zc_tensor *end_join(const join *j, const zc_tensor *r, int ranges, const int64_t *begin)
{
    if (j->p.numbers == 0) /* of no ranges: none is inside */
        return zc_adopt(r->ctx, r);
    if (ranges > 0 && begin[0] == 0 && begin[ranges] == j->p.numbers)
        return finish(j);
    (void)zc_fail(r->ctx, ZC_ERROR_ARGUMENT, j->p.function, "the ranges do not cover all %lld numbers",
                  (long long)j->p.numbers);
    return NULL;
}

zc_tensor *zc_join(const zc_tensor *r, int ranges, const int64_t *begin, int n, const zc_tensor *const *states)
{
    static const char function[] = "join";
    ZC_DEFAULT_FLOATS();
    join j;
    zc_arena arena;
    if (check_arguments(r, ranges, begin, n, states, function) != ZC_OK)
        return NULL;
    zc_scope *scope = zc_scope_begin(r->ctx);
    if (scope == NULL)
        return NULL;
    j = (join){.count = 0};
    zc_arena_init(&arena, r->ctx->heap);
    zc_graph_follow_begin();
    const zc_tensor *result = NULL;
    if (join_states(&j, &arena, r, ranges, begin, n, states, function) == ZC_OK)
        result = end_join(&j, r, ranges, begin);
    zc_graph_follow_end();
    zc_arena_free(&arena);
    return zc_scope_end_with(scope, (zc_tensor *)(uintptr_t)result);
}

/* A reference of its own: what was joined from one state alone is that state. */
static bool give_states(const join *j, int *count, zc_tensor **out)
{
    for (int32_t i = 0; i < j->count; i++) {
        for (int k = 0; k < j->p.states; k++) {
            out[*count] = zc_adopt(j->ctx, j->stack[i].state[k]);
            if (out[(*count)++] == NULL)
                return false;
        }
    }
    return true;
}

zc_status zc_join_parts(const zc_tensor *r, int ranges, const int64_t *begin, int n, const zc_tensor *const *states,
                        int *count, zc_tensor *out[ZC_MOST_STATES])
{
    static const char function[] = "join_parts";
    join j = {.count = 0};
    zc_arena arena;
    zc_tensor *made[ZC_MOST_STATES] = {NULL};
    int made_count = 0;
    if (count != NULL)
        *count = 0;
    zc_status status = check_arguments(r, ranges, begin, n, states, function);
    if (status == ZC_OK && (count == NULL || out == NULL))
        status = zc_fail(r->ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the states");
    zc_scope *scope = status == ZC_OK ? zc_scope_begin(r->ctx) : NULL;
    if (scope == NULL)
        return status == ZC_OK ? zc_error_status(r->ctx) : status;
    zc_arena_init(&arena, r->ctx->heap);
    zc_graph_follow_begin();
    status = join_states(&j, &arena, r, ranges, begin, n, states, function);
    if (status == ZC_OK && !give_states(&j, &made_count, made))
        status = zc_error_status(r->ctx);
    zc_graph_follow_end();
    zc_arena_free(&arena);
    for (int i = 0; i < made_count && status == ZC_OK; i++)
        out[i] = zc_keep_outside(made[i]);
    *count = status == ZC_OK ? made_count : 0;
    zc_scope_end(scope);
    return status;
}
