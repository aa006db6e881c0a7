/* The kernels of bool, and the one that counts. */
#include <string.h>

#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/emit.h"
#include "materialize/kernels/templates/lanes.h"
#include "runtime/ops/elements.h"
#include "runtime/ops/elements_bool.h"

#define ZC_GROUP        BOOL
#define ZC_KIND_IS_BOOL 1
#define ZC_D            bool_
#define ZC_T            uint8_t
#define ZC_KIND         BOOL
#include "materialize/kernels/templates/dtype_tmpl.h"

/* ---- Counting ---- */

typedef uint8_t zc_counters __attribute__((vector_size(ZC_LANE_BYTES)));

/* The sum of counters that hold no more than a byte. */
static inline int64_t sum_counters(zc_counters counters)
{
    uint8_t each[sizeof counters];
    int64_t sum = 0;
    memcpy(each, &counters, sizeof each);
    for (size_t i = 0; i < sizeof each; i++)
        sum += each[i];
    return sum;
}

/* A comparison gives -1 where it holds. */
static inline zc_counters count_one_more(zc_counters counters, const uint8_t *bools)
{
    zc_counters v;
    memcpy(&v, bools, sizeof v);
    return counters - (zc_counters)(v != 0);
}

int64_t ZC_KERNEL_OF_ALL(count)(const void *bools, int64_t n)
{
    enum { ROUND = 4 * sizeof(zc_counters), MOST_ROUNDS = UINT8_MAX };
    const uint8_t *v = bools;
    int64_t sum = 0, i = 0;
    while (i + ROUND <= n) {
        zc_counters a = {0}, b = {0}, c = {0}, d = {0};
        for (int round = 0; round < MOST_ROUNDS && i + ROUND <= n; round++, i += ROUND) {
            a = count_one_more(a, v + i);
            b = count_one_more(b, v + i + sizeof a);
            c = count_one_more(c, v + i + 2 * sizeof a);
            d = count_one_more(d, v + i + 3 * sizeof a);
        }
        sum += sum_counters(a) + sum_counters(b) + sum_counters(c) + sum_counters(d);
    }
    for (; i < n; i++)
        sum += v[i] != 0;
    return sum;
}
