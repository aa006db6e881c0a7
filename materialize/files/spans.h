/*
 * Parts of a file that have names: no two share a name, and none lies in another one.
 */
#ifndef ZC_MATERIALIZE_FILES_SPANS_H
#define ZC_MATERIALIZE_FILES_SPANS_H

#include <stdint.h>

#include "views/reason.h"

typedef struct zc_span {
    const char *name;
    int64_t begin, end; /* of its bytes; begin <= end */
} zc_span;

/* Refuses two spans of one name, and two that have bytes in common. Reorders them. */
zc_status zc_spans_check(int64_t count, zc_span *spans, zc_reason *why);

#endif
