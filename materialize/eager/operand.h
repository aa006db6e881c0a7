/*
 * What the functions share that compute when they are called: operands brought into memory, the bytes of a call counted
 * before the first is taken, results handed out all or none.
 *
 * Invariant: an operand that exists is read where and as it stands; one that is still to be computed is materialised,
 * once, as by zc_materialize(). The call's own allocations are data memory, so that the context counts them.
 */
#ifndef ZC_MATERIALIZE_EAGER_OPERAND_H
#define ZC_MATERIALIZE_EAGER_OPERAND_H

#include "runtime/graph/tensor.h"

/* ---- What a call needs ---- */

typedef struct zc_need {
    zc_context *ctx;
    const char *function;
    int64_t alive_bytes; /* operands, work and results, alive at once */
    int64_t own_bytes;   /* work and results alone */
    int64_t peak_bytes;  /* peak while the operands are computed, one after the other */
    bool is_parted;      /* operands are parts of one, each computed beside work and results */
    bool overflows;
} zc_need;

/* Begins the need of a call with the bytes for bringing its operands into memory. */
zc_status zc_need_begin(zc_need *need, zc_context *ctx, const char *function, int count,
                        const zc_tensor *const *operands);

/* Adds the bytes for bringing one more operand into memory. */
zc_status zc_need_add_operand(zc_need *need, const zc_tensor *t);

/* Adds `count` elements of so many bytes. */
void zc_need_add(zc_need *need, int64_t count, size_t bytes_each);

/* ZC_ERROR_BUDGET when the context may not take all of it, ZC_ERROR_OVERFLOW when int64 does not count it. */
zc_status zc_need_check(const zc_need *need);
zc_status zc_need_ask(const zc_need *need, zc_reason *why); /* as zc_need_check(), without a failure of the context */
bool zc_need_fits(const zc_need *need);                     /* tells whether it would be ZC_OK */

/* ---- Operands ---- */

/* A tensor in memory. Its view has at least one axis: a scalar is a row of one element. */
typedef struct zc_operand {
    zc_tensor *tensor; /* one reference */
    zc_view view;
    const char *memory; /* memory that the view is over */
    size_t item_bytes;
    zc_buffer *data; /* buffer of that memory, one reference */
    bool is_made;    /* made for this call alone */
} zc_operand;

/* Brings a tensor into memory, after the need was checked. What its run has left in memory goes again where work and
 * results would have no room beside it. */
zc_status zc_operand_open(zc_operand *operand, const zc_tensor *t, const zc_need *need);
void zc_operand_close(zc_operand *operand); /* an operand that was opened, or is all zero */

/* Adds the buffers that an open operand is made of: its own, or, where that holds a part that goes again, those before
 * it. */
void zc_operand_sources(const zc_operand *operand, zc_sources *sources);

/* Offset in a view's storage where a line along `axis` begins; lines are numbered in row-major order of the other
 * axes. */
int64_t zc_line_start(const zc_view *view, int axis, int64_t line);

/* Address of the element at that place. */
static inline const char *zc_operand_at(const zc_operand *operand, int64_t place)
{
    return operand->memory + (size_t)place * operand->item_bytes;
}

/* ---- Results ---- */

typedef struct zc_output {
    zc_tensor **out; /* NULL: not asked for, and nothing below means anything */
    zc_dtype dtype;
    zc_view view;
    zc_buffer *buffer;
} zc_output;

/* A row-major result of that shape, without memory yet. */
zc_output zc_output_of(zc_tensor **out, zc_dtype dtype, int rank, const int64_t *shape);

/* Memory for all of them, or, out of memory, for none. */
zc_status zc_outputs_take(zc_output *results, int count, zc_context *ctx, const char *function);

/* Gives the memory back. */
void zc_outputs_drop(zc_output *results, int count);

/* Makes the tensors; the memory is theirs, also on failure, when every *out is NULL. */
zc_status zc_outputs_hand_out(zc_output *results, int count, zc_context *ctx, const char *function);

/* Lets *values, a leaf of x's elements at `index` along an axis, remember that (runtime/graph/history.h). On failure it
 * is released, and NULL. */
zc_status zc_output_keep_history(const zc_tensor *x, const zc_tensor *index, int axis, const char *function,
                                 zc_tensor **values);

/* The elements of a result. */
static inline void *zc_output_memory(const zc_output *result)
{
    return result->out != NULL ? result->buffer->memory : NULL;
}

/* Checks that there is an operand, and a place for each of `count` results, which is emptied first. */
zc_status zc_check_outs(const zc_tensor *x, const char *function, int count, zc_tensor **const *outs);

#endif
