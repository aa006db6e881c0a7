#include "expressions/values/number.h"

#include <math.h>

#include "expressions/values/point.h"
#include "expressions/values/wide.h"

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
    zc_wide integer;
    return zc_wide_read(value, &integer) ? zc_wide_as_float(integer) : value.real;
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

static bool refuse_zero(zc_operator op, zc_fault *fault)
{
    return zc_fault_refuse(fault, "%s: division by zero", zc_operator_describe(op)->name);
}

/* ---- Comparisons ---- */

static zc_order order_of(bool is_less, bool is_equal)
{
    return is_less ? ZC_ORDER_LESS : is_equal ? ZC_ORDER_EQUAL : ZC_ORDER_GREATER;
}

static zc_order order_from(int sign)
{
    return order_of(sign < 0, sign == 0);
}

static zc_order compare_real(zc_object a, zc_object b)
{
    zc_wide i, j;
    bool is_integer_a = zc_wide_read(a, &i), is_integer_b = zc_wide_read(b, &j);
    if (is_integer_a && is_integer_b)
        return order_from(zc_wide_compare(i, j));
    if ((!is_integer_a && isnan(a.real)) || (!is_integer_b && isnan(b.real)))
        return ZC_ORDER_NONE;
    if (is_integer_a)
        return order_from(zc_wide_compare_float(i, b.real));
    if (is_integer_b)
        return order_from(-zc_wide_compare_float(j, a.real));
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

static bool integer_binary(zc_operator op, zc_wide a, zc_wide b, zc_object *result, zc_fault *fault)
{
    if (op == ZC_OPERATOR_DIVIDE && b.magnitude == 0)
        return refuse_zero(op, fault);
    if (op == ZC_OPERATOR_DIVIDE) {
        const double size = (double)((long double)a.magnitude / (long double)b.magnitude);
        return set_float(result, a.is_negative != b.is_negative ? -size : size);
    }
    if (op == ZC_OPERATOR_POWER && b.is_negative)
        return power_of_floats(zc_wide_as_float(a), zc_wide_as_float(b), result, fault);
    return zc_wide_binary(op, a, b, result, fault);
}

/* ---- Both ---- */

static bool is_bitwise(zc_operator op)
{
    return op == ZC_OPERATOR_AND || op == ZC_OPERATOR_OR || op == ZC_OPERATOR_XOR;
}

bool zc_number_binary(zc_operator op, zc_object a, zc_object b, zc_object *result, zc_fault *fault)
{
    zc_wide i, j;
    bool is_point = is_complex(a) || is_complex(b),
         tells_equal = op == ZC_OPERATOR_EQUAL || op == ZC_OPERATOR_NOT_EQUAL;
    if (is_point && !tells_equal)
        return zc_point_binary(op, zc_number_as_point(a), zc_number_as_point(b), result, fault);
    if (zc_operator_describe(op)->kind == ZC_OPERATOR_IS_COMPARISON)
        return set_bool(result, holds(op, zc_number_compare(a, b)));
    if (!zc_wide_read(a, &i) || !zc_wide_read(b, &j))
        return float_binary(op, zc_number_as_float(a), zc_number_as_float(b), result, fault);
    if (!integer_binary(op, i, j, result, fault))
        return false;
    if (is_bitwise(op) && a.kind == ZC_OBJECT_BOOL && b.kind == ZC_OBJECT_BOOL)
        return set_bool(result, result->integer != 0);
    return true;
}

bool zc_number_unary(zc_operator op, zc_object x, zc_object *result, zc_fault *fault)
{
    zc_wide integer;
    if (zc_wide_read(x, &integer))
        return zc_wide_unary(op, integer, result, fault);
    if (op == ZC_OPERATOR_INVERT)
        return zc_fault_refuse(fault, "bitwise_invert: takes integers or bool, not %s", zc_object_describe(x));
    if (is_complex(x)) {
        *result = x;
        if (op == ZC_OPERATOR_NEGATIVE)
            result->point = (zc_point){-x.point.real, -x.point.imag};
        return true;
    }
    return set_float(result, op == ZC_OPERATOR_NEGATIVE ? -x.real : x.real);
}
