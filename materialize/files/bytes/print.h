/*
 * Elements as text: the fewest digits that read back as the same number of that dtype. Floats keep a point or an
 * exponent, so that they read back as floats; bools are True and False.
 */
#ifndef ZC_MATERIALIZE_FILES_BYTES_PRINT_H
#define ZC_MATERIALIZE_FILES_BYTES_PRINT_H

#include "math/decimal/digits.h"
#include "zerocast.h"

/* Room for any element. */
enum { ZC_TEXT_ELEMENT_BYTES = ZC_NUMBER_BYTES };

/* Writes element `index` of an array of real numbers or bools, without an end. Returns its length. */
int zc_text_print(zc_dtype dtype, const void *elements, int64_t index, char *text);

#endif
