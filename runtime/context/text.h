/*
 * A growing text.
 */
#ifndef ZC_RUNTIME_CONTEXT_TEXT_H
#define ZC_RUNTIME_CONTEXT_TEXT_H

#include "runtime/memory/heap.h"

typedef struct zc_text_builder {
    zc_heap *heap;
    char *bytes; /* NUL-terminated once something was written */
    size_t used, room;
    bool failed; /* memory ran out; writing goes on without effect */
} zc_text_builder;

__attribute__((format(printf, 2, 3))) void zc_text_add(zc_text_builder *text, const char *format, ...);

/* Adds a real number by a format for one double, with a decimal point in every locale. */
__attribute__((format(printf, 2, 0))) void zc_text_add_real(zc_text_builder *text, const char *format, double x);

/* Adds the numbers of a bit set of axes. */
void zc_text_add_axes(zc_text_builder *text, uint64_t axes, const char *between);

/* Aligns the lines that were written since text->used was `from`. A line is cells, each but the last ended by a tab; a
 * column is as wide as its widest cell, two blanks from the next. Columns in the bit set `right` are flush right. */
void zc_text_align(zc_text_builder *text, size_t from, unsigned right);

/* The text as a string that zc_text_free() ends; NULL, everything freed, when it failed. */
char *zc_text_finish(zc_text_builder *text);

#endif
