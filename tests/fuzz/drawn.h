/*
 * What tests/support/random.h gives a property test, taken from the input of a fuzz target: the fuzzer chooses where a
 * seed does otherwise, so that a target can share the generators of the tests.
 *
 * Invariant: what is drawn depends on the input alone. When it is spent, every draw is the lowest there is.
 */
#ifndef ZC_TESTS_FUZZ_DRAWN_H
#define ZC_TESTS_FUZZ_DRAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Draws come from these bytes now, which outlive them. */
void drawn_begin(const uint8_t *data, size_t size);

bool drawn_is_spent(void);

#endif
