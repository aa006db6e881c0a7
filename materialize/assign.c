/* Assigning to elements: at once where nobody sees the difference, else recorded. */
#include "materialize/execute/copy.h"
#include "materialize/run/few.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/leaf.h"
#include "runtime/graph/variables.h"
#include "runtime/record/record.h"
#include "runtime/record/update.h"
#include "views/overlap.h"
#include "views/view_ops.h"

#include <string.h>

/* ---- Elements that are held ---- */

enum { MOST_HELD = ZC_LENT_SERIALS };

/* Views of few elements that the caller holds, with a reference of ours each, and what takes their place. */
typedef struct loans {
    int count;
    int at[MOST_HELD]; /* in the caller's list */
    zc_tensor *view[MOST_HELD], *copy[MOST_HELD];
} loans;

static bool has_references(const zc_tensor *t, int64_t count)
{
    return atomic_load_explicit(&((zc_tensor *)(uintptr_t)t)->references, memory_order_acquire) == count;
}

/* Finds views of few elements of t's memory that the caller alone refers to. */
static void find_held(const zc_tensor *t, int count, zc_tensor *const *held, loans *l)
{
    l->count = 0;
    if (zc_node_has_gradients(t->node) && !zc_node_has_lent_serials(t->node))
        return;
    for (int i = 0; i < count && l->count < MOST_HELD; i++) {
        if (held[i] == NULL || held[i]->node != t->node || held[i]->size > ZC_FEW || held[i]->size == 0 ||
            held[i]->ctx != t->ctx || !has_references(held[i], 1))
            continue;
        l->at[l->count] = i;
        l->copy[l->count] = NULL;
        l->view[l->count++] = zc_retain(held[i]);
    }
}

/* Numbers t's copies before values are computed of its elements: these are made of the copies, too. */
static void begin_lending(const zc_tensor *t, const loans *l)
{
    if (l->count > 0 && zc_node_has_gradients(t->node))
        zc_buffer_begin_lending(zc_node_data(t->node));
}

/* Lets a copy stand for an element that was read of a node, in a buffer or in none, as the last but `behind`: a
 * gradient by it, which would pass through what was made of that or is made of t, is refused. Later reads have later
 * serials. */
static void lend(const zc_tensor *t, const zc_tensor *copy, const zc_node *node, const zc_buffer *of, int behind)
{
    if (!zc_node_has_gradients(t->node))
        return;
    zc_buffer_begin_lending(zc_node_data(t->node));
    zc_buffer_lend(zc_node_data(t->node), zc_node_data(copy->node), of, node->serial);
    copy->node->serial = node->serial - (uint64_t)behind;
}

/* A copy of few elements in a memory of its own, with a reference of ours; NULL where there is none to be had. */
static zc_tensor *copy_few(const zc_tensor *t, int behind)
{
    const size_t item = zc_dtype_bytes(zc_dtype_of(t));
    const zc_buffer *data = zc_node_data(t->node);
    const zc_few few = {.sources = {.count = 0}};
    zc_view view;
    zc_buffer *buffer = zc_few_buffer(t, &few);
    if (buffer == NULL)
        return NULL;
    zc_view_row_major(t->rank, t->dims, &view);
    zc_copy_to_places(&view, buffer->memory, zc_strides(t), (const char *)data->memory + (size_t)t->offset * item,
                      item);
    zc_tensor *copy = zc_keep(zc_leaf_tensor(t->ctx, buffer, zc_dtype_of(t), &view, "assign"));
    if (copy != NULL)
        lend(t, copy, t->node, data, behind);
    return copy;
}

/* Copies what is held before the elements change. False where memory is short, without an error. */
static bool copy_held(const zc_tensor *t, loans *l)
{
    const bool has_failed = zc_error_status(t->ctx) != ZC_OK;
    bool done = true;
    for (int i = 0; i < l->count && done; i++)
        done = (l->copy[i] = copy_few(l->view[i], l->count - i)) != NULL;
    if (!done && !has_failed)
        zc_error_clear(t->ctx);
    return done;
}

/* Lets the caller hold the copies. */
static void hand_out(loans *l, zc_tensor **held)
{
    for (int i = 0; i < l->count; i++) {
        held[l->at[i]] = l->copy[i];
        l->copy[i] = l->view[i]; /* whose references, the caller's and ours, end */
    }
}

static void end_loans(loans *l)
{
    for (int i = 0; i < l->count; i++) {
        zc_release(l->view[i]);
        zc_release(l->copy[i]);
    }
}

/* Tells views to which nothing refers but the caller and we. */
static bool are_held(const loans *l)
{
    int i = 0;
    while (i < l->count && has_references(l->view[i], 2))
        i++;
    return i == l->count;
}

/* ---- Whether it may be done at once ---- */

/* Tells a tensor of all elements of a node in memory, which no other handle leads to but what is held, and nothing
 * computes again. It has the caller's reference and one of ours. Edges may lead to the node. */
static bool is_only_handle(const zc_tensor *t, const loans *l)
{
    const zc_node *node = t->node;
    const zc_buffer *data = zc_node_data(node);
    zc_view view;
    if (data == NULL || !(node->kind == ZC_NODE_LEAF || zc_node_gave_up(node)) || node->is_variable ||
        node->is_constant || node->invariant != 0 || zc_node_handles(node) != 1 + l->count || !has_references(t, 2))
        return false;
    zc_tensor_view(t, &view);
    return zc_buffer_is_own(data, t->heap) && zc_view_is_identity(&view, node->size) && !zc_node_varies(node);
}

/* Lets a node that was computed give up its operands, unless it is made of a variable: then it stands for its elements
 * alone. May end what the operands held, in the program's own functions. */
static void forget_operands(zc_node *node)
{
    if (zc_node_data(node) == NULL || zc_node_is_given(node) || zc_node_gave_up(node) || zc_node_varies(node) ||
        zc_node_references(node) != zc_node_handles(node))
        return;
    zc_kept_remove(node);
    zc_node_give_up(node);
    zc_kept_add(node); /* unless it has given them up */
}

/* Places that are written: by strides, each once; or one after the other by their numbers, unless these are NULL. */
typedef struct target {
    zc_view view;
    const int64_t *numbers;
} target;

/* Room for the elements of a write and the numbers of their places: on the stack, or in the heap once there are more.
 */
typedef struct few_room {
    _Alignas(zc_scalar) char few_elements[ZC_FEW_ON_STACK * sizeof(zc_scalar)];
    int64_t few_numbers[ZC_FEW_ON_STACK];
    char *elements;
    int64_t *numbers;
    char *more; /* or NULL */
    int64_t count;
} few_room;

enum { ROOM_EACH = sizeof(zc_scalar) + sizeof(int64_t) };

static void begin_room(int64_t count, few_room *r)
{
    r->elements = r->few_elements;
    r->numbers = r->few_numbers;
    r->more = NULL;
    r->count = count;
}

/* False where that many are not few, or memory is short. */
static bool make_room(const zc_context *ctx, few_room *r)
{
    const size_t count = (size_t)r->count;
    if (r->count <= ZC_FEW_ON_STACK || r->more != NULL)
        return true;
    if (r->count > ZC_FEW || zc_check_limit(ctx, r->count * ROOM_EACH, NULL) != ZC_OK) /* proven: few */
        return false;
    r->more = zc_heap_take_data(ctx->heap, count * ROOM_EACH);
    r->elements = r->more;
    r->numbers = r->more != NULL ? (int64_t *)(void *)(r->more + count * sizeof(zc_scalar)) : NULL;
    return r->more != NULL;
}

static void end_room(zc_heap *heap, const few_room *r)
{
    zc_heap_give_data(heap, r->more, r->more != NULL ? (size_t)r->count * ROOM_EACH : 0);
}

/* Tells numbers that were computed, and are those of elements. */
static bool are_numbers(const zc_tensor *t, const zc_tensor *places, int64_t *numbers)
{
    zc_few few;
    if (zc_dtype_of(places) != ZC_INT64)
        return false;
    zc_graph_follow_begin();
    bool are = zc_compute_few(places, NULL, numbers, &few);
    zc_graph_follow_end();
    for (int64_t i = 0; i < places->size && are; i++)
        are = numbers[i] >= 0 && numbers[i] < t->size;
    return are;
}

/* Tells places that are known and few enough. */
static bool find_places(const zc_tensor *t, const zc_tensor *places, few_room *room, target *out)
{
    int64_t lowest, highest;
    if (places->ctx != t->ctx || places->size == 0 || !zc_node_may_write(t->node, places->size))
        return false;
    zc_tensor_view(places, &out->view);
    out->numbers = NULL;
    if (places->node->kind != ZC_NODE_IOTA) {
        const bool has_room = make_room(t->ctx, room);
        out->numbers = room->numbers;
        return has_room && are_numbers(t, places, room->numbers);
    }
    zc_view_reach(&out->view, &lowest, &highest);
    return highest < t->size && zc_view_is_injective(&out->view);
}

/* ---- Values ---- */

/* Elements in memory, and which of them each place gets. */
typedef struct source {
    const void *from;
    int64_t stride[ZC_MAX_RANK];
    zc_few few;
    bool is_computed; /* they are those of a node without data */
} source;

/* Tells a node without data that is computed for few elements. */
static bool is_made(const zc_node *node)
{
    return (node->kind == ZC_NODE_MAP || node->kind == ZC_NODE_TAKE) && zc_node_data(node) == NULL;
}

static bool find_element(const zc_tensor *t, const zc_tensor *values, zc_scalar *element, source *s)
{
    zc_graph_follow_begin();
    const bool is_known = zc_compute_element(values, t->node, element, &s->few);
    zc_graph_follow_end();
    if (!is_known || (is_made(values->node) && values->node->size > 1)) /* which does not keep one of its elements */
        return false;
    if (zc_tensor_is_weak(values)) {
        ZC_DEFAULT_FLOATS();
        *element = zc_scalar_convert(*element, zc_dtype_of(values), zc_dtype_of(t));
    }
    s->from = element->bytes;
    s->is_computed = is_made(values->node);
    return true;
}

/* Lets elements broadcast to the places. */
static bool spread(const zc_view *elements, const zc_view *places, source *s, int64_t *offset)
{
    zc_view shown;
    zc_reason why;
    if (zc_view_broadcast_to(elements, places->rank, places->shape, &shown, &why) != ZC_OK)
        return false;
    zc_copy_list(shown.rank, shown.stride, s->stride);
    *offset = shown.offset;
    return true;
}

/* Computes few elements, or copies them where they are t's own, which change. */
static bool find_few(const zc_tensor *t, const zc_tensor *values, const zc_view *places, few_room *room, source *s)
{
    zc_view row_major;
    int64_t offset;
    if (values->size > room->count || !make_room(t->ctx, room)) /* more do not fit, which recording tells */
        return false;
    zc_graph_follow_begin();
    const bool are_known = zc_compute_few(values, t->node, room->elements, &s->few);
    zc_graph_follow_end();
    zc_view_row_major(values->rank, values->dims, &row_major);
    s->from = room->elements;
    s->is_computed = is_made(values->node);
    return are_known && spread(&row_major, places, s, &offset);
}

/* Finds elements in memory that broadcast to the places and are none of them. */
static bool find_elements(const zc_tensor *t, const zc_tensor *values, const target *to, source *s)
{
    zc_buffer *data = zc_node_data(values->node);
    int64_t offset;
    zc_view own;
    if (data == NULL || zc_dtype_of(t) == ZC_BOOL) /* any byte may stand for true */
        return false;
    zc_tensor_view(values, &own);
    const bool is_apart = values->node != t->node || (to->numbers == NULL && zc_views_are_apart(&own, &to->view));
    if (!is_apart || !spread(&own, &to->view, s, &offset))
        return false;
    if (zc_node_has_gradients(values->node)) {
        zc_sources_add(&s->few.sources, data);
        s->few.sources.nodes |= zc_source_bit(values->node->serial);
    }
    s->from = (const char *)data->memory + (size_t)offset * zc_dtype_bytes(zc_dtype_of(t));
    return true;
}

/* Tells values that go into elements of the dtype as they are, or as a number that fits, and through which no gradient
 * passes to a variable. */
static bool may_be_put(const zc_tensor *values, const zc_tensor *t)
{
    const zc_dtype dtype = zc_dtype_of(t);
    if (zc_tensor_is_weak(values))
        return zc_dtype_promote_weak(dtype, zc_dtype_of(values)) == dtype && zc_record_fits(values, dtype);
    return zc_dtype_of(values) == dtype && !zc_node_varies(values->node);
}

static bool find_values(const zc_tensor *t, const zc_tensor *values, const target *to, few_room *room, source *s)
{
    *s = (source){.from = NULL};
    if (values->ctx != t->ctx || values->rank > to->view.rank || !may_be_put(values, t))
        return false;
    if (values->size == 1)
        return find_element(t, values, (zc_scalar *)(void *)room->few_elements, s);
    return find_elements(t, values, to, s) || find_few(t, values, &to->view, room, s);
}

/* Lets the node of computed values keep these, and give up its operands where these read what is to change. False where
 * memory is short, or others read it, too. May end what the operands held, in the program's own functions. */
static bool detach(const zc_tensor *t, const zc_tensor *values, const loans *l, const source *s)
{
    zc_node *node = values->node;
    zc_view view;
    zc_tensor_view(values, &view);
    if (zc_node_references(t->node) - 1 - l->count > s->few.reads || !zc_view_is_identity(&view, node->size))
        return false;
    const bool are_kept = zc_keep_few(values, s->from, &s->few);
    if (are_kept && s->few.reads > 0)
        zc_node_give_up(node);
    else if (are_kept)
        zc_kept_add(node);
    return are_kept;
}

/* ---- The call ---- */

static void write(const zc_tensor *t, const target *to, const source *s)
{
    zc_node *node = t->node;
    zc_buffer *data = zc_node_data(node);
    const zc_kind kind = zc_dtype_describe(zc_dtype_of(t))->kind;
    const size_t item = zc_dtype_bytes(zc_dtype_of(t));
    if (to->numbers == NULL)
        zc_copy_to_places(&to->view, data->memory, s->stride, s->from, item);
    else
        zc_copy_to_numbered(&to->view, data->memory, to->numbers, s->stride, s->from, item);
    zc_buffer_change(data, &s->few.sources);
    zc_node_set_serial(node);
    node->is_never_negative = kind == ZC_KIND_BOOL || kind == ZC_KIND_UNSIGNED;
}

/* False where the update is to be recorded. What is given up may have put another tensor in the place of this one,
 * made handles on it, or released what is held, so all is looked at again. */
static bool assign_at_once(zc_tensor *const *slot, const zc_tensor *places, const zc_tensor *values, int count,
                           zc_tensor **held)
{
    zc_tensor *t = zc_retain(*slot);
    few_room room;
    target to;
    source s;
    loans l;
    begin_room(places->size, &room);
    find_held(t, count, held, &l);
    if (zc_may_write(t->heap))
        forget_operands(t->node);
    bool may_write = zc_may_write(t->heap) && is_only_handle(t, &l) && find_places(t, places, &room, &to);
    if (may_write)
        begin_lending(t, &l);
    may_write = may_write && find_values(t, values, &to, &room, &s) && copy_held(t, &l) &&
                (!s.is_computed || detach(t, values, &l, &s));
    may_write =
        may_write && *slot == t && is_only_handle(t, &l) && are_held(&l) && zc_node_references(t->node) == 1 + l.count;
    if (may_write) {
        write(t, &to, &s);
        hand_out(&l, held);
    }
    end_room(t->ctx->heap, &room);
    end_loans(&l);
    zc_release(t);
    return may_write;
}

zc_status zc_assign_keeping(zc_tensor **t, const zc_tensor *places, const zc_tensor *values, int count,
                            zc_tensor **held)
{
    static const char function[] = "assign";
    static const char names[] = "*t, places, values";
    const zc_tensor *const operands[] = {t != NULL ? *t : NULL, places, values};
    if (t == NULL || *t == NULL || places == NULL || values == NULL) {
        zc_fail_lost(function, names, operands, 3);
        return ZC_ERROR_ARGUMENT;
    }
    if (zc_refuse_lost(function, names, operands, 3))
        return ZC_ERROR_ARGUMENT;
    if (held == NULL && count > 0)
        return zc_fail((*t)->ctx, ZC_ERROR_ARGUMENT, function, "held is NULL");
    if (assign_at_once(t, places, values, count, held))
        return ZC_OK;
    zc_tensor *old = *t;
    if (old == NULL) /* a function of the program's has taken it away */
        return ZC_ERROR_ARGUMENT;
    zc_tensor *updated = zc_record_assigned(old, places, values);
    if (updated == NULL)
        return zc_error_status(old->ctx);
    *t = zc_keep(updated);
    zc_node *replaced = zc_node_retain(old->node);
    zc_release(old);
    zc_kept_replace(replaced);
    zc_node_release(replaced);
    return ZC_OK;
}

zc_status zc_assign(zc_tensor **t, const zc_tensor *places, const zc_tensor *values)
{
    return zc_assign_keeping(t, places, values, 0, NULL);
}

/* Tells an element in memory of its own that may stand for one that the caller alone refers to. */
static bool may_replace(const zc_tensor *copy, const zc_tensor *held)
{
    return copy != held && copy->ctx == held->ctx && copy->rank == held->rank &&
           zc_dtype_of(copy) == zc_dtype_of(held) && held->size == 1 && copy->node->kind == ZC_NODE_LEAF &&
           copy->node->size == 1 && !zc_node_varies(copy->node) && has_references(held, 1);
}

/* Tells an element to whose node elements of the list alone lead: gradients of what else was recorded on the node pass
 * through it, and not through a copy. *behind: number of elements of the node that stand behind this one. */
static bool are_alone(int count, zc_tensor **const *held, int at, int *behind)
{
    const zc_node *node = (*held[at])->node;
    int64_t listed = 0;
    *behind = 0;
    for (int i = 0; i < count; i++) {
        const bool is_on_it = held[i] != NULL && *held[i] != NULL && (*held[i])->node == node;
        listed += is_on_it && has_references(*held[i], 1);
        *behind += is_on_it && i > at;
    }
    return !zc_node_has_gradients(node) ||
           (zc_node_references(node) == listed && (listed == 1 || zc_node_has_lent_serials(node)));
}

int zc_replace_held(const zc_tensor *t, int count, zc_tensor **const *held, zc_tensor *const *copies)
{
    zc_tensor *old[MOST_HELD];
    int replaced = 0, behind;
    if (t == NULL || held == NULL || copies == NULL || zc_node_data(t->node) == NULL || zc_node_varies(t->node) ||
        !zc_may_write(t->heap))
        return 0;
    count = count < MOST_HELD ? count : MOST_HELD;
    for (int i = 0; i < count; i++) {
        zc_tensor *element = held[i] != NULL ? *held[i] : NULL;
        old[i] = NULL;
        if (element == NULL || copies[i] == NULL || !may_replace(copies[i], element) || element->node == t->node ||
            !are_alone(count, held, i, &behind))
            continue;
        lend(t, copies[i], element->node, NULL, behind);
        old[i] = element;
    }
    for (int i = 0; i < count; i++) {
        if (old[i] != NULL)
            *held[i] = zc_retain(copies[i]);
        replaced += old[i] != NULL;
    }
    for (int i = 0; i < count; i++)
        zc_release(old[i]); /* which may end what the program gave: its functions see the copies */
    return replaced;
}
