#include "runtime/memory/buffer.h"

/* Address of empty buffers, which take no memory of the heap's. */
static _Alignas(ZC_DATA_ALIGNMENT) char nothing[ZC_DATA_ALIGNMENT];

static zc_buffer *wrap(zc_heap *heap, void *memory, int64_t bytes, bool is_owned,
                       void (*release)(void *user, void *memory), void *user)
{
    zc_buffer *buffer = zc_heap_take(heap, sizeof *buffer);
    if (buffer == NULL)
        return NULL;
    atomic_init(&buffer->references, 1);
    buffer->heap = heap;
    buffer->memory = memory;
    buffer->bytes = bytes;
    buffer->is_owned = is_owned;
    buffer->is_kept = false;
    buffer->release = release;
    buffer->user = user;
    atomic_init(&buffer->number, 0);
    buffer->lent = buffer->stands_for = 0;
    buffer->sources.count = 0;
    buffer->sources.highest = 0;
    buffer->sources.nodes = 0;
    if (!is_owned)
        (void)zc_count(&heap->borrowed_bytes, bytes);
    return buffer;
}

zc_buffer *zc_buffer_wrap(zc_heap *heap, void *memory, int64_t bytes, void (*release)(void *user, void *memory),
                          void *user)
{
    return wrap(heap, memory, bytes, false, release, user);
}

/* Two threads may ask at once; the first number stays. */
static int64_t number_of(zc_buffer *buffer)
{
    int64_t known = atomic_load(&buffer->number);
    if (known != 0)
        return known;
    int64_t next = zc_count(&buffer->heap->sources, 1) + 1;
    bool is_first = atomic_compare_exchange_strong(&buffer->number, &known, next);
    return is_first ? next : known; /* LCOV_EXCL_BR_LINE: up to other threads */
}

static bool holds(const zc_sources *sources, int64_t number)
{
    if (sources->count > ZC_SOURCES)
        return number <= sources->highest;
    for (int i = 0; i < sources->count; i++) {
        if (sources->at[i] == number)
            return true;
    }
    return false;
}

static void add_number(zc_sources *sources, int64_t number)
{
    if (holds(sources, number))
        return;
    if (sources->count < ZC_SOURCES)
        sources->at[sources->count] = number;
    sources->count += sources->count <= ZC_SOURCES;
    sources->highest = number > sources->highest ? number : sources->highest;
}

/* Adds those of others but for one number. */
static void join(zc_sources *sources, const zc_sources *others, int64_t except)
{
    sources->nodes |= others->nodes;
    for (int i = 0; i < others->count && i < ZC_SOURCES; i++) {
        if (others->at[i] != except)
            add_number(sources, others->at[i]);
    }
    if (others->count > ZC_SOURCES) {
        sources->count = ZC_SOURCES + 1;
        sources->highest = others->highest > sources->highest ? others->highest : sources->highest;
    }
}

void zc_sources_add(zc_sources *sources, zc_buffer *from)
{
    add_number(sources, number_of(from));
    join(sources, &from->sources, 0);
}

void zc_sources_join(zc_sources *sources, const zc_sources *others)
{
    join(sources, others, 0);
}

void zc_buffer_change(zc_buffer *buffer, const zc_sources *others)
{
    join(&buffer->sources, others, atomic_load(&buffer->number));
    atomic_store(&buffer->number, 0);
}

void zc_buffer_begin_lending(zc_buffer *buffer)
{
    if (buffer->lent == 0)
        buffer->lent = zc_count(&buffer->heap->sources, 1) + 1;
    add_number(&buffer->sources, buffer->lent);
}

void zc_buffer_lend(const zc_buffer *buffer, zc_buffer *copy, const zc_buffer *of, uint64_t serial)
{
    copy->stands_for = of != NULL ? atomic_load(&of->number) : -(int64_t)serial;
    int64_t none = 0;
    join(&copy->sources, &buffer->sources, 0);
    (void)atomic_compare_exchange_strong(&copy->number, &none, buffer->lent);
}

bool zc_buffer_is_derived(const zc_buffer *made, const zc_buffer *from)
{
    const int64_t number = atomic_load(&from->number);
    return (number != 0 && holds(&made->sources, number)) ||
           (from->stands_for > 0 && holds(&made->sources, from->stands_for));
}

zc_buffer *zc_buffer_new(zc_heap *heap, int64_t bytes)
{
    if ((uint64_t)bytes > PTRDIFF_MAX) /* also a negative one */
        return NULL;
    void *memory = bytes > 0 ? zc_heap_take_data(heap, (size_t)bytes) : nothing;
    if (memory == NULL)
        return NULL;
    zc_buffer *buffer = wrap(heap, memory, bytes, bytes > 0, NULL, NULL);
    if (buffer == NULL && bytes > 0)
        zc_heap_give_data(heap, memory, (size_t)bytes);
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
    if (buffer->is_kept)
        (void)zc_count(&buffer->heap->kept_bytes, -buffer->bytes);
    if (buffer->is_owned)
        zc_heap_give_data(buffer->heap, buffer->memory, (size_t)buffer->bytes);
    else
        (void)zc_count(&buffer->heap->borrowed_bytes, -buffer->bytes);
    if (buffer->release != NULL)
        buffer->release(buffer->user, buffer->memory);
    zc_heap_give(buffer->heap, buffer, sizeof *buffer);
}
