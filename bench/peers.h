/*
 * The peers: a Python process for each number of threads that computes the same with NumPy, XLA, numexpr and PyTorch.
 * It is given inputs and told in lines over a pipe what to run, and answers with seconds, so it takes part in the
 * rounds; while it waits it sleeps.
 */
#ifndef ZC_BENCH_PEERS_H
#define ZC_BENCH_PEERS_H

#include <stdio.h>
#include <sys/types.h>

#include "bench/bench.h"

struct bench_peers {
    pid_t process;
    FILE *to, *from;        /* NULL: no peers */
    bool has[PEERS];        /* NUMPY + i is there */
    int64_t repeats[PEERS]; /* of one timing */
};

/* Starts the script where it does not run, on the processors and with the number of threads that ours has; without a
 * script or Python there are simply no peers. A process of -1 is none. */
void bench_peers_start(bench_peers *peers, const char *script, int threads);

/* Hands them a case by its name in the script, and the inputs, in place of those before; sets which of them are there.
 */
void bench_peers_load(bench_peers *peers, const char *name, const bench_work *w);

/* Forgets the inputs, where there is too little memory for what they would compute. */
void bench_peers_unload(bench_peers *peers);

/* Seconds of one run; NAN when the peer failed. */
double bench_peers_time(bench_peers *peers, bench_runner runner);

/* The most that a run takes of data memory at once; NAN when the peer cannot tell. */
double bench_peers_peak(bench_peers *peers, bench_runner runner);

/* Reads a peer's result into `out`, of that many bytes; false when it is none. */
bool bench_peers_result(bench_peers *peers, bench_runner runner, void *out, size_t bytes);

void bench_peers_end(bench_peers *peers);

#endif
