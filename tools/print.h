/*
 * Printing tensors as NumPy's print() does.
 *
 * Source: numpy.array2string with its default options: threshold 1000, three edge items, precision 8, lines of 75
 * columns. Only what is shown is computed.
 */
#ifndef ZC_TOOLS_PRINT_H
#define ZC_TOOLS_PRINT_H

#include <stdio.h>

#include "zerocast.h"

/* Prints t and a newline. ZC_OK, or the failure of computing what is shown, with its sentence in t's context. */
zc_status print_tensor(FILE *out, const zc_tensor *t);

/* The elements as nested JSON lists: non-finite numbers as "nan", "inf", "-inf". The same result. */
zc_status print_json_data(FILE *out, const zc_tensor *t);

#endif
