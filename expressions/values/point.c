#include "expressions/values/point.h"

#include <math.h>

static zc_point multiply(zc_point a, zc_point b)
{
    return (zc_point){a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}

/* Smith's method. b is not 0. */
static zc_point divide(zc_point a, zc_point b)
{
    if (fabs(b.real) >= fabs(b.imag)) {
        double ratio = b.imag / b.real, size = b.real + b.imag * ratio;
        return (zc_point){(a.real + a.imag * ratio) / size, (a.imag - a.real * ratio) / size};
    }
    if (isnan(b.real) || isnan(b.imag))
        return (zc_point){(double)NAN, (double)NAN};
    double ratio = b.real / b.imag, size = b.real * ratio + b.imag;
    return (zc_point){(a.real * ratio + a.imag) / size, (a.imag * ratio - a.real) / size};
}

static bool is_zero(zc_point z)
{
    return z.real == 0 && z.imag == 0;
}

/* ---- Powers: products for whole ones up to 100, else by size and angle ---- */

static zc_point whole_power(zc_point base, int exponent)
{
    zc_point power = {1, 0};
    for (int left = exponent < 0 ? -exponent : exponent; left > 0; left >>= 1) {
        if ((left & 1) != 0)
            power = multiply(power, base);
        base = multiply(base, base);
    }
    return exponent < 0 ? divide((zc_point){1, 0}, power) : power;
}

static zc_point turned_power(zc_point base, zc_point exponent)
{
    double size = hypot(base.real, base.imag), angle = atan2(base.imag, base.real);
    double length = pow(size, exponent.real), turn = angle * exponent.real;
    if (exponent.imag != 0) {
        length /= exp(angle * exponent.imag);
        turn += exponent.imag * log(size);
    }
    double x = length * cos(turn), y = length * sin(turn);
    return (zc_point){x, y};
}

static bool raise_to(zc_point base, zc_point exponent, zc_point *power, zc_fault *fault)
{
    bool is_whole = exponent.imag == 0 && floor(exponent.real) == exponent.real && fabs(exponent.real) <= 100;
    if (is_zero(base) && (exponent.imag != 0 || exponent.real < 0))
        return zc_fault_refuse(fault, "pow: zero to a negative or complex power");
    if (is_zero(exponent))
        *power = (zc_point){1, 0};
    else if (is_zero(base))
        *power = (zc_point){0, 0};
    else
        *power = is_whole ? whole_power(base, (int)exponent.real) : turned_power(base, exponent);
    if (isinf(power->real) || isinf(power->imag))
        return zc_fault_refuse(fault, "pow: the result is outside complex128");
    return true;
}

bool zc_point_binary(zc_operator op, zc_point a, zc_point b, zc_object *result, zc_fault *fault)
{
    const zc_operator_info *info = zc_operator_describe(op);
    *result = (zc_object){.kind = ZC_OBJECT_COMPLEX};
    switch (op) {
    case ZC_OPERATOR_ADD:
        result->point = (zc_point){a.real + b.real, a.imag + b.imag};
        return true;
    case ZC_OPERATOR_SUBTRACT:
        result->point = (zc_point){a.real - b.real, a.imag - b.imag};
        return true;
    case ZC_OPERATOR_MULTIPLY:
        result->point = multiply(a, b);
        return true;
    case ZC_OPERATOR_DIVIDE:
        if (is_zero(b))
            return zc_fault_refuse(fault, "%s: division by zero", info->name);
        result->point = divide(a, b);
        return true;
    case ZC_OPERATOR_POWER:
        return raise_to(a, b, &result->point, fault);
    default:
        return zc_fault_refuse(fault, "%s: takes no complex numbers", info->name);
    }
}
