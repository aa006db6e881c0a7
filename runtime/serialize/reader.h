/*
 * What reads the bytes of a graph: words one after the other, and views that are proven over the nodes read before.
 */
#ifndef ZC_RUNTIME_SERIALIZE_READER_H
#define ZC_RUNTIME_SERIALIZE_READER_H

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
    bool is_weak, is_explicit_copy, is_constant;
    int64_t operand_count;
    int rank, domain_rank;
    const int64_t *shape; /* [rank] */
    int64_t size;
} zc_described;

/* Fails with ZC_ERROR_FORMAT for what is read: "node 5 uses a node that is not there". */
zc_status zc_read_refuse(const zc_reader *r, const char *what);
zc_status zc_read_refuse_because(const zc_reader *r, const zc_reason *why);

/* The next words, 0 or more of them; NULL after a failure. */
const int64_t *zc_read_words(zc_reader *r, int64_t count);

/* A view of a node that was read, as words tell it: its number, and offset and strides; over that shape. The view is
 * over all of *node, which stays the reader's. */
zc_status zc_read_view(const zc_reader *r, int64_t number, int rank, const int64_t *shape, const int64_t *words,
                       zc_node **node, zc_view *view);

/* The next operand likewise; and as a handle that the open scope owns, NULL after a failure. */
zc_status zc_read_operand(zc_reader *r, int rank, const int64_t *shape, zc_node **node, zc_view *view);
zc_tensor *zc_read_tensor(zc_reader *r, int rank, const int64_t *shape);

#endif
