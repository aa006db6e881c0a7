/*
 * Values of the expression language: Python's scalars, tuples and lists, slices, dtypes, strings, and tensors.
 *
 * Invariant: a value that holds a sequence or a tensor holds one reference to it; zc_value_copy() takes another,
 * zc_value_release() gives one back. Sequences never change once made and nest at most ZC_MAX_RANK deep, so walking
 * one may recurse.
 */
#ifndef ZC_TOOLS_FUNCTIONS_VALUE_H
#define ZC_TOOLS_FUNCTIONS_VALUE_H

#include "tools/command/fault.h"

typedef enum zc_value_kind {
    ZC_VALUE_NONE,
    ZC_VALUE_BOOL,
    ZC_VALUE_INTEGER,
    ZC_VALUE_FLOAT,
    ZC_VALUE_COMPLEX,
    ZC_VALUE_STRING,
    ZC_VALUE_DTYPE,
    ZC_VALUE_ELLIPSIS,
    ZC_VALUE_SLICE, /* a sequence of three: start, stop, step */
    ZC_VALUE_TUPLE,
    ZC_VALUE_LIST,
    ZC_VALUE_TENSOR
} zc_value_kind;

typedef struct zc_sequence zc_sequence;

/* A complex number. */
typedef struct zc_point {
    double real, imag;
} zc_point;

typedef struct zc_value {
    zc_value_kind kind;
    union {
        bool truth;
        int64_t integer;
        double real;
        zc_point point;
        const char *string; /* lives as long as the program */
        zc_dtype dtype;
        zc_sequence *sequence;
        zc_tensor *tensor;
    };
} zc_value;

struct zc_sequence {
    int64_t references;
    int64_t count;
    int depth; /* 1 when no item is a sequence */
    zc_value items[];
};

/* A tuple, list or slice of `count` values, taking over their references whatever comes back. */
bool zc_value_make_sequence(zc_value_kind kind, zc_value *items, size_t count, zc_value *result, zc_fault *fault);

zc_value zc_value_copy(zc_value value);
void zc_value_release(zc_value value);

static inline zc_value zc_value_integer(int64_t integer)
{
    return (zc_value){.kind = ZC_VALUE_INTEGER, .integer = integer};
}

bool zc_value_is_number(zc_value value);   /* bool, integer, float or complex */
bool zc_value_is_sequence(zc_value value); /* tuple or list */

/* "a tuple", "None": for sentences. */
const char *zc_value_describe(zc_value value);

/* Python's ==, for values that are no tensors. */
bool zc_value_equal(zc_value a, zc_value b);

/* A bool or an integer as an integer; false, nothing said, for any other value. */
bool zc_value_as_integer(zc_value value, int64_t *integer);

#endif
