#include "runtime/graph/keep.h"

#include <pthread.h>

#include "runtime/graph/lock.h"
#include "runtime/graph/pending.h"
#include "runtime/graph/variables.h"

/* Walks that follow edges now, of all threads and of this one; and whether a thread that has the graph's lock is about
 * to change edges. A walk that begins meanwhile waits for the lock, and the change is left out where it sees the walk:
 * each tells the other before it looks. */
static _Atomic int64_t walks;
static _Atomic bool is_changing;
static _Thread_local int64_t own_walks;

/* Tells whether nobody follows edges of the heap's nodes, or runs a plan, which reads data at their ends: no other
 * thread, and this one only in the caller's own walks. Under the lock, until end_change(). */
static bool begin_change(const zc_heap *heap, int64_t callers)
{
    atomic_store(&is_changing, true);
    return own_walks <= callers &&
           (!atomic_load_explicit(&((zc_heap *)(uintptr_t)heap)->is_shared, memory_order_relaxed) ||
            atomic_load(&walks) == own_walks);
}

static void end_change(void)
{
    atomic_store_explicit(&is_changing, false, memory_order_release);
}

/* Two threads may charge at once: one of them may be forgotten. */
void zc_node_charge(zc_node *node, int parts)
{
    enum { most = ZC_MOST_RENTS * ZC_RENT_PARTS };
    const int rent = atomic_load_explicit(&node->rent, memory_order_relaxed) + parts;
    atomic_store_explicit(&node->rent, (uint16_t)(rent < most ? rent : most), memory_order_relaxed);
}

int zc_node_rent(const zc_node *node)
{
    const int parts = atomic_load_explicit(&((zc_node *)(uintptr_t)node)->rent, memory_order_relaxed);
    return (parts * ZC_WHOLE_RENT + ZC_RENT_PARTS - 1) / ZC_RENT_PARTS;
}

/* ---- Data ---- */

void zc_node_keep(zc_node *node, zc_buffer *data)
{
    zc_graph_lock();
    const bool takes = zc_node_data(node) == NULL && atomic_load_explicit(&node->realising, memory_order_relaxed) == 0;
    if (takes) { /* unless another run computed it meanwhile, or is at it */
        data->is_kept = true;
        (void)zc_count(&data->heap->kept_bytes, data->bytes);
        atomic_store_explicit(&node->data, zc_buffer_retain(data), memory_order_release);
    }
    zc_graph_unlock();
}

zc_buffer *zc_node_share(const zc_node *node)
{
    zc_buffer *data = zc_node_data(node);
    if (data == NULL || zc_node_is_given(node)) /* which lives as long as the node */
        return data == NULL ? NULL : zc_buffer_retain(data);
    zc_graph_lock();
    data = zc_node_data(node);
    if (data != NULL) /* LCOV_EXCL_BR_LINE: unless another thread has dropped it meanwhile */
        (void)zc_buffer_retain(data);
    zc_graph_unlock();
    return data;
}

const zc_buffer *zc_node_pin(const zc_node *node)
{
    zc_graph_lock();
    zc_buffer *data = zc_node_data(node);
    if (data != NULL && data->is_kept) { /* LCOV_EXCL_BR_LINE: likewise */
        data->is_kept = false;
        (void)zc_count(&data->heap->kept_bytes, -data->bytes);
    }
    zc_graph_unlock();
    return data;
}

/* Takes the data from a node that could be computed again, where nobody else has any of it. Under the lock. */
static zc_buffer *take_data(zc_node *node)
{
    zc_buffer *data = zc_node_data(node);
    if (!data->is_kept || atomic_load_explicit(&data->references, memory_order_relaxed) > 1)
        return NULL;
    atomic_store_explicit(&node->data, NULL, memory_order_release);
    return data;
}

/* ---- Operands ---- */

/* The first edge tells that there are none any more; whoever begins to follow edges now does not look at the others. */
static void give_up(zc_node *node, int64_t callers)
{
    if (zc_node_varies(node) || node->edge_count == 0)
        return;
    zc_graph_lock();
    zc_node *first = begin_change(node->heap, callers) ? node->edges[0].node : NULL;
    if (first != NULL)
        node->edges[0].node = NULL;
    end_change();
    zc_graph_unlock();
    if (first != NULL)
        zc_node_end_operands(node, first);
}

void zc_node_end_operands(zc_node *node, zc_node *first)
{
    zc_node_release(first);
    for (int i = 1; i < node->edge_count; i++) {
        zc_node *operand = node->edges[i].node;
        node->edges[i].node = NULL;
        zc_node_release(operand);
    }
}

void zc_node_give_up(zc_node *node)
{
    give_up(node, 0);
}

/* Index of a node in the list, or -1; take() removes an entry. Under the lock. */
static int find(const zc_kept_nodes *list, const zc_node *node)
{
    int i = list->count - 1;
    while (i >= 0 && list->nodes[i] != node)
        i--;
    return i;
}

static zc_node *take(zc_kept_nodes *list, int i)
{
    zc_node *node = list->nodes[i];
    list->count--;
    for (int n = i; n < list->count; n++)
        list->nodes[n] = list->nodes[n + 1];
    return node;
}

/* Tells a node, other than the update itself, with an operand that an update has replaced and nobody has a handle on.
 */
static bool reads_replaced(const zc_node *node)
{
    const int base = node->kind == ZC_NODE_SCATTER ? zc_node_base(node) : -1;
    for (int i = 0; i < node->edge_count; i++) {
        const zc_node *operand = node->edges[i].node;
        if (i != base && operand->is_replaced && zc_node_handles(operand) == 0)
            return true;
    }
    return false;
}

/* Two runs that come between each other may compute the same node: it is listed once. */
void zc_kept_add(zc_node *node)
{
    zc_kept_nodes *list = &node->heap->kept;
    zc_node *oldest = NULL;
    zc_graph_lock();
    if (zc_node_data(node) != NULL && !zc_node_gave_up(node) && find(list, node) < 0) {
        if (list->count == ZC_KEPT_NODES) {
            oldest = take(list, 0);
            oldest = zc_node_try_retain(oldest) ? oldest : NULL;
        }
        list->nodes[list->count++] = node;
        if (reads_replaced(node))
            atomic_store_explicit(&list->has_replaced, true, memory_order_relaxed);
    }
    zc_graph_unlock();
    if (oldest != NULL)
        give_up(oldest, 0);
    zc_node_release(oldest);
}

void zc_kept_remove(zc_node *node)
{
    if (zc_node_is_given(node))
        return;
    zc_graph_lock();
    const int i = find(&node->heap->kept, node);
    if (i >= 0)
        (void)take(&node->heap->kept, i);
    zc_graph_unlock();
}

/* ---- Taking over ---- */

static bool is_shared(const zc_heap *heap)
{
    return atomic_load(&((zc_heap *)(uintptr_t)heap)->is_shared);
}

bool zc_may_take_over(const zc_heap *heap)
{
    return !is_shared(heap) && own_walks == 1;
}

bool zc_may_write(const zc_heap *heap)
{
    return !is_shared(heap) && own_walks == 0;
}

zc_node *zc_node_take_over(zc_node *node, void (*write)(const void *user, void *memory), const void *user)
{
    zc_node *base = node->edges[zc_node_base(node)].node, *first = NULL;
    zc_graph_lock();
    atomic_store(&is_changing, true);
    if (zc_may_take_over(node->heap)) {
        zc_buffer *data = zc_node_data(base);
        const int listed = find(&base->heap->kept, base);
        write(user, data->memory);
        if (listed >= 0)
            (void)take(&base->heap->kept, listed);
        atomic_store_explicit(&base->data, NULL, memory_order_release);
        atomic_store_explicit(&node->data, data, memory_order_release);
        first = node->edges[0].node;
        node->edges[0].node = NULL;
    }
    end_change();
    zc_graph_unlock();
    return first;
}

/* ---- What operands hold ---- */

/* Bytes of data that operands alone may hold, and by how many all data, or nodes, grow before that is looked at; and
 * nodes that are looked at to know, waiting at once and in all. */
enum { MOST_HELD = 8 << 20, GROWTH = 2 << 20, MOST_WAITING = 256, MOST_LOOKED_AT = 4096 };

/* Nodes below a listed one that nobody has a handle on. */
typedef struct search {
    const zc_node *waiting[MOST_WAITING];
    int count, left; /* left: nodes that may still be looked at */
    int64_t bytes;
} search;

/* False when there are too many to be looked at. */
static bool look_at(search *s, const zc_node *node)
{
    const zc_buffer *data = zc_node_data(node);
    if (zc_node_handles(node) > 0)
        return true;
    if (data != NULL) {
        const bool is_own =
            atomic_load_explicit(&((zc_buffer *)(uintptr_t)data)->references, memory_order_relaxed) == 1;
        s->bytes = zc_saturating_add(s->bytes, is_own ? data->bytes : 0);
        return true;
    }
    if (s->count == MOST_WAITING)
        return false;
    s->waiting[s->count++] = node;
    return true;
}

int64_t zc_kept_below(const zc_node *listed, int *left)
{
    search s = {.waiting = {listed}, .count = 1};
    while (s.count > 0) {
        const zc_node *node = s.waiting[--s.count];
        *left -= node->edge_count;
        if (*left < 0)
            return INT64_MAX;
        for (int i = 0; i < node->edge_count; i++) {
            if (!look_at(&s, node->edges[i].node))
                return INT64_MAX;
        }
    }
    return s.bytes;
}

/* Takes from the list, retained, what gives up its operands: what reads what was replaced, and `trims`, all but the
 * last node where `spares_last`, and but those listed last whose operands together hold no more than they may. */
static int take_victims(zc_heap *heap, bool trims, bool spares_last, zc_node **victims, bool *may_change)
{
    zc_kept_nodes *list = &heap->kept;
    int64_t held = 0;
    int count = 0;
    zc_graph_lock();
    *may_change = begin_change(heap, 0);
    for (int i = list->count - 1; i >= 0 && *may_change; i--) {
        const bool is_trimmed = trims && i < list->count - spares_last, is_blind = reads_replaced(list->nodes[i]);
        if (zc_node_varies(list->nodes[i]) || !(is_trimmed || is_blind))
            continue;
        int left = MOST_LOOKED_AT;
        held = zc_saturating_add(held, is_blind ? 0 : zc_kept_below(list->nodes[i], &left));
        if ((is_blind || held > MOST_HELD) && zc_node_try_retain(list->nodes[i]))
            victims[count++] = take(list, i);
    }
    if (*may_change)
        atomic_store_explicit(&list->has_replaced, false, memory_order_relaxed);
    end_change();
    zc_graph_unlock();
    return count;
}

static void end_victims(int count, zc_node **victims, int64_t callers)
{
    for (int i = 0; i < count; i++) {
        give_up(victims[i], callers);
        zc_node_release(victims[i]);
    }
}

void zc_kept_trim(zc_heap *heap)
{
    zc_node *victims[ZC_KEPT_NODES];
    zc_kept_nodes *list = &heap->kept;
    bool may_change = true;
    const bool has_much = zc_heap_data(heap) - list->data_bytes > GROWTH;
    const bool has_replaced = atomic_load_explicit(&list->has_replaced, memory_order_relaxed);
    const bool has_grown = has_much || zc_heap_nodes(heap) - list->all_nodes > ZC_MANY_NODES;
    if (has_grown || has_replaced) { /* a graph of many nodes is one that is differentiated, perhaps */
        const bool spares_last = !has_much;
        end_victims(take_victims(heap, has_grown, spares_last, victims, &may_change), victims, 0);
    }
    if (has_grown)
        zc_pending_look(heap);
    const int64_t bytes = zc_heap_data(heap), nodes = zc_heap_nodes(heap);
    if (may_change && (has_grown || bytes < list->data_bytes))
        list->data_bytes = bytes;
    if (may_change && (has_grown || nodes < list->all_nodes))
        list->all_nodes = nodes;
}

void zc_kept_replace(zc_node *node)
{
    enum { LEAST = 1 << 16 }; /* bytes that are not copied in no time */
    zc_heap *heap = node->heap;
    if (node->size < LEAST / (int64_t)zc_dtype_bytes((zc_dtype)node->dtype))
        return;
    zc_graph_lock();
    const bool is_ours = zc_may_write(heap);
    if (is_ours) {
        node->is_replaced = true;
        atomic_store_explicit(&heap->kept.has_replaced, true, memory_order_relaxed);
    }
    zc_graph_unlock();
    if (is_ours)
        zc_kept_trim(heap);
}

/* Data goes where it can be computed again, else operands do. */
static bool release(zc_heap *heap, int64_t callers)
{
    zc_node *victims[ZC_KEPT_NODES];
    zc_buffer *dropped[ZC_KEPT_NODES];
    const int64_t before = zc_heap_data(heap);
    int count = 0, dropped_count = 0;
    zc_graph_lock();
    const bool may_change = begin_change(heap, callers);
    for (int i = heap->kept.count - 1; i >= 0 && may_change; i--) {
        zc_buffer *data = take_data(heap->kept.nodes[i]);
        if (data != NULL) {
            dropped[dropped_count++] = data;
            (void)take(&heap->kept, i);
        } else if (!zc_node_varies(heap->kept.nodes[i]) && zc_node_try_retain(heap->kept.nodes[i])) {
            victims[count++] = take(&heap->kept, i);
        }
    }
    end_change();
    zc_graph_unlock();
    for (int i = 0; i < dropped_count; i++)
        zc_buffer_release(dropped[i]);
    end_victims(count, victims, callers);
    return zc_heap_data(heap) < before;
}

bool zc_kept_release(zc_heap *heap)
{
    return release(heap, 1);
}

zc_status zc_kept_make_room(const zc_context *ctx, int64_t bytes, zc_reason *why)
{
    if (zc_check_limit(ctx, bytes, NULL) != ZC_OK)
        (void)release(ctx->heap, 0);
    return zc_check_limit(ctx, bytes, why);
}

/* ---- Who follows edges ---- */

/* The child has this thread alone. */
static void after_fork_in_child(void)
{
    atomic_store(&walks, own_walks);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

void zc_graph_follow_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    own_walks++;
    (void)zc_count(&walks, 1);
    if (ZC_IS_SINGLE_THREADED)
        return;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&is_changing)) { /* LCOV_EXCL_BR_LINE: up to other threads */
        zc_graph_lock();             /* LCOV_EXCL_LINE: likewise */
        zc_graph_unlock();           /* LCOV_EXCL_LINE: likewise */
    }
}

void zc_graph_follow_end(void)
{
    own_walks--;
    (void)zc_count(&walks, -1);
}
