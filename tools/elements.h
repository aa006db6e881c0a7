/*
 * Elements of a materialised tensor, read one by one for printing.
 */
#ifndef ZC_TOOLS_ELEMENTS_H
#define ZC_TOOLS_ELEMENTS_H

#include "zerocast.h"

typedef enum element_kind { ELEMENT_BOOL, ELEMENT_SIGNED, ELEMENT_UNSIGNED, ELEMENT_FLOAT } element_kind;

element_kind element_kind_of(zc_dtype dtype);

/* Element i of row-major data. The first two are for the integer kinds and bool, the last for floats. */
int64_t element_signed(zc_dtype dtype, const void *data, int64_t i);
uint64_t element_unsigned(zc_dtype dtype, const void *data, int64_t i);
double element_float(zc_dtype dtype, const void *data, int64_t i);

/* The elements of the tensor as one dense tensor of the caller's; NULL when that failed (see the context). */
zc_tensor *elements_of(const zc_tensor *t);

#endif
