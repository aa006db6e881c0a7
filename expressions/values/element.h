/*
 * One element in memory, as text needs it: a truth value, an integer of either signedness, a real or complex number.
 */
#ifndef ZC_EXPRESSIONS_VALUES_ELEMENT_H
#define ZC_EXPRESSIONS_VALUES_ELEMENT_H

#include "math/decimal/digits.h"
#include "zerocast.h"

typedef enum zc_element_kind {
    ZC_ELEMENT_BOOL,
    ZC_ELEMENT_SIGNED,
    ZC_ELEMENT_UNSIGNED,
    ZC_ELEMENT_FLOAT,
    ZC_ELEMENT_COMPLEX
} zc_element_kind;

typedef struct zc_element {
    zc_element_kind kind;
    zc_precision precision; /* of a FLOAT, and of the parts of a COMPLEX */
    union {
        bool truth;
        int64_t integer;    /* SIGNED */
        uint64_t magnitude; /* UNSIGNED */
        double real;        /* FLOAT, COMPLEX */
    };
    double imag; /* COMPLEX */
} zc_element;

/* The dtype of a name: the library's, or float, int or complex, as NumPy takes Python's types. */
bool zc_dtype_by_name(const char *name, zc_dtype *dtype);

/* The dtype of a string: a name, or NumPy's kind and bytes, as "<f4" and "u1". */
bool zc_dtype_by_text(const char *text, zc_dtype *dtype);

/* Element `index` of a dense array. */
zc_element zc_element_read(zc_dtype dtype, const void *data, int64_t index);

#endif
