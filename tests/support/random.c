/* xoshiro256** (Blackman and Vigna, 2018), its state filled by splitmix64 (Steele, Lea and Flood, 2014). */
#include "tests/support/random.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/zc_test.h"

enum { DEFAULT_SEED = 20240229 };

static _Thread_local uint64_t state[4] = {1, 2, 3, 4};

static uint64_t rotate_left(uint64_t x, int count)
{
    return (x << count) | (x >> (64 - count));
}

static uint64_t splitmix64(uint64_t *counter)
{
    uint64_t z = *counter += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Two tests of one seed should not draw the same numbers. (FNV-1a.) */
static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash;
}

void zc_random_begin(const char *test)
{
    const char *text = getenv("ZC_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : DEFAULT_SEED;
    fprintf(stderr, "%s: ZC_TEST_SEED=%" PRIu64 "\n", test, seed);
    uint64_t counter = seed ^ hash_name(test);
    for (int i = 0; i < 4; i++)
        state[i] = splitmix64(&counter);
}

zc_random_place zc_random_mark(void)
{
    zc_random_place place;
    memcpy(place.state, state, sizeof state);
    return place;
}

void zc_random_return(const zc_random_place *place)
{
    memcpy(state, place->state, sizeof state);
}

uint64_t zc_random_u64(void)
{
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

/* Upper 64 bits of the product of 128 bits, for which gcc has no type on machines of 32. */
static uint64_t upper_half(uint64_t a, uint64_t b)
{
    uint64_t a_high = a >> 32, a_low = a & UINT32_MAX, b_high = b >> 32, b_low = b & UINT32_MAX;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32), other = a_low * b_high + (middle & UINT32_MAX);
    return a_high * b_high + (middle >> 32) + (other >> 32);
}

int64_t zc_random_range(int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low + 1; /* 0 stands for 2^64 */
    uint64_t draw = zc_random_u64();
    if (span != 0)
        draw = upper_half(draw, span);
    return (int64_t)((uint64_t)low + draw);
}

double zc_random_double(void)
{
    return (double)(zc_random_u64() >> 11) * 0x1p-53;
}

bool zc_random_bool(void)
{
    return (zc_random_u64() >> 63) != 0;
}

int zc_test_scale(void)
{
    const char *text = getenv("ZC_TEST_SCALE");
    long scale = text != NULL ? strtol(text, NULL, 10) : 1;
    return scale < 1 ? 1 : scale > 1000000 ? 1000000 : (int)scale;
}

int zc_test_stride(void)
{
#if defined(__SANITIZE_THREAD__)
    return 7;
#elif defined(__SANITIZE_ADDRESS__)
    return 5;
#else
    return 1;
#endif
}

int zc_test_count(int count)
{
    int64_t scaled = (int64_t)count * zc_test_scale() / zc_test_stride();
    return scaled < 1 ? 1 : scaled > INT_MAX ? INT_MAX : (int)scaled;
}

int zc_test_long_stride(void)
{
#if defined(__OPTIMIZE__)
    return zc_test_stride();
#else
    return 3;
#endif
}

int zc_test_step(int step)
{
    return zc_test_stride() > 1 ? step : 1;
}

int zc_test_long_step(int step)
{
    return zc_test_long_stride() > 1 ? step : 1;
}

void zc_skip_of_one_thread(void)
{
#if defined(__SANITIZE_THREAD__)
    cr_skip_test("one thread races with none");
#endif
}
