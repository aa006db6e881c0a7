/*
 * Tensors over memory of somebody else.
 */
#ifndef ZC_RUNTIME_RECORD_CONSTANTS_H
#define ZC_RUNTIME_RECORD_CONSTANTS_H

#include "runtime/graph/tensor.h"

/* Memory of somebody else, as zc_import() takes it. */
typedef struct zc_foreign {
    zc_dtype dtype;
    int rank;
    const int64_t *shape, *strides; /* strides NULL: row-major */
    int64_t offset;
    const void *memory;
    size_t bytes;
    void (*release)(void *user, void *memory); /* or NULL */
    void *user;
} zc_foreign;

/* zc_import() for `function`: a handle on a new leaf over the memory, or NULL with the memory released. */
zc_tensor *zc_leaf_import(zc_context *ctx, const zc_foreign *from, const char *function);

#endif
