/*
 * XLA's binary operations: strict element types and ranks, broadcast_dimensions, and degenerate dimensions.
 *
 * Invariant: both operands reach the operation as views of the result's shape, and in the order they came in. The
 * checks stand in XLA's order, so that of several faults the same one is named.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/record/record.h"
#include "views/broadcast.h"

/* ---- Division that truncates, where the library's own rounds down ---- */

static zc_tensor *record(zc_op op, const zc_tensor *a, const zc_tensor *b)
{
    return zc_record_map(op, (const zc_tensor *const[]){a, b}, 2);
}

static zc_tensor *negative(const zc_tensor *x, const zc_tensor *zero)
{
    return record(ZC_OP_LESS, x, zero);
}

/* Marks quotients that were rounded away from zero: they are not exact, and the signs differ. */
static zc_tensor *is_rounded_away(const zc_tensor *a, const zc_tensor *b, const zc_tensor *remainder,
                                  const zc_tensor *zero)
{
    zc_tensor *below_a = negative(a, zero), *below_b = negative(b, zero);
    zc_tensor *differ = record(ZC_OP_NOT_EQUAL, below_a, below_b), *inexact = record(ZC_OP_NOT_EQUAL, remainder, zero);
    zc_tensor *away = record(ZC_OP_LOGICAL_AND, differ, inexact);
    zc_tensor *temporaries[] = {below_a, below_b, differ, inexact};
    for (size_t i = 0; i < sizeof temporaries / sizeof *temporaries; i++)
        zc_release(temporaries[i]);
    return away;
}

static zc_tensor *divide_integers(const zc_tensor *a, const zc_tensor *b)
{
    zc_tensor *zero = zc_weak_int(a->ctx, 0), *floor = record(ZC_OP_FLOOR_DIVIDE, a, b);
    zc_tensor *remainder = record(ZC_OP_REMAINDER, a, b), *away = is_rounded_away(a, b, remainder, zero);
    zc_tensor *step = zc_astype(away, zc_dtype_of(a)), *result = record(ZC_OP_ADD, floor, step);
    zc_tensor *temporaries[] = {zero, floor, remainder, away, step};
    for (size_t i = 0; i < sizeof temporaries / sizeof *temporaries; i++)
        zc_release(temporaries[i]);
    return result;
}

static zc_tensor *remainder_of_integers(const zc_tensor *a, const zc_tensor *b)
{
    zc_tensor *zero = zc_weak_int(a->ctx, 0), *floor = record(ZC_OP_REMAINDER, a, b);
    zc_tensor *away = is_rounded_away(a, b, floor, zero), *moved = record(ZC_OP_SUBTRACT, floor, b);
    zc_tensor *result = zc_where(away, moved, floor);
    zc_tensor *temporaries[] = {zero, floor, away, moved};
    for (size_t i = 0; i < sizeof temporaries / sizeof *temporaries; i++)
        zc_release(temporaries[i]);
    return result;
}

/* |a| mod |b| is exact; it gets the sign of a. A zero gets it from a * 0, which tells -0 from 0. */
static zc_tensor *remainder_of_floats(const zc_tensor *a, const zc_tensor *b)
{
    zc_tensor *zero = zc_weak_float(a->ctx, 0), *size_a = zc_abs(a), *size_b = zc_abs(b);
    zc_tensor *size = record(ZC_OP_REMAINDER, size_a, size_b), *minus = zc_negative(size);
    zc_tensor *below = negative(a, zero), *is_zero = record(ZC_OP_EQUAL, size, zero);
    zc_tensor *sign = zc_where(below, minus, size), *signed_zero = record(ZC_OP_MULTIPLY, a, zero);
    zc_tensor *result = zc_where(is_zero, signed_zero, sign);
    zc_tensor *temporaries[] = {zero, size_a, size_b, size, minus, below, is_zero, sign, signed_zero};
    for (size_t i = 0; i < sizeof temporaries / sizeof *temporaries; i++)
        zc_release(temporaries[i]);
    return result;
}

/* ---- The operations ---- */

typedef struct xla_op {
    const char *label;
    zc_op op; /* for div and rem: the one whose dtypes they take */
} xla_op;

static const xla_op ops[] = {
    [ZC_XLA_ADD] = {"xla.add", ZC_OP_ADD},         [ZC_XLA_SUB] = {"xla.sub", ZC_OP_SUBTRACT},
    [ZC_XLA_MUL] = {"xla.mul", ZC_OP_MULTIPLY},    [ZC_XLA_DIV] = {"xla.div", ZC_OP_FLOOR_DIVIDE},
    [ZC_XLA_REM] = {"xla.rem", ZC_OP_REMAINDER},   [ZC_XLA_MAX] = {"xla.max", ZC_OP_MAXIMUM},
    [ZC_XLA_MIN] = {"xla.min", ZC_OP_MINIMUM},     [ZC_XLA_POW] = {"xla.pow", ZC_OP_POW},
    [ZC_XLA_AND] = {"xla.and", ZC_OP_BITWISE_AND}, [ZC_XLA_OR] = {"xla.or", ZC_OP_BITWISE_OR},
    [ZC_XLA_XOR] = {"xla.xor", ZC_OP_BITWISE_XOR}, [ZC_XLA_EQ] = {"xla.eq", ZC_OP_EQUAL},
    [ZC_XLA_NE] = {"xla.ne", ZC_OP_NOT_EQUAL},     [ZC_XLA_GE] = {"xla.ge", ZC_OP_GREATER_EQUAL},
    [ZC_XLA_GT] = {"xla.gt", ZC_OP_GREATER},       [ZC_XLA_LE] = {"xla.le", ZC_OP_LESS_EQUAL},
    [ZC_XLA_LT] = {"xla.lt", ZC_OP_LESS},          [ZC_XLA_ATAN2] = {"xla.atan2", ZC_OP_ATAN2},
};

/* On operands of one dtype and shape. */
static zc_tensor *apply(zc_xla_op op, const zc_tensor *a, const zc_tensor *b)
{
    if (a == NULL || b == NULL)
        return NULL;
    zc_kind kind = zc_dtype_describe(zc_dtype_of(a))->kind;
    if (op == ZC_XLA_DIV && kind != ZC_KIND_UNSIGNED)
        return kind >= ZC_KIND_FLOAT ? record(ZC_OP_DIVIDE, a, b) : divide_integers(a, b);
    if (op == ZC_XLA_REM && kind != ZC_KIND_UNSIGNED)
        return kind == ZC_KIND_FLOAT ? remainder_of_floats(a, b) : remainder_of_integers(a, b);
    return record(ops[op].op, a, b);
}

/* ---- Shapes ---- */

/* Names in messages: the operation and both operands, as "float32[2,3]". */
typedef struct request {
    const char *name;
    int count;
    const int *dims;
    char a[ZC_SHAPE_TEXT + 16];
    char b[ZC_SHAPE_TEXT + 16];
} request;

static void describe(const zc_tensor *t, char *buffer, size_t bytes)
{
    char shape[ZC_SHAPE_TEXT];
    zc_shape_text_styled(shape, sizeof shape, t->rank, t->dims, "[", ",", "]");
    (void)snprintf(buffer, bytes, "%s%s", zc_dtype_name(zc_dtype_of(t)), shape);
}

/* A refusal in words that name no operand: both stand behind them. */
__attribute__((format(printf, 4, 5))) static zc_status refuse(const request *r, zc_reason *why, zc_status status,
                                                              const char *format, ...)
{
    zc_reason words;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words.text, sizeof words.text, format, arguments);
    va_end(arguments);
    return zc_refuse(why, status, "%s (operands: %s and %s)", words.text, r->a, r->b);
}

static zc_status check_dimension(const request *r, int d, const zc_view *small, const zc_view *large, zc_reason *why)
{
    int axis = r->dims[d];
    if (axis < 0)
        return refuse(r, why, ZC_ERROR_ARGUMENT, "Broadcast dimension number (%d) cannot be negative", axis);
    if (axis >= large->rank)
        return refuse(r, why, ZC_ERROR_ARGUMENT,
                      "Broadcast dimension number (%d) too large; higher-rank operand has rank %d", axis, large->rank);
    if (small->shape[d] != large->shape[axis] && small->shape[d] != 1 && large->shape[axis] != 1)
        return zc_refuse(why, ZC_ERROR_SHAPE, "Broadcast dimension %d mismatch: %" PRId64 " != %" PRId64 "; %s and %s",
                         d, small->shape[d], large->shape[axis], r->a, r->b);
    if (d > 0 && r->dims[d - 1] >= axis)
        return refuse(r, why, ZC_ERROR_ARGUMENT, "Broadcast dimensions order is wrong: %d comes after %d", axis,
                      r->dims[d - 1]);
    return ZC_OK;
}

/* The InDim step: the operand of lower rank gets the other's rank, and its sizes where it had no axis. */
static zc_status raise_rank(const request *r, zc_view *small, const zc_view *large, zc_reason *why)
{
    if (r->count == 0 && small->rank > 0)
        return zc_refuse(why, ZC_ERROR_SHAPE, "Shapes must be equal rank, but are %s and %s", r->a, r->b);
    if (r->count != 0 && r->count != small->rank)
        return refuse(r, why, ZC_ERROR_ARGUMENT,
                      "Size of broadcast_dimensions has to match lower-rank operand's rank; lower-rank operand's "
                      "rank is %d, size of broadcast_dimensions is %d",
                      small->rank, r->count);
    int64_t shape[ZC_MAX_RANK];
    memcpy(shape, large->shape, (size_t)large->rank * sizeof *shape);
    for (int d = 0; d < r->count; d++) {
        zc_status status = check_dimension(r, d, small, large, why);
        if (status != ZC_OK)
            return status;
        shape[r->dims[d]] = small->shape[d];
    }
    zc_view_broadcast(small, large->rank, shape, r->dims, small);
    return ZC_OK;
}

static zc_status check_identity(const request *r, int rank, zc_reason *why)
{
    bool is_identity = r->count == 0 || r->count == rank;
    for (int d = 0; d < r->count && is_identity; d++)
        is_identity = r->dims[d] == d;
    return is_identity ? ZC_OK
                       : zc_refuse(why, ZC_ERROR_ARGUMENT,
                                   "Broadcast dimensions field must either be not set or be the identity on binary "
                                   "operations with operands of the same rank: %s and %s",
                                   r->a, r->b);
}

/* Brings both views to the shape of the result. */
static zc_status meet(const request *r, zc_view *a, zc_view *b, zc_reason *why)
{
    zc_status status = a->rank == b->rank  ? check_identity(r, a->rank, why)
                       : a->rank < b->rank ? raise_rank(r, a, b, why)
                                           : raise_rank(r, b, a, why);
    if (status != ZC_OK)
        return status;
    int rank;
    int64_t size, shape[ZC_MAX_RANK];
    status = zc_shape_broadcast(a->rank, a->shape, b->rank, b->shape, &rank, shape, NULL);
    if (status != ZC_OK)
        return zc_refuse(why, status, "Binary op %s with incompatible shapes: %s and %s", r->name, r->a, r->b);
    zc_reason words;
    status = zc_shape_size(rank, shape, &size, &words);
    if (status != ZC_OK)
        return refuse(r, why, status, "%s", words.text);
    zc_view_broadcast_right(a, rank, shape, a);
    zc_view_broadcast_right(b, rank, shape, b);
    return ZC_OK;
}

/* ---- Element types ---- */

/* The dtype in which t meets `other`: its own, but a weak constant takes the other's where that can hold it. */
static zc_dtype element_type(const zc_tensor *t, const zc_tensor *other)
{
    zc_dtype own = zc_dtype_of(t), wanted = zc_dtype_of(other);
    if (!zc_is_weak(t) || zc_is_weak(other) || zc_dtype_promote_weak(wanted, own) != wanted)
        return own;
    return zc_record_fits(t, wanted) ? wanted : own;
}

static zc_status check_types(const request *r, zc_op op, zc_dtype a, zc_dtype b, zc_reason *why)
{
    if (a != b)
        return zc_refuse(why, ZC_ERROR_DTYPE, "Binary op %s with different element types: %s and %s", r->name, r->a,
                         r->b);
    zc_kind kind = zc_dtype_describe(a)->kind;
    zc_domain domain = zc_op_describe(op)->domain;
    bool takes_complex = zc_op_describe(op)->complex != ZC_RESULT_NO || op == ZC_OP_FLOOR_DIVIDE; /* XLA's div */
    bool fits = (domain != ZC_DOMAIN_NUMBER || kind != ZC_KIND_BOOL) &&
                (domain != ZC_DOMAIN_BITS || kind < ZC_KIND_FLOAT) &&
                (domain != ZC_DOMAIN_FLOAT || kind >= ZC_KIND_FLOAT) && (kind != ZC_KIND_COMPLEX || takes_complex);
    return fits ? ZC_OK : refuse(r, why, ZC_ERROR_DTYPE, "Binary op %s does not take %s", r->name, r->a);
}

/* A handle on t's elements in that dtype, through the view. */
static zc_tensor *show(const zc_tensor *t, zc_dtype dtype, const zc_view *view, const char *label)
{
    zc_view own;
    zc_node *node = zc_record_cast(t, dtype, &own); /* only of a constant, which no view sees otherwise */
    if (node == NULL) {
        (void)zc_fail_memory(t->ctx, label);
        return NULL;
    }
    return zc_tensor_new(t->ctx, node, view, label);
}

static zc_status check_arguments(const request *r, bool together, zc_reason *why)
{
    if (together && r->count >= 0 && (r->count == 0 || r->dims != NULL))
        return ZC_OK;
    return refuse(r, why, ZC_ERROR_ARGUMENT, "%s",
                  together ? "broadcast_dimensions are missing"
                           : "operands belong to different contexts; zc_adopt brings them together");
}

zc_tensor *zc_xla_binary(zc_xla_op op, const zc_tensor *a, const zc_tensor *b, int count, const int *dims)
{
    if (ZC_REFUSE_LOST("xla_binary", a, b))
        return NULL;
    zc_context *ctx = a->ctx;
    request r = {.count = count, .dims = dims};
    zc_reason why;
    describe(a, r.a, sizeof r.a);
    describe(b, r.b, sizeof r.b);
    if ((int)op < 0 || (size_t)op >= sizeof ops / sizeof *ops) {
        zc_status unknown = refuse(&r, &why, ZC_ERROR_ARGUMENT, "%d is not an operation", (int)op);
        (void)zc_fail_because(ctx, unknown, "xla_binary", &why);
        return NULL;
    }
    const char *label = ops[op].label;
    r.name = label + strlen("xla.");
    zc_dtype dtype = element_type(a, b);
    zc_view view_a, view_b;
    zc_tensor_view(a, &view_a);
    zc_tensor_view(b, &view_b);
    zc_status status = check_arguments(&r, a->ctx == b->ctx, &why);
    if (status == ZC_OK)
        status = check_types(&r, ops[op].op, dtype, element_type(b, a), &why);
    if (status == ZC_OK)
        status = meet(&r, &view_a, &view_b, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(ctx, status, label, &why);
        return NULL;
    }
    zc_tensor *left = show(a, dtype, &view_a, label), *right = show(b, dtype, &view_b, label);
    zc_tensor *result = apply(op, left, right);
    zc_release(left);
    zc_release(right);
    return result;
}
