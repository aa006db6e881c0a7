/*
 * A part of the line lies in the values or in the room beside them. It is divided from there into the other one, by a
 * pivot in the middle of some of its keys; few keys are sorted into the values.
 *
 * Where that pivot is the least key, and in parts that have been divided very often, the middle between the least and
 * the largest key takes its place: it divides every part that has two different keys, and halves what they may be.
 */
#include "materialize/eager/quick.h"

#include <string.h>

#include "materialize/kernels/dispatch.h"
#include "views/shape.h"

/* MOST_DIVISIONS by keys of the part; behind it, each division takes a bit of the keys away. */
enum { SAMPLES = 15, FEW_SAMPLES = 5, MANY_KEYS = 1024, MOST_DIVISIONS = 64, MOST_WAITING = 64 };

typedef struct part {
    int64_t first, count;
    int divisions; /* that it comes from */
    bool in_spare;
} part;

typedef struct quick {
    const zc_sort_kernels *kernels;
    zc_line *line;
    size_t item;
    int64_t steps_left;         /* of those that sorting the line has, to tell of */
    part waiting[MOST_WAITING]; /* the longer one of two parts, always: what is divided next halves */
    int waiting_count;
} quick;

static char *memory_of(const quick *q, const part *p, bool in_spare)
{
    return (char *)(in_spare ? q->line->spare : q->line->values) + (size_t)p->first * q->item;
}

/* ---- Pivots ---- */

/* As a number of 64 bits. */
static uint64_t key_at(const quick *q, const part *p, int64_t i)
{
    const char *from = memory_of(q, p, p->in_spare) + (size_t)i * q->item;
    uint32_t narrow;
    uint64_t wide;
    if (q->item == sizeof wide) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return narrow;
}

static uint64_t middle_of_samples(const quick *q, const part *p)
{
    uint64_t samples[SAMPLES];
    const int count = p->count < MANY_KEYS ? FEW_SAMPLES : SAMPLES;
    const int64_t step = p->count / count;
    for (int i = 0; i < count; i++) {
        uint64_t key = key_at(q, p, i * step + step / 2); /* proven: inside the part */
        int at = i;
        for (; at > 0 && samples[at - 1] > key; at--)
            samples[at] = samples[at - 1];
        samples[at] = key;
    }
    return samples[count / 2];
}

/* The smallest number that is above the middle between the least and the largest key; that is the least one where all
 * are equal. */
static uint64_t middle_of_range(const quick *q, const part *p)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (int64_t i = 0; i < p->count; i++) {
        uint64_t key = key_at(q, p, i);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    return least == most ? least : least + (most - least) / 2 + 1;
}

/* ---- Parts ---- */

/* Into the other memory; how many keys are below the pivot. */
static int64_t divide(const quick *q, const part *p, uint64_t pivot)
{
    const uint32_t narrow = (uint32_t)pivot;
    return q->kernels->divide(memory_of(q, p, !p->in_spare), memory_of(q, p, p->in_spare), p->count,
                              q->item == sizeof pivot ? (const void *)&pivot : (const void *)&narrow);
}

/* Sorts a part that is few keys, or the same one again and again. */
static void finish(const quick *q, const part *p)
{
    char *to = memory_of(q, p, false);
    if (p->count <= q->kernels->most)
        q->kernels->few(to, memory_of(q, p, p->in_spare), p->count);
    else if (p->in_spare)
        memcpy(to, memory_of(q, p, true), (size_t)p->count * q->item);
}

/* Goes on with the shorter one of two parts. */
static void take_halves(quick *q, part *p, int64_t below)
{
    part left = {p->first, below, p->divisions + 1, !p->in_spare};
    part right = {p->first + below, p->count - below, p->divisions + 1, !p->in_spare};
    bool goes_left = below < p->count - below;
    q->waiting[q->waiting_count++] = goes_left ? right : left;
    *p = goes_left ? left : right;
}

/* A level of divisions counts as half the steps that a byte of the keys has; false: stop. */
static bool tell(quick *q, int64_t count)
{
    int64_t steps = zc_smaller(count / 2, q->steps_left);
    q->steps_left -= steps;
    q->line->steps += steps;
    return zc_thread_progress_add(q->line->progress, steps);
}

static bool sort_parts(quick *q, part p)
{
    for (;;) {
        int64_t below = 0;
        if (p.count > q->kernels->most) {
            if (!tell(q, p.count))
                return false;
            below = p.divisions < MOST_DIVISIONS ? divide(q, &p, middle_of_samples(q, &p)) : 0;
            if (below == 0)
                below = divide(q, &p, middle_of_range(q, &p));
        }
        if (below > 0) {
            take_halves(q, &p, below);
            continue;
        }
        finish(q, &p);
        if (q->waiting_count == 0)
            return true;
        p = q->waiting[--q->waiting_count];
    }
}

zc_quick zc_quick_sort(zc_line *line, size_t item, const zc_key_bits *bits)
{
    const zc_sort_kernels *kernels = &zc_kernels_best()->sort[item / sizeof(uint64_t)];
    quick q = {.kernels = kernels, .line = line, .item = item, .steps_left = line->count * (int64_t)item};
    if (kernels->most == 0 || !kernels->to_keys(line->values, line->count, bits))
        return ZC_QUICK_NOT_TAKEN;
    if (!sort_parts(&q, (part){0, line->count, 0, false}))
        return ZC_QUICK_STOPPED;
    kernels->from_keys(line->values, line->count, bits);
    return ZC_QUICK_SORTED;
}
