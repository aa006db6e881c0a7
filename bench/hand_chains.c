/*
 * Elementwise chains by hand: one loop over vectors, every operation in registers. The coefficients are the cases' own
 * (cases_chains.c), the operations and their order too, so where there is no elementary function the bits are equal.
 */
#include "bench/hand.h"
#include "bench/vector.h"

typedef f32v chain(f32v x, f32v y);

/* Inlined with f and streaming known, so each reference is a loop of its own. */
static inline __attribute__((always_inline)) void walk(const bench_work *w, chain *f, bool streaming)
{
    const float *x = w->x, *y = w->y;
    float *out = w->by_hand;
    for (int64_t i = w->begin; i < w->end; i += LANES) {
        f32v v = f(load(x + i), load(y + i));
        if (streaming)
            stream(out + i, v);
        else
            store(out + i, v);
    }
    if (streaming)
        stream_end();
}

static inline f32v clamp(f32v x, f32v y)
{
    f32v v = larger(x * all(1.5f) + y, all(0));
    return smaller(larger(v, all(0.125f)), all(0.75f));
}

static inline f32v length(f32v x, f32v y)
{
    return root(x * x + y * y);
}

static inline f32v polynomial(f32v x, f32v y)
{
    (void)y;
    f32v p = all(0.5f);
    p = p * x + all(-0.25f);
    p = p * x + all(0.75f);
    p = p * x + all(-1.5f);
    p = p * x + all(0.375f);
    p = p * x + all(1.25f);
    return p * x + all(-0.625f);
}

static inline f32v gelu(f32v x, f32v y)
{
    (void)y;
    f32v u = all(0.797884561f) * (x + all(0.044715f) * x * x * x);
    f32v tanh = all(1) - all(2) / (all(1) + exponential(u + u));
    return all(0.5f) * x * (all(1) + tanh);
}

static inline f32v exp_of(f32v x, f32v y)
{
    (void)y;
    return exponential(x);
}

static inline f32v five(f32v x, f32v y)
{
    f32v v = y - (x + y) * x;
    return v * v;
}

void hand_clamp(const bench_work *w)
{
    walk(w, clamp, false);
}

void hand_clamp_streaming(const bench_work *w)
{
    walk(w, clamp, true);
}

void hand_length(const bench_work *w)
{
    walk(w, length, false);
}

void hand_length_streaming(const bench_work *w)
{
    walk(w, length, true);
}

void hand_polynomial(const bench_work *w)
{
    walk(w, polynomial, false);
}

void hand_polynomial_streaming(const bench_work *w)
{
    walk(w, polynomial, true);
}

void hand_gelu(const bench_work *w)
{
    walk(w, gelu, false);
}

void hand_gelu_streaming(const bench_work *w)
{
    walk(w, gelu, true);
}

void hand_exp(const bench_work *w)
{
    walk(w, exp_of, false);
}

void hand_five(const bench_work *w)
{
    walk(w, five, false);
}

/* ---- (x - mean of its row) * factor of its row * weight of its column + bias of its column ---- */

static inline __attribute__((always_inline)) void normalise(const bench_work *w, bool streaming)
{
    int64_t columns = bench_columns(w->n), rows = w->n / columns;
    const float *weight = w->parameters, *bias = weight + columns;
    const float *mean = w->parameters + PARAMETERS, *factor = mean + rows;
    for (int64_t r = w->begin / columns; r < w->end / columns; r++) {
        const float *x = (const float *)w->x + r * columns;
        float *out = (float *)w->by_hand + r * columns;
        f32v m = all(mean[r]), f = all(factor[r]);
        for (int64_t i = 0; i < columns; i += LANES) {
            f32v v = (load(x + i) - m) * f * load(weight + i) + load(bias + i);
            if (streaming)
                stream(out + i, v);
            else
                store(out + i, v);
        }
    }
    if (streaming)
        stream_end();
}

void hand_normalise(const bench_work *w)
{
    normalise(w, false);
}

void hand_normalise_streaming(const bench_work *w)
{
    normalise(w, true);
}
