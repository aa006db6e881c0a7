/*
 * The common format of an array's numbers, after NumPy's rules: one width, one notation, one precision.
 */
#ifndef ZC_EXPRESSIONS_PRINT_COLUMN_H
#define ZC_EXPRESSIONS_PRINT_COLUMN_H

#include "expressions/values/element.h"

/* The format of floats; a complex number is two, each with its own. */
typedef struct zc_float_format {
    zc_precision precision;
    int most; /* digits behind the decimal point, at most */
    bool shows_plus;
    bool is_scientific;
    int width;
    int left;           /* characters before the decimal point, the sign included */
    int fraction;       /* characters behind it */
    int exponent_width; /* digits of the exponent */
} zc_float_format;

typedef struct zc_column {
    zc_dtype dtype;
    zc_element_kind kind;
    int width; /* of every word; without the spaces between words */
    zc_float_format real, imag;
} zc_column;

/* The format for `count` elements of a dense array, with so many digits behind the decimal point at most. */
zc_column zc_column_fit(zc_dtype dtype, const void *data, int64_t count, int digits);

enum { ZC_WORD_BYTES = 128 };

/* Element `index` as a word, padded to the column's width, into a buffer of ZC_WORD_BYTES. Returns its length. */
int zc_column_write(const zc_column *column, const void *data, int64_t index, char *word);

/* A single element as NumPy prints an array of rank 0. Returns its length. */
int zc_element_write(zc_element element, char *word);

#endif
