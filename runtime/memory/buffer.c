#include "runtime/memory/buffer.h"

/* What an empty buffer points to: an address, and no memory of the heap's. */
static _Alignas(ZC_DATA_ALIGNMENT) char nothing[ZC_DATA_ALIGNMENT];

zc_buffer *zc_buffer_wrap(zc_heap *heap, void *memory, int64_t bytes, void (*release)(void *user, void *memory),
                          void *user)
{
    zc_buffer *buffer = zc_heap_take(heap, sizeof *buffer);
    if (buffer == NULL)
        return NULL;
    atomic_init(&buffer->references, 1);
    buffer->heap = heap;
    buffer->memory = memory;
    buffer->bytes = bytes;
    buffer->is_owned = false;
    buffer->release = release;
    buffer->user = user;
    return buffer;
}

zc_buffer *zc_buffer_new(zc_heap *heap, int64_t bytes)
{
    void *memory = bytes > 0 ? zc_heap_take_data(heap, (size_t)bytes) : nothing;
    if (memory == NULL)
        return NULL;
    zc_buffer *buffer = zc_buffer_wrap(heap, memory, bytes, NULL, NULL);
    if (buffer == NULL && bytes > 0)
        zc_heap_give_data(heap, memory, (size_t)bytes);
    if (buffer != NULL)
        buffer->is_owned = bytes > 0;
    return buffer;
}

zc_buffer *zc_buffer_retain(zc_buffer *buffer)
{
    (void)zc_count(&buffer->references, 1);
    return buffer;
}

void zc_buffer_release(zc_buffer *buffer)
{
    if (buffer == NULL || !zc_count_is_last(&buffer->references))
        return;
    if (buffer->is_owned)
        zc_heap_give_data(buffer->heap, buffer->memory, (size_t)buffer->bytes);
    else if (buffer->release != NULL)
        buffer->release(buffer->user, buffer->memory);
    zc_heap_give(buffer->heap, buffer, sizeof *buffer);
}
