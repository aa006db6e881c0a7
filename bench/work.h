/*
 * What a case works on: its memory and inputs, and the comparison of results.
 */
#ifndef ZC_BENCH_WORK_H
#define ZC_BENCH_WORK_H

#include "bench/bench.h"

/* Takes the memory for n elements and fills the inputs; false when there is none. Freed also then. */
bool bench_make_work(bench_work *w, const bench_case *c, int64_t n);
void bench_free_work(bench_work *w);

/* The first n elements of the inputs as tensors of the context, which becomes the side's. */
bool bench_make_side(bench_side *side, zc_context *ctx, const bench_work *w, int64_t n);
void bench_free_side(bench_side *side);

/* Records and computes on the side's context, in a scope of its own. */
bool bench_run(bench_work *w, const bench_side *side, bench_expression *f);

/* Tells whether `ours` and `by_hand` are the same, or as near as the tolerance says. */
bool bench_agree(const bench_work *w, double tolerance);

/* Tells whether `arrays` arrays of the case fit into what is available, a tenth to spare. */
bool bench_fits(const bench_case *c, int64_t n, int64_t arrays);

#endif
