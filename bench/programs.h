/*
 * What the programs share: loops that carry a value, and the row of a table.
 */
#ifndef ZC_BENCH_PROGRAMS_H
#define ZC_BENCH_PROGRAMS_H

#include "bench/bench.h"

/* Replaces the value that a loop carries by the next one. */
void bench_carry(zc_tensor **y, zc_tensor *next);

/* Delivers the last value of a loop, which need not keep it any more. */
bool bench_deliver(bench_work *w, zc_tensor *y);

/* Number of steps that a loop takes: few at small sizes. */
int64_t bench_steps(const bench_work *w, int64_t most);

/* t[start:stop] and t[start::step] along an axis. */
zc_tensor *bench_part(const zc_tensor *t, int axis, int64_t start, int64_t stop);
zc_tensor *bench_every(const zc_tensor *t, int axis, int64_t start, int64_t step);

zc_tensor *bench_roll(const zc_tensor *t, int axis, int64_t shift);
zc_tensor *bench_zeros(const bench_work *w, int rank, const int64_t *shape);
zc_tensor *bench_scaled(const bench_work *w, const zc_tensor *t, double factor);

/* The side of a square of n elements; and the square. */
int64_t bench_side_of(int64_t n);
zc_tensor *bench_square(const zc_tensor *x);

/* The target of every program: at most so many times what NumPy takes, or so many seconds. */
extern const bench_bound bench_program_bounds[];

#define BENCH_PROGRAM(case_name, function, size)                                                                       \
    .name = (case_name), .ours = (function), .sizes = (size), .bounds = bench_program_bounds, .peer = #function,       \
    .peer_tolerance = 1e-10, .slow = true, .program = true

#endif
