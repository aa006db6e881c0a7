#include "runtime/memory/free_lists.h"

void zc_free_lists_init(zc_free_lists *lists, int shift, size_t alignment, int64_t most)
{
    lists->owner = zc_this_thread();
    lists->count = most < 0 ? 0 : ZC_FREE_LISTS;
    lists->shift = shift;
    lists->alignment = alignment;
    lists->bytes = 0;
    lists->most = most;
    for (int i = 0; i < ZC_FREE_LISTS; i++)
        lists->first[i] = NULL;
}

void zc_free_lists_end(zc_free_lists *lists, const zc_allocator *allocator)
{
    for (size_t i = 0; lists->bytes > 0; i++) {
        const size_t bytes = (i + 1) << lists->shift;
        for (; lists->first[i] != NULL; lists->bytes -= (int64_t)bytes) {
            char *block = (char *)(lists->first[i] + 1) - bytes;
            lists->first[i] = lists->first[i]->next;
            ASAN_UNPOISON_MEMORY_REGION(block, bytes);
            allocator->deallocate(allocator->user, block, bytes, lists->alignment);
        }
    }
}

void zc_free_lists_limit(zc_free_lists *lists, const zc_allocator *allocator, int64_t most)
{
    if (lists->owner != zc_this_thread())
        return;
    lists->most = most;
    zc_free_lists_end(lists, allocator);
}
