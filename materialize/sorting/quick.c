/*
 * A part of the line lies in the values or in the room beside them. It is divided from there into the other one, by a
 * pivot in the middle of some of its keys; few keys are sorted into the values.
 *
 * Where that pivot is the least key, the keys that equal it are divided from the others, and are done. In parts that
 * have been divided very often, the middle between the least and the largest key takes its place: it divides every part
 * that has two different keys, and halves what they may be.
 */
#include "materialize/sorting/quick.h"

#include <stdatomic.h>
#include <string.h>

#include "materialize/kernels/tables/dispatch.h"
#include "views/shape.h"

/* MOST_DIVISIONS by keys of the part; behind it, each division takes a bit of the keys away. One that leaves nearly all
 * in one part counts as BAD_DIVISION, so that few of them follow each other. */
enum { SAMPLES = 16, MOST_DIVISIONS = 64, BAD_DIVISION = 8, MOST_WAITING = 64 };

typedef struct part {
    int64_t first, count;
    int divisions; /* divisions that it comes from */
    bool in_spare;
} part;

typedef struct quick {
    const zc_sort_kernels *kernels;
    zc_line *line;
    size_t item;
    int64_t steps_left;         /* steps of sorting the line that are still to be told */
    part waiting[MOST_WAITING]; /* the longer one of two parts, always: the part that is divided next halves */
    int waiting_count;
} quick;

static char *memory_of(const quick *q, const part *p, bool in_spare)
{
    return (char *)(in_spare ? q->line->spare : q->line->values) + (size_t)p->first * q->item;
}

/* ---- Pivots ---- */

/* A key of either size. */
static int64_t read_key(const char *from, size_t item)
{
    int32_t narrow;
    int64_t wide;
    if (item == sizeof wide) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return narrow;
}

static void copy_key(char *to, const char *from, size_t item)
{
    if (item == sizeof(int64_t))
        memcpy(to, from, sizeof(int64_t));
    else
        memcpy(to, from, sizeof(int32_t));
}

/* One key of each sixteenth of the part, at no equal distances: lines that repeat a row are sorted, too. */
static int64_t middle_of_samples(const quick *q, const part *p)
{
    char samples[SAMPLES * sizeof(int64_t)];
    const uint64_t step = (uint64_t)p->count / SAMPLES, within = step < UINT32_MAX ? step : UINT32_MAX;
    const char *keys = memory_of(q, p, p->in_spare);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint32_t fraction = (i + 1) * UINT32_C(0x9e3779b9); /* of 2^32 */
        const uint64_t at = i * step + (within * fraction >> 32); /* proven: inside the part */
        copy_key(samples + i * q->item, keys + at * q->item, q->item);
    }
    q->kernels->few(samples, samples, SAMPLES);
    return read_key(samples + SAMPLES / 2 * q->item, q->item);
}

/* The smallest number that is above the middle between the least and the largest key; that is the least one where all
 * are equal. */
static int64_t middle_of_range(const quick *q, const part *p)
{
    const char *keys = memory_of(q, p, p->in_spare);
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int64_t i = 0; i < p->count; i++) {
        const int64_t key = read_key(keys + (size_t)i * q->item, q->item);
        least = zc_smaller(least, key);
        most = zc_larger(most, key);
    }
    return least == most ? least : least + (int64_t)(((uint64_t)most - (uint64_t)least) / 2) + 1;
}

/* ---- Parts ---- */

/* Into the other memory; how many keys are below the pivot. */
static int64_t divide(const quick *q, const part *p, int64_t pivot)
{
    const int32_t narrow = (int32_t)pivot;
    return q->kernels->divide(memory_of(q, p, !p->in_spare), memory_of(q, p, p->in_spare), p->count,
                              q->item == sizeof pivot ? (const void *)&pivot : (const void *)&narrow);
}

/* Keys that are in order, where they will stand. */
static void put_into_values(const quick *q, const part *p)
{
    if (p->in_spare)
        memcpy(memory_of(q, p, false), memory_of(q, p, true), (size_t)p->count * q->item);
}

/* Counts the divisions of a part after one more, when `done` of its keys are elsewhere or sorted. */
static int count_division(const part *p, int64_t done)
{
    return p->divisions + (zc_smaller(done, p->count - done) < p->count / 8 ? BAD_DIVISION : 1);
}

/* Leaves the shorter one of two parts, and returns the longer one. */
static part take_shorter(part *p, int64_t below)
{
    const int divisions = count_division(p, below);
    part left = {p->first, below, divisions, !p->in_spare};
    part right = {p->first + below, p->count - below, divisions, !p->in_spare};
    bool goes_left = below < p->count - below;
    *p = goes_left ? left : right;
    return goes_left ? right : left;
}

/* A level of divisions counts as half the steps that a byte of the keys has; false: stop. */
static bool tell(quick *q, int64_t count)
{
    int64_t steps = zc_smaller(count / 2, q->steps_left);
    q->steps_left -= steps;
    q->line->steps += steps;
    return zc_thread_progress_add(q->line->progress, steps);
}

/* Divides a part into two: leaves one of them, and returns the other one. Or leaves the keys that remain when equal
 * ones are done, none where all are equal, and returns a part of none. */
static part divide_part(const quick *q, part *p)
{
    const bool is_sampled = p->divisions < MOST_DIVISIONS;
    const int64_t most = q->item == sizeof(int64_t) ? INT64_MAX : INT32_MAX;
    const int64_t pivot = is_sampled ? middle_of_samples(q, p) : middle_of_range(q, p);
    int64_t below = divide(q, p, pivot);
    if (below > 0)
        return take_shorter(p, below);
    below = is_sampled && pivot < most ? divide(q, p, pivot + 1) : p->count;
    part equal = {p->first, below, 0, !p->in_spare};
    put_into_values(q, &equal);
    *p = (part){p->first + below, p->count - below, count_division(p, below), !p->in_spare};
    return (part){.count = 0};
}

static bool sort_parts(quick *q, part p)
{
    for (;;) {
        while (p.count > q->kernels->most) {
            if (!tell(q, p.count))
                return false;
            const part other = divide_part(q, &p);
            if (other.count > 0)
                q->waiting[q->waiting_count++] = other;
        }
        q->kernels->few(memory_of(q, &p, false), memory_of(q, &p, p.in_spare), p.count);
        if (q->waiting_count == 0)
            return true;
        p = q->waiting[--q->waiting_count];
    }
}

const zc_sort_kernels *zc_quick_kernels(size_t item)
{
    return &zc_kernels_best()->sort[item / sizeof(uint64_t)];
}

zc_quick zc_quick_sort(zc_line *line, size_t item, const zc_key_bits *bits)
{
    const zc_sort_kernels *kernels = zc_quick_kernels(item);
    quick q = {.kernels = kernels, .line = line, .item = item, .steps_left = line->count * (int64_t)item};
    if (kernels->most == 0 || !kernels->to_keys(line->values, line->count, bits))
        return ZC_QUICK_NOT_TAKEN;
    if (!sort_parts(&q, (part){0, line->count, 0, false}))
        return ZC_QUICK_STOPPED;
    kernels->from_keys(line->values, line->count, bits);
    return ZC_QUICK_SORTED;
}

void zc_quick_keys(void *keys, void *room, int64_t count, size_t item)
{
    const zc_sort_kernels *kernels = zc_quick_kernels(item);
    if (count <= kernels->most) {
        kernels->few(keys, keys, count);
        return;
    }
    zc_thread_progress unwatched = {.steps = 0};
    zc_line line = {.count = count, .values = keys, .spare = room, .progress = &unwatched};
    quick q = {.kernels = kernels, .line = &line, .item = item};
    (void)sort_parts(&q, (part){0, count, 0, false});
}

int64_t zc_quick_rows(const void *from, int64_t rows, int64_t extent, size_t item, const zc_key_bits *bits, void *to)
{
    const zc_sort_kernels *kernels = zc_quick_kernels(item);
    return extent <= kernels->most / 4 ? kernels->rows(to, from, rows, extent, bits) : 0;
}

/* ---- Several threads ---- */

enum { PARTS_EACH = 4, MOST_PARTS = PARTS_EACH * ZC_MOST_PARTS };

/* The threads divide the parts that there are, until each has several; then they take and sort one after the other. */
typedef struct sharing {
    zc_line *line;
    const zc_sort_kernels *kernels;
    const zc_key_bits *bits;
    size_t item;
    int threads, dividing; /* threads, and those of them that divide */
    bool has_keys[ZC_MOST_PARTS];
    int count;
    part parts[MOST_PARTS];
    _Atomic int next; /* part to be sorted */
    _Atomic int64_t steps;
    _Atomic bool is_stopped;
} sharing;

/* Finds the beginning and the length of a thread's share of the line. */
static int64_t share_of(const sharing *s, int worker, int64_t *count)
{
    const int64_t first = zc_begin_of_share(s->line->count, s->threads, worker);
    *count = zc_begin_of_share(s->line->count, s->threads, worker + 1) - first;
    return first;
}

static void share_to_keys(void *user, int worker)
{
    sharing *s = user;
    int64_t count, first = share_of(s, worker, &count);
    s->has_keys[worker] = s->kernels->to_keys((char *)s->line->values + (size_t)first * s->item, count, s->bits);
}

static void share_from_keys(void *user, int worker)
{
    sharing *s = user;
    int64_t count, first = share_of(s, worker, &count);
    if (s->has_keys[worker])
        s->kernels->from_keys((char *)s->line->values + (size_t)first * s->item, count, s->bits);
}

/* Divides part i into two: the second one is behind all others. */
static void share_dividing(void *user, int worker)
{
    sharing *s = user;
    const quick q = {.kernels = s->kernels, .line = s->line, .item = s->item};
    for (int i = worker; i < s->count; i += s->dividing) {
        const bool is_long = s->parts[i].count > s->kernels->most;
        s->parts[s->count + i] = is_long ? divide_part(&q, &s->parts[i]) : (part){.count = 0};
    }
}

static void share_sorting(void *user, int worker)
{
    sharing *s = user;
    zc_thread_progress progress = {.whole = s->line->progress->whole, .worker = worker};
    zc_line own = *s->line;
    own.progress = &progress;
    own.steps = 0;
    for (int i; (i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->count;) {
        const part p = s->parts[i];
        quick q = {.kernels = s->kernels, .line = &own, .item = s->item, .steps_left = p.count * (int64_t)s->item};
        if (!sort_parts(&q, p))
            break;
    }
    (void)atomic_fetch_add_explicit(&s->steps, own.steps, memory_order_relaxed);
    if (progress.is_stopped || !zc_thread_progress_look(&progress))
        atomic_store_explicit(&s->is_stopped, true, memory_order_relaxed);
}

static bool have_all_keys(const sharing *s)
{
    bool all = true;
    for (int i = 0; i < s->threads; i++)
        all &= s->has_keys[i];
    return all;
}

zc_quick zc_quick_share(zc_line *line, size_t item, const zc_key_bits *bits, zc_pool *pool, int threads)
{
    sharing s = {.line = line, .kernels = zc_quick_kernels(item), .bits = bits, .item = item, .threads = threads};
    if (s.kernels->most == 0)
        return ZC_QUICK_NOT_TAKEN;
    atomic_init(&s.next, 0);
    atomic_init(&s.steps, 0);
    atomic_init(&s.is_stopped, false);
    zc_pool_run(pool, threads, share_to_keys, &s);
    if (!have_all_keys(&s)) {
        zc_pool_run(pool, threads, share_from_keys, &s);
        return ZC_QUICK_NOT_TAKEN;
    }
    zc_line_exchange(line);
    s.parts[0] = (part){0, line->count, 0, true};
    for (s.count = 1; s.count < PARTS_EACH * threads && !zc_progress_stops(line->progress->whole); s.count *= 2) {
        s.dividing = (int)zc_smaller(threads, s.count);
        zc_pool_run(pool, s.dividing, share_dividing, &s);
    }
    zc_pool_run(pool, threads, share_sorting, &s);
    line->steps += s.steps;
    line->progress->is_stopped = s.is_stopped;
    if (s.is_stopped)
        return ZC_QUICK_STOPPED;
    zc_pool_run(pool, threads, share_from_keys, &s);
    return ZC_QUICK_SORTED;
}
