/*
 * A fuzz target: fuzz_NAME.c defines this one function, and nothing it does may depend on an earlier call.
 *
 * Each fuzz_*.c of this folder is built twice: with replay_main.c as an ordinary test that replays corpus/NAME, and, in
 * the fuzz preset, with clang's libFuzzer.
 */
#ifndef ZC_TESTS_FUZZ_TARGET_H
#define ZC_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0. A defect shows as a signal: a sanitizer's, or that of a claim that does not hold. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops the program where a claim does not hold. */
static inline void claim(int holds)
{
    if (!holds)
        __builtin_trap();
}

#endif
