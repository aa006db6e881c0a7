#include "materialize/sorting/sorter.h"

#include <string.h>

#include "materialize/sorting/quick.h"
#include "runtime/context/context.h"

#define ZC_ALWAYS_INLINE inline __attribute__((always_inline))

enum {
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    LAST_DIGIT = DIGITS - 1,
    FEW_ELEMENTS = 48,
    MOST_PACKED = 256,
    KEYS_OF_ROWS = 2048,
    KEYS_TOGETHER = 16,
    ELEMENTS_PER_LOOK = 1 << 16
};

/* Rule by which the bits of an element become its key. It is known where it is used, so nothing of it is left at run
 * time. */
typedef struct zc_key_rule {
    uint64_t negative, positive; /* bits that are flipped where the highest bit is set, and where it is not */
    uint64_t minus_zero;         /* bits that mean 0, too */
    uint64_t infinity;           /* bits of infinity: an element whose bits but the highest are above them is a NaN */
    bool is_truth;               /* anything but 0 is 1 */
} zc_key_rule;

/* Begins the piece of a walk over the line's elements that begins with `first`, and says where it ends; false: stop. */
static bool look(zc_line *line, int64_t first, int64_t *end)
{
    *end = line->count - first < ELEMENTS_PER_LOOK ? line->count : first + ELEMENTS_PER_LOOK;
    if (first == 0)
        return true;
    line->steps += ELEMENTS_PER_LOOK;
    return zc_thread_progress_add(line->progress, ELEMENTS_PER_LOOK);
}

/* Turns counts of each digit into the places of its first elements; false when all elements have one digit. */
static bool counts_to_places(int64_t *digits, int64_t count)
{
    int64_t before = 0;
    for (int d = 0; d < DIGITS; d++) {
        int64_t here = digits[d];
        if (here == count)
            return false;
        digits[d] = before;
        before += here;
    }
    return true;
}

#define ZC_W 8
#define ZC_T uint8_t
#include "materialize/sorting/sorter_tmpl.h"
#define ZC_W 16
#define ZC_T uint16_t
#include "materialize/sorting/sorter_tmpl.h"
#define ZC_W    32
#define ZC_T    uint32_t
#define ZC_REAL float
#include "materialize/sorting/sorter_tmpl.h"
#define ZC_W    64
#define ZC_T    uint64_t
#define ZC_REAL double
#include "materialize/sorting/sorter_tmpl.h"

/* ---- The dtypes ---- */

/* The bits of infinity, one line per float dtype. */
#define ZC_INFINITY_FLOAT32  UINT64_C(0x7f800000)
#define ZC_INFINITY_FLOAT64  UINT64_C(0x7ff0000000000000)
#define ZC_INFINITY_FLOAT16  UINT64_C(0x7c00)
#define ZC_INFINITY_BFLOAT16 UINT64_C(0x7f80)

/* One line per kind: negative, positive, minus_zero, infinity, is_truth. */
#define ZC_TOP_BIT(bits)             (UINT64_C(1) << ((bits)-1))
#define ZC_RULE_BOOL(NAME, bits)     ((zc_key_rule){0, 0, 0, UINT64_MAX, true})
#define ZC_RULE_UNSIGNED(NAME, bits) ((zc_key_rule){0, 0, 0, UINT64_MAX, false})
#define ZC_RULE_SIGNED(NAME, bits)   ((zc_key_rule){ZC_TOP_BIT(bits), ZC_TOP_BIT(bits), 0, UINT64_MAX, false})
#define ZC_RULE_FLOAT(NAME, bits)                                                                                      \
    ((zc_key_rule){UINT64_MAX, ZC_TOP_BIT(bits), ZC_TOP_BIT(bits), ZC_INFINITY_##NAME, false})

#define ZC_SORTED(NAME, name, KIND, bits)                                                                              \
    ZC_SORTED_ROWS(NAME, name, KIND, bits)                                                                             \
    ZC_SORTED_SHORT(NAME, name, KIND, bits)                                                                            \
    ZC_SORTED_BEST(NAME, name, KIND, bits)                                                                             \
    ZC_SORTED_PARTS(NAME, name, KIND, bits)                                                                            \
    ZC_SORTED_LINES(NAME, name, KIND, bits)                                                                            \
    ZC_SORTED_GROUPS(NAME, name, KIND, bits) ZC_SORTED_SEARCHES(NAME, name, KIND, bits)
#define ZC_SORTED_ROWS(NAME, name, KIND, bits)                                                                         \
    static void pack_of_##name(const char *from, int64_t stride, int64_t count, void *to)                              \
    {                                                                                                                  \
        pack_##bits(ZC_RULE_##KIND(NAME, bits), from, stride, count, to);                                              \
    }                                                                                                                  \
    static uint64_t key_of_##name(const zc_line *line, int64_t i)                                                      \
    {                                                                                                                  \
        return key_in_line_##bits(ZC_RULE_##KIND(NAME, bits), line, i);                                                \
    }
#define ZC_SORTED_LINES(NAME, name, KIND, bits)                                                                        \
    static bool sort_of_##name(zc_line *line)                                                                          \
    {                                                                                                                  \
        return sort_##bits(ZC_RULE_##KIND(NAME, bits), line);                                                          \
    }                                                                                                                  \
    static zc_quick share_of_##name(zc_line *line, zc_pool *pool, int threads)                                         \
    {                                                                                                                  \
        return share_##bits(ZC_RULE_##KIND(NAME, bits), line, pool, threads);                                          \
    }
#define ZC_SORTED_SHORT(NAME, name, KIND, bits)                                                                        \
    static int64_t rows_of_##name(const char *from, int64_t rows, int64_t extent, bool descending, char *to)           \
    {                                                                                                                  \
        return sort_rows_##bits(ZC_RULE_##KIND(NAME, bits), from, rows, extent, descending, to);                       \
    }
#define ZC_SORTED_BEST(NAME, name, KIND, bits)                                                                         \
    static int64_t take_of_##name(zc_line *line, int64_t used, const zc_candidates *from)                              \
    {                                                                                                                  \
        return take_##bits(ZC_RULE_##KIND(NAME, bits), line, used, from);                                              \
    }                                                                                                                  \
    static int64_t keep_of_##name(zc_line *line, int64_t used, int64_t kept)                                           \
    {                                                                                                                  \
        return keep_##bits(ZC_RULE_##KIND(NAME, bits), line, used, kept);                                              \
    }
#define ZC_SORTED_PARTS(NAME, name, KIND, bits)                                                                        \
    static void count_of_##name(const zc_deal *deal)                                                                   \
    {                                                                                                                  \
        count_parts_##bits(ZC_RULE_##KIND(NAME, bits), deal);                                                          \
    }                                                                                                                  \
    static void deal_of_##name(const zc_deal *deal)                                                                    \
    {                                                                                                                  \
        deal_parts_##bits(ZC_RULE_##KIND(NAME, bits), deal);                                                           \
    }
#define ZC_SORTED_GROUPS(NAME, name, KIND, bits)                                                                       \
    static int64_t group_of_##name(const zc_line *line, const zc_groups *to)                                           \
    {                                                                                                                  \
        return group_##bits(ZC_RULE_##KIND(NAME, bits), line, to);                                                     \
    }                                                                                                                  \
    static int64_t distinct_of_##name(const zc_line *line)                                                             \
    {                                                                                                                  \
        return distinct_##bits(ZC_RULE_##KIND(NAME, bits), line);                                                      \
    }
#define ZC_SORTED_SEARCHES(NAME, name, KIND, bits)                                                                     \
    static void search_of_##name(const zc_haystack *in, const char *from, int64_t stride, int64_t count, int64_t *to)  \
    {                                                                                                                  \
        search_##bits(ZC_RULE_##KIND(NAME, bits), in, from, stride, count, to);                                        \
    }
#define ZC_SORTER(NAME, name, bits)                                                                                    \
    [ZC_##NAME] = {pack_of_##name,     unpack_##bits,   sort_of_##name,  share_of_##name, rows_of_##name,              \
                   key_of_##name,      count_of_##name, deal_of_##name,  take_of_##name,  keep_of_##name,              \
                   distinct_of_##name, group_of_##name, search_of_##name},

/* Complex numbers have no order. */
#define ZC_SORTED_BOOL(NAME, name, bits)     ZC_SORTED(NAME, name, BOOL, bits)
#define ZC_SORTED_SIGNED(NAME, name, bits)   ZC_SORTED(NAME, name, SIGNED, bits)
#define ZC_SORTED_UNSIGNED(NAME, name, bits) ZC_SORTED(NAME, name, UNSIGNED, bits)
#define ZC_SORTED_FLOAT(NAME, name, bits)    ZC_SORTED(NAME, name, FLOAT, bits)
#define ZC_SORTED_COMPLEX(NAME, name, bits)
#define ZC_SORTER_BOOL(NAME, name, bits)     ZC_SORTER(NAME, name, bits)
#define ZC_SORTER_SIGNED(NAME, name, bits)   ZC_SORTER(NAME, name, bits)
#define ZC_SORTER_UNSIGNED(NAME, name, bits) ZC_SORTER(NAME, name, bits)
#define ZC_SORTER_FLOAT(NAME, name, bits)    ZC_SORTER(NAME, name, bits)
#define ZC_SORTER_COMPLEX(NAME, name, bits)

#define ZC_DTYPE(NAME, name, type, KIND, bits, value) ZC_SORTED_##KIND(NAME, name, bits)
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE

static const zc_sorter sorters[ZC_DTYPE_COUNT] = {
#define ZC_DTYPE(NAME, name, type, KIND, bits, value) ZC_SORTER_##KIND(NAME, name, bits)
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE
};

zc_status zc_check_order(zc_context *ctx, zc_dtype dtype, const char *function)
{
    if (sorters[dtype].sort != NULL)
        return ZC_OK;
    return zc_fail(ctx, ZC_ERROR_DTYPE, function, "%s has no order", zc_dtype_name(dtype));
}

const zc_sorter *zc_sorter_of(zc_dtype dtype)
{
    return &sorters[dtype];
}
