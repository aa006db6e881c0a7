/* XLA's binary operations, nGraph's BroadcastLike and NumPy's broadcast_shapes, through the public interface. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/named_shapes.h"

typedef struct list {
    int count;
    int64_t item[8];
    int axis[8]; /* the same */
} list;

static list read_list(const char *text)
{
    list l = {0};
    while (*text != '\0') {
        char *end;
        l.item[l.count] = strtoll(text, &end, 10);
        l.axis[l.count] = (int)l.item[l.count];
        l.count++;
        text = *end == ',' ? end + 1 : end;
    }
    return l;
}

/* Elements first, first + 1 ... in row-major order. */
static zc_tensor *counting(zc_context *ctx, list shape, int64_t first)
{
    int64_t size = 1;
    for (int a = 0; a < shape.count; a++)
        size *= shape.item[a];
    zc_tensor *x = zc_add(zc_iota(ctx, size), zc_weak_int(ctx, first));
    return zc_reshape(x, shape.count, shape.item);
}

/* a, b, broadcast_dimensions, and the result's shape or a part of the refusal. XLA's shape_inference_test.cc. */
typedef struct binary_case {
    const char *a, *b, *dims, *result, *refusal;
} binary_case;

static const binary_case binary_cases[] = {
    {"2,3", "", "", "2,3", NULL},
    {"", "2,3", "", "2,3", NULL},
    {"2,3", "3", "", NULL, "Shapes must be equal rank, but are int64[2,3] and int64[3]"},
    {"2,3", "3", "1", "2,3", NULL},
    {"3,3", "3", "0", "3,3", NULL},
    {"3,3", "3", "1", "3,3", NULL},
    {"16,8,4", "8,4", "1,2", "16,8,4", NULL},
    {"16,8,4", "16,4", "0,2", "16,8,4", NULL},
    {"16,8,4", "16,8", "0,1", "16,8,4", NULL},
    {"16,8", "16,8,4", "0,1", "16,8,4", NULL},
    {"16,8,4", "8", "", NULL, "Shapes must be equal rank"},
    {"16,8,4", "8", "3", NULL, "Broadcast dimension number (3) too large; higher-rank operand has rank 3"},
    {"16,8,4", "8", "0", NULL, "Broadcast dimension 0 mismatch: 8 != 16"},
    {"16,8,4", "8", "-1", NULL, "Broadcast dimension number (-1) cannot be negative"},
    {"16,8,4", "8,4", "0,1,2", NULL, "lower-rank operand's rank is 2, size of broadcast_dimensions is 3"},
    {"16,8,4", "8,4", "3,0", NULL, "too large"},
    {"16,8,4", "8,4", "2,1", NULL, "dimension 0 mismatch"},
    {"8,8,8", "8,8", "0,0", NULL, "Broadcast dimensions order is wrong: 0 comes after 0"},
    {"8,8,8", "8,8", "1,0", NULL, "Broadcast dimensions order is wrong: 0 comes after 1"},
    {"4", "1,2", "0", "4,2", NULL},
    {"1,2", "4,3,1", "1,2", "4,3,2", NULL},
    {"2,1", "2,3,4", "0,2", "2,3,4", NULL},
    {"2,1", "2,3,4", "1,2", NULL, "Broadcast dimension 0 mismatch: 2 != 3"},
    {"2,3", "2,1,4", "0,1", "2,3,4", NULL},
    {"2,1", "1,3", "", "2,3", NULL},
    {"7,2,5", "7,2,6", "", NULL, "Binary op sub with incompatible shapes: int64[7,2,5] and int64[7,2,6]"},
    {"2,3", "2,3", "0,1", "2,3", NULL},
    {"2,3", "2,3", "1,0", NULL, "must either be not set or be the identity"},
    {"2,3", "2,3", "0", NULL, "must either be not set or be the identity"},
    {"2,3", "", "0", NULL, "size of broadcast_dimensions is 1"},
};

/* Checks that the refusal of a binary operation names both shapes. */
static void expect_names(const char *text, const zc_tensor *a, const zc_tensor *b)
{
    cr_assert(zc_names_shapes(text, zc_rank(a), zc_shape(a), zc_rank(b), zc_shape(b)), "'%s' does not name both shapes",
              text);
}

/* Place in an operand of an index of the result: its axis d is the result's axis place[d], or repeats. */
static int64_t element_of(list shape, const int *place, const int64_t *at)
{
    int64_t element = 0;
    for (int d = 0; d < shape.count; d++)
        element = element * shape.item[d] + (shape.item[d] == 1 ? 0 : at[place[d]]);
    return element;
}

static void check_difference(const zc_tensor *result, list a, list b, list dims)
{
    static const int own[] = {0, 1, 2, 3};
    const int *place_a = a.count < b.count ? dims.axis : own, *place_b = b.count < a.count ? dims.axis : own;
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(result, &out), ZC_OK);
    const int64_t *data = zc_data(out);
    int rank = zc_rank(out);
    for (int64_t i = 0; i < zc_size(out); i++) {
        int64_t at[8], left = i;
        for (int axis = rank - 1; axis >= 0; axis--) {
            at[axis] = left % zc_shape(out)[axis];
            left /= zc_shape(out)[axis];
        }
        int64_t expected = 1000 + element_of(a, place_a, at) - element_of(b, place_b, at);
        cr_assert_eq(data[i], expected, "element %lld is %lld, not %lld", (long long)i, (long long)data[i],
                     (long long)expected);
    }
}

Test(dialects, xla_binary_operations_follow_their_rules)
{
    for (size_t i = 0; i < sizeof binary_cases / sizeof *binary_cases; i++) {
        const binary_case *c = &binary_cases[i];
        bench t = begin();
        list a = read_list(c->a), b = read_list(c->b), dims = read_list(c->dims);
        zc_tensor *x = counting(t.ctx, a, 1000), *y = counting(t.ctx, b, 0);
        zc_tensor *result = zc_xla_binary(ZC_XLA_SUB, x, y, dims.count, dims.axis);
        const char *text = zc_error_text(t.ctx);
        cr_assert_eq(result != NULL, c->result != NULL, "(%s) - (%s) by {%s}: %s", c->a, c->b, c->dims, text);
        if (result == NULL) {
            expect_names(text, x, y);
            cr_assert(strncmp(text, "xla.sub: ", 9) == 0 && strstr(text, c->refusal) != NULL, "'%s' lacks '%s'", text,
                      c->refusal);
        } else {
            list shape = read_list(c->result);
            cr_assert_eq(zc_rank(result), shape.count);
            for (int axis = 0; axis < shape.count; axis++)
                cr_assert_eq(zc_shape(result)[axis], shape.item[axis]);
            check_difference(result, a, b, dims);
        }
        finish(t);
    }
}

/* The k-th of the lists of up to 2 items from `low` on, `span` of them. */
static list small_list(int64_t k, int64_t low, int64_t span)
{
    list l = {0};
    int64_t count = k == 0 ? 0 : k <= span ? 1 : 2, rest = count == 2 ? k - 1 - span : k - 1;
    for (l.count = (int)count; count > 0; rest /= span)
        l.item[--count] = low + rest % span;
    for (int i = 0; i < l.count; i++)
        l.axis[i] = (int)l.item[i];
    return l;
}

/* Every pair of shapes of up to two sizes of 0 to 3, with every list of up to two dimensions from -1 to 2. */
Test(dialects, xla_refusals_name_both_shapes)
{
    const int64_t shapes = 1 + 4 + 16;
    int refused = 0;
    for (int64_t i = 0; i < shapes * shapes; i++) {
        bench t = begin();
        list from = small_list(i / shapes, 0, 4), to = small_list(i % shapes, 0, 4);
        zc_tensor *a = zc_full(t.ctx, from.count, from.item, ZC_INT8, 1);
        zc_tensor *b = zc_full(t.ctx, to.count, to.item, ZC_INT8, 1);
        for (int64_t k = 0; k < shapes; k++) {
            list dims = small_list(k, -1, 4);
            if (zc_xla_binary(ZC_XLA_ADD, a, b, dims.count, dims.axis) != NULL)
                continue;
            expect_names(zc_error_text(t.ctx), a, b);
            zc_error_clear(t.ctx);
            refused++;
        }
        finish(t);
    }
    cr_expect_gt(refused, 5000);
}

/* XLA's division truncates, as C's does; its remainder has the sign of the dividend, as C's and fmod's. */
Test(dialects, xla_division_truncates)
{
    bench b = begin();
    for (int x = -7; x <= 7; x++)
        for (int y = -3; y <= 3; y++) {
            zc_tensor *i = OF(b.ctx, ZC_INT8, x), *k = OF(b.ctx, ZC_INT8, y);
            zc_tensor *f = OF(b.ctx, ZC_FLOAT32, x / 2.0), *g = OF(b.ctx, ZC_FLOAT32, y / 2.0);
            zc_tensor *quotient = zc_xla_binary(ZC_XLA_DIV, i, k, ZC_NO_AXES);
            cr_assert_eq(zc_dtype_of(quotient), ZC_INT8);
            cr_assert_eq(integer_at(quotient, 0), y == 0 ? 0 : x / y, "%d div %d", x, y);
            cr_assert_eq(integer_at(zc_xla_binary(ZC_XLA_REM, i, k, ZC_NO_AXES), 0), y == 0 ? 0 : x % y, "%d rem %d", x,
                         y);
            double remainder = value_at(zc_xla_binary(ZC_XLA_REM, f, g, ZC_NO_AXES), 0),
                   wanted = fmod(x / 2.0, y / 2.0);
            cr_assert(isnan(wanted) ? isnan(remainder) : remainder == wanted && !signbit(remainder) == !signbit(wanted),
                      "%d/2 rem %d/2 is %g", x, y, remainder);
        }
    cr_assert(signbit(
        value_at(zc_xla_binary(ZC_XLA_REM, OF(b.ctx, ZC_FLOAT64, -0.0), OF(b.ctx, ZC_FLOAT64, 2), ZC_NO_AXES), 0)));
    zc_tensor *least = OF(b.ctx, ZC_INT8, -128), *minus = OF(b.ctx, ZC_INT8, -1), *seven = OF(b.ctx, ZC_UINT8, 200);
    cr_assert_eq(integer_at(zc_xla_binary(ZC_XLA_REM, OF(b.ctx, ZC_INT8, 5), least, ZC_NO_AXES), 0), 5);
    cr_assert_eq(integer_at(zc_xla_binary(ZC_XLA_REM, least, minus, ZC_NO_AXES), 0), 0);
    cr_assert_eq(integer_at(zc_xla_binary(ZC_XLA_DIV, seven, zc_weak_int(b.ctx, 7), ZC_NO_AXES), 0), 28);
    cr_assert_eq(value_at(zc_xla_binary(ZC_XLA_DIV, OF(b.ctx, ZC_FLOAT32, 1), zc_weak_int(b.ctx, 4), ZC_NO_AXES), 0),
                 0.25);
    finish(b);
}

Test(dialects, xla_operations_are_what_they_are_called)
{
    static const int64_t expected[] = {15, 9, 36, 4, 0, 12, 3, 1728, 0, 15, 15, 0, 1, 1, 1, 0, 0};
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_INT32, 12), *y = OF(b.ctx, ZC_INT32, 3);
    for (zc_xla_op op = ZC_XLA_ADD; op <= ZC_XLA_LT; op++) {
        zc_tensor *result = zc_xla_binary(op, x, y, ZC_NO_AXES);
        cr_assert_eq(integer_at(result, 0), expected[op], "operation %d: %s", (int)op, zc_error_text(b.ctx));
        cr_assert_eq(zc_dtype_of(result), op < ZC_XLA_EQ ? ZC_INT32 : ZC_BOOL);
    }
    zc_tensor *up = OF(b.ctx, ZC_FLOAT64, 2), *left = OF(b.ctx, ZC_FLOAT64, -2);
    cr_assert_eq(value_at(zc_xla_binary(ZC_XLA_ATAN2, up, left, ZC_NO_AXES), 0), atan2(2, -2));
    finish(b);
}

Test(dialects, xla_element_types_are_strict)
{
    bench b = begin();
    zc_tensor *i = OF(b.ctx, ZC_INT8, 1), *f = OF(b.ctx, ZC_FLOAT32, 1), *truth = OF(b.ctx, ZC_BOOL, 1);
    struct {
        zc_tensor *result;
        const char *text;
    } cases[10];
    int count = 0;
    static const int64_t one[] = {1}; /* the shape of all, but for weak constants */
#define REFUSED(call, fragment)                                                                                        \
    cases[count].result = call;                                                                                        \
    cr_assert_null(cases[count++].result);                                                                             \
    cr_assert_not_null(strstr(zc_error_text(b.ctx), fragment), "%s", zc_error_text(b.ctx));                            \
    cr_assert(zc_names_shapes(zc_error_text(b.ctx), 1, one, 1, one) ||                                                 \
              zc_names_shapes(zc_error_text(b.ctx), 1, one, 0, NULL));                                                 \
    zc_error_clear(b.ctx)
    REFUSED(zc_xla_binary(ZC_XLA_ADD, i, f, ZC_NO_AXES),
            "xla.add: Binary op add with different element types: int8[1]");
    REFUSED(zc_xla_binary(ZC_XLA_ADD, i, zc_weak_float(b.ctx, 1), ZC_NO_AXES), "different element types");
    REFUSED(zc_xla_binary(ZC_XLA_ADD, i, zc_weak_int(b.ctx, 300), ZC_NO_AXES), "different element types");
    REFUSED(zc_xla_binary(ZC_XLA_SUB, truth, truth, ZC_NO_AXES), "xla.sub: Binary op sub does not take bool[1]");
    REFUSED(zc_xla_binary(ZC_XLA_AND, f, f, ZC_NO_AXES), "xla.and: Binary op and does not take float32[1]");
    REFUSED(zc_xla_binary(ZC_XLA_ATAN2, i, i, ZC_NO_AXES), "xla.atan2: Binary op atan2 does not take int8[1]");
    REFUSED(zc_xla_binary((zc_xla_op)18, f, f, ZC_NO_AXES), "18 is not an operation");
    REFUSED(zc_xla_binary(ZC_XLA_ADD, f, f, 1, NULL), "broadcast_dimensions are missing");
    REFUSED(zc_xla_binary(ZC_XLA_ADD, f, f, -1, NULL), "broadcast_dimensions are missing");
    bench other = begin();
    REFUSED(zc_xla_binary(ZC_XLA_ADD, f, OF(other.ctx, ZC_FLOAT32, 1), ZC_NO_AXES), "different contexts");
    finish(other);
    cr_assert_null(zc_xla_binary(ZC_XLA_ADD, NULL, f, ZC_NO_AXES));
    finish(b);
}

/* A weak constant takes the other's element type where it holds the number, and two of them stay what they are. */
Test(dialects, xla_element_types_of_weak_constants)
{
    bench b = begin();
    zc_tensor *u = OF(b.ctx, ZC_UINT16, 7, 65535), *truth = OF(b.ctx, ZC_BOOL, 1, 0),
              *f = OF(b.ctx, ZC_FLOAT16, 1.5, 2);
    zc_tensor *one = zc_weak_int(b.ctx, 1), *five = zc_weak_int(b.ctx, 5), *big = zc_weak_int(b.ctx, 65536);
    EXPECT(zc_xla_binary(ZC_XLA_REM, u, five, ZC_NO_AXES), 2, 0);
    EXPECT(zc_xla_binary(ZC_XLA_REM, u, OF(b.ctx, ZC_UINT16, 4, 16), ZC_NO_AXES), 3, 15);
    EXPECT(zc_xla_binary(ZC_XLA_DIV, u, five, ZC_NO_AXES), 1, 13107);
    EXPECT(zc_xla_binary(ZC_XLA_ADD, five, one, ZC_NO_AXES), 6);
    EXPECT(zc_xla_binary(ZC_XLA_MUL, f, big, ZC_NO_AXES), (double)INFINITY, (double)INFINITY);
    cr_expect_eq(zc_dtype_of(zc_xla_binary(ZC_XLA_ADD, f, one, ZC_NO_AXES)), ZC_FLOAT16);
    cr_expect_eq(zc_dtype_of(zc_xla_binary(ZC_XLA_ADD, five, one, ZC_NO_AXES)), ZC_INT64);
    expect_refused(b, zc_xla_binary(ZC_XLA_ADD, u, big, ZC_NO_AXES), ZC_ERROR_DTYPE,
                   "xla.add: Binary op add with different element types: uint16[2] and int64[]");
    expect_refused(b, zc_xla_binary(ZC_XLA_AND, truth, one, ZC_NO_AXES), ZC_ERROR_DTYPE,
                   "xla.and: Binary op and with different element types: bool[2] and int64[]");
    expect_refused(b, zc_xla_binary(ZC_XLA_AND, f, f, ZC_NO_AXES), ZC_ERROR_DTYPE,
                   "xla.and: Binary op and does not take float16[2] (operands: float16[2] and float16[2])");
    zc_tensor *column = zc_broadcast_to(one, ZC_SHAPE(INT64_C(1) << 40, 1));
    zc_tensor *row = zc_broadcast_to(one, ZC_SHAPE(1, INT64_C(1) << 40));
    expect_refused(b, zc_xla_binary(ZC_XLA_ADD, column, row, ZC_NO_AXES), ZC_ERROR_OVERFLOW,
                   "xla.add: the sizes of shape (1099511627776, 1099511627776) multiply to more than 2^63 - 1 "
                   "(operands: int64[1099511627776,1] and int64[1,1099511627776])");
    finish(b);
}

Test(dialects, ngraph_broadcast_like_uses_the_shape_alone)
{
    bench b = begin();
    zc_tensor *row = zc_from_data(b.ctx, ZC_INT8, ZC_SHAPE(3), (const int8_t[]){1, 2, 3}, 3),
              *one = zc_index(row, 0, 0);
    zc_tensor *like = zc_full(b.ctx, ZC_SHAPE(2, 3), ZC_FLOAT64, 0);
    zc_tensor *rows = zc_ngraph_broadcast_like(row, like, ZC_AXES(0)),
              *all = zc_ngraph_broadcast_like(one, like, ZC_NO_AXES);
    cr_assert(zc_is_view(rows) && zc_dtype_of(rows) == ZC_INT8 && zc_rank(rows) == 2);
    cr_assert_eq(zc_broadcast_axes(rows), 1);
    cr_assert_eq(zc_broadcast_axes(all), 3);
    cr_assert_eq(value_at(zc_reshape(rows, ZC_SHAPE(-1)), 4), 2);
    cr_assert_null(zc_ngraph_broadcast_like(row, like, ZC_NO_AXES));
    cr_assert_str_eq(zc_error_text(b.ctx),
                     "ngraph.broadcast_like: without broadcast axes arg must be a scalar, not of rank 1 (operand "
                     "shape: {3}, target shape: {2, 3})");
    zc_error_clear(b.ctx);
    cr_assert_null(zc_ngraph_broadcast_like(row, like, ZC_AXES(1)));
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "ngraph.broadcast_like: argument shape, specified output shape"));
    expect_names(zc_error_text(b.ctx), row, like);
    zc_error_clear(b.ctx);
    const int *const lists[] = {(const int[]){2}, (const int[]){-1}, NULL};
    for (int i = 0; i < 3; i++) {
        cr_assert_null(zc_ngraph_broadcast_like(row, like, 1, lists[i]));
        expect_names(zc_error_text(b.ctx), row, like);
        zc_error_clear(b.ctx);
    }
    cr_assert_null(zc_ngraph_broadcast_like(row, NULL, ZC_AXES(1)));
    finish(b);
}

Test(dialects, broadcast_shapes_has_no_operand_limit)
{
    bench b = begin();
    int ranks[100], rank = -1;
    int64_t met[ZC_MAX_RANK];
    const int64_t *shapes[100], pair[] = {1, 2}, three[] = {3}, negative[] = {-1}, first[] = {5, 6, 1}, last[] = {7};
    for (int i = 0; i < 100; i++) {
        ranks[i] = 2;
        shapes[i] = pair;
    }
    cr_assert_eq(zc_broadcast_shapes(b.ctx, 100, ranks, shapes, &rank, met), ZC_OK);
    cr_assert(rank == 2 && met[0] == 1 && met[1] == 2);
    cr_assert_eq(zc_broadcast_shapes(b.ctx, 0, NULL, NULL, &rank, met), ZC_OK);
    cr_assert_eq(rank, 0);
    cr_assert_eq(zc_broadcast_shapes(b.ctx, 2, (const int[]){3, 1}, (const int64_t *const[]){first, last}, &rank, met),
                 ZC_OK);
    cr_assert(rank == 3 && met[0] == 5 && met[1] == 6 && met[2] == 7);
    ranks[99] = 1;
    shapes[99] = three;
    cr_assert_eq(zc_broadcast_shapes(b.ctx, 100, ranks, shapes, &rank, met), ZC_ERROR_SHAPE);
    cr_assert_str_eq(zc_error_text(b.ctx),
                     "broadcast_shapes: shape mismatch: argument 0 with shape (1, 2) and argument 99 with shape (3,)");
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_broadcast_shapes(b.ctx, 3, (const int[]){2, 1, 1},
                                     (const int64_t *const[]){(const int64_t[]){1, 1}, last, three}, &rank, met),
                 ZC_ERROR_SHAPE);
    cr_assert_str_eq(zc_error_text(b.ctx),
                     "broadcast_shapes: shape mismatch: argument 1 with shape (7,) and argument 2 with shape (3,)");
    zc_error_clear(b.ctx);
    cr_assert_eq(
        zc_broadcast_shapes(b.ctx, 4, (const int[]){2, 1, 2, 1},
                            (const int64_t *const[]){(const int64_t[]){1, 1}, last, (const int64_t[]){1, 1}, three},
                            &rank, met),
        ZC_ERROR_SHAPE);
    cr_assert_str_eq(zc_error_text(b.ctx),
                     "broadcast_shapes: shape mismatch: argument 1 with shape (7,) and argument 3 with shape (3,)");
    zc_error_clear(b.ctx);
    shapes[99] = negative;
    cr_assert_eq(zc_broadcast_shapes(b.ctx, 100, ranks, shapes, &rank, met), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_broadcast_shapes(b.ctx, 1, NULL, shapes, &rank, met), ZC_ERROR_ARGUMENT);
    finish(b);
}
