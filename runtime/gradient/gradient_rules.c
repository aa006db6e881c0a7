/* The rules of the elementwise operations, as the rows of ops.def name them: one line of calculus each. g is the
 * gradient, r the result, x, y, z operands. */
#include "runtime/gradient/gradient_rules.h"

#include <math.h>

#include "runtime/gradient/gradient.h"
#include "zerocast.h"

#define G b->gradient
#define R b->result
#define X b->operand[0]
#define Y b->operand[1]
#define Z b->operand[2]

static zc_tensor *number(const zc_backward *b, double value)
{
    return zc_weak_float(b->ctx, value);
}

/* The value where the condition holds, else 0. */
static zc_tensor *only(const zc_backward *b, const zc_tensor *condition, const zc_tensor *value)
{
    return zc_where(condition, value, number(b, 0));
}

static zc_tensor *times(const zc_backward *b, const zc_tensor *t, double factor)
{
    return zc_multiply(t, number(b, factor));
}

/* 1 - t*t and 1 + t*t, without cancellation. */
static zc_tensor *one_less_square(const zc_backward *b, const zc_tensor *t)
{
    return zc_multiply(zc_subtract(number(b, 1), t), zc_add(number(b, 1), t));
}

static zc_tensor *one_more_square(const zc_backward *b, const zc_tensor *t)
{
    return zc_add(zc_square(t), number(b, 1));
}

#define RULE(name) static zc_tensor *name(const zc_backward *b, int i)
#define UNARY(name, value)                                                                                             \
    RULE(name)                                                                                                         \
    {                                                                                                                  \
        (void)i;                                                                                                       \
        return value;                                                                                                  \
    }

/* ---- Arithmetic ---- */

RULE(add)
{
    (void)i;
    return zc_adopt(b->ctx, G);
}

RULE(subtract)
{
    return i == 0 ? zc_adopt(b->ctx, G) : zc_negative(G);
}

RULE(multiply)
{
    return zc_multiply(G, i == 0 ? Y : X);
}

RULE(divide)
{
    return i == 0 ? zc_divide(G, Y) : zc_negative(zc_multiply(G, zc_divide(R, Y)));
}

/* A root of an operand that is never negative is smallest where the operand is zero: its least subgradient there, over
 * everything that the operand is made of, is zero. */
static zc_tensor *rooted(const zc_backward *b, zc_tensor *gradient)
{
    if (!b->node->edges[0].node->is_never_negative)
        return gradient;
    return zc_where(zc_equal(X, number(b, 0)), number(b, 0), gradient);
}

/* Tells whether the exponent of x**y is one constant between 0 and 1. */
static bool is_root(const zc_backward *b)
{
    const zc_node *exponent = b->node->edges[1].node;
    if (exponent->kind != ZC_NODE_CONSTANT)
        return false;
    const double y = zc_scalar_convert(exponent->constant, (zc_dtype)exponent->dtype, ZC_FLOAT64).float64;
    return y > 0 && y < 1;
}

/* x**y: the exponent counts only where the base is positive. */
RULE(power)
{
    if (i == 0) {
        zc_tensor *slope = zc_multiply(Y, zc_pow(X, zc_subtract(Y, number(b, 1))));
        zc_tensor *gradient = zc_multiply(G, zc_where(zc_equal(Y, number(b, 0)), number(b, 0), slope));
        return is_root(b) ? rooted(b, gradient) : gradient;
    }
    zc_tensor *is_positive = zc_greater(X, number(b, 0));
    zc_tensor *logarithm = zc_log(zc_where(is_positive, X, number(b, 1)));
    return zc_multiply(G, zc_multiply(R, logarithm));
}

/* x - y * floor(x / y): the whole part does not change. */
RULE(remainder_rule)
{
    return i == 0 ? zc_adopt(b->ctx, G) : zc_negative(zc_multiply(G, zc_floor_divide(X, Y)));
}

/* Gives half of the gradient to each operand where both are equal. */
RULE(extreme)
{
    zc_tensor *own = only(b, zc_equal(b->operand[i], R), G);
    return zc_where(zc_equal(X, Y), times(b, own, 0.5), own);
}

/* min(max(x, y), z): one of the three is the result. */
RULE(clip)
{
    zc_tensor *is_high = zc_greater(zc_maximum(X, Y), Z);
    if (i == 2)
        return only(b, is_high, G);
    zc_tensor *is_low = zc_less(X, Y);
    return only(b, zc_logical_not(zc_logical_or(is_high, i == 0 ? is_low : zc_logical_not(is_low))), G);
}

RULE(fma_rule)
{
    return i == 2 ? zc_adopt(b->ctx, G) : zc_multiply(G, i == 0 ? Y : X);
}

/* x + z * (y - x). */
RULE(lerp)
{
    if (i == 2)
        return zc_multiply(G, zc_subtract(Y, X));
    return zc_multiply(G, i == 1 ? zc_adopt(b->ctx, Z) : zc_subtract(number(b, 1), Z));
}

/* The size comes from x, the sign from y. */
RULE(copysign_rule)
{
    if (i == 1)
        return zc_full(b->ctx, G->rank, G->dims, zc_dtype_of(G), 0);
    return zc_where(zc_equal(zc_signbit(X), zc_signbit(Y)), G, zc_negative(G));
}

RULE(where)
{
    return i == 1 ? only(b, X, G) : zc_where(X, number(b, 0), G);
}

UNARY(same, zc_adopt(b->ctx, G))
UNARY(negate, zc_negative(G))
UNARY(cast, zc_astype(G, zc_dtype_of(X)))
UNARY(magnitude, zc_multiply(G, zc_sign(X)))
UNARY(square, zc_multiply(G, times(b, X, 2)))
UNARY(relu, only(b, zc_greater(X, number(b, 0)), G))
UNARY(reciprocal, zc_negative(zc_multiply(G, zc_square(R))))

/* ---- Roots, powers, logarithms ---- */

UNARY(sqrt_rule, rooted(b, zc_divide(G, times(b, R, 2))))
UNARY(rsqrt_rule, times(b, zc_multiply(G, zc_divide(R, X)), -0.5))
UNARY(cbrt_rule, rooted(b, zc_divide(G, times(b, zc_square(R), 3))))
UNARY(exp_rule, zc_multiply(G, R))
UNARY(exp2_rule, zc_multiply(G, times(b, R, 0.693147180559945309417)))
UNARY(expm1_rule, zc_multiply(G, zc_exp(X)))
UNARY(log_rule, zc_divide(G, X))
UNARY(log2_rule, zc_divide(G, times(b, X, 0.693147180559945309417)))
UNARY(log10_rule, zc_divide(G, times(b, X, 2.302585092994045684018)))
UNARY(log1p_rule, zc_divide(G, zc_add(X, number(b, 1))))

/* x / r; at the origin 0, and where r is infinite the sign of what makes it so, shared by the square if both do. */
RULE(hypot_rule)
{
    const zc_tensor *x = b->operand[i], *y = b->operand[1 - i];
    zc_tensor *sign = zc_sign(x), *shared = times(b, sign, 0.707106781186547524401);
    zc_tensor *steep = only(b, zc_isinf(x), zc_where(zc_isinf(y), shared, sign));
    zc_tensor *is_special = zc_logical_or(zc_isinf(R), zc_equal(R, number(b, 0)));
    return zc_multiply(G, zc_divide(zc_where(is_special, steep, x), zc_where(is_special, number(b, 1), R)));
}

/* exp(x) / (exp(x) + exp(y)), which is sigmoid(x - y); of equal infinities each takes half. */
RULE(logaddexp_rule)
{
    const zc_tensor *x = b->operand[i], *y = b->operand[1 - i];
    zc_tensor *is_shared = zc_logical_and(zc_equal(x, y), zc_isinf(x));
    return zc_multiply(G, zc_sigmoid(zc_where(is_shared, number(b, 0), zc_subtract(x, y))));
}

/* ---- Angles ---- */

UNARY(sin_rule, zc_multiply(G, zc_cos(X)))
UNARY(cos_rule, zc_negative(zc_multiply(G, zc_sin(X))))
UNARY(tan_rule, zc_multiply(G, one_more_square(b, R)))
UNARY(asin_rule, zc_divide(G, zc_sqrt(one_less_square(b, X))))
UNARY(acos_rule, zc_negative(zc_divide(G, zc_sqrt(one_less_square(b, X)))))
UNARY(atan_rule, zc_divide(G, one_more_square(b, X)))
UNARY(sinh_rule, zc_multiply(G, zc_cosh(X)))
UNARY(cosh_rule, zc_multiply(G, zc_sinh(X)))
UNARY(tanh_rule, zc_multiply(G, one_less_square(b, R)))
UNARY(asinh_rule, zc_divide(G, zc_hypot(X, number(b, 1))))
UNARY(atanh_rule, zc_divide(G, one_less_square(b, X)))

UNARY(acosh_rule, zc_divide(G, zc_multiply(zc_sqrt(zc_subtract(X, number(b, 1))), zc_sqrt(zc_add(X, number(b, 1))))))

/* atan2(x, y): x is the ordinate. Divided by the distance twice, whose square would leave the dtype's range. */
RULE(atan2_rule)
{
    zc_tensor *distance = zc_hypot(X, Y);
    zc_tensor *slope = zc_divide(zc_divide(b->operand[1 - i], distance), distance);
    return i == 0 ? zc_multiply(G, slope) : zc_negative(zc_multiply(G, slope));
}

/* ---- Activations ---- */

/* exp(-x*x/2) / sqrt(2 pi), and the area up to x under it. */
static zc_tensor *bell(const zc_backward *b)
{
    return times(b, zc_exp(times(b, zc_square(X), -0.5)), 0.398942280401432677940);
}

static zc_tensor *bell_area(const zc_backward *b)
{
    return times(b, zc_add(zc_erf(times(b, X, 0.707106781186547524401)), number(b, 1)), 0.5);
}

UNARY(erf_rule, zc_multiply(G, times(b, zc_exp(zc_negative(zc_square(X))), 1.128379167095512573896)))
UNARY(gelu_rule, zc_multiply(G, zc_add(bell_area(b), zc_multiply(X, bell(b)))))
UNARY(sigmoid_rule, zc_multiply(G, zc_multiply(R, zc_subtract(number(b, 1), R))))
UNARY(softplus_rule, zc_multiply(G, zc_sigmoid(X)))

/* x/2 (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3). */
RULE(gelu_tanh_rule)
{
    (void)i;
    zc_tensor *square = zc_square(X);
    zc_tensor *u = zc_multiply(times(b, X, 0.797884560802865355880), zc_add(times(b, square, 0.044715), number(b, 1)));
    zc_tensor *slope = times(b, zc_add(times(b, square, 3 * 0.044715), number(b, 1)), 0.797884560802865355880);
    zc_tensor *t = zc_tanh(u);
    zc_tensor *rising = zc_multiply(zc_multiply(X, one_less_square(b, t)), slope);
    return zc_multiply(G, times(b, zc_add(zc_add(t, number(b, 1)), rising), 0.5));
}

/* sigmoid(x) + r (1 - sigmoid(x)). */
RULE(silu_rule)
{
    (void)i;
    zc_tensor *s = zc_sigmoid(X);
    return zc_multiply(G, zc_add(s, zc_multiply(R, zc_subtract(number(b, 1), s))));
}

/* ---- The table ---- */

typedef struct gradient {
    zc_differentiable kind;
    zc_gradient_rule *rule;
} gradient;

#define ZC_GRADIENT_BY(kind, f)                                                                                        \
    {                                                                                                                  \
        ZC_GRADIENT_##kind, f                                                                                          \
    }
#define ZC_GRADIENT_IS_PASSED(f)   ZC_GRADIENT_BY(PASSED, f)
#define ZC_GRADIENT_IS_CHOICE(f)   ZC_GRADIENT_BY(CHOICE, f)
#define ZC_GRADIENT_IS_RULE(f)     ZC_GRADIENT_BY(RULE, f)
#define ZC_GRADIENT_IS_SINGULAR(f) ZC_GRADIENT_BY(SINGULAR, f)
#define ZC_GRADIENT_IS_ZERO        ZC_GRADIENT_BY(ZERO, NULL)
#define ZC_GRADIENT_IS_NONE        ZC_GRADIENT_BY(NONE, NULL)

static const gradient gradients[ZC_OP_COUNT] = {
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    [ZC_OP_##NAME] = ZC_GRADIENT_IS_##gradient,
#include "runtime/ops/ops.def"
#undef ZC_OP
    [ZC_OP_CAST] = ZC_GRADIENT_IS_PASSED(cast), [ZC_OP_BITCAST] = ZC_GRADIENT_IS_NONE,
    [ZC_OP_COPY] = ZC_GRADIENT_IS_PASSED(same), [ZC_OP_REAL] = ZC_GRADIENT_IS_NONE,
    [ZC_OP_IMAG] = ZC_GRADIENT_IS_NONE,         [ZC_OP_CONJ] = ZC_GRADIENT_IS_NONE,
    [ZC_OP_COMPLEX] = ZC_GRADIENT_IS_NONE,
};

zc_differentiable zc_gradient_of_op(zc_op op, zc_gradient_rule **rule)
{
    *rule = gradients[op].rule;
    return gradients[op].kind;
}
