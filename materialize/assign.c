/* Assigning to elements: at once where nobody sees the difference, else recorded. */
#include "materialize/run/copy.h"
#include "materialize/run/element.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/leaf.h"
#include "runtime/graph/variables.h"
#include "runtime/record/record.h"
#include "views/overlap.h"
#include "views/view_ops.h"

#include <string.h>

/* ---- Whether it may be done at once ---- */

/* Tells a tensor of all elements of a node in memory, which no other handle leads to and nothing computes again. It has
 * the caller's reference and one of ours. Edges may lead to the node. */
static bool is_only_handle(const zc_tensor *t)
{
    const zc_node *node = t->node;
    const zc_buffer *data = zc_node_data(node);
    zc_view view;
    if (data == NULL || !(node->kind == ZC_NODE_LEAF || zc_node_gave_up(node)) || node->is_variable ||
        node->is_constant || node->invariant != 0 || zc_node_handles(node) != 1 ||
        atomic_load_explicit(&((zc_tensor *)(uintptr_t)t)->references, memory_order_acquire) != 2)
        return false;
    zc_tensor_view(t, &view);
    return zc_buffer_is_own(data, t->heap) && zc_view_is_identity(&view, node->size) && !zc_node_varies(node);
}

/* Tells places by strides, each once, few enough. */
static bool are_few(const zc_tensor *t, const zc_tensor *places, zc_view *out)
{
    int64_t lowest, highest;
    if (places->node->kind != ZC_NODE_IOTA || places->ctx != t->ctx || places->size == 0)
        return false;
    zc_tensor_view(places, out);
    zc_view_reach(out, &lowest, &highest);
    return highest < t->size && zc_node_may_write(t->node, places->size) && zc_view_is_injective(out);
}

/* ---- Values ---- */

/* Elements in memory, and which of them each place gets. */
typedef struct source {
    const void *from;
    int64_t stride[ZC_MAX_RANK];
    zc_element element;
    bool is_computed; /* the element is that of a node without data */
} source;

static bool find_element(const zc_tensor *t, const zc_tensor *values, source *s)
{
    const zc_node *node = values->node;
    zc_graph_follow_begin();
    const bool is_known = zc_compute_element(values, t->node, &s->element);
    zc_graph_follow_end();
    if (!is_known)
        return false;
    if (zc_tensor_is_weak(values)) {
        ZC_DEFAULT_FLOATS();
        s->element.value = zc_scalar_convert(s->element.value, zc_dtype_of(values), zc_dtype_of(t));
    }
    s->from = s->element.value.bytes;
    s->is_computed = node->kind == ZC_NODE_MAP && zc_node_data(node) == NULL;
    return true;
}

/* Elements in memory that broadcast to the places. */
static bool find_elements(const zc_tensor *t, const zc_tensor *values, const zc_view *places, source *s)
{
    const zc_buffer *data = zc_node_data(values->node);
    zc_view own, shown;
    zc_reason why;
    if (data == NULL || zc_dtype_of(t) == ZC_BOOL) /* any byte may stand for true */
        return false;
    zc_tensor_view(values, &own);
    if (zc_view_broadcast_to(&own, places->rank, places->shape, &shown, &why) != ZC_OK)
        return false;
    zc_copy_list(shown.rank, shown.stride, s->stride);
    s->from = (const char *)data->memory + (size_t)shown.offset * zc_dtype_bytes(zc_dtype_of(t));
    return true;
}

/* Tells values that go into elements of the dtype as they are, or as a number that fits, and by which nobody can ask
 * for a gradient but by the handle that they are. */
static bool may_be_put(const zc_tensor *values, zc_dtype dtype)
{
    const zc_node *node = values->node;
    if (zc_tensor_is_weak(values))
        return zc_dtype_promote_weak(dtype, zc_dtype_of(values)) == dtype && zc_record_fits(values, dtype);
    return zc_dtype_of(values) == dtype && !zc_node_varies(node) &&
           (!zc_node_has_gradients(node) || (node->kind == ZC_NODE_MAP && zc_node_data(node) == NULL));
}

static bool find_values(const zc_tensor *t, const zc_tensor *values, const zc_view *places, source *s)
{
    *s = (source){.from = NULL};
    if (values->ctx != t->ctx || values->rank > places->rank || !may_be_put(values, zc_dtype_of(t)))
        return false;
    return values->size == 1 ? find_element(t, values, s) : find_elements(t, values, places, s);
}

/* Lets the node of a computed value keep that, and give up its operands, which read what is to change. False where
 * gradients would be cut, memory is short, or others read it, too. May end what the operands held, in the program's own
 * functions. */
static bool detach(const zc_tensor *t, const zc_tensor *values, source *s)
{
    zc_node *node = values->node;
    if (zc_node_references(t->node) - 1 > s->element.reads || zc_node_passes_gradients(node, t->node))
        return false;
    const bool is_kept = zc_keep_element(values, &s->element);
    if (is_kept)
        zc_node_give_up(node);
    return is_kept;
}

/* ---- The call ---- */

/* Writes the values. A computed one is noted as a source only where there is none: a gradient by any such value is
 * refused where there is some, and the list of all that a loop computes would overflow. */
static void write(const zc_tensor *t, const zc_view *places, const zc_tensor *values, const source *s)
{
    zc_node *node = t->node;
    zc_buffer *data = zc_node_data(node);
    const zc_kind kind = zc_dtype_describe(zc_dtype_of(t))->kind;
    zc_copy_to_places(places, data->memory, s->stride, s->from, zc_dtype_bytes(zc_dtype_of(t)));
    zc_buffer_change(data, &s->element.sources);
    if (s->is_computed && data->sources.count == 0 && zc_node_has_gradients(node))
        zc_sources_add(&data->sources, zc_node_data(values->node));
    node->serial = (uint64_t)zc_count(&node->heap->serials, 1) + 1;
    node->is_never_negative = kind == ZC_KIND_BOOL || kind == ZC_KIND_UNSIGNED;
}

/* False where the update is to be recorded. What detaching ends may have put another tensor in the place of this one,
 * or made handles on it, so all is looked at again. */
static bool assign_at_once(zc_tensor *const *slot, const zc_tensor *places, const zc_tensor *values)
{
    zc_tensor *t = zc_retain(*slot);
    zc_view view;
    source s;
    bool may_write = zc_may_write(t->heap) && is_only_handle(t) && are_few(t, places, &view) &&
                     find_values(t, values, &view, &s) && (!s.is_computed || detach(t, values, &s));
    may_write = may_write && *slot == t && is_only_handle(t) && zc_node_references(t->node) == 1;
    if (may_write)
        write(t, &view, values, &s);
    zc_release(t);
    return may_write;
}

zc_status zc_assign(zc_tensor **t, const zc_tensor *places, const zc_tensor *values)
{
    if (t == NULL || *t == NULL || places == NULL || values == NULL)
        return ZC_ERROR_ARGUMENT;
    if (assign_at_once(t, places, values))
        return ZC_OK;
    zc_tensor *old = *t;
    if (old == NULL) /* a function of the program's has taken it away */
        return ZC_ERROR_ARGUMENT;
    zc_tensor *updated = zc_update(old, places, values, ZC_UPDATE_SET);
    if (updated == NULL)
        return zc_error_status(old->ctx);
    *t = zc_keep(updated);
    zc_release(old);
    return ZC_OK;
}

/* ---- Elements that are held ---- */

/* Tells a view of one element in t's memory that the caller alone refers to, by which there are no gradients. */
static bool is_held_view(const zc_tensor *t, const zc_tensor *held)
{
    return held != NULL && held->node == t->node && held->size == 1 && held->ctx == t->ctx &&
           !zc_node_has_gradients(t->node) &&
           atomic_load_explicit(&((zc_tensor *)(uintptr_t)held)->references, memory_order_acquire) == 1;
}

/* A copy of one element in a memory of its own, with a reference for the caller; NULL where there is none to be had. */
static zc_tensor *copy_element(const zc_tensor *t)
{
    const size_t item = zc_dtype_bytes(zc_dtype_of(t));
    zc_element element = {.sources = {.count = 0}};
    zc_view view;
    memcpy(element.value.bytes, (const char *)zc_node_data(t->node)->memory + (size_t)t->offset * item, item);
    zc_buffer *buffer = zc_store_element(t, &element);
    if (buffer == NULL)
        return NULL;
    zc_view_row_major(t->rank, t->dims, &view);
    return zc_keep(zc_leaf_tensor(t->ctx, buffer, zc_dtype_of(t), &view, "unshare"));
}

int zc_unshare(const zc_tensor *t, int count, zc_tensor **held)
{
    int views = 0, replaced = 0;
    if (t == NULL || held == NULL || zc_node_data(t->node) == NULL || !zc_buffer_is_own(zc_node_data(t->node), t->heap))
        return 0;
    const bool has_failed = zc_error_status(t->ctx) != ZC_OK;
    for (int i = 0; i < count; i++)
        views += is_held_view(t, held[i]);
    if (zc_node_handles(t->node) != 1 + views) /* another view keeps t as it is */
        return 0;
    for (int i = 0; i < count; i++) {
        zc_tensor *copy = is_held_view(t, held[i]) ? copy_element(held[i]) : NULL;
        if (copy == NULL)
            continue;
        zc_release(held[i]);
        held[i] = copy;
        replaced++;
    }
    if (replaced < views && !has_failed) /* updates are recorded then */
        zc_error_clear(t->ctx);
    return replaced;
}
