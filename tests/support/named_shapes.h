/* Searches the text of a refusal for shapes: the lists of numbers in its brackets. */
#ifndef ZC_TESTS_SUPPORT_NAMED_SHAPES_H
#define ZC_TESTS_SUPPORT_NAMED_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

/* Tells whether `text` writes both shapes, "(2, 3)", "[2,3]" or "{2, 3}", each at a place of its own. */
bool zc_names_shapes(const char *text, int rank_a, const int64_t *a, int rank_b, const int64_t *b);

/* Tells whether it writes this one. */
bool zc_names_shape(const char *text, int rank, const int64_t *shape);

#endif
