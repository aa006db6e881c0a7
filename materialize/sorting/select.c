/*
 * One walk over the line. What comes before the worst of the best so far is put behind them; when there are too many,
 * only the best are kept. An element that equals the worst comes too late: the order is stable. A kernel finds what
 * does not; where there is none, blocks whose extreme element comes too late, nearly all of a long line, are passed
 * over by the reductions' kernels.
 */
#include "materialize/sorting/select.h"

#include <math.h>

#include "materialize/kernels/tables/dispatch.h"
#include "materialize/sorting/quick.h"
#include "views/shape.h"

enum { FEW = 64 };

/* Soon, since the worst of the best says which are looked at; and where many are kept, half of them are forgotten each
 * time. */
int64_t zc_select_most(int64_t kept)
{
    return kept + zc_larger(kept, FEW);
}

int64_t zc_select_room(int64_t kept, int64_t extent)
{
    return kept < extent / 8 && extent >= 2 * ZC_SELECT_BLOCK ? zc_select_most(kept) + ZC_SELECT_BLOCK : extent;
}

static zc_extreme find_extreme(zc_dtype dtype, bool descending)
{
    const zc_reduction reduction = descending ? ZC_REDUCTION_MAX : ZC_REDUCTION_MIN;
    const zc_kernels *kernels = zc_kernels_best();
    const size_t item = zc_dtype_bytes(dtype);
    const bool is_found = item >= sizeof(uint32_t) && zc_quick_kernels(item)->most > 0;
    if (dtype == ZC_BOOL || zc_dtype_is_narrow(dtype) || is_found)
        return (zc_extreme){.rows = NULL};
    return (zc_extreme){kernels->rows[reduction][dtype], zc_reduction_padding(reduction, dtype)};
}

/* Tells a block of which no element comes before the limit. Of the least elements a NaN, which is the extreme of a
 * block that has one, hides the others. */
static bool comes_too_late(const zc_selector *s, const zc_line *line, const zc_candidates *block)
{
    zc_scalar best, taken;
    int64_t number;
    zc_line one = {.values = taken.bytes, .index = &number, .descending = line->descending};
    if (s->extreme.rows == NULL || block->limit == NULL)
        return false;
    s->extreme.rows(best.bytes, block->elements, block->count, 1, s->extreme.padding.bytes);
    const bool hides = !line->descending && isnan(zc_scalar_convert(best, s->dtype, ZC_FLOAT64).float64);
    return !hides && zc_sorter_of(s->dtype)->take(&one, 0, &(zc_candidates){best.bytes, 1, 0, block->limit}) == 0;
}

/* Keeps the best of what is in the room, in the order that they came or sorted. */
static void forget_the_others(zc_selector *s, zc_line *line)
{
    s->worst = zc_sorter_of(s->dtype)->keep(line, s->used, s->kept);
    if (s->worst < 0) {
        s->worst = s->kept - 1;
        line->count = s->used;
        (void)zc_sorter_of(s->dtype)->sort(line); /* stopped: what is left is of no use, as the progress tells */
    }
    s->used = s->kept;
}

void zc_selector_begin(zc_selector *s, zc_dtype dtype, int64_t kept, bool descending)
{
    *s = (zc_selector){.dtype = dtype, .kept = kept, .worst = -1, .extreme = find_extreme(dtype, descending)};
}

int64_t zc_selector_next(const zc_selector *s, int64_t first, int64_t left)
{
    return zc_smaller(zc_smaller(zc_larger(first, zc_select_most(s->kept) + 1), ZC_SELECT_BLOCK), left);
}

void zc_selector_take(zc_selector *s, zc_line *line, const void *elements, int64_t count, int64_t first)
{
    const int64_t item = (int64_t)zc_dtype_bytes(s->dtype);
    const void *limit = s->worst < 0 ? NULL : (const char *)line->values + s->worst * item; /* proven: in the room */
    const zc_candidates block = {elements, count, first, limit};
    if (!comes_too_late(s, line, &block))
        s->used = zc_sorter_of(s->dtype)->take(line, s->used, &block);
    if (s->used > zc_select_most(s->kept))
        forget_the_others(s, line);
}

bool zc_selector_end(zc_selector *s, zc_line *line)
{
    if (s->used > s->kept)
        forget_the_others(s, line);
    line->count = s->used;
    return zc_sorter_of(s->dtype)->sort(line);
}

/* The elements from `first` on as a row: where they are, or packed. */
static const void *row_of(const zc_selection *s, int64_t first, int64_t count, void *room)
{
    const int64_t item = (int64_t)zc_dtype_bytes(s->dtype);
    const char *from = s->from + first * s->stride * item; /* proven: inside the memory */
    if (s->stride == 1 && s->dtype != ZC_BOOL)
        return from;
    zc_sorter_of(s->dtype)->pack(from, s->stride, count, room);
    return room;
}

bool zc_select(const zc_selection *s, zc_line *line)
{
    _Alignas(64) char room[ZC_SELECT_BLOCK * sizeof(int64_t)];
    zc_selector selector;
    zc_selector_begin(&selector, s->dtype, s->kept, line->descending);
    for (int64_t first = 0, count; first < s->extent; first += count) {
        count = zc_selector_next(&selector, first, s->extent - first);
        line->steps += count;
        if (!zc_thread_progress_add(line->progress, count))
            return false;
        zc_selector_take(&selector, line, row_of(s, first, count, room), count, first);
    }
    return zc_selector_end(&selector, line);
}
