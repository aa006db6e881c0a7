/*
 * One walk over the line. What comes before the worst of the best so far is put behind them; when there are too many,
 * only the best are kept. An element that equals the worst comes too late: the order is stable. A kernel finds what
 * does not; where there is none, blocks whose extreme element comes too late, nearly all of a long line, are passed
 * over by the reductions' kernels.
 */
#include "materialize/eager/select.h"

#include <math.h>

#include "materialize/eager/quick.h"
#include "materialize/kernels/tables/dispatch.h"
#include "views/shape.h"

enum { BLOCK = ZC_MOST_CANDIDATES, FEW = 64 };

/* How many elements are put in order and forgotten but for the best: soon, since the worst of the best says which are
 * looked at; and where many are kept, half of them are forgotten each time. */
static int64_t too_many(int64_t kept)
{
    return kept + zc_larger(kept, FEW);
}

int64_t zc_select_room(int64_t kept, int64_t extent)
{
    return kept < extent / 8 && extent >= 2 * BLOCK ? too_many(kept) + BLOCK : extent;
}

/* How the extreme of a block is found; NULL: it is not. */
typedef struct extreme {
    zc_rows_kernel *rows;
    zc_scalar padding;
} extreme;

static extreme find_extreme(zc_dtype dtype, bool descending)
{
    const zc_reduction reduction = descending ? ZC_REDUCTION_MAX : ZC_REDUCTION_MIN;
    const zc_kernels *kernels = zc_kernels_best();
    const size_t item = zc_dtype_bytes(dtype);
    const bool is_found = item >= sizeof(uint32_t) && zc_quick_kernels(item)->most > 0;
    if (dtype == ZC_BOOL || zc_dtype_is_narrow(dtype) || is_found)
        return (extreme){.rows = NULL};
    return (extreme){kernels->rows[reduction][dtype], zc_reduction_padding(reduction, dtype)};
}

/* Whether no element of a block comes before the limit. Of the least elements a NaN, which is the extreme of a block
 * that has one, hides the others. */
static bool comes_too_late(const extreme *e, const zc_selection *s, const zc_line *line, const zc_candidates *block)
{
    zc_scalar best, taken;
    int64_t number;
    zc_line one = {.values = taken.bytes, .index = &number, .descending = line->descending};
    if (e->rows == NULL || block->limit == NULL)
        return false;
    e->rows(best.bytes, block->elements, block->count, 1, e->padding.bytes);
    const bool hides = !line->descending && isnan(zc_scalar_convert(best, s->dtype, ZC_FLOAT64).float64);
    return !hides && zc_sorter_of(s->dtype)->take(&one, 0, &(zc_candidates){best.bytes, 1, 0, block->limit}) == 0;
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

/* Keeps the best of what is in the room, in the order that they came or sorted; `worst` is the number of one that no
 * other one comes behind. */
static bool forget_the_others(const zc_selection *s, zc_line *line, int64_t *used, int64_t *worst)
{
    *worst = zc_sorter_of(s->dtype)->keep(line, *used, s->kept);
    if (*worst < 0) {
        *worst = s->kept - 1;
        line->count = *used;
        if (!zc_sorter_of(s->dtype)->sort(line))
            return false;
    }
    *used = s->kept;
    return true;
}

bool zc_select(const zc_selection *s, zc_line *line)
{
    _Alignas(64) char room[BLOCK * sizeof(int64_t)];
    const extreme e = find_extreme(s->dtype, line->descending);
    const int64_t item = (int64_t)zc_dtype_bytes(s->dtype);
    int64_t used = 0, worst = -1;
    for (int64_t first = 0, count; first < s->extent; first += count) { /* first few, then as many again */
        count = zc_smaller(zc_smaller(zc_larger(first, too_many(s->kept) + 1), BLOCK), s->extent - first);
        const void *limit = worst < 0 ? NULL : (const char *)line->values + worst * item; /* proven: in the room */
        const zc_candidates block = {row_of(s, first, count, room), count, first, limit};
        line->steps += count;
        if (!zc_thread_progress_add(line->progress, count))
            return false;
        if (!comes_too_late(&e, s, line, &block))
            used = zc_sorter_of(s->dtype)->take(line, used, &block);
        if (used > too_many(s->kept) && !forget_the_others(s, line, &used, &worst))
            return false;
    }
    if (!forget_the_others(s, line, &used, &worst))
        return false;
    line->count = used;
    return zc_sorter_of(s->dtype)->sort(line);
}
