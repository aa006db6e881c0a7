/*
 * Nodes as they are read: each kind has a function that reads what only nodes of its kind have, checks it, and records
 * the node anew, by what the public functions record with where that is one call. Nothing that was read is trusted: a
 * view is proven over what was read before, a dtype is one that the operation takes.
 */
#ifndef ZC_RUNTIME_SERIALIZE_RESTORE_H
#define ZC_RUNTIME_SERIALIZE_RESTORE_H

#include "runtime/serialize/serialize.h"

/* A node that was read: its elements in their order lie one after the other in `node`, from `offset` on. */
typedef struct zc_restored {
    zc_node *node; /* a reference of the reader's */
    int64_t offset, size;
} zc_restored;

typedef struct zc_reader {
    zc_context *ctx;
    const int64_t *at, *end;
    int input_count;
    const zc_tensor *const *inputs;
    zc_restored *nodes; /* [node_count]: those that were read */
    int64_t node_count;
    const char *what; /* is read, "node" or "result", */
    int64_t number;   /* and the how manieth */
} zc_reader;

/* A node of which only the words are there, and the shape has been checked. */
typedef struct zc_described {
    int kind, op;
    zc_dtype dtype;
    bool is_weak, is_stored;
    int64_t operand_count;
    int rank, domain_rank;
    const int64_t *shape; /* [rank] */
    int64_t size;
} zc_described;

/* Fails with ZC_ERROR_FORMAT for what is read: "node 5 uses one that is not there". */
zc_status zc_read_refuse(const zc_reader *r, const char *what);

/* The next words; NULL after a failure. */
const int64_t *zc_read_words(zc_reader *r, int64_t count);

/* A view of a node that was read, as words tell it: its number, and offset and strides; over that shape. The view is
 * over all of *node, which stays the reader's. */
zc_status zc_read_view(const zc_reader *r, int64_t number, int rank, const int64_t *shape, const int64_t *words,
                       zc_node **node, zc_view *view);

/* The next operand likewise; and as a handle that the open scope owns, NULL after a failure. */
zc_status zc_read_operand(zc_reader *r, int rank, const int64_t *shape, zc_node **node, zc_view *view);
zc_tensor *zc_read_tensor(zc_reader *r, int rank, const int64_t *shape);

/* A node of its kind, as a handle that the open scope owns; NULL after a failure. */
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient)                                                     \
    zc_tensor *zc_restore_##name(zc_reader *r, const zc_described *n);
#define ZC_COMPUTED_NODE ZC_GIVEN_NODE
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE

#endif
