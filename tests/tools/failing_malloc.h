/*
 * Memory that runs out where a test asks for it: malloc, calloc and realloc of the objects linked into the test program
 * (the command's, not the library's), and the allocator of the contexts that they make. The linker's --wrap puts these
 * in their place.
 */
#ifndef ZC_TESTS_TOOLS_FAILING_MALLOC_H
#define ZC_TESTS_TOOLS_FAILING_MALLOC_H

#include <stdbool.h>

#include "tests/support/failing.h"

/* From now on the k-th allocation fails (k counts from 1), and when `is_sticky` all after it; 0: none does. */
void zc_malloc_fail(int k, bool is_sticky);

/* Tells whether the allocation was reached. */
bool zc_malloc_has_failed(void);

/* Contexts made from now on allocate through `state`, reset, whose k-th call fails; NULL: as their options say. */
void zc_context_fail(zc_failing *state, int k);

#endif
