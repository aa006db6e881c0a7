#include "runtime/graph/walk.h"

#include <stdlib.h>

#include "runtime/graph/keep.h"

const zc_buffer *zc_asked_data(const zc_node *node)
{
    const zc_buffer *data = zc_node_data(node);
    return data != NULL && data->is_kept && !zc_node_gave_up(node) ? NULL : data;
}

/* The number that a node was found under, or -1. `nodes`: in that order. */
static int32_t find(const zc_walk *w, const zc_node *node)
{
    size_t cursor = 0;
    int32_t i = zc_table_next(&w->numbers, zc_hash_address(node), &cursor);
    /* Another address of that hash: LCOV_EXCL_START: up to where memory lies. */
    while (i >= 0 && w->nodes[w->place == NULL ? i : w->place[i]] != node)
        i = zc_table_next(&w->numbers, zc_hash_address(node), &cursor);
    /* LCOV_EXCL_STOP */
    return i;
}

int32_t zc_walk_place(const zc_walk *walk, const zc_node *node)
{
    const int32_t i = find(walk, node);
    return i < 0 ? i : walk->place[i];
}

static bool add(zc_walk *w, const zc_node *node)
{
    void *nodes = w->nodes;
    if (find(w, node) >= 0)
        return true;
    if (!zc_arena_make_room(w->arena, &nodes, w->count, &w->room, sizeof *w->nodes))
        return false;
    w->nodes = nodes;
    w->nodes[w->count] = node;
    return zc_table_add(&w->numbers, zc_hash_address(node), w->count++);
}

static int compare_serials(const void *a, const void *b)
{
    const zc_node *x = *(const zc_node *const *)a, *y = *(const zc_node *const *)b;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* Puts operands first. False when memory is out. */
static bool sort(zc_walk *w)
{
    const zc_node **found = zc_arena_copy(w->arena, w->nodes, (size_t)w->count, sizeof *found);
    int32_t *place = zc_arena_take(w->arena, (size_t)w->count, sizeof *place);
    if (found == NULL || place == NULL)
        return false;
    qsort(found, (size_t)w->count, sizeof *found, compare_serials);
    for (int32_t n = 0; n < w->count; n++)
        place[find(w, found[n])] = n;
    zc_arena_give_back(w->arena, w->nodes, (size_t)w->room, sizeof *w->nodes);
    w->nodes = found;
    w->room = w->count;
    w->place = place;
    return true;
}

bool zc_walk_all(zc_walk *walk, int count, const zc_node *const *from, zc_walk_ends *ends, const void *user)
{
    bool found = true;
    walk->numbers.arena = walk->arena;
    for (int i = 0; i < count && found; i++)
        found = add(walk, from[i]);
    for (int32_t n = 0; n < walk->count && found; n++) {
        const zc_node *node = walk->nodes[n];
        const bool is_end = zc_asked_data(node) != NULL || (ends != NULL && ends(user, node));
        for (int i = 0; !is_end && i < node->edge_count && found; i++)
            found = add(walk, node->edges[i].node);
    }
    return found && sort(walk);
}
