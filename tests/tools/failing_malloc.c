#include "tests/tools/failing_malloc.h"

#include <stddef.h>

static int left;
static bool stays, has_failed;
static zc_failing *context_state;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
zc_context *__real_zc_context_new(const zc_options *options);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
zc_context *__wrap_zc_context_new(const zc_options *options);

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

void zc_context_fail(zc_failing *state, int k)
{
    context_state = state;
    if (state != NULL)
        *state = (zc_failing){.fail_at = k};
}

zc_context *__wrap_zc_context_new(const zc_options *options)
{
    if (context_state == NULL)
        return __real_zc_context_new(options);
    zc_allocator allocator = zc_failing_allocator(context_state);
    zc_options own = options == NULL ? (zc_options){0} : *options;
    own.allocator = &allocator;
    return __real_zc_context_new(&own);
}
