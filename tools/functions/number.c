#include "tools/functions/number.h"

#include <math.h>

#include "tools/language/point.h"

static bool set_integer(zc_object *result, int64_t integer)
{
    *result = zc_object_integer(integer);
    return true;
}

static bool set_float(zc_object *result, double real)
{
    *result = (zc_object){.kind = ZC_OBJECT_FLOAT, .real = real};
    return true;
}

static bool set_bool(zc_object *result, bool truth)
{
    *result = (zc_object){.kind = ZC_OBJECT_BOOL, .truth = truth};
    return true;
}

double zc_number_as_float(zc_object value)
{
    int64_t integer;
    return zc_object_as_integer(value, &integer) ? (double)integer : value.real;
}

zc_point zc_number_as_point(zc_object value)
{
    return value.kind == ZC_OBJECT_COMPLEX ? value.point : (zc_point){zc_number_as_float(value), 0};
}

static bool is_complex(zc_object value)
{
    return value.kind == ZC_OBJECT_COMPLEX;
}

/* The part on the real line. */
static zc_object real_part(zc_object value)
{
    return is_complex(value) ? (zc_object){.kind = ZC_OBJECT_FLOAT, .real = value.point.real} : value;
}

static bool refuse_overflow(zc_operator op, int64_t a, int64_t b, zc_fault *fault)
{
    const zc_operator_info *info = zc_operator_describe(op);
    return zc_fault_refuse(fault, "%s: %lld %s %lld does not fit in int64", info->name, (long long)a, info->text,
                           (long long)b);
}

static bool refuse_zero(zc_operator op, zc_fault *fault)
{
    return zc_fault_refuse(fault, "%s: division by zero", zc_operator_describe(op)->name);
}

/* ---- Comparisons ---- */

static zc_order order_of(bool is_less, bool is_equal)
{
    return is_less ? ZC_ORDER_LESS : is_equal ? ZC_ORDER_EQUAL : ZC_ORDER_GREATER;
}

static zc_order compare_mixed(int64_t a, double b)
{
    if (isnan(b))
        return ZC_ORDER_NONE;
    if (b >= 0x1p63)
        return ZC_ORDER_LESS;
    if (b < -0x1p63)
        return ZC_ORDER_GREATER;
    int64_t whole = (int64_t)b; /* towards zero, exact */
    if (a != whole)
        return order_of(a < whole, false);
    double rest = b - (double)whole;
    return order_of(0 < rest, rest == 0);
}

static zc_order compare_real(zc_object a, zc_object b)
{
    static const zc_order turned[] = {ZC_ORDER_GREATER, ZC_ORDER_EQUAL, ZC_ORDER_LESS, ZC_ORDER_NONE};
    int64_t i, j;
    bool is_integer_a = zc_object_as_integer(a, &i), is_integer_b = zc_object_as_integer(b, &j);
    if (is_integer_a && is_integer_b)
        return order_of(i < j, i == j);
    if (is_integer_a)
        return compare_mixed(i, b.real);
    if (is_integer_b)
        return turned[compare_mixed(j, a.real)];
    if (isnan(a.real) || isnan(b.real))
        return ZC_ORDER_NONE;
    return order_of(a.real < b.real, a.real == b.real);
}

zc_order zc_number_compare(zc_object a, zc_object b)
{
    zc_order order = compare_real(real_part(a), real_part(b));
    if (!is_complex(a) && !is_complex(b))
        return order;
    bool is_equal = order == ZC_ORDER_EQUAL && zc_number_as_point(a).imag == zc_number_as_point(b).imag;
    return is_equal ? ZC_ORDER_EQUAL : ZC_ORDER_NONE;
}

static bool holds(zc_operator op, zc_order order)
{
    switch (op) {
    case ZC_OPERATOR_LESS:
        return order == ZC_ORDER_LESS;
    case ZC_OPERATOR_LESS_EQUAL:
        return order == ZC_ORDER_LESS || order == ZC_ORDER_EQUAL;
    case ZC_OPERATOR_GREATER:
        return order == ZC_ORDER_GREATER;
    case ZC_OPERATOR_GREATER_EQUAL:
        return order == ZC_ORDER_GREATER || order == ZC_ORDER_EQUAL;
    case ZC_OPERATOR_EQUAL:
        return order == ZC_ORDER_EQUAL;
    default:
        return order != ZC_ORDER_EQUAL;
    }
}

/* ---- Floats ---- */

/* The remainder takes the sign of y. */
static double remainder_of(double x, double y)
{
    double rest = fmod(x, y);
    if (rest == 0)
        return copysign(0, y);
    return (rest < 0) != (y < 0) ? rest + y : rest;
}

/* The integer nearest to (x - remainder) / y, so that the two fit together although both round. */
static double floor_divide(double x, double y)
{
    double rest = fmod(x, y);
    double quotient = (x - rest) / y;
    if (rest != 0 && (rest < 0) != (y < 0))
        quotient -= 1;
    if (quotient == 0)
        return copysign(0, x / y);
    double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}

static bool power_of_floats(double x, double y, zc_object *result, zc_fault *fault)
{
    if (x == 0 && y < 0)
        return zc_fault_refuse(fault, "pow: zero to a negative power");
    if (isfinite(x) && x < 0 && isfinite(y) && floor(y) != y)
        return zc_point_binary(ZC_OPERATOR_POWER, (zc_point){x, 0}, (zc_point){y, 0}, result, fault);
    double power = pow(x, y);
    if (isinf(power) && isfinite(x) && isfinite(y))
        return zc_fault_refuse(fault, "pow: the result is outside float64");
    return set_float(result, power);
}

static bool float_binary(zc_operator op, double x, double y, zc_object *result, zc_fault *fault)
{
    bool divides = op == ZC_OPERATOR_DIVIDE || op == ZC_OPERATOR_FLOOR_DIVIDE || op == ZC_OPERATOR_REMAINDER;
    if (divides && y == 0)
        return refuse_zero(op, fault);
    switch (op) {
    case ZC_OPERATOR_ADD:
        return set_float(result, x + y);
    case ZC_OPERATOR_SUBTRACT:
        return set_float(result, x - y);
    case ZC_OPERATOR_MULTIPLY:
        return set_float(result, x * y);
    case ZC_OPERATOR_DIVIDE:
        return set_float(result, x / y);
    case ZC_OPERATOR_FLOOR_DIVIDE:
        return set_float(result, floor_divide(x, y));
    case ZC_OPERATOR_REMAINDER:
        return set_float(result, remainder_of(x, y));
    case ZC_OPERATOR_POWER:
        return power_of_floats(x, y, result, fault);
    default:
        return zc_fault_refuse(fault, "%s: takes integers or bool, not a float", zc_operator_describe(op)->name);
    }
}

/* ---- Integers ---- */

static bool divide_integers(zc_operator op, int64_t a, int64_t b, zc_object *result, zc_fault *fault)
{
    if (b == 0)
        return refuse_zero(op, fault);
    if (op == ZC_OPERATOR_DIVIDE)
        return set_float(result, (double)((long double)a / (long double)b));
    if (b == -1) { /* the one quotient that overflows, and C's % with it */
        if (op == ZC_OPERATOR_REMAINDER)
            return set_integer(result, 0);
        return a == INT64_MIN ? refuse_overflow(op, a, b, fault) : set_integer(result, -a);
    }
    int64_t quotient = a / b, rest = a % b;
    bool is_rounded_up = rest != 0 && (rest < 0) != (b < 0);
    if (op == ZC_OPERATOR_REMAINDER)
        return set_integer(result, is_rounded_up ? rest + b : rest);
    return set_integer(result, is_rounded_up ? quotient - 1 : quotient);
}

static bool power_of_integers(int64_t base, int64_t exponent, zc_object *result, zc_fault *fault)
{
    if (exponent < 0)
        return power_of_floats((double)base, (double)exponent, result, fault);
    if (base >= -1 && base <= 1) /* the powers that repeat */
        return set_integer(result, exponent == 0 ? 1 : base < 0 && exponent % 2 == 0 ? 1 : base);
    int64_t power = 1;
    for (int64_t i = 0; i < exponent; i++) { /* 63 steps at most before it overflows */
        if (__builtin_mul_overflow(power, base, &power))
            return refuse_overflow(ZC_OPERATOR_POWER, base, exponent, fault);
    }
    return set_integer(result, power);
}

static bool shift(zc_operator op, int64_t a, int64_t count, zc_object *result, zc_fault *fault)
{
    if (count < 0)
        return zc_fault_refuse(fault, "%s: the shift count %lld is negative", zc_operator_describe(op)->name,
                               (long long)count);
    int64_t within = count > 63 ? 63 : count;
    if (op == ZC_OPERATOR_SHIFT_RIGHT)
        return set_integer(result, a < 0 ? ~(~a >> within) : a >> within);
    if (a == 0)
        return set_integer(result, 0);
    int64_t highest = INT64_MAX >> within;
    if (count > 63 || a > highest || a < -highest - 1)
        return refuse_overflow(op, a, count, fault);
    return set_integer(result, (int64_t)((uint64_t)a << within));
}

static bool integer_binary(zc_operator op, int64_t a, int64_t b, zc_object *result, zc_fault *fault)
{
    bool overflows = false;
    int64_t out = 0;
    switch (op) {
    case ZC_OPERATOR_ADD:
        overflows = __builtin_add_overflow(a, b, &out);
        break;
    case ZC_OPERATOR_SUBTRACT:
        overflows = __builtin_sub_overflow(a, b, &out);
        break;
    case ZC_OPERATOR_MULTIPLY:
        overflows = __builtin_mul_overflow(a, b, &out);
        break;
    case ZC_OPERATOR_POWER:
        return power_of_integers(a, b, result, fault);
    case ZC_OPERATOR_SHIFT_LEFT:
    case ZC_OPERATOR_SHIFT_RIGHT:
        return shift(op, a, b, result, fault);
    case ZC_OPERATOR_AND:
        return set_integer(result, a & b);
    case ZC_OPERATOR_OR:
        return set_integer(result, a | b);
    case ZC_OPERATOR_XOR:
        return set_integer(result, a ^ b);
    default:
        return divide_integers(op, a, b, result, fault);
    }
    return overflows ? refuse_overflow(op, a, b, fault) : set_integer(result, out);
}

/* ---- Both ---- */

static bool is_bitwise(zc_operator op)
{
    return op == ZC_OPERATOR_AND || op == ZC_OPERATOR_OR || op == ZC_OPERATOR_XOR;
}

bool zc_number_binary(zc_operator op, zc_object a, zc_object b, zc_object *result, zc_fault *fault)
{
    int64_t i, j;
    bool is_point = is_complex(a) || is_complex(b),
         tells_equal = op == ZC_OPERATOR_EQUAL || op == ZC_OPERATOR_NOT_EQUAL;
    if (is_point && !tells_equal)
        return zc_point_binary(op, zc_number_as_point(a), zc_number_as_point(b), result, fault);
    if (zc_operator_describe(op)->kind == ZC_OPERATOR_IS_COMPARISON)
        return set_bool(result, holds(op, zc_number_compare(a, b)));
    if (!zc_object_as_integer(a, &i) || !zc_object_as_integer(b, &j))
        return float_binary(op, zc_number_as_float(a), zc_number_as_float(b), result, fault);
    if (!integer_binary(op, i, j, result, fault))
        return false;
    if (is_bitwise(op) && a.kind == ZC_OBJECT_BOOL && b.kind == ZC_OBJECT_BOOL)
        return set_bool(result, result->integer != 0);
    return true;
}

bool zc_number_unary(zc_operator op, zc_object x, zc_object *result, zc_fault *fault)
{
    int64_t i;
    bool is_integer = zc_object_as_integer(x, &i);
    if (op == ZC_OPERATOR_INVERT)
        return is_integer
                   ? set_integer(result, ~i)
                   : zc_fault_refuse(fault, "bitwise_invert: takes integers or bool, not %s", zc_object_describe(x));
    if (is_complex(x)) {
        *result = x;
        if (op == ZC_OPERATOR_NEGATIVE)
            result->point = (zc_point){-x.point.real, -x.point.imag};
        return true;
    }
    if (!is_integer)
        return set_float(result, op == ZC_OPERATOR_NEGATIVE ? -x.real : x.real);
    if (op == ZC_OPERATOR_POSITIVE)
        return set_integer(result, i);
    return i == INT64_MIN ? zc_fault_refuse(fault, "negative: -(%lld) does not fit in int64", (long long)i)
                          : set_integer(result, -i);
}
