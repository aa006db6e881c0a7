#include "materialize/eager/shared_sort.h"

#include <string.h>

#include "views/shape.h"

/* Elements of a thread's share at least, since threads take a while to come. Keys of one or two bytes alone are sorted
 * in less time than dealing them takes. */
enum { LEAST_SHARE = 1 << 16, LEAST_SHARE_OF_NARROW = 1 << 20, SAMPLES_EACH = 64 };

typedef struct shared {
    zc_line *line;
    const zc_sorter *sorter;
    size_t item;
    int threads;                      /* and shares, and parts */
    uint64_t limits[ZC_MOST_PARTS];   /* [threads - 1]: where the parts begin, but for the first one */
    int64_t begin[ZC_MOST_PARTS + 1]; /* where the parts are dealt to, and their end */
    int64_t place[ZC_MOST_PARTS]
                 [ZC_MOST_PARTS]; /* of each share and part: how many there are; where the next one goes */
    _Atomic int64_t steps;
    _Atomic bool is_stopped;
} shared;

int zc_sort_threads(const zc_pool *pool, int64_t count, size_t item, bool has_index)
{
    const int64_t least = has_index || item >= sizeof(uint32_t) ? LEAST_SHARE : LEAST_SHARE_OF_NARROW;
    const int64_t most = zc_smaller(zc_pool_threads(pool), ZC_MOST_PARTS);
    return (int)zc_larger(zc_smaller(most, count / least), 1);
}

/* ---- Dealing ---- */

/* Limits that divide some elements, taken at equal distances, into parts of as many. */
static void choose_limits(shared *s)
{
    uint64_t samples[ZC_MOST_PARTS * SAMPLES_EACH];
    const int count = s->threads * SAMPLES_EACH;
    const int64_t step = s->line->count / count;
    for (int i = 0; i < count; i++) {
        const uint64_t key = s->sorter->key(s->line, i * step + step / 2); /* proven: inside the line */
        int at = i;
        for (; at > 0 && samples[at - 1] > key; at--)
            samples[at] = samples[at - 1];
        samples[at] = key;
    }
    for (int part = 1; part < s->threads; part++)
        s->limits[part - 1] = samples[part * SAMPLES_EACH];
}

static zc_deal deal_of(shared *s, int share)
{
    const int64_t count = s->line->count;
    return (zc_deal){.line = s->line,
                     .first = zc_begin_of_share(count, s->threads, share),
                     .end = zc_begin_of_share(count, s->threads, share + 1),
                     .limits = s->limits,
                     .parts = s->threads,
                     .place = s->place[share]};
}

/* One piece after the other, between which the call may be stopped. */
static void walk_share(shared *s, int worker, zc_deal_function *function)
{
    zc_thread_progress progress = {.whole = s->line->progress->whole, .worker = worker};
    zc_deal deal = deal_of(s, worker);
    const int64_t end = deal.end;
    for (bool goes_on = true; goes_on && deal.first < end; deal.first = deal.end) {
        deal.end = zc_smaller(end, deal.first + ZC_STEPS_PER_LOOK);
        function(&deal);
        goes_on = zc_thread_progress_look(&progress);
    }
}

static void count_share(void *user, int worker)
{
    shared *s = user;
    walk_share(s, worker, s->sorter->count);
}

static void deal_share(void *user, int worker)
{
    shared *s = user;
    walk_share(s, worker, s->sorter->deal);
}

/* From how many elements of a share go into each part to where the first of them goes: behind those of earlier shares.
 */
static void find_places(shared *s)
{
    int64_t at = 0;
    for (int part = 0; part < s->threads; part++) {
        s->begin[part] = at;
        for (int share = 0; share < s->threads; share++) {
            const int64_t count = s->place[share][part];
            s->place[share][part] = at;
            at += count;
        }
    }
    s->begin[s->threads] = at;
}

/* ---- Sorting ---- */

/* Back to where they were, if sorting has exchanged them. */
static void move_back(void *to, const void *from, int64_t count, size_t bytes_each)
{
    if (to != from)
        memcpy(to, from, (size_t)count * bytes_each);
}

static void sort_part(void *user, int worker)
{
    shared *s = user;
    const zc_line *all = s->line;
    const int64_t first = s->begin[worker];
    zc_thread_progress progress = {.whole = all->progress->whole, .worker = worker};
    zc_line part = {.count = s->begin[worker + 1] - first,
                    .descending = all->descending,
                    .values = (char *)all->values + (size_t)first * s->item,
                    .spare = (char *)all->spare + (size_t)first * s->item,
                    .progress = &progress};
    if (all->index != NULL) {
        part.index = all->index + first;
        part.index_spare = all->index_spare + first;
    }
    void *values = part.values;
    int64_t *index = part.index;
    const bool is_sorted = s->sorter->sort(&part);
    if (is_sorted) {
        move_back(values, part.values, part.count, s->item);
        if (index != NULL)
            move_back(index, part.index, part.count, sizeof *index);
    }
    (void)atomic_fetch_add_explicit(&s->steps, part.steps, memory_order_relaxed);
    if (!is_sorted || !zc_thread_progress_look(&progress))
        atomic_store_explicit(&s->is_stopped, true, memory_order_relaxed);
}

bool zc_sort_shared(zc_line *line, const zc_sorter *sorter, size_t item, zc_pool *pool, int threads)
{
    if (threads < 2)
        return sorter->sort(line);
    const zc_quick done = line->index == NULL ? sorter->share(line, pool, threads) : ZC_QUICK_NOT_TAKEN;
    if (done != ZC_QUICK_NOT_TAKEN)
        return done == ZC_QUICK_SORTED;
    shared s = {.line = line, .sorter = sorter, .item = item, .threads = threads};
    atomic_init(&s.steps, 0);
    atomic_init(&s.is_stopped, false);
    choose_limits(&s);
    zc_pool_run(pool, threads, count_share, &s);
    find_places(&s);
    if (!zc_progress_stops(line->progress->whole))
        zc_pool_run(pool, threads, deal_share, &s);
    zc_line_exchange(line);
    if (!zc_progress_stops(line->progress->whole))
        zc_pool_run(pool, threads, sort_part, &s);
    line->steps += s.steps;
    line->progress->is_stopped = s.is_stopped || zc_progress_stops(line->progress->whole);
    return !line->progress->is_stopped;
}
