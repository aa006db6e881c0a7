/*
 * An allocator that runs out: malloc, calloc and realloc of the objects linked into the test program (the command's,
 * not the library's) fail where a test asks for it. The linker's --wrap puts it in their place.
 */
#ifndef ZC_TESTS_TOOLS_FAILING_MALLOC_H
#define ZC_TESTS_TOOLS_FAILING_MALLOC_H

#include <stdbool.h>

/* From now on the k-th allocation fails (k counts from 1), and when `is_sticky` all after it; 0: none does. */
void zc_malloc_fail(int k, bool is_sticky);

/* Whether the allocation was reached. */
bool zc_malloc_has_failed(void);

#endif
