/* Sizes and inputs of the programs in examples/c, examples/cpp and examples/plain, the same in all three. Where
 * PROGRAM_FIGURES is set, a program also prints on stderr the seconds of the processor from when its inputs stood there
 * to its end, and the most memory that it had, in KiB. */
#ifndef EXAMPLES_INPUT_H
#define EXAMPLES_INPUT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds of the processor since the last call with `begins`. */
static inline double program_seconds(int begins)
{
    static clock_t begun;
    const clock_t now = clock();
    if (begins)
        begun = now;
    return (double)(now - begun) / CLOCKS_PER_SEC;
}

static inline void program_figures(void)
{
    char line[128];
    long kilobytes = 0;
    const double seconds = program_seconds(0);
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtol(line + 6, NULL, 10);
    }
    if (status != NULL)
        fclose(status);
    fprintf(stderr, "%.6f %ld\n", seconds, kilobytes);
}

/* The size to run with: the first argument, which is a number or "bench", else the small one. */
static inline unsigned program_size(int argc, char **argv, unsigned small, unsigned bench)
{
    if (getenv("PROGRAM_FIGURES") != NULL)
        atexit(program_figures);
    program_seconds(1);
    const char *argument = argc > 1 ? argv[1] : "";
    const long given = strtol(argument, NULL, 10);
    return strcmp(argument, "bench") == 0 ? bench : given > 0 && given <= 1 << 28 ? (unsigned)given : small;
}

/* Zeros. A program that gets no memory ends. */
static inline void *zeros(size_t bytes)
{
    void *memory = calloc(bytes, 1);
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

/* Number i of a seed, from 0 up to 1: bits that splitmix64 mixes, in a double, which is exact. */
static inline double number_of(uint64_t seed, uint64_t i)
{
    uint64_t bits = (seed << 40) + i * 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return (double)((bits ^ bits >> 31) >> 11) / 9007199254740992.0;
}

static inline void fill_numbers(double *x, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        x[i] = number_of(seed, i);
    program_seconds(1);
}

/* About normal: sums of twelve numbers. */
static inline void fill_normal(double *x, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = -6;
        for (size_t k = 0; k < 12; k++)
            x[i] += number_of(seed, 12 * i + k);
    }
    program_seconds(1);
}

/* Whole numbers from 0 up to below `end`. */
static inline void fill_integers(int32_t *x, size_t count, uint64_t seed, int end)
{
    for (size_t i = 0; i < count; i++)
        x[i] = (int32_t)(number_of(seed, i) * end);
    program_seconds(1);
}

static inline void fill_bytes(uint8_t *x, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        x[i] = (uint8_t)(number_of(seed, i) * 256);
    program_seconds(1);
}

#endif /* EXAMPLES_INPUT_H */
