/*
 * What the files of the benchmark share: the case, a row of a table, and the work, what a case works on.
 *
 * A case is an expression at some sizes. Everything that is timed for it is a runner: ours, the C written by hand, ours
 * once more with one thread, NumPy ... All runners of a case are run in turns, so the machine's moods meet each of
 * them. Every target is of one form: ours takes at most so many times what another runner takes.
 */
#ifndef ZC_BENCH_BENCH_H
#define ZC_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zerocast.h>

#define KI (INT64_C(1) << 10)
#define MI (INT64_C(1) << 20)

typedef enum bench_runner {
    OURS,
    FIRST, /* the case's references, in their order */
    SECOND,
    THIRD,
    ONE_THREAD, /* ours, while two threads are measured */
    CALL,       /* ours on 16 elements: what a call costs before it has done anything */
    NUMPY,      /* the peers, as one writes them */
    NUMPY_OUT,  /* step by step into memory that exists */
    XLA,        /* jax.jit, compiled before anything is timed */
    NUMEXPR,    /* into memory that exists */
    TORCH,
    TORCH_OUT,
    RUNNERS,
    NANOSECONDS = RUNNERS, /* of a target: ours is compared with time itself ... */
    FASTER_PEER            /* ... or with NumPy or XLA, whichever is faster */
} bench_runner;

enum { REFERENCES = 3, PEERS = RUNNERS - NUMPY, BOUNDS = 10, PARAMETERS = 2048 };

/* A context with its inputs as tensors, which cases record their expressions on. */
typedef struct bench_side {
    zc_context *ctx;
    zc_tensor *x, *y; /* (n), and n times the case's y_times */
    zc_tensor *parameters;
} bench_side;

/* Data that a case works on. Memory is warm: written once before anything is timed. */
typedef struct bench_work {
    const bench_side *side;
    int64_t n;                        /* size of the case, in elements */
    int64_t begin, end;               /* the part of n that a reference of chains does: threads share it */
    int64_t y_count;                  /* elements of y */
    int64_t results;                  /* elements of the result */
    zc_dtype x_dtype, y_dtype, dtype; /* dtypes of x, of y and of the result */
    void *x, *y;                      /* floats are between -1 and 1; integers: see the case's range */
    float *parameters;                /* PARAMETERS, then two for every row of 1024 elements */
    int64_t parameter_count;
    size_t room;          /* bytes of each of `ours` and `by_hand` */
    void *ours, *by_hand; /* the results */
    double plan_bytes;    /* header memory of the last plan, where the case asks for it; else 0 */
    bool wanted;          /* the result is looked at, so what was computed elsewhere has to come to `ours` */
} bench_work;

typedef bool bench_expression(bench_work *w);         /* false: failed, the context knows why */
typedef void bench_reference(const bench_work *work); /* writes by_hand */

typedef struct bench_by_hand {
    const char *name;
    bench_reference *run;   /* written by hand ... */
    bench_expression *ours; /* ... or another expression of ours, into `ours` */
    bool yardstick;         /* does less than the case: its result is another */
} bench_by_hand;

/* A target: at `elements` (0: at every size), ours takes at most `most` times what `against` takes. */
typedef struct bench_bound {
    int64_t elements;
    bench_runner against;
    double most;
    bool without_call; /* of ours, what a call costs is taken off */
    int threads;       /* 0: with one and with two */
    double or_seconds; /* it is kept, too, where ours takes no more than that */
} bench_bound;

typedef struct bench_case {
    const char *name;
    bench_expression *ours;
    bench_by_hand references[REFERENCES];
    int64_t (*results)(int64_t n); /* elements of the result; NULL: n */
    const int64_t *sizes;          /* ascending, ends with 0 */
    const bench_bound *bounds;     /* ends with most 0 */
    const char *peer;              /* its function in peers.py, or NULL */
    double tolerance;              /* of |ours - reference| / (1 + |reference|); 0: the same bits */
    double peer_tolerance;
    double xla_tolerance; /* where that is larger: XLA contracts a * b + c */
    const char *dtype;    /* of x; NULL: float32 */
    const char *y_dtype;  /* NULL: x's */
    const char *result;   /* NULL: x's */
    int64_t range;        /* integers of the inputs are below it, bools all true when it is 1; 0: below 256, or n */
    int64_t y_times;      /* y has so many times n elements; 0: 1 */
    int64_t batch;        /* ours does so many at once; 0: 1 */
    int64_t peer_memory;  /* what a peer takes, in arrays of n elements; 0: 8 */
    int64_t beside;       /* bytes of data memory that it may take beside its result, for each thread; 0: any */
    bool lean;            /* takes no more data memory than its result has */
    bool threads;         /* measured with two threads, too */
    int64_t shared_from;  /* smallest size measured with two threads; 0: 1M elements */
    bool splits;          /* its references do any part of n, so two threads can share them */
    bool slow;            /* may be: a process of its own tries it first, and is ended when it takes too long */
    bool program;         /* planned afresh for every run, in a context of its own; how much memory it takes is told */
    bool is_step;         /* a program that runs again and again, so one context keeps its plan after the first run */
} bench_case;

/* The groups of cases, one file each; a row without a name ends them. */
extern const bench_case chain_cases[], function_cases[], broadcast_cases[], reduction_cases[], row_cases[],
    product_cases[], contraction_cases[], layout_cases[], gather_cases[], window_cases[], order_cases[],
    integer_cases[], program_cases[], grid_cases[], model_cases[], plan_cases[], overhead_cases[], pair_cases[];

typedef struct bench_peers bench_peers;

typedef struct bench_options {
    const char *filter;    /* NULL: every case */
    const char *json;      /* NULL: none */
    const char *peers;     /* the script, NULL: without peers */
    int64_t most_elements; /* larger sizes are left out */
    int rounds;
    double runner_seconds; /* of all rounds: a runner that needs longer takes part in fewer */
    double limit_seconds;  /* one run of a slow case is ended then */
    bool quiet, check;     /* only what is missed is printed; only results are looked at */
} bench_options;

/* Measurements of one case at one size with one number of threads. Times are medians in seconds, NAN where absent. */
typedef struct bench_record {
    const bench_case *of;
    int64_t elements;
    int threads;
    double times[RUNNERS];
    double ratios[RUNNERS];     /* ours / the runner's: the median over the rounds of the ratio in a round */
    double net_ratios[RUNNERS]; /* the same, less the cost of a call in ours */
    double pairs[RUNNERS][2];   /* ours and the runner's in the round whose ratio is the median */
    bool over;                  /* ours took longer than the limit, which stands in its place */
    double peak_bytes;          /* bytes of data, the result counted; NAN: not asked for */
    double numpy_peak_bytes;
    double plan_bytes;  /* bytes of header memory, for cases that only plan */
    double grown_bytes; /* growth of the process in one run, plans included */
} bench_record;

/* Measures, or tells on stderr why it cannot: the machine lacks memory (true: skipped, the record's `of` is NULL), or a
 * call failed or a result is wrong (false). */
bool bench_measure(const bench_case *c, int64_t elements, int threads, const bench_options *options, bench_peers *peers,
                   bench_record *record);

/* The fastest of the references written by hand that do what the case does; RUNNERS when there is none. */
bench_runner bench_fastest_by_hand(const bench_record *record);

/* The targets that speak of this record; returns their count. */
int bench_targets(const bench_record *record, bench_bound bounds[BOUNDS]);
double bench_reached(const bench_record *record, const bench_bound *bound);
bool bench_is_kept(const bench_record *record, const bench_bound *bound);

/* The name of a runner of the case. */
const char *bench_runner_name(const bench_case *c, bench_runner runner);

/* One line of the table, and its head. */
void bench_print_head(void);
void bench_print(const bench_record *record);

/* Writes the records as JSON; false when the file could not be written. */
bool bench_write_json(const char *path, const bench_record *records, int count);

/* Sends the expression's result into the work's memory `ours`. What every expression ends with ... */
bool bench_into(bench_work *w, const zc_tensor *t);

/* ... but those of functions that give a result of their own, which only has to be looked at. */
bool bench_hand_over(bench_work *w, zc_status status, const zc_tensor *t);

/* x as a table of so many columns. */
zc_tensor *bench_table(const zc_tensor *x, int64_t columns);

zc_tensor *bench_weak(const bench_work *w, double value);

/* The columns of a table of rows of up to 1024 elements. */
static inline int64_t bench_columns(int64_t n)
{
    return n < 1024 ? n : 1024;
}

#endif
