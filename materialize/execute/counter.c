#include "materialize/execute/counter.h"

#include <string.h>

int zc_counter_levels(int64_t leaves)
{
    int levels = 0;
    for (; leaves > 0; leaves /= 2)
        levels++;
    return levels;
}

static char *level(const zc_counter *counter, int digit)
{
    return counter->levels + (size_t)digit * (size_t)counter->width * counter->item;
}

static bool is_set(const zc_counter *counter, int digit)
{
    return (counter->leaves >> digit & 1) != 0;
}

void zc_counter_push(zc_counter *counter, const void *leaf, int digit)
{
    const int64_t added = INT64_C(1) << digit;
    int to = digit;
    while (is_set(counter, to))
        to++;
    for (; digit < to; digit++) {
        counter->join(level(counter, to), level(counter, digit), leaf, NULL, counter->width);
        leaf = level(counter, to);
    }
    if (leaf != level(counter, to))
        memcpy(level(counter, to), leaf, (size_t)counter->width * counter->item);
    counter->leaves += added;
}

void zc_counter_join(const zc_counter *counter, int digit, void *out)
{
    for (; counter->leaves >> digit != 0; digit++) {
        if (is_set(counter, digit))
            counter->join(out, level(counter, digit), out, NULL, counter->width);
    }
}

/* The lowest digit is the latest run. */
void zc_counter_end(const zc_counter *counter, void *out)
{
    const int lowest = __builtin_ctzll((unsigned long long)counter->leaves);
    memcpy(out, level(counter, lowest), (size_t)counter->width * counter->item);
    zc_counter_join(counter, lowest + 1, out);
}
