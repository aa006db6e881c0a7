/*
 * What a plan depends on, as words: requests with equal keys have equal plans, up to the memory that their inputs lie
 * in.
 *
 * The nodes are numbered in the order they are met from the results on, updates with all that they update; a key has
 * what lowering may ask of each. The elements of inputs are no part of it, nor are the values of constants: loops count
 * steps and shorten them. Which of them are equal is, since equal nodes are computed once. Nor is where in its memory
 * an input is read: offsets are told from the first one that leads to the same memory, since a loop that reads x[i]
 * reads the same further on in each step, and memory has one axis, so all that a plan reads of it moves by the same. So
 * does what it writes where an update takes the memory over: places of that, and what is seen of it, are told from
 * there, too. Where several edges lead to an input, as where x - x[i] is computed, what begins at each offset moves by
 * itself: it is read apart. Where the elements of an input are asked for as they are, and where an update may not take
 * them over, offsets count from the beginning. Graphs of more than ZC_KEY_NODES nodes have no key: plans of theirs are
 * too large to be kept. A plan needs no node once it is made.
 */
#ifndef ZC_MATERIALIZE_PLANNER_PLAN_KEY_H
#define ZC_MATERIALIZE_PLANNER_PLAN_KEY_H

#include "materialize/plan/plan.h"
#include "runtime/memory/arena.h"

enum { ZC_KEY_NODES = 1024, ZC_KEY_WORDS = 32 * ZC_KEY_NODES };
enum { ZC_KEY_FEW_NODES = 32, ZC_KEY_FEW_WORDS = 384 }; /* that take no memory of the heap */
enum { ZC_KEY_FEW_PLACES = 4 * ZC_KEY_FEW_NODES };      /* a power of two: twice the addresses of few nodes */
enum { ZC_KEY_READS = 32 };                             /* edges to data; no node is read apart where there are more */
enum { ZC_KEY_CONSTANTS = 64 };                         /* different ones; what others are is part of the key */

typedef struct zc_key_node {
    const zc_node *node;
    const zc_buffer *data; /* that the node had when it was looked at, or NULL */
    int32_t edges;         /* of nodes of the key, to it */
    int32_t memory;        /* the first node with the data in which an offset into this one stands: its own, or what an
                              update of some elements may take over; or -1 */
    bool has_base;         /* of a first one: offsets into the data are told from `base`, */
    bool is_fixed;         /* which is part of the key; */
    bool is_updated;       /* there are updates of the data in the key, */
    bool may_be_taken;     /* and it may be taken over; */
    bool is_shared;        /* other nodes show it, too */
    bool is_apart;         /* edges to the node begin at several offsets, and each of these moves by itself */
    int64_t base;
} zc_key_node;

/* An edge to a node with data. */
typedef struct zc_key_read {
    int32_t number; /* of the node */
    int32_t word;   /* that tells its offset */
    int64_t offset;
} zc_key_read;

typedef struct zc_plan_key {
    uint64_t hash;
    int32_t word_count, node_count;
    int64_t *words;
    zc_key_node *nodes; /* [node_count] */
    int32_t word_room, node_room;
    zc_arena arena;
    int16_t *places;     /* [place_count], a hash table by addresses: 1 + the number of the node there, or of the first
                            with the data there; 0: free */
    int32_t place_count; /* a power of two */
    int32_t address_count;               /* number of places that are taken */
    int32_t constants[ZC_KEY_CONSTANTS]; /* [constant_count]: the first of each value, by number */
    int32_t constant_count;
    zc_key_read reads[ZC_KEY_READS]; /* [read_count] */
    int read_count;                  /* one more than there is room for: there are too many */
    const zc_node **apart;           /* [apart_count]: nodes that are read apart */
    int apart_count;
    bool has_updates; /* some node is one */
    zc_key_node few_nodes[ZC_KEY_FEW_NODES];
    int64_t few_words[ZC_KEY_FEW_WORDS];
    int16_t few_places[ZC_KEY_FEW_PLACES];
} zc_plan_key;

/* The key of what is asked for. False when it has none, or memory is out. Cost O(nodes + edges). It is freed either
 * way. */
bool zc_plan_key_make(const zc_plan_request *request, zc_plan_key *key);
void zc_plan_key_free(zc_plan_key *key);

/* Tells the edge, of a node without data, by which an update of memory shows all that it changes. */
bool zc_key_node_shows_all(const zc_key_node *k, int edge);

/* The first of the nodes that is at this address, or whose data is; -1 when there is none. */
int32_t zc_plan_key_find(const zc_plan_key *key, const void *address);

/* The first edge that begins at an offset into a node's data, as a number among the reads; -1 where there is none. */
int zc_plan_key_find_read(const zc_plan_key *key, int32_t number, int64_t offset);

#endif
