/*
 * An eager array of int64, the oracle for lazy graphs: every step is computed at once, element by element, by code that
 * shares nothing with the library. Memory is the test's own and freed all at once.
 */
#ifndef ZC_TESTS_DIFF_EAGER_H
#define ZC_TESTS_DIFF_EAGER_H

#include <stdbool.h>
#include <stdint.h>

enum { EAGER_RANK = 8 };

typedef struct eager {
    int rank;
    int64_t shape[EAGER_RANK];
    int64_t size;
    int64_t *data; /* row-major */
} eager;

/* An array of that shape, uninitialised. */
eager eager_new(int rank, const int64_t *shape);

/* Frees every array made since the last call. */
void eager_free_all(void);

/* NumPy's shape of two operands, or false. */
bool eager_meet(const eager *a, const eager *b, int *rank, int64_t *shape);

/* f on each pair of elements, the operands broadcast. The shapes meet. */
eager eager_map2(int64_t (*f)(int64_t, int64_t), const eager *a, const eager *b);
eager eager_where(const eager *condition, const eager *a, const eager *b);

eager eager_broadcast(const eager *a, int rank, const int64_t *shape);
eager eager_permute(const eager *a, const int *axes);
eager eager_slice(const eager *a, int axis, int64_t first, int64_t step, int64_t count);
eager eager_expand(const eager *a, int axis);
eager eager_index(const eager *a, int axis, int64_t index);
eager eager_reshape(const eager *a, int rank, const int64_t *shape);

/* Joins the elements along the axes in the set, in row-major order, with f(result so far, element, its number). */
eager eager_reduce(const eager *a, uint64_t axes, int64_t first, int64_t (*f)(int64_t, int64_t));

/* Index of the first smallest or largest element along the axes. */
eager eager_extreme(const eager *a, uint64_t axes, bool largest);

#endif
