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

#include "bench/peers.h"
#include "bench/timing.h"
#include "bench/trial.h"
#include "bench/work.h"

enum { MOST_ROUNDS = 101, FEWEST_ROUNDS = 3 };

static const double timing_seconds = 0.004;

typedef struct session {
    const bench_case *c;
    int threads, rounds;
    bench_work work, call; /* call: the same on 16 elements */
    bench_side with_all, with_one, of_call;
    bench_peers *peers;
    const bench_options *options;
    bool over; /* ours was tried, and ended by the limit */
    double grown_bytes, peak_bytes;
    double first[RUNNERS]; /* seconds of the first run, where it was timed */
    bool has[RUNNERS];
    int64_t repeats[RUNNERS]; /* of one timing; the peers keep their own */
    int limits[RUNNERS];      /* rounds it takes part in */
    double samples[RUNNERS][MOST_ROUNDS];
} session;

/* ---- Running ---- */

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
        return bench_run(&s->work, &s->with_all, reference->ours);
    reference->run(&s->work);
    return true;
}

/* Planned afresh: what a context keeps of earlier plans is gone with it. */
static bool run_program(session *s, int threads)
{
    bench_side side;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = threads});
    bool ok = bench_make_side(&side, ctx, &s->work, s->work.n) && bench_run(&s->work, &side, s->c->ours);
    s->peak_bytes = ctx != NULL ? (double)zc_memory_usage(ctx).peak_bytes : NAN;
    bench_free_side(&side);
    zc_context_free(ctx);
    return ok;
}

static bool run_once(session *s, bench_runner runner)
{
    const bool is_known = s->c->is_step && s->peak_bytes > 0;
    if (s->c->program && !is_known && (runner == OURS || runner == ONE_THREAD))
        return run_program(s, runner == OURS ? s->threads : 1);
    if (is_reference(runner))
        return run_reference(s, reference_of(s, runner));
    if (runner == CALL)
        return bench_run(&s->call, &s->of_call, s->c->ours);
    return bench_run(&s->work, runner == ONE_THREAD ? &s->with_one : &s->with_all, s->c->ours);
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

static bool check_reference(session *s, bench_runner runner)
{
    const bench_by_hand *reference = reference_of(s, runner);
    (void)run_reference(s, reference);
    if (bench_agree(&s->work, s->c->tolerance))
        return true;
    fprintf(stderr, "bench: %s, %" PRId64 " elements: another result than by hand (%s)\n", s->c->name, s->work.n,
            reference->name);
    return false;
}

static bool check_peer(session *s, bench_runner runner)
{
    size_t bytes = (size_t)s->work.results * zc_dtype_bytes(s->work.dtype);
    double tolerance = fmax(s->c->peer_tolerance, runner == XLA ? s->c->xla_tolerance : 0);
    if (bench_peers_result(s->peers, runner, s->work.by_hand, bytes) && (s->over || bench_agree(&s->work, tolerance)))
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
    const int64_t peak_bytes = zc_memory_usage(s->with_all.ctx).peak_bytes;
    const int64_t most = s->work.results * (int64_t)zc_dtype_bytes(s->work.dtype) + s->c->beside * s->threads;
    if ((!s->c->lean && s->c->beside == 0) || peak_bytes <= most)
        return true;
    fprintf(stderr, "bench: %s, %" PRId64 " elements: took %" PRId64 " bytes, more than %" PRId64 "\n", s->c->name,
            s->work.n, peak_bytes, most);
    return false;
}

/* Ours, timed: a run that is long enough needs no second one to be calibrated by. */
static bool check_ours(session *s)
{
    s->work.wanted = true;
    zc_memory_reset_peak(s->with_all.ctx);
    double start = seconds();
    bool ok = run_once(s, OURS);
    s->first[OURS] = seconds() - start;
    s->work.wanted = false;
    if (!ok)
        fprintf(stderr, "bench: %s, %" PRId64 " elements: %s\n", s->c->name, s->work.n, zc_error_text(s->with_all.ctx));
    return ok && is_lean_enough(s);
}

/* First whatever else runs here, once; then ours, which everything that does the same is compared with. */
static bool check_all(session *s)
{
    bool ok = true;
    for (int i = OURS; i < NUMPY; i++) {
        if (s->has[i] && i != ONE_THREAD && is_yardstick(s, (bench_runner)i))
            ok &= run_once(s, (bench_runner)i);
    }
    ok = ok && (!s->has[OURS] || check_ours(s));
    for (int i = FIRST; ok && i <= THIRD; i++)
        ok = !s->has[i] || is_yardstick(s, (bench_runner)i) || check_reference(s, (bench_runner)i);
    for (int i = NUMPY; ok && i < RUNNERS; i++)
        ok = !s->has[i] || check_peer(s, (bench_runner)i);
    return ok;
}

/* ---- Rounds ---- */

/* Sets the repeats of a run in a timing, and the number of rounds, by a first one. */
static void calibrate(session *s, bench_runner runner)
{
    s->repeats[runner] = 1;
    double once = s->first[runner] > 1 ? s->first[runner] : time_runner(s, runner);
    int64_t repeats = once > 0 && once < timing_seconds ? (int64_t)(timing_seconds / once) + 1 : 1;
    if (runner < NUMPY)
        s->repeats[runner] = s->c->batch != 0 ? 1 : repeats; /* a batch is long enough by itself */
    else
        s->peers->repeats[runner - NUMPY] = repeats;
    double affordable = s->options->runner_seconds / once;
    int fewest = affordable < 1 ? 1 : FEWEST_ROUNDS;
    s->limits[runner] = affordable < s->rounds ? (int)affordable : s->rounds;
    if (s->limits[runner] < fewest)
        s->limits[runner] = fewest < s->rounds ? fewest : s->rounds;
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

/* The times of the round whose ratio is the median: who divides them gets it. */
static void find_pair(const session *s, int runner, bench_record *record)
{
    for (int round = 0; round < s->rounds; round++) {
        double ours = s->samples[OURS][round], theirs = s->samples[runner][round];
        if (ours / theirs == record->ratios[runner]) {
            record->pairs[runner][0] = ours;
            record->pairs[runner][1] = theirs;
        }
    }
}

/* Ours was ended: the limit is the least that it takes, of its time and in every ratio. */
static void summarise_over(const session *s, bench_record *record)
{
    double limit = s->options->limit_seconds;
    record->times[OURS] = limit;
    for (int runner = 0; runner < RUNNERS; runner++)
        record->ratios[runner] = record->net_ratios[runner] = limit / record->times[runner];
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
        find_pair(s, runner, record);
    }
    if (s->over)
        summarise_over(s, record);
    record->over = s->over;
    record->plan_bytes = s->work.plan_bytes;
    record->grown_bytes = s->c->program ? s->grown_bytes : NAN;
    bool told = s->c->program && !s->over;
    record->peak_bytes = told ? s->peak_bytes + (double)s->work.results * (double)zc_dtype_bytes(s->work.dtype) : NAN;
    record->numpy_peak_bytes = s->c->program && s->has[NUMPY] ? bench_peers_peak(s->peers, NUMPY) : NAN;
}

/* ---- A session ---- */

static bool needs_call(const bench_case *c, int64_t n)
{
    bool needed = false;
    for (int i = 0; c->bounds != NULL && c->bounds[i].most > 0; i++)
        needed |= c->bounds[i].without_call && c->bounds[i].elements == n;
    return needed;
}

static bool open_sides(session *s, int64_t n)
{
    s->with_all.ctx = zc_context_new(&(zc_options){.threads = s->threads});
    s->with_one.ctx = zc_context_new(&(zc_options){.threads = 1});
    bool ok = bench_make_side(&s->with_all, s->with_all.ctx, &s->work, n) &&
              bench_make_side(&s->with_one, s->with_one.ctx, &s->work, n) &&
              bench_make_side(&s->of_call, s->with_all.ctx, &s->work, 16 < n ? 16 : n);
    s->call = s->work;
    s->call.n = s->call.end = s->call.results = 16;
    return ok;
}

/* The peers that are there and have the memory they need. */
static void ask_peers(session *s)
{
    int64_t n = s->work.n;
    bench_peers_unload(s->peers);
    if (s->peers->to == NULL || s->c->peer == NULL)
        return;
    if (!bench_fits(s->c, n, s->c->peer_memory != 0 ? s->c->peer_memory : 8))
        fprintf(stderr, "bench: %s, %" PRId64 " elements: too little memory for the peers, left out\n", s->c->name, n);
    else
        bench_peers_load(s->peers, s->c->peer, &s->work);
    for (int i = NUMPY; i < RUNNERS; i++)
        s->has[i] = s->peers->has[i - NUMPY];
}

/* A slow case is tried before this process has threads of its own, which a forked one would lack. */
static bool open_session(session *s, int64_t n)
{
    bool ok = bench_make_work(&s->work, s->c, n);
    if (ok && s->c->slow && !s->options->check) {
        bench_trial trial = bench_try(s->c, &s->work, s->threads, s->options->limit_seconds);
        s->over = trial.over;
        s->grown_bytes = trial.grown_bytes;
    }
    if (!ok || !open_sides(s, n)) {
        fprintf(stderr, "bench: %s, %" PRId64 " elements: no memory\n", s->c->name, n);
        return false;
    }
    s->has[OURS] = !s->over;
    for (int i = FIRST; i <= THIRD; i++) {
        const bench_by_hand *reference = reference_of(s, (bench_runner)i);
        bool runs = reference->ours != NULL || s->threads == 1 || (s->c->splits && n >= 64 * KI);
        s->has[i] = reference->name != NULL && (runs || s->options->check);
    }
    s->has[ONE_THREAD] = s->threads == 2 && !s->over;
    s->has[CALL] = needs_call(s->c, n);
    ask_peers(s);
    return true;
}

static void close_session(session *s)
{
    bench_free_side(&s->of_call);
    bench_free_side(&s->with_all);
    bench_free_side(&s->with_one);
    zc_context_free(s->with_all.ctx);
    zc_context_free(s->with_one.ctx);
    bench_free_work(&s->work);
}

static void run_rounds(session *s)
{
    for (int i = 0; i < RUNNERS; i++) {
        if (s->has[i])
            calibrate(s, (bench_runner)i);
    }
    for (int round = 0; round < s->rounds; round++)
        run_round(s, round);
}

bool bench_measure(const bench_case *c, int64_t elements, int threads, const bench_options *options, bench_peers *peers,
                   bench_record *record)
{
    /* Short runs are cheap, and noisier: they get more rounds. */
    int rounds = elements <= MI ? options->rounds * 7 / 5 : options->rounds;
    session *s = calloc(1, sizeof *s);
    *record = (bench_record){.elements = elements, .threads = threads};
    if (s == NULL)
        return false;
    *s = (session){.c = c, .threads = threads, .peers = peers, .options = options};
    s->rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    if (!bench_fits(c, elements, 4)) {
        fprintf(stderr, "bench: %s, %" PRId64 " elements: too little memory, skipped\n", c->name, elements);
        free(s);
        return true;
    }
    bool ok = open_session(s, elements) && check_all(s);
    if (ok && !options->check) {
        run_rounds(s);
        summarise(s, record);
        record->of = c;
    }
    close_session(s);
    free(s);
    return ok;
}
