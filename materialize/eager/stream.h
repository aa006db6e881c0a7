/*
 * Results that leave as they are made: a tensor is computed in blocks in row-major order, of elements or of chunks, and
 * each is handed on before the next one. So a result need not fit into memory.
 */
#ifndef ZC_MATERIALIZE_EAGER_STREAM_H
#define ZC_MATERIALIZE_EAGER_STREAM_H

#include "materialize/eager/blocks.h"

/* Takes the elements of a block, so many, dense and row-major. A refusal fills `why`. */
typedef zc_status zc_block_visitor(void *user, const zc_box *box, const void *elements, int64_t count, zc_reason *why);

/* Divides a tensor into blocks that fit into memory, of whole chunks or, where `chunk` is NULL, of any indices, before
 * the first is computed: ZC_ERROR_BUDGET where none do. */
zc_status zc_stream_begin(zc_blocks *blocks, const zc_tensor *t, const int64_t *chunk, const char *function);

/* Computes each block and shows it. The visitor reports progress; while a block is computed it stands still. Fails with
 * a reason that is a visitor's, or empty where the context knows. */
zc_status zc_stream_run(const zc_blocks *blocks, zc_block_visitor *visit, void *user, zc_reason *why);

/* Tells the context of a failure that is a reason, unless it knows. Returns status. */
zc_status zc_stream_tell(zc_context *ctx, zc_status status, const char *function, const zc_reason *why);

#endif
