/*
 * Sorting of elements of one dtype: reading a line of them, putting it in order, telling equal ones.
 *
 * The order is total: numbers by value, -0 equal to 0, every NaN equal to every other and above all numbers; false is
 * below true. Sorting is stable, also when it is descending: what is equal keeps its order.
 */
#ifndef ZC_MATERIALIZE_SORTING_SORTER_H
#define ZC_MATERIALIZE_SORTING_SORTER_H

#include "materialize/execute/pool.h"
#include "runtime/context/progress.h"
#include "runtime/dtypes/dtype.h"

/* The steps of sorting one element are one for each of its bytes, and one more. Elements to sort, and room for as many
 * again. Sorting may exchange the elements with the room beside them. */
typedef struct zc_line {
    int64_t count;
    bool descending;
    void *values, *spare;         /* [count]: elements as pack() leaves them */
    int64_t *index, *index_spare; /* [count]: numbers that move with the elements; or NULL */
    zc_thread_progress *progress;
    int64_t steps; /* steps of sorting that `progress` was told of */
} zc_line;

/* The values are the spare room from here on, and the other way round. */
static inline void zc_line_exchange(zc_line *line)
{
    void *values = line->values;
    int64_t *index = line->index;
    line->values = line->spare;
    line->spare = values;
    line->index = line->index_spare;
    line->index_spare = index;
}

/* The most parts that a line is dealt into. */
enum { ZC_MOST_PARTS = 16 };

/* A share of a line's elements, first .. end-1, that goes into parts by the elements' keys. */
typedef struct zc_deal {
    const zc_line *line;
    int64_t first, end;
    const uint64_t *limits; /* [parts - 1], ascending: the least key of each part, but for the first one */
    int parts;
    int64_t *place; /* [parts]: number of elements; then the next one's place in the room beside the line */
} zc_deal;
typedef void zc_deal_function(const zc_deal *deal);

/* The most candidates that are looked at together. */
enum { ZC_MOST_CANDIDATES = 1024 };

/* Elements in a row that might be among the best of a line, the first of them number `first`. */
typedef struct zc_candidates {
    const void *elements; /* as pack() leaves them */
    int64_t count, first;
    const void *limit; /* those that come before this element are taken; NULL: all */
} zc_candidates;

/* Groups of equal elements of a sorted line; members that are NULL are not filled. */
typedef struct zc_groups {
    void *values;     /* first element of each group */
    int64_t *first;   /* index of that element */
    int64_t *counts;  /* number of elements of each group */
    int64_t *inverse; /* group of the element with that index */
} zc_groups;

/* A sorted line in memory that is searched. */
typedef struct zc_haystack {
    const char *memory; /* its first element */
    int64_t stride;     /* distance of elements, in elements */
    int64_t count;
    bool right; /* search behind equal elements, else before them */
} zc_haystack;

/* Outcome of sorting a line by dividing it (quick.h). */
typedef enum zc_quick { ZC_QUICK_SORTED, ZC_QUICK_STOPPED, ZC_QUICK_NOT_TAKEN } zc_quick;

typedef struct zc_sorter {
    /* Copies `count` elements that are `stride` elements apart into a row; a bool becomes 0 or 1. */
    void (*pack)(const char *from, int64_t stride, int64_t count, void *to);
    /* Copies the first `count` elements of a row to places `stride` elements apart. */
    void (*unpack)(const void *from, int64_t count, char *to, int64_t stride);
    /* Sorts a line. False, the elements in no order and no longer all there, when the work is to stop. */
    bool (*sort)(zc_line *line);
    /* Sorts a line without indices by several threads, which leaves it in the former room beside it. Not taken: the
     * line is as it was. */
    zc_quick (*share)(zc_line *line, zc_pool *pool, int threads);
    /* Sorts rows of `extent` elements that follow each other into others. Returns the number of rows sorted, from the
     * first one on. */
    int64_t (*sort_rows)(const char *from, int64_t rows, int64_t extent, bool descending, char *to);
    /* Key of an element, in the line's direction: the smaller number goes first. */
    uint64_t (*key)(const zc_line *line, int64_t i);
    /* Adds a share's elements by part to deal->place; and puts them there, each part in their order, and goes on. */
    zc_deal_function *count, *deal;
    /* Puts the candidates that are taken, and their numbers, behind the first `used` elements of a line that has room
     * for all; returns how many there are then. */
    int64_t (*take)(zc_line *line, int64_t used, const zc_candidates *from);
    /* Leaves the best `kept` of a line's first `used` elements, and their numbers, in their order. Returns the place of
     * one that no other one comes behind. -1, and nothing is changed, where there is no kernel for so many. */
    int64_t (*keep)(zc_line *line, int64_t used, int64_t kept);
    /* Leaves the first element of each group of a sorted line with elements, as below; returns their number. */
    int64_t (*distinct)(const zc_line *line);
    /* Counts the groups of a sorted line; every NaN is one of its own. `to` may hold nothing but NULL. */
    int64_t (*group)(const zc_line *line, const zc_groups *to);
    /* Finds the place where each of `count` elements, `stride` elements apart, would be inserted. */
    void (*search)(const zc_haystack *in, const char *from, int64_t stride, int64_t count, int64_t *to);
} zc_sorter;

/* The sorter of a dtype that has an order. */
const zc_sorter *zc_sorter_of(zc_dtype dtype);

/* ZC_ERROR_DTYPE, said for `function`, of a dtype that has none. */
zc_status zc_check_order(zc_context *ctx, zc_dtype dtype, const char *function);

#endif
