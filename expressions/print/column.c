#include "expressions/print/column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/decimal/digits.h"

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

/* Floats that a format is for, one of each element. */
typedef struct floats {
    zc_dtype dtype;
    const void *data;
    int64_t count;
    bool are_imaginary;
} floats;

static double float_at(const floats *f, int64_t index)
{
    zc_element element = zc_element_read(f->dtype, f->data, index);
    return f->are_imaginary ? element.imag : element.real;
}

/* Range of the finite, non-zero magnitudes of an array. */
typedef struct extent {
    bool has_finite, has_other, has_negative_infinity;
    double least, most; /* 0 while there is none */
} extent;

static extent measure(const floats *f)
{
    extent x = {0};
    for (int64_t i = 0; i < f->count; i++) {
        double value = float_at(f, i), magnitude = fabs(value);
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
static bool needs_exponents(const zc_float_format *format, const extent *x)
{
    if (x->most == 0)
        return false;
    zc_precision divided = format->precision == ZC_PRECISION_BFLOAT16 ? ZC_PRECISION_SINGLE : format->precision;
    double ratio = zc_precision_round(divided, x->most / x->least);
    return x->most >= 1e8 || x->least < 0.0001 || ratio > 1000;
}

/* A number below the last place that is printed: nothing, or one in that place. printf() rounds as digits are rounded.
 */
static zc_digits digits_below(double value, int places)
{
    char text[ZC_NUMBER_BYTES];
    const int length = snprintf(text, sizeof text, "%.*f", places, value);
    zc_digits d = {.is_negative = signbit(value) != 0, .count = 1, .digit = {text[length - 1]}};
    d.exponent = d.digit[0] == '0' ? 0 : -places;
    return d;
}

/* The digits that tell a number from its neighbours, cut to the precision; those before a decimal point are all there.
 */
static zc_digits digits_of(const zc_float_format *format, double value)
{
    zc_digits shortest = zc_digits_shortest(value, format->precision);
    int whole = format->is_scientific ? 1 : shortest.exponent + 1, most = whole + format->most;
    if (most <= 0)
        return digits_below(value, format->most);
    bool is_short = shortest.count<whole, is_long = shortest.count> most;
    return is_short || is_long ? zc_digits_rounded(value, format->precision, is_short ? whole : most) : shortest;
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

/* A plus before what has no sign, where the format shows it. */
static int put_plus(const zc_float_format *format, char *word, int length)
{
    if (!format->shows_plus || word[0] == '-')
        return length;
    memmove(word + 1, word, (size_t)length + 1);
    word[0] = '+';
    return length + 1;
}

static void widen(zc_float_format *format, double value)
{
    zc_digits d = digits_of(format, value);
    char text[ZC_NUMBER_BYTES];
    int length =
        format->is_scientific ? zc_digits_write_scientific(&d, 0, 2, text) : zc_digits_write_positional(&d, text);
    length = put_plus(format, text, length);
    const char *point = memchr(text, '.', (size_t)length);
    int left = (int)(point - text), right = length - left - 1;
    format->left = at_least(format->left, left);
    if (format->is_scientific) {
        int exponent_width = d.exponent > 99 || d.exponent < -99 ? 3 : 2;
        format->exponent_width = at_least(format->exponent_width, exponent_width);
        right = d.count - 1;
    }
    format->fraction = at_least(format->fraction, right);
}

static zc_float_format fit_floats(const floats *f, zc_precision precision, int digits)
{
    extent x = measure(f);
    zc_float_format format = {.precision = precision, .most = digits, .shows_plus = f->are_imaginary};
    format.is_scientific = needs_exponents(&format, &x);
    for (int64_t i = 0; i < f->count; i++) {
        double value = float_at(f, i);
        if (isfinite(value))
            widen(&format, value);
    }
    int right = format.fraction + (format.is_scientific ? format.exponent_width + 2 : 0);
    if (x.has_other) /* room for nan, inf and -inf */
        format.left = at_least(format.left, 3 + (x.has_negative_infinity || format.shows_plus ? 1 : 0) - (right + 1));
    format.width = format.left + 1 + right;
    return format;
}

static int pad_left(char *word, int length, int width)
{
    int missing = width > length ? width - length : 0;
    memmove(word + missing, word, (size_t)length + 1);
    memset(word, ' ', (size_t)missing);
    return length + missing;
}

static int write_infinite(double value, char *word)
{
    return snprintf(word, ZC_WORD_BYTES, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

static int write_float(const zc_float_format *format, double value, char *word)
{
    if (!isfinite(value)) {
        int length = put_plus(format, word, write_infinite(value, word));
        return pad_left(word, length, format->width);
    }
    if (format->is_scientific) { /* all with as many digits, even where fewer would do: NumPy's way */
        zc_digits d = zc_digits_rounded(value, format->precision, format->fraction + 1);
        int length = zc_digits_write_scientific(&d, format->fraction, format->exponent_width, word);
        return pad_left(word, put_plus(format, word, length), format->width);
    }
    zc_digits d = digits_of(format, value);
    int length = put_plus(format, word, zc_digits_write_positional(&d, word));
    int left = (int)(strchr(word, '.') - word);
    length = pad_left(word, length, length + format->left - left);
    memset(word + length, ' ', (size_t)(format->width - length));
    return format->width;
}

/* ---- Complex numbers ---- */

/* The unit stands before the spaces that fill up the imaginary part. */
static int write_complex(const zc_column *column, zc_element element, char *word)
{
    int length = write_float(&column->real, element.real, word);
    length += write_float(&column->imag, element.imag, word + length);
    int end = length;
    while (word[end - 1] == ' ')
        end--;
    memmove(word + end + 1, word + end, (size_t)(length - end));
    word[end] = 'j';
    return length + 1;
}

/* As short as can be: "1", "1.5", "-0", "inf". */
static int write_part(double value, zc_precision precision, char *word)
{
    if (!isfinite(value))
        return write_infinite(value, word);
    int length = zc_digits_write_repr(value, precision, word);
    bool is_whole = word[length - 2] == '.' && word[length - 1] == '0'; /* "0.0" is the shortest there is */
    return is_whole ? length - 2 : length;
}

/* "(1+2j)"; "2j" where the real part is a positive 0. */
static int write_point(zc_element element, char *word)
{
    bool is_imaginary = element.real == 0 && !signbit(element.real);
    int length = 0;
    if (!is_imaginary) {
        word[length++] = '(';
        length += write_part(element.real, element.precision, word + length);
        if (isnan(element.imag) || !signbit(element.imag))
            word[length++] = '+';
    }
    length += write_part(element.imag, element.precision, word + length);
    word[length++] = 'j';
    if (!is_imaginary)
        word[length++] = ')';
    return length;
}

/* ---- All ---- */

zc_column zc_column_fit(zc_dtype dtype, const void *data, int64_t count, int digits)
{
    static const unsigned char zeros[2 * sizeof(double)] = {0};
    zc_element zero = zc_element_read(dtype, zeros, 0);
    zc_column column = {.dtype = dtype, .kind = zero.kind};
    if (column.kind == ZC_ELEMENT_BOOL) {
        column.width = 5;
    } else if (column.kind == ZC_ELEMENT_SIGNED || column.kind == ZC_ELEMENT_UNSIGNED) {
        fit_integers(&column, data, count);
    } else {
        column.real = fit_floats(&(floats){dtype, data, count, false}, zero.precision, digits);
        column.width = column.real.width;
    }
    if (column.kind == ZC_ELEMENT_COMPLEX) {
        column.imag = fit_floats(&(floats){dtype, data, count, true}, zero.precision, digits);
        column.width += column.imag.width + 1;
    }
    return column;
}

int zc_column_write(const zc_column *column, const void *data, int64_t index, char *word)
{
    zc_element element = zc_element_read(column->dtype, data, index);
    if (column->kind == ZC_ELEMENT_FLOAT)
        return write_float(&column->real, element.real, word);
    if (column->kind == ZC_ELEMENT_COMPLEX)
        return write_complex(column, element, word);
    return pad_left(word, zc_element_write(element, word), column->width);
}

int zc_element_write(zc_element element, char *word)
{
    if (element.kind == ZC_ELEMENT_BOOL)
        return snprintf(word, ZC_WORD_BYTES, "%s", element.truth ? "True" : "False");
    if (element.kind == ZC_ELEMENT_SIGNED || element.kind == ZC_ELEMENT_UNSIGNED)
        return write_integer(element, word);
    if (element.kind == ZC_ELEMENT_COMPLEX)
        return write_point(element, word);
    if (!isfinite(element.real))
        return write_infinite(element.real, word);
    return zc_digits_write_repr(element.real, element.precision, word);
}
