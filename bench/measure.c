/*
 * One case at one size: its memory, its runners, the comparison of their results, and the rounds.
 *
 * In a round every runner is timed once, in every other round in the opposite order. A timing repeats a short run until
 * a clock's resolution does not matter. Ratios are taken within a round; what is reported is their median.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/peers.h"
#include "bench/timing.h"

enum { MOST_ROUNDS = 101, FEWEST_PEER_ROUNDS = 3, HUGE_PAGE_BYTES = 1 << 21 };

static const double timing_seconds = 0.004, peer_budget_seconds = 40;

typedef struct session {
    const bench_case *c;
    int threads, rounds;
    bench_work work, call; /* call: the same on 16 elements */
    bench_side with_all, with_one, of_call;
    bench_peers *peers;
    bool has[RUNNERS];
    int64_t repeats[RUNNERS]; /* of one timing; the peers keep their own */
    int limits[RUNNERS];      /* rounds it takes part in */
    double samples[RUNNERS][MOST_ROUNDS];
} session;

/* ---- Memory ---- */

static void *allocate(size_t bytes)
{
    size_t rounded = (bytes + HUGE_PAGE_BYTES) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    void *memory = aligned_alloc(HUGE_PAGE_BYTES, rounded);
    if (memory != NULL) {
        (void)madvise(memory, rounded, MADV_HUGEPAGE);
        memset(memory, 0, rounded);
    }
    return memory;
}

/* Any number from 0 to 1: the index, mixed. */
static double any(uint64_t i)
{
    i *= UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ i >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (double)((i ^ i >> 32) >> 40) * 0x1p-24;
}

static bool make_work(session *s, int64_t n)
{
    bench_work *w = &s->work;
    size_t item = s->c->item != 0 ? s->c->item : sizeof(float), bytes = (size_t)n * item;
    *w = (bench_work){.side = &s->with_all,
                      .n = n,
                      .end = n,
                      .results = s->c->results != NULL ? s->c->results(n) : n,
                      .item = item,
                      .x = allocate(bytes),
                      .y = allocate(bytes),
                      .parameter_count = PARAMETERS + 2 * (n / bench_columns(n))};
    w->parameters = allocate((size_t)w->parameter_count * sizeof(float));
    w->ours = allocate(bytes);
    w->by_hand = allocate(bytes);
    if (w->x == NULL || w->y == NULL || w->parameters == NULL || w->ours == NULL || w->by_hand == NULL)
        return false;
    for (int64_t i = 0; i < n; i++) {
        double x = any((uint64_t)i) - 0.25, y = any((uint64_t)(i + n)) - 0.5;
        if (item == sizeof(double)) {
            ((double *)w->x)[i] = x;
            ((double *)w->y)[i] = y;
        } else {
            ((float *)w->x)[i] = (float)x;
            ((float *)w->y)[i] = (float)y;
        }
    }
    for (int64_t i = 0; i < w->parameter_count; i++)
        w->parameters[i] = (float)any((uint64_t)i * 3);
    return true;
}

static void free_work(bench_work *w)
{
    free(w->x);
    free(w->y);
    free(w->parameters);
    free(w->ours);
    free(w->by_hand);
}

static bool make_side(bench_side *side, zc_context *ctx, const bench_work *w, int64_t n)
{
    zc_dtype dtype = w->item == sizeof(double) ? ZC_FLOAT64 : ZC_FLOAT32;
    const int64_t count = w->parameter_count;
    size_t bytes = (size_t)n * w->item;
    side->ctx = ctx;
    side->x = zc_import(ctx, dtype, 1, &n, NULL, 0, w->x, bytes, NULL, NULL);
    side->y = zc_import(ctx, dtype, 1, &n, NULL, 0, w->y, bytes, NULL, NULL);
    side->parameters =
        zc_import(ctx, ZC_FLOAT32, 1, &count, NULL, 0, w->parameters, (size_t)count * sizeof(float), NULL, NULL);
    return side->x != NULL && side->y != NULL && side->parameters != NULL;
}

static void free_side(bench_side *side)
{
    zc_release(side->x);
    zc_release(side->y);
    zc_release(side->parameters);
}

/* ---- Running ---- */

bool bench_into(bench_work *w, const zc_tensor *t)
{
    return zc_materialize_into(t, w->ours, (size_t)w->results * w->item, NULL, 0) == ZC_OK;
}

static bool run_expression(bench_work *w, const bench_side *side, bench_expression *f)
{
    w->side = side;
    zc_scope *scope = zc_scope_begin(side->ctx);
    bool ok = scope != NULL && f(w);
    zc_scope_end(scope);
    return ok;
}

static bool is_reference(bench_runner runner)
{
    return runner >= FIRST && runner <= THIRD;
}

static const bench_by_hand *reference_of(const session *s, bench_runner runner)
{
    return &s->c->references[runner - FIRST];
}

static bool is_shared(const session *s, bench_runner runner)
{
    return s->threads == 2 && s->c->splits && is_reference(runner) && reference_of(s, runner)->run != NULL;
}

static bool run_reference(session *s, const bench_by_hand *reference)
{
    if (reference->run == NULL)
        return run_expression(&s->work, &s->with_all, reference->ours);
    reference->run(&s->work);
    return true;
}

static bool run_once(session *s, bench_runner runner)
{
    if (is_reference(runner))
        return run_reference(s, reference_of(s, runner));
    if (runner == CALL)
        return run_expression(&s->call, &s->of_call, s->c->ours);
    return run_expression(&s->work, runner == ONE_THREAD ? &s->with_one : &s->with_all, s->c->ours);
}

/* ---- A reference shared by two threads: the second one spins while it is timed, as hand-written code would ---- */

typedef struct half {
    bench_work work;
    bench_reference *run;
    int64_t repeats;
    _Atomic int64_t started, finished;
} half;

/* Yields after a while: where processors are shared, the other thread may be waiting for this one's. */
static void wait_for(_Atomic int64_t *counter, int64_t turn)
{
    enum { PATIENCE = 10000 };
    for (int64_t i = 0; atomic_load_explicit(counter, memory_order_acquire) < turn; i++) {
        if (i > PATIENCE)
            (void)sched_yield();
    }
}

static void *do_half(void *argument)
{
    half *h = argument;
    atomic_store(&h->finished, 0); /* ready */
    for (int64_t i = 1; i <= h->repeats; i++) {
        wait_for(&h->started, i);
        h->run(&h->work);
        atomic_store_explicit(&h->finished, i, memory_order_release);
    }
    return NULL;
}

static double time_shared(session *s, bench_runner runner)
{
    half other = {.work = s->work, .run = reference_of(s, runner)->run, .repeats = s->repeats[runner], .finished = -1};
    bench_work mine = s->work;
    pthread_t thread;
    /* A multiple of every vector and of every row that fits twice into n; smaller ones are not shared. */
    mine.end = other.work.begin = s->work.n / 2048 * 1024;
    if (pthread_create(&thread, NULL, do_half, &other) != 0)
        return NAN;
    wait_for(&other.finished, 0);
    double start = seconds();
    for (int64_t i = 1; i <= other.repeats; i++) {
        atomic_store_explicit(&other.started, i, memory_order_release);
        other.run(&mine);
        wait_for(&other.finished, i);
    }
    double time = (seconds() - start) / (double)other.repeats;
    (void)pthread_join(thread, NULL);
    return time;
}

/* Seconds of one run; NAN when it failed. */
static double time_runner(session *s, bench_runner runner)
{
    bool ok = true;
    if (runner >= NUMPY)
        return bench_peers_time(s->peers, runner);
    if (is_shared(s, runner))
        return time_shared(s, runner);
    double start = seconds();
    for (int64_t i = 0; i < s->repeats[runner]; i++)
        ok &= run_once(s, runner);
    int64_t batch = s->c->batch != 0 ? s->c->batch : 1;
    return ok ? (seconds() - start) / (double)(s->repeats[runner] * batch) : NAN;
}

/* ---- Results ---- */

static bool agree(const bench_work *w, double tolerance)
{
    if (tolerance == 0)
        return memcmp(w->ours, w->by_hand, (size_t)w->results * w->item) == 0;
    for (int64_t i = 0; i < w->results; i++) {
        double a = ((const float *)w->ours)[i], b = ((const float *)w->by_hand)[i];
        if (!(fabs(a - b) <= tolerance * (1 + fabs(b))))
            return false;
    }
    return true;
}

static bool check_reference(session *s, bench_runner runner)
{
    const bench_by_hand *reference = reference_of(s, runner);
    (void)run_reference(s, reference);
    if (agree(&s->work, s->c->tolerance))
        return true;
    fprintf(stderr, "bench: %s, %" PRId64 " elements: another result than by hand (%s)\n", s->c->name, s->work.n,
            reference->name);
    return false;
}

static bool check_peer(session *s, bench_runner runner)
{
    if (bench_peers_result(s->peers, runner, s->work.by_hand, (size_t)s->work.results * s->work.item) &&
        agree(&s->work, s->c->peer_tolerance))
        return true;
    fprintf(stderr, "bench: %s, %" PRId64 " elements: another result than %s, or none\n", s->c->name, s->work.n,
            bench_runner_name(s->c, runner));
    return false;
}

static bool is_yardstick(const session *s, bench_runner runner)
{
    return is_reference(runner) ? reference_of(s, runner)->yardstick : runner != OURS;
}

static bool is_lean_enough(const session *s)
{
    int64_t peak_bytes = zc_memory_usage(s->with_all.ctx).peak_bytes;
    if (!s->c->lean || (double)peak_bytes <= (double)s->work.results * (double)s->work.item)
        return true;
    fprintf(stderr, "bench: %s, %" PRId64 " elements: took %" PRId64 " bytes, more than its result\n", s->c->name,
            s->work.n, peak_bytes);
    return false;
}

/* First whatever else runs here, once; then ours, which everything that does the same is compared with. */
static bool check_all(session *s)
{
    bool ok = true;
    for (int i = OURS; i < NUMPY; i++) {
        if (s->has[i] && is_yardstick(s, (bench_runner)i))
            ok &= run_once(s, (bench_runner)i);
    }
    zc_memory_reset_peak(s->with_all.ctx);
    ok &= run_once(s, OURS);
    if (!ok)
        fprintf(stderr, "bench: %s: %s\n", s->c->name, zc_error_text(s->with_all.ctx));
    ok = ok && is_lean_enough(s);
    for (int i = FIRST; ok && i <= THIRD; i++)
        ok = !s->has[i] || is_yardstick(s, (bench_runner)i) || check_reference(s, (bench_runner)i);
    for (int i = NUMPY; ok && i < RUNNERS; i++)
        ok = !s->has[i] || check_peer(s, (bench_runner)i);
    return ok;
}

/* ---- Rounds ---- */

/* How often a run is repeated in a timing, by a first one. */
static void calibrate(session *s, bench_runner runner)
{
    s->repeats[runner] = 1;
    s->limits[runner] = s->rounds;
    double once = time_runner(s, runner);
    int64_t repeats = once > 0 && once < timing_seconds ? (int64_t)(timing_seconds / once) + 1 : 1;
    if (runner < NUMPY) {
        s->repeats[runner] = s->c->batch != 0 ? 1 : repeats; /* a batch is long enough by itself */
        return;
    }
    s->peers->repeats[runner - NUMPY] = repeats;
    if (once * s->rounds > peer_budget_seconds) {
        int affordable = (int)(peer_budget_seconds / once);
        s->limits[runner] = affordable > FEWEST_PEER_ROUNDS ? affordable : FEWEST_PEER_ROUNDS;
    }
}

static void run_round(session *s, int round)
{
    for (int i = 0; i < RUNNERS; i++) {
        int runner = round % 2 == 0 ? i : RUNNERS - 1 - i;
        bool runs = s->has[runner] && round < s->limits[runner];
        s->samples[runner][round] = runs ? time_runner(s, (bench_runner)runner) : NAN;
    }
}

/* The median of those that are numbers; NAN when there are none. */
static double median(double *values, int count)
{
    int numbers = 0;
    for (int i = 0; i < count; i++) {
        if (!isnan(values[i]))
            values[numbers++] = values[i];
    }
    if (numbers == 0)
        return NAN;
    qsort(values, (size_t)numbers, sizeof *values, compare_doubles);
    return values[numbers / 2];
}

static void summarise(const session *s, bench_record *record)
{
    double times[MOST_ROUNDS], ratios[MOST_ROUNDS], net_ratios[MOST_ROUNDS];
    for (int runner = 0; runner < RUNNERS; runner++) {
        for (int round = 0; round < s->rounds; round++) {
            double ours = s->samples[OURS][round], theirs = s->samples[runner][round];
            times[round] = theirs;
            ratios[round] = ours / theirs;
            net_ratios[round] = (ours - s->samples[CALL][round]) / theirs;
        }
        record->times[runner] = median(times, s->rounds);
        record->ratios[runner] = median(ratios, s->rounds);
        record->net_ratios[runner] = median(net_ratios, s->rounds);
    }
}

/* ---- A session ---- */

/* Bytes of memory that can be had now; 0 when the system does not tell. */
static double available_bytes(void)
{
    char line[128];
    double kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kilobytes = strtod(line + 13, NULL);
    }
    if (file != NULL)
        (void)fclose(file);
    return kilobytes * 1024;
}

/* Whether `arrays` arrays of the case fit, a tenth to spare. */
static bool fits(const bench_case *c, int64_t n, int64_t arrays)
{
    double needed = 1.1 * (double)n * (double)arrays * (double)(c->item != 0 ? c->item : sizeof(float));
    double available = available_bytes();
    return available == 0 || needed <= available;
}

static bool needs_call(const bench_case *c, int64_t n)
{
    bool needed = false;
    for (int i = 0; c->bounds != NULL && c->bounds[i].most > 0; i++)
        needed |= c->bounds[i].without_call && c->bounds[i].elements == n;
    return needed;
}

static bool open_session(session *s, int64_t n, const bench_options *options)
{
    zc_context *all = zc_context_new(&(zc_options){.threads = s->threads});
    zc_context *one = zc_context_new(&(zc_options){.threads = 1});
    s->with_all.ctx = all;
    s->with_one.ctx = one;
    if (all == NULL || one == NULL || !make_work(s, n) || !make_side(&s->with_all, all, &s->work, n) ||
        !make_side(&s->with_one, one, &s->work, n) || !make_side(&s->of_call, all, &s->work, 16 < n ? 16 : n)) {
        fprintf(stderr, "bench: %s, %" PRId64 " elements: no memory\n", s->c->name, n);
        return false;
    }
    s->call = s->work;
    s->call.n = s->call.end = s->call.results = 16;
    s->has[OURS] = true;
    for (int i = FIRST; i <= THIRD; i++) {
        const bench_by_hand *reference = reference_of(s, (bench_runner)i);
        bool runs = reference->ours != NULL || s->threads == 1 || (s->c->splits && n >= 64 * KI);
        s->has[i] = reference->name != NULL && (runs || options->check);
    }
    s->has[ONE_THREAD] = s->threads == 2;
    s->has[CALL] = needs_call(s->c, n);
    bench_peers_unload(s->peers);
    if (s->peers->to == NULL)
        return true;
    if (!fits(s->c, n, s->c->peer_memory != 0 ? s->c->peer_memory : 8))
        fprintf(stderr, "bench: %s, %" PRId64 " elements: too little memory for the peers, left out\n", s->c->name, n);
    else
        bench_peers_load(s->peers, &s->work, s->threads);
    for (int i = NUMPY; i < RUNNERS; i++)
        s->has[i] = s->peers->has[i - NUMPY];
    return true;
}

static void close_session(session *s)
{
    free_side(&s->of_call);
    free_side(&s->with_all);
    free_side(&s->with_one);
    zc_context_free(s->with_all.ctx);
    zc_context_free(s->with_one.ctx);
    free_work(&s->work);
}

bool bench_measure(const bench_case *c, int64_t elements, int threads, const bench_options *options, bench_peers *peers,
                   bench_record *record)
{
    /* Short runs are cheap, and noisier: they get more rounds. */
    int rounds = elements <= MI ? 3 * options->rounds : options->rounds;
    session *s = calloc(1, sizeof *s);
    *record = (bench_record){.elements = elements, .threads = threads};
    if (s == NULL)
        return false;
    *s = (session){.c = c, .threads = threads, .peers = peers, .rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS};
    if (!fits(c, elements, 4)) {
        fprintf(stderr, "bench: %s, %" PRId64 " elements: too little memory, skipped\n", c->name, elements);
        free(s);
        return true;
    }
    bool ok = open_session(s, elements, options) && check_all(s);
    for (int i = 0; ok && !options->check && i < RUNNERS; i++) {
        if (s->has[i])
            calibrate(s, (bench_runner)i);
    }
    for (int round = 0; ok && !options->check && round < s->rounds; round++)
        run_round(s, round);
    if (ok && !options->check) {
        summarise(s, record);
        record->of = c;
    }
    close_session(s);
    free(s);
    return ok;
}
