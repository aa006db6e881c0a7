/*
 * Results that leave as they are made: a tensor is computed in blocks in row-major order, and each is handed on before
 * the next one. So a result need not fit into memory.
 */
#ifndef ZC_MATERIALIZE_EAGER_STREAM_H
#define ZC_MATERIALIZE_EAGER_STREAM_H

#include "materialize/eager/blocks.h"

/* Takes the elements of a block, dense and row-major, of the indices of a box. `why` is filled by a refusal. */
typedef zc_status zc_block_visitor(void *user, const zc_box *box, const zc_tensor *elements, zc_reason *why);

/* Divides a tensor into blocks that fit into memory, before the first is computed: ZC_ERROR_BUDGET where none do. */
zc_status zc_stream_begin(zc_blocks *blocks, const zc_tensor *t, const char *function);

/* Computes each block and shows it. Progress is the visitor's; its refusals are not told to the context, all others
 * are. */
zc_status zc_stream_run(const zc_blocks *blocks, zc_block_visitor *visit, void *user, zc_reason *why);

#endif
