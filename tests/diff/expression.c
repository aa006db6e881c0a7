#include "tests/diff/expression.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"

static void keep(pool *p, zc_tensor *t)
{
    if (t == NULL)
        zc_error_clear(p->ctx); /* refused: shapes that do not meet, a dtype outside the domain */
    else if (p->count < MOST_ITEMS && zc_size(t) <= MOST_ELEMENTS)
        p->items[p->count++] = t;
}

/* ---- Inputs ---- */

/* Values that are spread over magnitudes, with zeros of both signs, infinities and NaN among them. */
static double draw_value(bool is_float)
{
    static const double special[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 0x1p-1070};
    if (zc_random_range(0, 15) == 0)
        return special[zc_random_range(0, is_float ? 7 : 3)];
    static const double sizes[] = {0.01, 0.1, 1, 10, 100, 1000};
    const double x = zc_random_double() - 0.4;
    return x * sizes[zc_random_range(0, 5)];
}

/* Near 1, so that little of a gradient overflows; with zeros, for the products. */
static double draw_smooth_value(void)
{
    return zc_random_range(0, 15) == 0 ? 0 : (zc_random_double() - 0.3) * 3;
}

static leaf draw_leaf(bool is_smooth)
{
    leaf l = {.is_smooth = is_smooth, .rank = (int)zc_random_range(0, 4), .size = 1};
    l.dtype = (zc_dtype)zc_random_range(is_smooth ? ZC_FLOAT32 : 0, is_smooth ? ZC_BFLOAT16 : ZC_DTYPE_COUNT - 1);
    for (int i = 0; i < l.rank; i++) {
        l.shape[i] = zc_random_range(0, 40) == 0 ? 0 : zc_random_range(1, l.rank < 3 ? 60 : 9);
        l.size *= l.shape[i];
    }
    if (l.rank == 1 && zc_random_bool())
        l.size = l.shape[0] = zc_random_range(1000, 30000);
    l.values = malloc(((size_t)l.size + 1) * sizeof *l.values);
    return l;
}

/* The same input for all pools, as doubles converted to the dtype. */
static void add_leaf(leaf *l, pool *pools, int count)
{
    for (int64_t i = 0; i < l->size; i++)
        l->values[i] = l->is_smooth ? draw_smooth_value() : draw_value(l->dtype >= ZC_FLOAT32);
    for (int w = 0; w < count; w++) {
        size_t bytes = (size_t)l->size * sizeof *l->values;
        zc_tensor *t = zc_from_data(pools[w].ctx, ZC_FLOAT64, l->rank, l->shape, l->values, bytes);
        zc_tensor *whole = l->dtype < ZC_COMPLEX64 ? t : zc_complex(t, zc_flip(t, ZC_ALL_AXES));
        keep(&pools[w], zc_astype(whole, l->dtype));
    }
}

/* ---- Steps ---- */

typedef zc_tensor *unary(const zc_tensor *);
typedef zc_tensor *binary(const zc_tensor *, const zc_tensor *);
typedef zc_tensor *reduction(const zc_tensor *, int, const int *, bool);

typedef zc_tensor *ternary(const zc_tensor *, const zc_tensor *, const zc_tensor *);

/* Every operation of ops.def, and whether it has a gradient. */
typedef struct operation {
    unary *of_1;
    binary *of_2;
    ternary *of_3;
    bool has_gradient;
} operation;

#define OPERAND_1(name) .of_1 = zc_##name
#define OPERAND_2(name) .of_2 = zc_##name
#define OPERAND_3(name) .of_3 = zc_##name
#define IS_PASSED(f)    true
#define IS_CHOICE(f)    true
#define IS_RULE(f)      true
#define IS_SINGULAR(f)  true
#define IS_ZERO         true
#define IS_NONE         false
static const operation operations[] = {
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    {OPERAND_##arity(name), .has_gradient = IS_##gradient},
#include "runtime/ops/ops.def"
#undef ZC_OP
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Those that have gradients come first. */
static reduction *const reductions[] = {zc_sum,       zc_prod, zc_mean, zc_max,    zc_min,
                                        zc_logsumexp, zc_any,  zc_all,  zc_argmax, zc_argmin};
enum { SMOOTH_REDUCTIONS = 6, REDUCTIONS = sizeof reductions / sizeof *reductions };

/* With 0 for NaN, whose sign is no part of the contract, where an operation looks at signs. */
static const zc_tensor *looked_at(const zc_tensor *t, const operation *o)
{
    const bool sees_signs = o->of_1 == zc_signbit || o->of_2 == zc_copysign;
    return sees_signs ? zc_where(zc_equal(t, t), t, zc_weak_int(zc_context_of(t), 0)) : t;
}

/* The first operation from the drawn one on that has as many operands, and a gradient where that is needed. */
static const operation *drawn_operation(const step *s, int arity)
{
    for (int i = s->which;; i++) {
        const operation *o = &operations[i % OPERATIONS];
        const bool fits = arity == 1 ? o->of_1 != NULL : arity == 2 ? o->of_2 != NULL : o->of_3 != NULL;
        if (fits && (o->has_gradient || !s->is_smooth))
            return o;
    }
}

static zc_tensor *reduce(const zc_tensor *t, const step *s)
{
    int axes[ZC_MAX_RANK], count = 0;
    for (int a = 0; a < zc_rank(t); a++) {
        if ((s->bits >> a & 1) != 0)
            axes[count++] = a;
    }
    return reductions[s->which % (s->is_smooth ? SMOOTH_REDUCTIONS : REDUCTIONS)](t, count, axes,
                                                                                  (s->bits >> 40 & 1) != 0);
}

static zc_tensor *broadcast(const zc_tensor *t, const step *s)
{
    int64_t shape[ZC_MAX_RANK] = {0};
    int rank = zc_rank(t) + 1;
    for (int a = 1; a < rank; a++) {
        int64_t own = zc_shape(t)[a - 1];
        shape[a] = own == 1 ? (int64_t)(s->bits >> (8 * a) & 7) + 1 : own;
    }
    shape[0] = (int64_t)(s->bits & 7) + 1;
    return zc_broadcast_to(t, rank, shape);
}

static zc_tensor *view(const zc_tensor *t, const step *s)
{
    int rank = zc_rank(t), axis = rank > 0 ? (int)(s->bits % (uint64_t)rank) : 0;
    if (rank == 0)
        return zc_expand_dims(t, 0);
    switch (s->which % 6) {
    case 0:
        return zc_flip(t, 1, &axis);
    case 1:
        return zc_swapaxes(t, axis, rank - 1);
    case 2:
        return zc_slice(t, axis, (int64_t)(s->bits >> 8 & 3), ZC_NONE, (int64_t)(s->bits >> 16 & 1) + 1);
    case 3:
        return zc_expand_dims(t, axis);
    case 4:
        return zc_reshape(t, ZC_SHAPE(-1));
    default:
        return zc_slice(t, axis, ZC_NONE, ZC_NONE, -2);
    }
}

/* The first element along an axis in the place of all others, and then all of them: of the two parts of this concat one
 * repeats what the other does not. */
static zc_tensor *put_after_its_first(const zc_tensor *t, int axis)
{
    if (t == NULL || zc_shape(t)[axis] == 0)
        return NULL;
    zc_tensor *first = zc_slice(t, axis, 0, 1, 1);
    zc_tensor *repeated = zc_broadcast_to(first, zc_rank(t), zc_shape(t));
    return zc_concat(zc_context_of(t), 2, (const zc_tensor *const[]){repeated, t}, zc_rank(t) - 1 - axis);
}

/* Scans, and what scatters in a gradient. */
static zc_tensor *rearrange(const zc_tensor *t, const step *s)
{
    int rank = zc_rank(t), axis = rank > 0 ? (int)(s->bits % (uint64_t)rank) : 0;
    zc_context *ctx = zc_context_of(t);
    if (rank == 0 || zc_shape(t)[axis] == 0)
        return zc_expand_dims(t, 0);
    zc_tensor *positions = zc_multiply(zc_iota(ctx, 2 + (int64_t)(s->bits >> 8 & 15)), zc_weak_int(ctx, 7));
    switch (s->which % 6) {
    case 0:
        return zc_cumulative_sum(t, axis, false);
    case 1:
        return zc_cumulative_prod(t, axis, (s->bits >> 16 & 1) != 0);
    case 2:
        return zc_concat(ctx, 2, (const zc_tensor *const[]){t, zc_flip(t, 1, &axis)}, axis);
    case 3:
        return zc_take(t, zc_remainder(positions, zc_weak_int(ctx, zc_shape(t)[axis])), axis);
    case 4:
        return put_after_its_first(t, axis);
    default:
        return zc_sliding_window_view(t, 1, (const int64_t[]){1 + (zc_shape(t)[axis] > 1)}, 1, &axis);
    }
}

/* A sum or mean along axes of which some repeat elements: of what is computed of a broadcast, or of a concat of that.
 */
static zc_tensor *add_up_repeated(const zc_tensor *t, const step *s)
{
    zc_tensor *repeated = zc_sin(broadcast(t, s));
    if ((s->bits >> 41 & 1) != 0)
        repeated = put_after_its_first(repeated, 0);
    int axes[ZC_MAX_RANK], count = 0;
    for (int a = 0; repeated != NULL && a < zc_rank(repeated); a++) {
        if ((s->bits >> (42 + a) & 1) != 0)
            axes[count++] = a;
    }
    return s->which % 2 == 0 ? zc_sum(repeated, count, axes, false) : zc_mean(repeated, count, axes, false);
}

/* a @ b where they fit; else a with what has its shape and b's dtype. */
static zc_tensor *multiply_matrices(const zc_tensor *a, const zc_tensor *b, const zc_tensor *like_a)
{
    zc_tensor *product = zc_matmul(a, b);
    if (product != NULL || zc_rank(a) == 0)
        return product;
    zc_error_clear(zc_context_of(a));
    return zc_matmul(a, zc_rank(a) == 1 ? like_a : zc_matrix_transpose(like_a));
}

/* Contractions of a with itself, reversed and of b's dtype, so that extents fit. */
static zc_tensor *contract(const zc_tensor *a, const zc_tensor *b, const step *s)
{
    zc_context *ctx = zc_context_of(a);
    const int rank = zc_rank(a), last = rank - 1, axis = rank > 0 ? (int)(s->bits % (uint64_t)rank) : 0;
    const zc_tensor *other = zc_flip(rank > 0 ? zc_astype(a, zc_dtype_of(b)) : a, ZC_ALL_AXES);
    if (other == NULL)
        return NULL;
    switch (s->which % 6) {
    case 0:
        return multiply_matrices(a, b, other);
    case 1:
        return zc_vecdot(a, other, -1 - axis);
    case 2:
        return zc_tensordot(a, other, rank > 1 ? 2 : rank, (const int[]){axis, last - (axis == last)},
                            (const int[]){axis, last - (axis == last)});
    case 3:
        return zc_einsum(ctx, "...ij,...kj,...k->...i", 3,
                         (const zc_tensor *const[]){a, other, rank > 0 ? zc_index(other, last, 0) : other});
    case 4:
        return zc_einsum(ctx, "...i,...i,...i->...", 3, (const zc_tensor *const[]){a, other, a});
    default:
        return zc_einsum(ctx, "ij,ik->jk", 2, (const zc_tensor *const[]){a, other});
    }
}

static void take_smooth_step(pool *p, const step *s)
{
    const operation *o;
    const zc_tensor *a = p->items[s->a % p->count], *b = p->items[s->b % p->count];
    switch (s->kind) {
    case 0:
        o = drawn_operation(s, 1);
        keep(p, o->of_1(looked_at(a, o)));
        break;
    case 1:
        o = drawn_operation(s, 2);
        keep(p, o->of_2(a, looked_at(b, o)));
        break;
    case 2:
        keep(p, zc_multiply(a, b));
        break;
    case 3:
        keep(p, drawn_operation(s, 3)->of_3(zc_less(a, b), b, a));
        break;
    case 4:
        keep(p, reduce(a, s));
        break;
    case 5:
        keep(p, broadcast(a, s));
        break;
    case 6:
        keep(p, zc_astype(a, (zc_dtype)(ZC_FLOAT32 + s->which % 4)));
        break;
    case 7:
        keep(p, view(a, s));
        break;
    case 8:
        keep(p, add_up_repeated(a, s));
        break;
    case 9:
        keep(p, contract(a, b, s));
        break;
    default:
        keep(p, rearrange(a, s));
        break;
    }
}

void expression_step(pool *p, const step *s)
{
    if (s->is_smooth) {
        take_smooth_step(p, s);
        return;
    }
    const operation *o;
    const zc_tensor *a = p->items[s->a % p->count], *b = p->items[s->b % p->count], *c = p->items[s->c % p->count];
    switch (s->kind) {
    case 0:
        o = drawn_operation(s, 1);
        keep(p, o->of_1(looked_at(a, o)));
        break;
    case 1:
        o = drawn_operation(s, 2);
        keep(p, o->of_2(a, looked_at(b, o)));
        break;
    case 2:
        keep(p, (s->which % 2 == 0 ? zc_complex : zc_add)(a, b));
        break;
    case 3:
        keep(p, s->which % 2 == 0 ? zc_where(zc_not_equal(a, b), b, c) : drawn_operation(s, 3)->of_3(a, b, c));
        break;
    case 4:
        keep(p, reduce(a, s));
        break;
    case 5:
        keep(p, broadcast(a, s));
        break;
    case 6:
        keep(p, zc_astype(a, (zc_dtype)(s->which % ZC_DTYPE_COUNT)));
        break;
    case 7:
        keep(p, rearrange(a, s));
        break;
    case 8:
        keep(p, add_up_repeated(a, s));
        break;
    case 9:
        keep(p, contract(a, b, s));
        break;
    default:
        keep(p, view(a, s));
        break;
    }
}

/* One after the other: in a list of initializers the compiler may choose the order. */
static step draw_step(bool is_smooth)
{
    step s = {.is_smooth = is_smooth, .kind = (int)zc_random_range(0, 10)};
    s.which = (int)zc_random_range(0, 1000);
    s.a = (int)zc_random_range(0, 1000);
    s.b = (int)zc_random_range(0, 1000);
    s.c = (int)zc_random_range(0, 1000);
    s.bits = zc_random_u64();
    return s;
}

expression expression_draw(bool is_smooth)
{
    expression e = {.is_smooth = is_smooth, .step_count = (int)zc_random_range(2, MOST_STEPS)};
    for (int l = 0; l < LEAVES; l++)
        e.leaves[l] = draw_leaf(is_smooth);
    for (int s = 0; s < e.step_count; s++)
        e.steps[s] = draw_step(is_smooth);
    return e;
}

void expression_free(expression *e)
{
    for (int l = 0; l < LEAVES; l++)
        free(e->leaves[l].values);
}

void expression_add_leaves(expression *e, pool *pools, int count)
{
    for (int l = 0; l < LEAVES; l++)
        add_leaf(&e->leaves[l], pools, count);
}

/* ---- Results ---- */

void expression_record(pool *pools, int count)
{
    expression e = expression_draw(zc_random_bool());
    expression_add_leaves(&e, pools, count);
    for (int i = 0; i < e.step_count; i++) {
        for (int p = 0; p < count; p++)
            expression_step(&pools[p], &e.steps[i]);
    }
    expression_free(&e);
}

zc_tensor *materialized(const pool *p, const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(p->ctx));
    return out;
}
