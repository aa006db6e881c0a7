#include "expressions/values/wide.h"

#include <inttypes.h>
#include <stdio.h>

static zc_wide wide_of(uint64_t magnitude, bool is_negative)
{
    return (zc_wide){magnitude, is_negative && magnitude != 0};
}

bool zc_wide_read(zc_object value, zc_wide *wide)
{
    int64_t integer;
    if (value.kind == ZC_OBJECT_LARGE) {
        *wide = wide_of(value.magnitude, false);
        return true;
    }
    if (!zc_object_as_integer(value, &integer))
        return false;
    *wide = wide_of(integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer, integer < 0);
    return true;
}

double zc_wide_as_float(zc_wide x)
{
    return x.is_negative ? -(double)x.magnitude : (double)x.magnitude;
}

/* ---- Comparisons ---- */

static int turn(int order, bool is_turned)
{
    return is_turned ? -order : order;
}

int zc_wide_compare(zc_wide x, zc_wide y)
{
    if (x.is_negative != y.is_negative)
        return x.is_negative ? -1 : 1;
    return turn((x.magnitude > y.magnitude) - (x.magnitude < y.magnitude), x.is_negative);
}

int zc_wide_compare_float(zc_wide x, double y)
{
    const double size = x.is_negative ? -y : y;
    if (size < 0)
        return turn(1, x.is_negative);
    if (size >= 0x1p64)
        return turn(-1, x.is_negative);
    const uint64_t whole = (uint64_t)size; /* towards zero, exact */
    const int order = (x.magnitude > whole) - (x.magnitude < whole);
    return turn(order != 0 ? order : -(size - (double)whole > 0), x.is_negative);
}

/* ---- Results ---- */

enum { WIDE_TEXT = 24 };

static const char *text_of(zc_wide x, char text[WIDE_TEXT])
{
    (void)snprintf(text, WIDE_TEXT, "%s%" PRIu64, x.is_negative ? "-" : "", x.magnitude);
    return text;
}

/* False when there is none. */
static bool set(zc_wide x, zc_object *result)
{
    if (x.is_negative && x.magnitude > UINT64_C(1) << 63)
        return false;
    if (x.is_negative || x.magnitude <= INT64_MAX)
        *result = zc_object_integer(x.is_negative ? (int64_t)(0 - x.magnitude) : (int64_t)x.magnitude);
    else
        *result = (zc_object){.kind = ZC_OBJECT_LARGE, .magnitude = x.magnitude};
    return true;
}

/* ---- Operations: false where the magnitude has more than 64 bits ---- */

static bool add(zc_wide a, zc_wide b, zc_wide *out)
{
    *out = wide_of(a.magnitude - b.magnitude, a.is_negative);
    if (a.is_negative == b.is_negative)
        return *out = wide_of(a.magnitude + b.magnitude, a.is_negative), a.magnitude <= UINT64_MAX - b.magnitude;
    if (a.magnitude < b.magnitude)
        *out = wide_of(b.magnitude - a.magnitude, b.is_negative);
    return true;
}

static zc_wide negated(zc_wide x)
{
    return wide_of(x.magnitude, !x.is_negative);
}

static bool multiply(zc_wide a, zc_wide b, zc_wide *out)
{
    uint64_t magnitude;
    const bool overflows = __builtin_mul_overflow(a.magnitude, b.magnitude, &magnitude);
    *out = wide_of(magnitude, a.is_negative != b.is_negative);
    return !overflows;
}

/* The quotient towards minus infinity, and what is left, which has b's sign. b is not 0. */
static bool divide(zc_wide a, zc_wide b, zc_wide *quotient, zc_wide *rest)
{
    uint64_t whole = a.magnitude / b.magnitude, left = a.magnitude % b.magnitude;
    const bool is_rounded = left != 0 && a.is_negative != b.is_negative;
    *quotient = wide_of(whole + is_rounded, a.is_negative != b.is_negative);
    *rest = wide_of(is_rounded ? b.magnitude - left : left, b.is_negative);
    return true; /* a quotient that is rounded has a divisor above 1 */
}

static bool power(zc_wide base, uint64_t exponent, zc_wide *out)
{
    *out = wide_of(1, false);
    if (base.magnitude <= 1) /* the powers that repeat */
        exponent = exponent == 0 ? 0 : 2 - exponent % 2;
    for (uint64_t i = 0; i < exponent; i++) { /* 64 steps at most before it overflows */
        if (!multiply(*out, base, out))
            return false;
    }
    return true;
}

static bool shift_left(zc_wide a, uint64_t count, zc_wide *out)
{
    *out = a;
    if (a.magnitude == 0)
        return true;
    return count < 64 && multiply(a, wide_of(UINT64_C(1) << count, false), out);
}

static bool shift_right(zc_wide a, uint64_t count, zc_wide *out)
{
    zc_wide rest;
    *out = wide_of(1, true);
    if (count < 64)
        return divide(a, wide_of(UINT64_C(1) << count, false), out, &rest);
    if (!a.is_negative)
        *out = wide_of(0, false);
    return true;
}

/* In two's complement of 65 bits: a word, and a sign in front of it. */
static bool combine_bits(zc_operator op, zc_wide a, zc_wide b, zc_wide *out)
{
    const uint64_t x = a.is_negative ? 0 - a.magnitude : a.magnitude, y = b.is_negative ? 0 - b.magnitude : b.magnitude;
    uint64_t word = x ^ y;
    bool sign = a.is_negative != b.is_negative;
    if (op == ZC_OPERATOR_AND) {
        word = x & y;
        sign = a.is_negative && b.is_negative;
    } else if (op == ZC_OPERATOR_OR) {
        word = x | y;
        sign = a.is_negative || b.is_negative;
    }
    *out = wide_of(sign ? 0 - word : word, sign);
    return !sign || word != 0;
}

static bool apply(zc_operator op, zc_wide a, zc_wide b, zc_wide *out)
{
    zc_wide unused;
    switch (op) {
    case ZC_OPERATOR_ADD:
        return add(a, b, out);
    case ZC_OPERATOR_SUBTRACT:
        return add(a, negated(b), out);
    case ZC_OPERATOR_MULTIPLY:
        return multiply(a, b, out);
    case ZC_OPERATOR_FLOOR_DIVIDE:
        return divide(a, b, out, &unused);
    case ZC_OPERATOR_REMAINDER:
        return divide(a, b, &unused, out);
    case ZC_OPERATOR_POWER:
        return power(a, b.magnitude, out);
    case ZC_OPERATOR_SHIFT_LEFT:
        return shift_left(a, b.magnitude, out);
    case ZC_OPERATOR_SHIFT_RIGHT:
        return shift_right(a, b.magnitude, out);
    default:
        return combine_bits(op, a, b, out);
    }
}

bool zc_wide_binary(zc_operator op, zc_wide a, zc_wide b, zc_object *result, zc_fault *fault)
{
    const zc_operator_info *info = zc_operator_describe(op);
    const bool shifts = op == ZC_OPERATOR_SHIFT_LEFT || op == ZC_OPERATOR_SHIFT_RIGHT;
    const bool divides = op == ZC_OPERATOR_FLOOR_DIVIDE || op == ZC_OPERATOR_REMAINDER;
    char left[WIDE_TEXT], right[WIDE_TEXT];
    zc_wide out;
    if (shifts && b.is_negative)
        return zc_fault_refuse(fault, "%s: the shift count %s is negative", info->name, text_of(b, right));
    if (divides && b.magnitude == 0)
        return zc_fault_refuse(fault, "%s: division by zero", info->name);
    if (apply(op, a, b, &out) && set(out, result))
        return true;
    return zc_fault_refuse(fault, "%s: %s %s %s fits in neither int64 nor uint64", info->name, text_of(a, left),
                           info->text, text_of(b, right));
}

bool zc_wide_unary(zc_operator op, zc_wide x, zc_object *result, zc_fault *fault)
{
    char text[WIDE_TEXT];
    zc_wide out = op == ZC_OPERATOR_POSITIVE ? x : negated(x);
    const bool fits = op != ZC_OPERATOR_INVERT || add(out, wide_of(1, true), &out); /* ~x is -x - 1 */
    if (fits && set(out, result))
        return true;
    return zc_fault_refuse(fault, "%s: %s(%s) fits in neither int64 nor uint64", zc_operator_describe(op)->name,
                           zc_operator_describe(op)->text, text_of(x, text));
}
