/*
 * A growing text.
 */
#ifndef ZC_MATERIALIZE_TEXT_H
#define ZC_MATERIALIZE_TEXT_H

#include "runtime/heap.h"

typedef struct zc_text {
    zc_heap *heap;
    char *bytes; /* NUL-terminated once something was written */
    size_t used, room;
    bool failed; /* memory ran out; writing goes on without effect */
} zc_text;

__attribute__((format(printf, 2, 3))) void zc_text_add(zc_text *text, const char *format, ...);

/* The text as a string that zc_text_free() ends; NULL, everything freed, when it failed. */
char *zc_text_finish(zc_text *text);

#endif
