#include "materialize/plan/plan_key.h"

#include <string.h>

#include "runtime/graph/attributes.h"

/* Room that is left before anything is written: a node without its edges, or one of them, takes no more words. */
enum { MOST_WORDS_AT_ONCE = 3 * ZC_MAX_RANK };

/* Words are written through `w`, which moves on: a counter in the key would make every word wait for the one before. */
static inline int64_t *put_list(int64_t *w, int count, const int64_t *list)
{
    for (int i = 0; i < count; i++)
        w[i] = list[i];
    return w + count;
}

static bool has_room(const zc_plan_key *key, const int64_t *w)
{
    return w - key->words <= ZC_KEY_WORDS - MOST_WORDS_AT_ONCE;
}

/* The number of a node, which may be new; -1 when there are too many. */
static int number_of(zc_plan_key *key, const zc_node *node)
{
    for (int i = 0; i < key->node_count; i++) {
        if (key->nodes[i] == node)
            return i;
    }
    if (key->node_count == ZC_KEY_NODES)
        return -1;
    key->nodes[key->node_count] = node;
    key->data[key->node_count] = zc_node_data(node);
    return key->node_count++;
}

/* The first node with that data: several may show one buffer, and then they are one input. */
static int first_with(const zc_plan_key *key, const zc_buffer *data)
{
    int i = 0;
    while (key->data[i] != data)
        i++;
    return i;
}

static int64_t *put_view(int64_t *w, const zc_view *view)
{
    *w++ = view->rank;
    *w++ = view->offset;
    w = put_list(w, view->rank, view->shape);
    return put_list(w, view->rank, view->stride);
}

/* The operands, by their numbers. NULL when there is no room. */
static int64_t *put_edges(zc_plan_key *key, int64_t *w, const zc_node *node)
{
    for (int i = 0; i < node->edge_count; i++) {
        const zc_edge *edge = &node->edges[i];
        int number = number_of(key, edge->node);
        if (number < 0 || !has_room(key, w))
            return NULL;
        *w++ = number;
        *w++ = edge->offset;
        w = put_list(w, zc_node_edge_rank(node, i), edge->stride);
    }
    return w;
}

/* What only nodes of its kind have. NULL when there is no room. */
static int64_t *put_attributes(const zc_plan_key *key, int64_t *w, const zc_node *node)
{
    zc_words lists[ZC_MOST_ATTRIBUTES];
    int count = zc_node_attributes(node, lists);
    for (int i = 0; i < count; i++) {
        if (!has_room(key, w + lists[i].count))
            return NULL;
        memcpy(w, lists[i].at, (size_t)lists[i].count * sizeof *w);
        w += lists[i].count;
    }
    return w;
}

/* Everything that lowering may ask of a node. Data hides what the node was made of. NULL when there is no room. */
static int64_t *put_node(zc_plan_key *key, int64_t *w, int number)
{
    const zc_node *node = key->nodes[number];
    const zc_buffer *data = key->data[number];
    if (!has_room(key, w))
        return NULL;
    *w++ = node->kind | node->op << 8 | node->dtype << 16 | (data != NULL) << 24 | node->is_stored << 25 |
           (int64_t)node->edge_count << 32;
    *w++ = (int64_t)(node->rank | (uint64_t)node->domain_rank << 8 |
                     (uint64_t)node->cost << 32); /* costs saturate: all bits may be set */
    *w++ = (int64_t)node->invariant;
    w = put_list(w, node->rank, node->shape);
    if (data == NULL) {
        w = put_attributes(key, w, node);
        return w == NULL ? NULL : put_edges(key, w, node);
    }
    *w++ = first_with(key, data);
    *w++ = data->bytes;
    return w;
}

/* Products that do not wait for each other; whoever finds an equal hash compares the words. */
static uint64_t hash_of(const zc_plan_key *key)
{
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t hash = 0, factor = golden;
    for (int i = 0; i < key->word_count; i++, factor += 2 * golden) {
        uint64_t word = (uint64_t)key->words[i];
        hash += (word ^ word >> 29) * factor;
    }
    return hash ^ hash >> 32;
}

/* What is asked for: views of nodes. NULL when there is no room. */
static int64_t *put_request(zc_plan_key *key, int64_t *w, const zc_plan_request *r)
{
    *w++ = (int64_t)r->layout | (int64_t)(r->target != NULL) << 8 | (int64_t)r->count << 16;
    if (r->target != NULL) {
        *w++ = r->target_elements;
        w = put_view(w, r->target);
    }
    for (int i = 0; i < r->count; i++) {
        const zc_tensor *t = r->tensors[i];
        int number = number_of(key, t->node);
        if (number < 0 || !has_room(key, w))
            return NULL;
        *w++ = (int64_t)number << 32 | (int64_t)t->rank;
        *w++ = t->offset;
        w = put_list(w, 2 * t->rank, t->dims);
    }
    return w;
}

bool zc_plan_key_make(const zc_plan_request *request, zc_plan_key *key)
{
    key->node_count = 0;
    int64_t *w = put_request(key, key->words, request);
    for (int i = 0; i < key->node_count && w != NULL; i++)
        w = put_node(key, w, i);
    if (w == NULL)
        return false;
    key->word_count = (int)(w - key->words);
    key->hash = hash_of(key);
    return true;
}
