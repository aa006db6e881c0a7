#include "tests/tools/failing_malloc.h"

#include <stddef.h>

#include "tests/support/failing.h"

static int left;
static bool stays, has_failed;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

void zc_malloc_fail(int k, bool is_sticky)
{
    left = k;
    stays = is_sticky;
    has_failed = false;
}

bool zc_malloc_has_failed(void)
{
    return has_failed;
}

static bool fails(void)
{
    if (left == 0 || (has_failed && !stays))
        return false;
    if (left > 1) {
        left--;
        return false;
    }
    has_failed = true;
    zc_failing_count();
    return true;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}
