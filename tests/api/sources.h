/*
 * Sources for tests of the public interface: numbered elements, which count what is read, and the same in memory.
 */
#ifndef ZC_TESTS_API_SOURCES_H
#define ZC_TESTS_API_SOURCES_H

#include "tests/api/values.h"

enum { MOST_RANK = 4 };

/* A source whose element i is i modulo a prime, and what was read of it. */
typedef struct numbered {
    int rank;
    int64_t shape[MOST_RANK], chunk[MOST_RANK];
    zc_dtype dtype;
    int64_t reads, elements, largest; /* calls; elements read, in all and at once */
    int64_t misaligned, touched;      /* windows that divide a chunk; chunks that windows have elements of, in all */
    int fails_at;                     /* the call that fails, from 1; 0: none */
    int releases;
} numbered;

/* Reads and releases one, which *user is. */
const char *read_numbers(void *user, const int64_t *start, const int64_t *count, void *elements);
void release_numbers(void *user);

/* Gives element `place` of any. */
double number_at(int64_t place);

/* Makes one of that shape. chunk may be NULL: of single elements. */
numbered numbers(zc_dtype dtype, int rank, const int64_t *shape, const int64_t *chunk);

const zc_tensor *from_numbers(zc_context *ctx, numbered *n);
const zc_tensor *in_memory(zc_context *ctx, const numbered *n);

/* Both have the same bits. */
void expect_same(const zc_tensor *t, const zc_tensor *wanted, const char *what);

#endif
