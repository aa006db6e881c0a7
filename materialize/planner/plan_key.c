#include "materialize/planner/plan_key.h"

#include <stddef.h>
#include <string.h>

#include "runtime/graph/attributes.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/variables.h"
#include "runtime/memory/table.h"

/* Room that is left before anything is written: a node without its edges, or one of them, takes no more words. */
enum { MOST_WORDS_AT_ONCE = 3 * ZC_MAX_RANK };

/* Words are written through `w`, which moves on: a counter in the key would make every word wait for the one before. */
static inline int64_t *put_list(int64_t *w, int count, const int64_t *list)
{
    for (int i = 0; i < count; i++)
        w[i] = list[i];
    return w + count;
}

/* Makes room for words that do not fit any more. False when there is none. */
static bool grow(zc_plan_key *key, int64_t **w, size_t wanted)
{
    const size_t used = (size_t)(*w - key->words), room = 2 * wanted;
    int64_t *words = wanted <= ZC_KEY_WORDS ? zc_arena_grow(&key->arena, key->words, used, room, sizeof *words) : NULL;
    if (words == NULL)
        return false;
    key->words = words;
    key->word_room = (int32_t)room;
    *w = words + used;
    return true;
}

/* Sees to room for so many words more; *w moves with the words. False when there is none. */
static inline bool has_room(zc_plan_key *key, int64_t **w, int count)
{
    const size_t wanted = (size_t)(*w - key->words) + (size_t)count;
    return wanted <= (size_t)key->word_room || grow(key, w, wanted);
}

/* ---- Numbers of nodes ---- */

/* The place of an address: its own, a free one, or the place of a node by its other address. */
static size_t find_place(const zc_plan_key *key, const void *address)
{
    const size_t mask = (size_t)key->place_count - 1;
    size_t at = zc_hash_address(address) & mask;
    while (key->places[at] != 0) {
        const zc_key_node *k = &key->nodes[key->places[at] - 1];
        if (k->node == address || k->data == address)
            break;
        at = (at + 1) & mask;
    }
    return at;
}

int32_t zc_plan_key_find(const zc_plan_key *key, const void *address)
{
    return key->places[find_place(key, address)] - 1;
}

/* Lets an address lead to node i, unless it leads to one already. Returns the one that it leads to. */
static int32_t add_address(zc_plan_key *key, const void *address, int32_t i)
{
    int16_t *place = &key->places[find_place(key, address)];
    if (*place != 0)
        return *place - 1;
    *place = (int16_t)(i + 1);
    key->address_count++;
    return i;
}

/* Makes twice as many places. False when memory is out. */
static bool enlarge_places(zc_plan_key *key)
{
    const size_t count = 2 * (size_t)key->place_count;
    int16_t *places = zc_arena_take(&key->arena, count, sizeof *places);
    if (places == NULL)
        return false;
    memset(places, 0, count * sizeof *places);
    key->places = places;
    key->place_count = (int32_t)count;
    key->address_count = 0;
    for (int32_t i = 0; i < key->node_count; i++) {
        (void)add_address(key, key->nodes[i].node, i);
        if (key->nodes[i].data != NULL)
            (void)add_address(key, key->nodes[i].data, i);
    }
    return true;
}

static bool enlarge_nodes(zc_plan_key *key)
{
    const int32_t count = key->node_count, room = 2 * count;
    zc_key_node *nodes = room <= ZC_KEY_NODES
                             ? zc_arena_grow(&key->arena, key->nodes, (size_t)count, (size_t)room, sizeof *nodes)
                             : NULL;
    if (nodes == NULL)
        return false;
    key->nodes = nodes;
    key->node_room = room;
    return true;
}

/* The number of a node, which may be new; -1 when there are too many, or memory is out. */
static int32_t find_or_add(zc_plan_key *key, const zc_node *node)
{
    const int32_t i = key->node_count;
    if ((2 * (key->address_count + 2) > key->place_count && !enlarge_places(key)) ||
        (i == key->node_room && !enlarge_nodes(key)))
        return -1;
    const int32_t number = add_address(key, node, i);
    if (number < i)
        return number;
    key->nodes[i] = (zc_key_node){.node = node, .data = zc_node_data(node), .memory = -1};
    key->node_count++;
    key->has_updates |= node->kind == ZC_NODE_SCATTER;
    if (key->nodes[i].data != NULL) {
        const int32_t memory = key->nodes[i].memory = add_address(key, key->nodes[i].data, i);
        key->nodes[memory].is_shared |= memory != i;
    }
    return i;
}

/* Tells an update that is in the memory of its base. */
static bool is_update(const zc_key_node *k)
{
    return k->data == NULL && zc_node_updates_part(k->node);
}

bool zc_key_node_shows_all(const zc_key_node *k, int edge)
{
    return k->memory >= 0 && edge == zc_node_base(k->node);
}

/* The number of a node. Updates are numbered with all that they update, since they are in the same memory. */
static int32_t number_of(zc_plan_key *key, const zc_node *node)
{
    const int32_t first = key->node_count, number = find_or_add(key, node);
    int32_t at = number;
    for (int32_t last = first; at == last && is_update(&key->nodes[at]);) {
        const zc_node *update = key->nodes[at].node;
        last = key->node_count;
        at = find_or_add(key, update->edges[zc_node_base(update)].node);
        if (at < 0)
            return -1;
    }
    if (at == number)
        return number;
    const int32_t memory = key->nodes[at].memory;
    for (int32_t i = first; i < key->node_count; i++)
        key->nodes[i].memory = memory;
    if (memory >= 0)
        key->nodes[memory].is_updated = true;
    return number;
}

/* ---- Words ---- */

static int64_t *put_view(int64_t *w, const zc_view *view)
{
    *w++ = view->rank;
    *w++ = view->offset;
    w = put_list(w, view->rank, view->shape);
    return put_list(w, view->rank, view->stride);
}

/* The origin that an offset into the elements of a node is told from. Memory of elements of which some stand for
 * several is fixed. */
static int64_t base_of(zc_plan_key *key, int32_t number, int64_t offset)
{
    const zc_key_node *k = &key->nodes[number];
    if (k->memory < 0)
        return 0;
    zc_key_node *memory = &key->nodes[k->memory];
    if (!memory->has_base)
        memory->base = offset;
    memory->has_base = true;
    memory->is_fixed |= k->node->invariant != 0;
    return memory->base;
}

/* Notes an edge to a node with data, whose offset is the next word. */
static void note_read(zc_plan_key *key, const int64_t *w, int32_t number, int64_t offset)
{
    if (key->read_count < ZC_KEY_READS)
        key->reads[key->read_count] = (zc_key_read){number, (int32_t)(w - key->words), offset};
    key->read_count += key->read_count <= ZC_KEY_READS;
}

int zc_plan_key_find_read(const zc_plan_key *key, int32_t number, int64_t offset)
{
    int i = 0;
    while (i < key->read_count && (key->reads[i].number != number || key->reads[i].offset != offset))
        i++;
    return i < key->read_count ? i : -1;
}

/* Tells a node of whose data all that is read is read through edges, by nodes that leave it as it is. */
static bool may_be_apart(const zc_plan_key *key, int32_t number)
{
    const zc_key_node *k = &key->nodes[number];
    return k->memory == number && !k->is_shared && !k->is_fixed && !k->is_updated;
}

/* Tells offsets of edges from each other where they may move by themselves, and lists the nodes that are read so. False
 * when memory is out. */
static bool tell_apart(zc_plan_key *key)
{
    for (int i = 0; i < key->read_count && key->read_count <= ZC_KEY_READS; i++) {
        const zc_key_read *read = &key->reads[i];
        zc_key_node *k = &key->nodes[read->number];
        if (!may_be_apart(key, read->number) || read->offset == k->base)
            continue;
        key->words[read->word] = INT64_MIN + zc_plan_key_find_read(key, read->number, read->offset); /* no distance */
        if (key->apart == NULL)
            key->apart = zc_arena_take(&key->arena, ZC_KEY_READS, sizeof *key->apart);
        if (key->apart == NULL)
            return false;
        if (!k->is_apart)
            key->apart[key->apart_count++] = k->node;
        k->is_apart = true;
    }
    return true;
}

/* The operands, by their numbers. NULL when there is no room. */
static int64_t *put_edges(zc_plan_key *key, int64_t *w, int32_t consumer)
{
    const zc_node *node = key->nodes[consumer].node;
    for (int i = 0; i < node->edge_count; i++) {
        const zc_edge *edge = &node->edges[i];
        int32_t number = number_of(key, edge->node);
        if (number < 0 || !has_room(key, &w, MOST_WORDS_AT_ONCE))
            return NULL;
        key->nodes[number].edges++;
        *w++ = number;
        const bool shows_all = zc_key_node_shows_all(&key->nodes[consumer], i);
        if (key->nodes[number].data != NULL)
            note_read(key, w, number, edge->offset);
        *w++ = edge->offset - (shows_all ? 0 : base_of(key, number, edge->offset)); /* proven: both inside memory */
        w = put_list(w, zc_node_edge_rank(node, i), edge->stride);
    }
    return w;
}

/* The number of the first constant that is equal to one, perhaps itself; -1 where there are too many of them. */
static int32_t first_equal(zc_plan_key *key, int32_t number)
{
    const zc_node *node = key->nodes[number].node;
    for (int i = 0; i < key->constant_count; i++) {
        const zc_node *other = key->nodes[key->constants[i]].node;
        if (other->dtype == node->dtype &&
            memcmp(other->constant.bytes, node->constant.bytes, sizeof node->constant.bytes) == 0)
            return key->constants[i];
    }
    if (key->constant_count == ZC_KEY_CONSTANTS)
        return -1;
    return key->constants[key->constant_count++] = number;
}

/* Puts the attributes that only nodes of its kind have. NULL when there is no room. */
static int64_t *put_attributes(zc_plan_key *key, int64_t *w, const zc_node *node)
{
    zc_words lists[ZC_MOST_ATTRIBUTES];
    int count = zc_node_attributes(node, lists);
    for (int i = 0; i < count; i++) {
        if (!has_room(key, &w, lists[i].count))
            return NULL;
        memcpy(w, lists[i].at, (size_t)lists[i].count * sizeof *w);
        w += lists[i].count;
    }
    return w;
}

/* The same of an update of memory. Lowering asks where places lie that positions move, so these are told absolutely. */
static int64_t *put_update(zc_plan_key *key, int64_t *w, int32_t number)
{
    enum { OFFSET = offsetof(zc_scattered, offset) / sizeof(int64_t) };
    const zc_node *node = key->nodes[number].node;
    const ptrdiff_t at = w - key->words;
    w = put_attributes(key, w, node);
    if (node->scattered->moved_count > 0)
        key->nodes[key->nodes[number].memory].is_fixed = true;
    if (w != NULL)
        key->words[at + OFFSET] -= base_of(key, number, node->scattered->offset); /* proven: both inside memory */
    return w;
}

/* Everything that lowering may ask of a node. Data hides what the node was made of. NULL when there is no room. */
static int64_t *put_node(zc_plan_key *key, int64_t *w, int32_t number)
{
    const zc_node *node = key->nodes[number].node;
    const zc_buffer *data = key->nodes[number].data;
    if (!has_room(key, &w, MOST_WORDS_AT_ONCE))
        return NULL;
    const bool is_assigned = data == NULL && node->kind == ZC_NODE_SCATTER && node->scattered->is_assigned;
    *w++ = node->kind | node->op << 8 | node->dtype << 16 | (data != NULL) << 24 | node->is_explicit_copy << 25 |
           is_assigned << 26 | (int64_t)node->edge_count << 32;
    *w++ = node->rank | node->domain_rank << 8;
    *w++ = (int64_t)node->invariant;
    w = put_list(w, node->rank, node->shape);
    if (node->kind == ZC_NODE_CONSTANT && (*w++ = first_equal(key, number)) >= 0)
        return w;
    if (data == NULL) {
        if (key->nodes[number].memory >= 0)
            w = put_update(key, w, number);
        else if (node->kind != ZC_NODE_MAP) /* which has none */
            w = put_attributes(key, w, node);
        return w == NULL ? NULL : put_edges(key, w, number);
    }
    *w++ = key->nodes[number].memory; /* several may show one buffer, and then they are one input */
    *w++ = data->bytes;
    return w;
}

/* Adds products of two words each, which do not wait for each other, with factors that tell their places; whoever finds
 * an equal hash compares the words. */
static uint64_t hash_of(const zc_plan_key *key)
{
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
    const int64_t *words = key->words;
    uint64_t hash = 0, factor = golden;
    for (int i = 0; i + 1 < key->word_count; i += 2, factor += 2 * golden)
        hash += ((uint64_t)words[i] + factor) * ((uint64_t)words[i + 1] ^ ~factor);
    if (key->word_count % 2 != 0)
        hash += ((uint64_t)words[key->word_count - 1] + factor) * factor;
    return hash ^ hash >> 32;
}

/* Puts the request: views of nodes. NULL when there is no room. */
static int64_t *put_request(zc_plan_key *key, int64_t *w, const zc_plan_request *r)
{
    *w++ = (int64_t)r->layout | (int64_t)(r->target != NULL) << 8 | (int64_t)r->buys << 9 |
           (int64_t)(r->tensors[0]->ctx->scope == NULL) << 10 | (int64_t)r->count << 16;
    if (r->target != NULL) {
        *w++ = r->target_elements;
        w = put_view(w, r->target);
    }
    *w++ = r->due_count;
    for (int i = 0; i < r->due_count; i++) {
        int32_t number = number_of(key, r->due[i]);
        if (number < 0 || !has_room(key, &w, MOST_WORDS_AT_ONCE))
            return NULL;
        *w++ = number;
    }
    for (int i = 0; i < r->count; i++) {
        const zc_tensor *t = r->tensors[i];
        int32_t number = number_of(key, t->node);
        if (number < 0 || !has_room(key, &w, MOST_WORDS_AT_ONCE))
            return NULL;
        const int64_t base = base_of(key, number, t->offset);
        if (key->nodes[number].data != NULL)
            key->nodes[key->nodes[number].memory].is_fixed = true;
        const bool varies = r->layout == ZC_LAYOUT_COMPACT && zc_node_varies(t->node); /* of data, too */
        *w++ = number;
        *w++ = t->rank | (int64_t)varies << 8;
        *w++ = t->offset - base; /* proven: both are inside memory */
        w = put_list(w, 2 * t->rank, t->dims);
    }
    return w;
}

/* Facts that decide which nodes are bought, a byte for each: its rent, whether it can be asked for other than through
 * nodes of the key, and whether by other nodes; of one with data, where there are updates, whether one may take that
 * over (lower/buy.h). Then whether the only result, or NULL, can be asked for otherwise. NULL when there is no room.
 */
static int64_t *put_rents(zc_plan_key *key, const zc_context *ctx, const zc_tensor *asked, int64_t *w)
{
    enum { BYTES = sizeof *w, RENT_BITS = 5 };
    const bool may_take_over = key->has_updates && zc_may_take_over(ctx->heap);
    for (int32_t i = 0; i < key->node_count; i += BYTES) {
        uint64_t word = 0;
        if (!has_room(key, &w, 1))
            return NULL;
        for (int32_t n = i; n < key->node_count && n < i + BYTES; n++) {
            const zc_key_node *k = &key->nodes[n];
            const zc_node *node = k->node;
            const bool is_outside = zc_node_references(node) > k->edges;
            unsigned decides = 0;
            if (k->data != NULL)
                decides = may_take_over && !is_outside && zc_buffer_is_own(k->data, ctx->heap);
            else if (!zc_node_is_given(node))
                decides = (unsigned)zc_node_rent(node) | (unsigned)is_outside << RENT_BITS |
                          (unsigned)zc_node_varies(node) << (RENT_BITS + 1) |
                          (unsigned)(zc_node_references(node) - zc_node_handles(node) > k->edges) << (RENT_BITS + 2);
            if (k->data != NULL && decides != 0)
                key->nodes[k->memory].may_be_taken = true;
            word |= (uint64_t)decides << 8 * (n - i);
        }
        *w++ = (int64_t)word;
    }
    if (!has_room(key, &w, 1))
        return NULL;
    *w++ = asked != NULL && zc_node_references(asked->node) > key->nodes[number_of(key, asked->node)].edges + 1;
    return w;
}

/* Adds the origins of offsets into memory. NULL when there is no room. */
static int64_t *put_bases(zc_plan_key *key, int64_t *w)
{
    if (!tell_apart(key))
        return NULL;
    for (int32_t i = 0; i < key->node_count; i++) {
        zc_key_node *k = &key->nodes[i];
        k->is_fixed |= k->is_updated && !k->may_be_taken;
        if (!k->has_base || !k->is_fixed)
            continue;
        if (!has_room(key, &w, 1))
            return NULL;
        *w++ = k->base;
    }
    return w;
}

bool zc_plan_key_make(const zc_plan_request *request, zc_plan_key *key)
{
    const zc_context *ctx = request->tensors[0]->ctx;
    key->node_count = key->constant_count = key->read_count = key->apart_count = 0;
    key->has_updates = false;
    key->apart = NULL;
    key->nodes = key->few_nodes;
    key->words = key->few_words;
    key->node_room = ZC_KEY_FEW_NODES;
    key->word_room = ZC_KEY_FEW_WORDS;
    zc_arena_init(&key->arena, ctx->heap);
    key->arena.limit = ctx->options.header_limit;
    memset(key->few_places, 0, sizeof key->few_places);
    key->places = key->few_places;
    key->place_count = ZC_KEY_FEW_PLACES;
    key->address_count = 0;
    int64_t *w = put_request(key, key->words, request);
    for (int32_t i = 0; i < key->node_count && w != NULL; i++)
        w = put_node(key, w, i);
    if (w != NULL && request->buys)
        w = put_rents(key, ctx, request->count == 1 ? request->tensors[0] : NULL, w);
    if (w != NULL)
        w = put_bases(key, w);
    if (w == NULL)
        return false;
    key->word_count = (int32_t)(w - key->words);
    key->hash = hash_of(key);
    return true;
}

void zc_plan_key_free(zc_plan_key *key)
{
    zc_arena_free(&key->arena);
}
