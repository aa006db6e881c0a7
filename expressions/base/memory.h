/*
 * Memory of programs and of their values, from the allocator that the fault names.
 *
 * Invariant: a block knows its allocator and its size, so whoever holds one can give it back.
 */
#ifndef ZC_EXPRESSIONS_BASE_MEMORY_H
#define ZC_EXPRESSIONS_BASE_MEMORY_H

#include "expressions/base/fault.h"

/* Takes a block of zeros; NULL with the fault set where memory is out. */
void *zc_memory_take(zc_fault *fault, size_t bytes);

/* Moves a block (or NULL) to a larger one, with zeros behind what it held. NULL with the fault set, and the block as it
 * was, where memory is out. */
void *zc_memory_grow(zc_fault *fault, void *memory, size_t bytes);

/* Gives a block back, or NULL. */
void zc_memory_give(const void *memory);

#endif
