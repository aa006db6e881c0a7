#include "materialize/plan/plan_key.h"

#include <string.h>

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

/* Of a scatter's base it is the node's own. */
static int edge_rank(const zc_node *node, int i)
{
    return node->kind == ZC_NODE_SCATTER && i == zc_node_base(node) ? node->rank : node->domain_rank;
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
        w = put_list(w, edge_rank(node, i), edge->stride);
        if (node->kind == ZC_NODE_CONCAT)
            *w++ = node->start[i + 1];
    }
    return w;
}

static int64_t *put_taken(int64_t *w, int count, const zc_taken_axis *taken)
{
    for (int i = 0; i < count; i++) {
        *w++ = taken[i].extent;
        *w++ = taken[i].stride;
        *w++ = taken[i].axis;
    }
    return w;
}

static int64_t *put_scattered(int64_t *w, const zc_node *node)
{
    const zc_scattered *scattered = node->scattered;
    *w++ = (int64_t)scattered->named | (int64_t)scattered->has_base << 8 | (int64_t)scattered->moved_count << 16 |
           (int64_t)node->domain_rank << 24;
    *w++ = scattered->offset;
    w = put_list(w, node->domain_rank, scattered->stride);
    w = put_list(w, node->domain_rank, zc_node_domain_shape(node));
    return put_taken(w, scattered->moved_count, scattered->moved);
}

/* Words of taken axes, for which a node may need more room than others. */
static int taken_words(const zc_node *node)
{
    bool takes = node->kind == ZC_NODE_TAKE || node->kind == ZC_NODE_SCATTER;
    return takes ? 3 * node->edge_count + 2 * node->domain_rank : 0;
}

/* What only some kinds of nodes have. */
static int64_t *put_attributes(int64_t *w, const zc_node *node)
{
    if (node->kind == ZC_NODE_TAKE)
        w = put_taken(w, node->edge_count - 1, node->taken);
    if (node->kind == ZC_NODE_SCATTER)
        w = put_scattered(w, node);
    if (node->kind == ZC_NODE_SCAN)
        *w++ = (int64_t)node->reduced;
    if (node->kind == ZC_NODE_REDUCE) {
        *w++ = (int64_t)node->reduced;
        *w++ = node->domain_rank;
        *w++ = (int64_t)node->by_rule;
        w = put_list(w, node->domain_rank, zc_node_domain_shape(node));
    }
    if (node->kind == ZC_NODE_CONSTANT) {
        memcpy(w, &node->constant, sizeof node->constant);
        w += sizeof node->constant / sizeof *w;
    }
    return w;
}

/* Everything that lowering may ask of a node. Data hides what the node was made of. NULL when there is no room. */
static int64_t *put_node(zc_plan_key *key, int64_t *w, int number)
{
    const zc_node *node = key->nodes[number];
    const zc_buffer *data = key->data[number];
    if (!has_room(key, w + taken_words(node)))
        return NULL;
    *w++ = node->kind | node->op << 8 | node->dtype << 16 | (data != NULL) << 24 | node->is_stored << 25 |
           (int64_t)node->edge_count << 32;
    *w++ = (int64_t)((uint64_t)node->rank | (uint64_t)node->cost << 32); /* costs saturate: all bits may be set */
    *w++ = (int64_t)node->invariant;
    w = put_list(w, node->rank, node->shape);
    if (data == NULL)
        return put_edges(key, put_attributes(w, node), node);
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

bool zc_plan_key_make(const zc_tensor *t, zc_layout layout, const zc_view *target, int64_t target_elements,
                      zc_plan_key *key)
{
    int64_t *w = key->words;
    *w++ = (int64_t)layout | (int64_t)(target != NULL) << 8 | (int64_t)t->rank << 16;
    *w++ = t->offset;
    w = put_list(w, 2 * t->rank, t->dims);
    if (target != NULL) {
        *w++ = target_elements;
        w = put_view(w, target);
    }
    key->node_count = 0;
    (void)number_of(key, t->node);
    for (int i = 0; i < key->node_count; i++) {
        w = put_node(key, w, i);
        if (w == NULL)
            return false;
    }
    key->word_count = (int)(w - key->words);
    key->hash = hash_of(key);
    return true;
}
