/*
 * Keeping: computed elements that stay in memory after a run, beside the results that were asked for.
 *
 * A run charges rent to every node that it computes without storing it for later and that can be asked for again: the
 * work spent, as a part of the work of storing all of it. The run in which that would exceed the whole buys the node
 * instead (lower/buy.h): it computes and stores all of it. So no node is computed more than three times, however often
 * a program reads numbers of what depends on it. Elements of a node with a handle that were in memory anyway stay
 * there, where that does not raise the peak of the run; so do those of some small nodes without one (lower/buy.h).
 *
 * What has data needs its operands for gradients alone. The last nodes that a heap's runs gave data are listed and keep
 * their operands, until these hold more data than a few megabytes that nobody has a handle on, or those of the nodes
 * before the last one are made of thousands of nodes, or memory is short. The nodes listed longest ago give up theirs
 * first: so what a loop has read is freed as it is in an eager runtime. What reads a large node in whose place an
 * update was assigned gives up its operands at once: so the update may have the memory (lower/buy.h).
 * Nodes through which gradients may pass to a variable (variables.h) keep theirs.
 *
 * Threads may share nodes, and a progress function may compute by other contexts in the middle of a run. Whoever
 * follows edges of recorded nodes, or runs a plan, says so; operands are given up and data is dropped while nobody
 * does.
 */
#ifndef ZC_RUNTIME_GRAPH_KEEP_H
#define ZC_RUNTIME_GRAPH_KEEP_H

#include "runtime/context/context.h"
#include "runtime/graph/node.h"

/* The work of storing all of a node, in the parts in which rent is counted; how often that is counted; and the
 * parts in which rents are compared. */
enum { ZC_RENT_PARTS = INT16_MAX, ZC_MOST_RENTS = 2, ZC_WHOLE_RENT = 8 };

/* Nodes of a heap, or more of them, from which on chains that are too long to be walked are not held any longer. */
enum { ZC_MANY_NODES = 1 << 14 };

/* Adds so many parts to a node's rent, which is at most ZC_MOST_RENTS times the whole. */
void zc_node_charge(zc_node *node, int parts);

/* The rent of a node in so many parts of the whole, rounded up: equal steps of a loop have equal rents. */
int zc_node_rent(const zc_node *node);

/* Gives a node that was computed its data, one reference of it, unless it has some or is being realised. */
void zc_node_keep(zc_node *node, zc_buffer *data);

/* A reference to a node's data, or NULL. What is only looked at while it is held needs none: data goes between runs. */
zc_buffer *zc_node_share(const zc_node *node);

/* The data, which from now on stays as if it had been asked for; NULL where there is none. */
const zc_buffer *zc_node_pin(const zc_node *node);

/* Lists a node that was computed and has data, once. */
void zc_kept_add(zc_node *node);

/* Bytes of data that only the operands of a node hold, and theirs; INT64_MAX where there are too many of them, or more
 * than *left, which becomes fewer by those that were looked at. Under the graph's lock. */
int64_t zc_kept_below(const zc_node *node, int *left);

/* Lets nodes of a heap give up their operands where these hold too much data that nobody else holds: to be called after
 * each run. Cheap unless the heap's data has grown by megabytes, or its nodes by thousands. */
void zc_kept_trim(zc_heap *heap);

/* Says that an update of a node was assigned in its place, whose handle has gone. Does nothing where the node is small,
 * or where other threads have tensors of the heap. */
void zc_kept_replace(zc_node *node);

/* Drops the data of listed nodes that nobody asked for, and lets the others give up their operands. Whether that freed
 * data. To be called in a walk of the caller's own, with no plan. */
bool zc_kept_release(zc_heap *heap);

/* zc_check_limit(), after which what is kept has gone, where that was needed: for callers that follow no edges. */
zc_status zc_kept_make_room(const zc_context *ctx, int64_t bytes, zc_reason *why);

/* Takes a node with data from the list: it is to be freed, or gives up its operands. */
void zc_kept_remove(zc_node *node);

/* Releases the operands of a node with data, unless it varies or somebody follows edges. */
void zc_node_give_up(zc_node *node);

/* Tells so few elements that they may be written into the memory of a node: other threads wait meanwhile. */
static inline bool zc_node_may_write(const zc_node *node, int64_t elements)
{
    enum { MOST_BYTES = 8 << 20 };
    return elements > 0 && elements <= node->size / 2 &&
           elements <= MOST_BYTES / (int64_t)zc_dtype_bytes((zc_dtype)node->dtype);
}

/* Tells so few elements that they, each with so many positions of its place, may be put into the memory of a node one
 * after the other: that takes less time and memory than a copy of the node, and other threads wait for it. */
static inline bool zc_node_may_put(const zc_node *node, int64_t elements, int positions)
{
    enum { MOST = 1 << 17, EACH = 8 };
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)node->dtype);
    const int64_t bytes = item + positions * (int64_t)sizeof(int64_t); /* proven: an axis has one at most */
    return elements > 0 && elements <= MOST && elements <= node->size / EACH &&
           elements <= node->size / 2 / bytes * item;
}

/* Tells a heap whose updates may take over the data of their bases: no other thread can have tensors of it, and nothing
 * but the run at hand follows edges. */
bool zc_may_take_over(const zc_heap *heap);

/* Tells a heap whose data may be written to between runs where only one handle leads to it: no other thread can have
 * tensors of it, and nothing follows edges. */
bool zc_may_write(const zc_heap *heap);

/* Lets an update write into the data of its base and have that, and the base none: nobody but the update leads to the
 * base, and nobody else has its data. The operands are given up: the first is returned, for zc_node_end_operands().
 * NULL, and nothing is done, where another thread has come to have tensors of the heap. No thread sees anything in
 * between; `write` must be short. */
zc_node *zc_node_take_over(zc_node *node, void (*write)(const void *user, void *memory), const void *user);

/* Releases the operands that a node gave up. */
void zc_node_end_operands(zc_node *node, zc_node *first);

/* Tells whether a node has given up its operands. */
static inline bool zc_node_gave_up(const zc_node *node)
{
    return node->edge_count > 0 && node->edges[0].node == NULL;
}

/* Enclose everything that follows edges of recorded nodes. May be nested in one thread. */
void zc_graph_follow_begin(void);
void zc_graph_follow_end(void);

#endif
