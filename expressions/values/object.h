/*
 * Objects of the expression language: Python's scalars, tuples and lists, slices, dtypes, strings, and tensors.
 *
 * Invariant: an object that holds a sequence or a tensor holds one reference to it; zc_object_copy() takes another,
 * zc_object_release() gives one back. Sequences never change once made and nest at most ZC_MAX_RANK deep, so walking
 * one may recurse.
 */
#ifndef ZC_EXPRESSIONS_VALUES_OBJECT_H
#define ZC_EXPRESSIONS_VALUES_OBJECT_H

#include "expressions/base/fault.h"

typedef enum zc_object_kind {
    ZC_OBJECT_NONE,
    ZC_OBJECT_BOOL,
    ZC_OBJECT_INTEGER,
    ZC_OBJECT_LARGE, /* an integer of uint64 beyond int64 */
    ZC_OBJECT_FLOAT,
    ZC_OBJECT_COMPLEX,
    ZC_OBJECT_STRING,
    ZC_OBJECT_DTYPE,
    ZC_OBJECT_ELLIPSIS,
    ZC_OBJECT_SLICE, /* a sequence of three: start, stop, step */
    ZC_OBJECT_TUPLE,
    ZC_OBJECT_LIST,
    ZC_OBJECT_TENSOR
} zc_object_kind;

typedef struct zc_sequence zc_sequence;

/* A complex number. */
typedef struct zc_point {
    double real, imag;
} zc_point;

typedef struct zc_object {
    zc_object_kind kind;
    union {
        bool truth;
        int64_t integer;
        uint64_t magnitude; /* LARGE */
        double real;
        zc_point point;
        const char *string; /* lives as long as the program */
        zc_dtype dtype;
        zc_sequence *sequence;
        zc_tensor *tensor;
    };
} zc_object;

struct zc_sequence {
    int64_t references;
    int64_t count;
    int depth; /* 1 when no item is a sequence */
    zc_object items[];
};

/* A tuple, list or slice of `count` objects, taking over their references whatever comes back. */
bool zc_object_make_sequence(zc_object_kind kind, zc_object *items, size_t count, zc_object *result, zc_fault *fault);

zc_object zc_object_copy(zc_object value);
void zc_object_release(zc_object value);

static inline zc_object zc_object_integer(int64_t integer)
{
    return (zc_object){.kind = ZC_OBJECT_INTEGER, .integer = integer};
}

bool zc_object_is_number(zc_object value);   /* bool, integer of any size, float or complex */
bool zc_object_is_sequence(zc_object value); /* tuple or list */

/* "a tuple", "None": for sentences. */
const char *zc_object_describe(zc_object value);

/* Python's ==, for objects that are no tensors. */
bool zc_object_equal(zc_object a, zc_object b);

/* A bool or an integer of int64 as an integer; false, nothing said, for any other object. */
bool zc_object_as_integer(zc_object value, int64_t *integer);

#endif
