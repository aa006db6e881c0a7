#include "tools/column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/digits.h"

enum { PRECISION = 8 };

/* ---- Bool and integers ---- */

static int write_integer(zc_element element, char *text)
{
    if (element.kind == ZC_ELEMENT_UNSIGNED)
        return snprintf(text, ZC_WORD_BYTES, "%" PRIu64, element.magnitude);
    return snprintf(text, ZC_WORD_BYTES, "%" PRId64, element.integer);
}

static void fit_integers(zc_column *column, const void *data, int64_t count)
{
    char text[ZC_WORD_BYTES];
    for (int64_t i = 0; i < count; i++) {
        int length = write_integer(zc_element_read(column->dtype, data, i), text);
        if (length > column->width)
            column->width = length;
    }
}

/* ---- Floats ---- */

/* How far the finite, non-zero magnitudes of an array reach. */
typedef struct extent {
    bool has_finite, has_other, has_negative_infinity;
    double least, most; /* 0 while there is none */
} extent;

static extent measure(const zc_column *column, const void *data, int64_t count)
{
    extent x = {0};
    for (int64_t i = 0; i < count; i++) {
        double value = zc_element_read(column->dtype, data, i).real, magnitude = fabs(value);
        if (!isfinite(value)) {
            x.has_other = true;
            x.has_negative_infinity |= value < 0;
            continue;
        }
        x.has_finite = true;
        if (magnitude != 0 && (x.most == 0 || magnitude < x.least))
            x.least = magnitude;
        if (magnitude > x.most)
            x.most = magnitude;
    }
    return x;
}

/* NumPy divides in the dtype of the array, and compares in double. It has no bfloat16: those count as float32. */
static bool needs_exponents(const zc_column *column, const extent *x)
{
    if (x->most == 0)
        return false;
    zc_precision divided = column->precision == ZC_PRECISION_BFLOAT16 ? ZC_PRECISION_SINGLE : column->precision;
    double ratio = zc_precision_round(divided, x->most / x->least);
    return x->most >= 1e8 || x->least < 0.0001 || ratio > 1000;
}

/* The digits that tell a number from its neighbours, cut to the precision; those before a decimal point are all there.
 */
static zc_digits digits_of(const zc_column *column, double value)
{
    zc_digits shortest = zc_digits_shortest(value, column->precision);
    int whole = column->is_scientific ? 1 : shortest.exponent + 1, most = whole + PRECISION;
    bool is_short = shortest.count<whole, is_long = shortest.count> most;
    return is_short || is_long ? zc_digits_rounded(value, column->precision, is_short ? whole : most) : shortest;
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

static void widen(zc_column *column, double value)
{
    zc_digits d = digits_of(column, value);
    char text[ZC_NUMBER_BYTES];
    int length =
        column->is_scientific ? zc_digits_write_scientific(&d, 0, 2, text) : zc_digits_write_positional(&d, text);
    const char *point = memchr(text, '.', (size_t)length);
    int left = (int)(point - text), right = length - left - 1;
    column->left = at_least(column->left, left);
    if (column->is_scientific) {
        int exponent_width = d.exponent > 99 || d.exponent < -99 ? 3 : 2;
        column->exponent_width = at_least(column->exponent_width, exponent_width);
        right = d.count - 1;
    }
    column->fraction = at_least(column->fraction, right);
}

static void fit_floats(zc_column *column, const void *data, int64_t count)
{
    extent x = measure(column, data, count);
    column->is_scientific = needs_exponents(column, &x);
    for (int64_t i = 0; i < count; i++) {
        double value = zc_element_read(column->dtype, data, i).real;
        if (isfinite(value))
            widen(column, value);
    }
    int right = column->fraction + (column->is_scientific ? column->exponent_width + 2 : 0);
    if (x.has_other) /* room for nan, inf and -inf */
        column->left = at_least(column->left, 3 + (x.has_negative_infinity ? 1 : 0) - (right + 1));
    column->width = column->left + 1 + right;
}

static int pad_left(char *word, int length, int width)
{
    int missing = width > length ? width - length : 0;
    memmove(word + missing, word, (size_t)length + 1);
    memset(word, ' ', (size_t)missing);
    return length + missing;
}

static int write_float(const zc_column *column, double value, char *word)
{
    if (!isfinite(value)) {
        int length = snprintf(word, ZC_WORD_BYTES, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return pad_left(word, length, column->width);
    }
    if (column->is_scientific) { /* all with as many digits, even where fewer would do: NumPy's way */
        zc_digits d = zc_digits_rounded(value, column->precision, column->fraction + 1);
        int length = zc_digits_write_scientific(&d, column->fraction, column->exponent_width, word);
        return pad_left(word, length, column->width);
    }
    zc_digits d = digits_of(column, value);
    int length = zc_digits_write_positional(&d, word);
    int left = (int)(strchr(word, '.') - word);
    length = pad_left(word, length, length + column->left - left);
    memset(word + length, ' ', (size_t)(column->width - length));
    return column->width;
}

/* ---- Both ---- */

zc_column zc_column_fit(zc_dtype dtype, const void *data, int64_t count)
{
    static const unsigned char zeros[sizeof(uint64_t)] = {0};
    zc_element zero = zc_element_read(dtype, zeros, 0);
    zc_column column = {.dtype = dtype, .kind = zero.kind, .precision = zero.precision};
    if (column.kind == ZC_ELEMENT_BOOL)
        column.width = 5;
    else if (column.kind == ZC_ELEMENT_SIGNED || column.kind == ZC_ELEMENT_UNSIGNED)
        fit_integers(&column, data, count);
    else
        fit_floats(&column, data, count);
    return column;
}

int zc_column_write(const zc_column *column, const void *data, int64_t index, char *word)
{
    zc_element element = zc_element_read(column->dtype, data, index);
    if (column->kind == ZC_ELEMENT_FLOAT)
        return write_float(column, element.real, word);
    return pad_left(word, zc_element_write(element, word), column->width);
}

int zc_element_write(zc_element element, char *word)
{
    if (element.kind == ZC_ELEMENT_BOOL)
        return snprintf(word, ZC_WORD_BYTES, "%s", element.truth ? "True" : "False");
    if (element.kind == ZC_ELEMENT_SIGNED || element.kind == ZC_ELEMENT_UNSIGNED)
        return write_integer(element, word);
    if (!isfinite(element.real))
        return snprintf(word, ZC_WORD_BYTES, "%s", isnan(element.real) ? "nan" : element.real < 0 ? "-inf" : "inf");
    return zc_digits_write_repr(element.real, element.precision, word);
}
