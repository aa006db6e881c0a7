/*
 * Random numbers for tests: seeded, printed, the same on every machine.
 *
 * Invariant: what a test draws depends only on the seed (ZC_TEST_SEED, or a fixed default) and on the name it begins
 * with, so a failure is repeated by setting ZC_TEST_SEED to the number the test printed. The state belongs to the
 * thread that began.
 */
#ifndef ZC_TESTS_SUPPORT_RANDOM_H
#define ZC_TESTS_SUPPORT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the sequence of this seed and this name, and prints both on stderr. */
void zc_random_begin(const char *test);

/* A place in a sequence; from there on, the same numbers are drawn again. */
typedef struct zc_random_place {
    uint64_t state[4];
} zc_random_place;

zc_random_place zc_random_mark(void);
void zc_random_return(const zc_random_place *place);

/* All 64 bits. */
uint64_t zc_random_u64(void);

/* low <= result <= high, each equally likely up to 2^-64. */
int64_t zc_random_range(int64_t low, int64_t high);

/* 0 <= result < 1, in steps of 2^-53. */
double zc_random_double(void);

bool zc_random_bool(void);

/* Factor by which a property test runs longer than usual: ZC_TEST_SCALE, at least 1. */
int zc_test_scale(void);

/* A test of every case of many takes each so many-th of them: 1, but 5 under AddressSanitizer and 7 under
 * ThreadSanitizer, which take minutes for cases that are alike in what they look for. */
int zc_test_stride(void);

/* Number of random cases that a property test takes: count * zc_test_scale() / zc_test_stride(), at least 1. */
int zc_test_count(int count);

/* Step between cases that are few and slow: `step` under a sanitizer, 1 otherwise. */
int zc_test_step(int step);

/* Step between slow cases that cover no code alone: `step` under a sanitizer and where nothing is optimised, 1
 * otherwise. */
int zc_test_long_step(int step);

/* Stride of tests whose cases each take long: zc_test_stride(), but 3 where nothing is optimised. */
int zc_test_long_stride(void);

/* Skips a long test of one thread under ThreadSanitizer, which has nothing to see there. */
void zc_skip_of_one_thread(void);

#endif
