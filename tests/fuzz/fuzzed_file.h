/*
 * An input as a file that the library opens by its name: all of its arrays are listed and opened, each is a tensor
 * whose elements can be read, or refused with a sentence.
 */
#ifndef ZC_TESTS_FUZZ_FUZZED_FILE_H
#define ZC_TESTS_FUZZ_FUZZED_FILE_H

#include <stddef.h>
#include <stdint.h>

void fuzz_file(const uint8_t *data, size_t size);

#endif
