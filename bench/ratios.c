/*
 * How long zerocast takes, next to C written by hand for the same thing, in one interleaved run.
 *
 * Each case runs ours and the hand's in turns and prints the median of each and their ratio; times of machines vary,
 * ratios of one run less so. Results are compared before anything is timed. Cases without a counterpart in C print
 * their time.
 *
 * usage: ratios [ROUNDS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zerocast.h>

#include "bench/timing.h"

enum { MOST_ROUNDS = 101, SMALL = 4096, MIDDLE = 1 << 18, LARGE = 1 << 24, DIGITS = 1797, PIXELS = 64 };

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare_doubles);
    return times[count / 2];
}

/* One case: the data both sides work on, and what each does once. */
typedef struct work {
    zc_context *ctx;
    int64_t n;
    float *x, *y, *ours, *by_hand;
} work;

typedef struct bench_case {
    const char *name;
    int64_t n;
    int64_t results; /* elements to compare */
    int repeats;     /* of one timing */
    bool (*ours)(work *w);
    void (*by_hand)(work *w);
} bench_case;

static zc_tensor *wrap(work *w, const float *data, int64_t n)
{
    return zc_import(w->ctx, ZC_FLOAT32, 1, &n, NULL, 0, data, (size_t)n * sizeof *data, NULL, NULL);
}

/* ---- max(x * 1.5 + y, 0) ---- */

static bool chain_ours(work *w)
{
    zc_scope *scope = zc_scope_begin(w->ctx);
    zc_tensor *x = wrap(w, w->x, w->n), *y = wrap(w, w->y, w->n);
    zc_tensor *r = zc_relu(zc_add(zc_multiply(x, zc_weak_float(w->ctx, 1.5)), y));
    bool ok = zc_materialize_into(r, w->ours, (size_t)w->n * sizeof(float), NULL, 0) == ZC_OK;
    zc_scope_end(scope);
    return ok;
}

static void chain_by_hand(work *w)
{
    for (int64_t i = 0; i < w->n; i++) {
        float v = w->x[i] * 1.5f + w->y[i];
        w->by_hand[i] = v > 0 ? v : 0;
    }
}

/* ---- sum of x ---- */

static bool sum_ours(work *w)
{
    zc_scope *scope = zc_scope_begin(w->ctx);
    zc_tensor *r = zc_sum(wrap(w, w->x, w->n), ZC_ALL_AXES, false);
    bool ok = zc_materialize_into(r, w->ours, sizeof(float), NULL, 0) == ZC_OK;
    zc_scope_end(scope);
    return ok;
}

static void sum_by_hand(work *w)
{
    float lanes[64] = {0};
    for (int64_t i = 0; i < w->n; i += 64) {
        for (int l = 0; l < 64; l++)
            lanes[l] += w->x[i + l];
    }
    for (int half = 32; half > 0; half /= 2) {
        for (int l = 0; l < half; l++)
            lanes[l] += lanes[l + half];
    }
    w->by_hand[0] = lanes[0];
}

/* ---- squared distances between all rows of a (1797, 64) table ---- */

static bool pairs_ours(work *w)
{
    zc_scope *scope = zc_scope_begin(w->ctx);
    zc_tensor *x = zc_reshape(wrap(w, w->x, DIGITS * PIXELS), ZC_SHAPE(DIGITS, PIXELS));
    zc_tensor *r = zc_sum(zc_square(zc_subtract(zc_expand_dims(x, 1), x)), ZC_AXES(2), false);
    bool ok = zc_materialize_into(r, w->ours, DIGITS * DIGITS * sizeof(float), NULL, 0) == ZC_OK;
    zc_scope_end(scope);
    return ok;
}

static void pairs_by_hand(work *w)
{
    for (int i = 0; i < DIGITS; i++) {
        for (int j = 0; j < DIGITS; j++) {
            float lanes[16] = {0};
            for (int k = 0; k < PIXELS; k += 16) {
                for (int l = 0; l < 16; l++) {
                    float d = w->x[i * PIXELS + k + l] - w->x[j * PIXELS + k + l];
                    lanes[l] += d * d;
                }
            }
            for (int half = 8; half > 0; half /= 2) {
                for (int l = 0; l < half; l++)
                    lanes[l] += lanes[l + half];
            }
            w->by_hand[i * DIGITS + j] = lanes[0];
        }
    }
}

/* ---- A row over a table: exp(row) + table ---- */

static bool row_ours(work *w)
{
    zc_scope *scope = zc_scope_begin(w->ctx);
    zc_tensor *table = zc_reshape(wrap(w, w->x, w->n), ZC_SHAPE(-1, 1024));
    zc_tensor *r = zc_add(zc_exp(wrap(w, w->y, 1024)), table);
    bool ok = zc_materialize_into(r, w->ours, (size_t)w->n * sizeof(float), NULL, 0) == ZC_OK;
    zc_scope_end(scope);
    return ok;
}

static void row_by_hand(work *w)
{
    float row[1024];
    for (int i = 0; i < 1024; i++)
        row[i] = expf(w->y[i]);
    for (int64_t r = 0; r < w->n / 1024; r++) {
        for (int i = 0; i < 1024; i++)
            w->by_hand[r * 1024 + i] = row[i] + w->x[r * 1024 + i];
    }
}

/* ---- Overhead ---- */

static bool five_ours(work *w)
{
    zc_scope *scope = zc_scope_begin(w->ctx);
    zc_tensor *x = wrap(w, w->x, 16), *y = wrap(w, w->y, 16);
    zc_tensor *r = zc_square(zc_add(zc_negative(zc_multiply(zc_add(x, y), x)), y));
    bool ok = zc_materialize_into(r, w->ours, 16 * sizeof(float), NULL, 0) == ZC_OK;
    zc_scope_end(scope);
    return ok;
}

static const bench_case cases[] = {
    {"relu(x * 1.5 + y), 4K", SMALL, SMALL, 200, chain_ours, chain_by_hand},
    {"relu(x * 1.5 + y), 256K", MIDDLE, MIDDLE, 10, chain_ours, chain_by_hand},
    {"relu(x * 1.5 + y), 16M", LARGE, LARGE, 1, chain_ours, chain_by_hand},
    {"sum(x), 256K", MIDDLE, 1, 10, sum_ours, sum_by_hand},
    {"sum(x), 16M", LARGE, 1, 1, sum_ours, sum_by_hand},
    {"exp(row) + table, 16M", LARGE, LARGE, 1, row_ours, row_by_hand},
    {"distances of 1797 rows of 64", LARGE, DIGITS *DIGITS, 1, pairs_ours, pairs_by_hand},
    {"five operations on 16 elements", LARGE, 0, 100, five_ours, NULL},
};

static bool agree(const work *w, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float bound = 1e-4f * (1 + fabsf(w->by_hand[i]));
        if (!(fabsf(w->ours[i] - w->by_hand[i]) <= bound))
            return false;
    }
    return true;
}

static double time_ours(const bench_case *c, work *w)
{
    double start = seconds();
    for (int i = 0; i < c->repeats; i++)
        (void)c->ours(w);
    return (seconds() - start) / c->repeats;
}

static double time_by_hand(const bench_case *c, work *w)
{
    double start = seconds();
    for (int i = 0; c->by_hand != NULL && i < c->repeats; i++)
        c->by_hand(w);
    return (seconds() - start) / c->repeats;
}

static bool run_case(const bench_case *c, work *w, int rounds)
{
    double ours[MOST_ROUNDS], by_hand[MOST_ROUNDS];
    w->n = c->n;
    if (!c->ours(w)) {
        printf("%-32s failed: %s\n", c->name, zc_error_text(w->ctx));
        return false;
    }
    if (c->by_hand != NULL) {
        c->by_hand(w);
        if (!agree(w, c->results)) {
            printf("%-32s WRONG RESULT\n", c->name);
            return false;
        }
    }
    for (int round = 0; round < rounds; round++) {
        ours[round] = time_ours(c, w);
        by_hand[round] = time_by_hand(c, w);
    }
    double a = median(ours, rounds), b = median(by_hand, rounds);
    if (c->by_hand != NULL)
        printf("%-32s %12.2f %12.2f %8.2f\n", c->name, 1e6 * a, 1e6 * b, a / b);
    else
        printf("%-32s %12.2f\n", c->name, 1e6 * a);
    return true;
}

/* ---- Views: a handle made and released ---- */

static zc_tensor *view_broadcast(const zc_tensor *x)
{
    return zc_broadcast_to(x, ZC_SHAPE(1000000, 16, 16));
}

static zc_tensor *view_permute(const zc_tensor *x)
{
    return zc_permute_dims(x, ZC_AXES(1, 0));
}

static zc_tensor *view_slice(const zc_tensor *x)
{
    return zc_slice(x, 0, 1, ZC_NONE, 2);
}

static zc_tensor *view_expand(const zc_tensor *x)
{
    return zc_expand_dims(x, 1);
}

static zc_tensor *view_reshape(const zc_tensor *x)
{
    return zc_reshape_view(x, ZC_SHAPE(4, 4, 16));
}

static zc_tensor *view_windows(const zc_tensor *x)
{
    return zc_sliding_window_view(x, ZC_SHAPE(3, 3), ZC_ALL_AXES);
}

typedef struct view_case {
    const char *name;
    zc_tensor *(*make)(const zc_tensor *x); /* of a (16, 16) tensor */
} view_case;

static const view_case view_cases[] = {
    {"broadcast_to", view_broadcast}, {"permute_dims", view_permute}, {"slice", view_slice},
    {"expand_dims", view_expand},     {"reshape_view", view_reshape}, {"sliding_window_view", view_windows},
};

static double time_view(const view_case *c, const zc_tensor *x, bool *ok)
{
    enum { VIEWS = 10000 };
    double start = seconds();
    for (int i = 0; i < VIEWS; i++) {
        zc_tensor *view = c->make(x);
        *ok &= view != NULL;
        zc_release(view);
    }
    return (seconds() - start) / VIEWS;
}

static bool run_views(int rounds, work *w)
{
    bool ok = true;
    zc_tensor *row = wrap(w, w->x, 256), *x = zc_reshape(row, ZC_SHAPE(16, 16));
    printf("%-32s %12s\n", "a view made and released", "ours, ns");
    for (size_t i = 0; i < sizeof view_cases / sizeof *view_cases; i++) {
        double times[MOST_ROUNDS];
        for (int round = 0; round < rounds; round++)
            times[round] = time_view(&view_cases[i], x, &ok);
        printf("%-32s %12.1f\n", view_cases[i].name, 1e9 * median(times, rounds));
    }
    zc_release(x);
    zc_release(row);
    return ok;
}

static bool run(int threads, int rounds, work *w)
{
    bool ok = true;
    w->ctx = zc_context_new(&(zc_options){.threads = threads});
    if (w->ctx == NULL)
        return false;
    printf("%d thread%s, medians of %d rounds\n%-32s %12s %12s %8s\n", threads, threads > 1 ? "s" : "", rounds, "case",
           "ours, us", "by hand, us", "ratio");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok &= run_case(&cases[i], w, rounds);
    ok = ok && (threads > 1 || run_views(rounds, w)); /* views take no threads */
    zc_context_free(w->ctx);
    return ok;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 11;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    work w = {.x = malloc(LARGE * sizeof(float)),
              .y = malloc(LARGE * sizeof(float)),
              .ours = calloc(LARGE, sizeof(float)),
              .by_hand = calloc(LARGE, sizeof(float))};
    bool ok = w.x != NULL && w.y != NULL && w.ours != NULL && w.by_hand != NULL;
    for (int64_t i = 0; ok && i < LARGE; i++) {
        w.x[i] = (float)(i * 7919 % 1000) / 1000 - 0.25f;
        w.y[i] = (float)(i * 104729 % 1000) / 1000 - 0.5f;
    }
    ok = ok && run(1, (int)rounds, &w) && run(2, (int)rounds, &w);
    free(w.x);
    free(w.y);
    free(w.ours);
    free(w.by_hand);
    return ok ? 0 : 1;
}
