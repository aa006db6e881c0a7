#include "materialize/files/bytes/print.h"

#include "math/floats/narrow.h"

static int print_magnitude(uint64_t value, bool is_negative, char *text)
{
    char digits[20];
    int count = 0, length = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    if (is_negative)
        text[length++] = '-';
    while (count > 0)
        text[length++] = digits[--count];
    return length;
}

static int print_integer(int64_t value, char *text)
{
    return print_magnitude(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, text);
}

static int print_word(const char *word, char *text)
{
    int length = 0;
    for (; word[length] != '\0'; length++)
        text[length] = word[length];
    return length;
}

static int print_float(double value, zc_precision precision, char *text)
{
    if (isfinite(value))
        return zc_digits_write_repr(value, precision, text);
    return print_word(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf", text);
}

int zc_text_print(zc_dtype dtype, const void *elements, int64_t index, char *text)
{
    switch (dtype) {
    case ZC_BOOL:
        return print_word(((const unsigned char *)elements)[index] != 0 ? "True" : "False", text);
    case ZC_INT8:
        return print_integer(((const int8_t *)elements)[index], text);
    case ZC_INT16:
        return print_integer(((const int16_t *)elements)[index], text);
    case ZC_INT32:
        return print_integer(((const int32_t *)elements)[index], text);
    case ZC_INT64:
        return print_integer(((const int64_t *)elements)[index], text);
    case ZC_UINT8:
        return print_magnitude(((const uint8_t *)elements)[index], false, text);
    case ZC_UINT16:
        return print_magnitude(((const uint16_t *)elements)[index], false, text);
    case ZC_UINT32:
        return print_magnitude(((const uint32_t *)elements)[index], false, text);
    case ZC_UINT64:
        return print_magnitude(((const uint64_t *)elements)[index], false, text);
    case ZC_FLOAT16:
        return print_float((double)value_float16(((const uint16_t *)elements)[index]), ZC_PRECISION_HALF, text);
    case ZC_BFLOAT16:
        return print_float((double)value_bfloat16(((const uint16_t *)elements)[index]), ZC_PRECISION_BFLOAT16, text);
    case ZC_FLOAT32:
        return print_float((double)((const float *)elements)[index], ZC_PRECISION_SINGLE, text);
    default:
        return print_float(((const double *)elements)[index], ZC_PRECISION_DOUBLE, text);
    }
}
