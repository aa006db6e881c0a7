/*
 * Arrays as NumPy prints them.
 *
 * Invariant: only the elements that are shown are computed and read. Above ZC_PRINT_THRESHOLD elements, unless all are
 * to be shown, an axis longer than twice the edge is shown by its first and last three elements, and those corners are
 * one strided view.
 */
#ifndef ZC_EXPRESSIONS_PRINT_PRINT_H
#define ZC_EXPRESSIONS_PRINT_PRINT_H

#include "expressions/base/fault.h"

enum {
    ZC_PRINT_THRESHOLD = 1000,   /* larger arrays are summarised */
    ZC_PRINT_EDGE = 3,           /* elements shown at each end of a summarised axis */
    ZC_PRINT_LINE = 75,          /* characters */
    ZC_PRINT_MAX_SHOWN = 1 << 20 /* elements: what would take longer to read is refused */
};

/* The form of a print: NumPy's print options. */
typedef struct zc_print_style {
    int digits;     /* behind the decimal point, at most; -1: 8, and those that read back where there is one element */
    bool shows_all; /* no array is summarised */
} zc_print_style;

/* Receives a text, piece by piece; false: no more of it, and what printing does then is to end. */
typedef struct zc_printer {
    bool (*write)(void *user, const char *text, size_t length);
    void *user;
    const zc_print_style *style; /* NULL: 8 digits, and large arrays summarised */
} zc_printer;

/* Prints each of the tensors, of which there is one at least, and a newline. Computes what is shown of all in one run.
 * A printer that wants no more is no fault: its owner knows why. */
bool zc_print_tensors(zc_printer out, int count, const zc_tensor *const *tensors, zc_fault *fault);

/* The layout alone: data holds the shown elements of an array of that shape, densely in row-major order. False
 * when the printer wants no more. */
bool zc_print_array(zc_printer out, zc_dtype dtype, int rank, const int64_t *shape, const void *data);

#endif
