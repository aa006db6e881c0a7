/*
 * Names of a program, each numbered once.
 *
 * Invariant: equal texts have equal numbers; numbers count from 0 without gaps, so arrays can be indexed with them.
 */
#ifndef ZC_EXPRESSIONS_LANGUAGE_NAMES_H
#define ZC_EXPRESSIONS_LANGUAGE_NAMES_H

#include "expressions/base/fault.h"

typedef struct zc_names {
    char **texts; /* [count], NUL-terminated */
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* hash table: number + 1, or 0 */
    uint32_t slot_count;
} zc_names;

/* The number of a text, a new one for a new text. False with a fault when memory is out. */
bool zc_names_intern(zc_names *names, const char *text, size_t length, uint32_t *number, zc_fault *fault);

/* The number of a text that has one; false when it has none. */
bool zc_names_find(const zc_names *names, const char *text, size_t length, uint32_t *number);

void zc_names_free(zc_names *names);

#endif
