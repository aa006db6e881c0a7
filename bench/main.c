/*
 * How long zerocast takes next to C written by hand for the same thing, and next to NumPy, XLA, numexpr and PyTorch
 * where they are installed. bench/README.md says what is measured how.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/peers.h"

enum { MOST_RECORDS = 1024 };

static const char usage[] = "usage: bench [OPTION...]\n"
                            "  --quick        sizes up to 4M elements, five rounds, runs of two seconds: minutes\n"
                            "  --check        small sizes, results only, without peers: seconds\n"
                            "  --filter TEXT  the section TEXT, and cases whose name contains it\n"
                            "  --quiet        only what misses a target\n"
                            "  --json FILE    the records as a list of objects\n"
                            "  --rounds N     at least so many (default 15)\n"
                            "  --no-peers     without NumPy, XLA, numexpr and PyTorch\n"
                            "  --list         the cases and their sizes, measures nothing\n";

typedef struct section {
    const char *name;
    const bench_case *cases;
} section;

static const section sections[] = {
    {"chains", chain_cases},
    {"functions", function_cases},
    {"broadcasts", broadcast_cases},
    {"sums", reduction_cases},
    {"rows", row_cases},
    {"pairs", pair_cases},
    {"products", product_cases},
    {"contractions", contraction_cases},
    {"windows", window_cases},
    {"layout", layout_cases},
    {"gathers", gather_cases},
    {"orders", order_cases},
    {"integers", integer_cases},
    {"programs", program_cases},
    {"programs", grid_cases},
    {"programs", model_cases},
    {"plans", plan_cases},
    {"overhead", overhead_cases},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* Counts over all cases. */
typedef struct totals {
    bench_record *records;
    int count, kept, missed, failed;
    bool unwritten;       /* the JSON */
    bench_peers peers[2]; /* with one thread, and with two */
} totals;

static bool is_wanted(const section *in, const bench_case *c, const bench_options *options)
{
    return options->filter == NULL || strcmp(in->name, options->filter) == 0 ||
           strstr(c->name, options->filter) != NULL;
}

/* Keeps the first processors that this process may have, as many as there are threads to run: a peer, which inherits
 * them, cannot take more. False when there are fewer. */
static bool keep_processors(const cpu_set_t *all, int threads)
{
    cpu_set_t some;
    int kept = 0;
    CPU_ZERO(&some);
    for (size_t i = 0; i < CPU_SETSIZE && kept < threads; i++) {
        if (CPU_ISSET(i, all)) {
            CPU_SET(i, &some);
            kept++;
        }
    }
    return kept == threads && sched_setaffinity(0, sizeof some, &some) == 0;
}

static void list(const bench_case *c)
{
    printf("%-42s", c->name);
    for (const int64_t *size = c->sizes; *size != 0; size++)
        printf(" %" PRId64, *size);
    printf("%s\n", c->threads ? ", also with 2 threads" : "");
}

static void count_targets(const bench_record *record, totals *t, bool *missed)
{
    bench_bound bounds[BOUNDS];
    int count = bench_targets(record, bounds);
    for (int i = 0; i < count; i++) {
        bool kept = bench_is_kept(record, &bounds[i]);
        t->kept += kept;
        t->missed += !kept;
        *missed |= !kept;
    }
}

/* True unless ours took longer than the limit. */
static bool run(const bench_case *c, int64_t elements, int threads, const bench_options *options, bench_peers *peers,
                totals *t)
{
    bench_record *record = &t->records[t->count];
    bool missed = false;
    if (!bench_measure(c, elements, threads, options, peers, record))
        t->failed++;
    if (record->of == NULL)
        return true;
    count_targets(record, t, &missed);
    if (missed || !options->quiet)
        bench_print(record);
    t->count += t->count < MOST_RECORDS - 1;
    /* As a whole after each record, so that a run that is ended early leaves what it has measured. */
    t->unwritten = options->json != NULL && !bench_write_json(options->json, t->records, t->count);
    return !record->over;
}

/* Two threads from the case's size on, and where one came to an end. */
static void run_case(const bench_case *c, const bench_options *options, totals *t)
{
    cpu_set_t all;
    int64_t over = INT64_MAX; /* the smallest size that took longer than the limit */
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        CPU_ZERO(&all);
    for (int threads = 1; threads <= (c->threads ? 2 : 1); threads++) {
        const int64_t shared_from = c->shared_from != 0 ? c->shared_from : MI;
        int64_t least = threads == 2 && !options->check ? shared_from : 0, most = options->most_elements;
        if (!keep_processors(&all, threads) && threads == 2)
            break;
        bench_peers *peers = &t->peers[threads - 1];
        for (const int64_t *size = c->sizes; *size != 0 && *size <= most; size++) {
            if (*size < least || (threads == 2 && *size >= over))
                continue;
            if (options->check && c->program && size != c->sizes)
                break; /* may take minutes; the first size shows what the others would */
            bench_peers_start(peers, c->peer != NULL ? options->peers : NULL, threads);
            if (!run(c, *size, threads, options, peers, t) && over == INT64_MAX)
                over = *size;
        }
        bench_peers_unload(peers);
    }
    (void)sched_setaffinity(0, sizeof all, &all);
}

/* True when the argument is understood; *used tells how many. */
static bool take_option(char **argument, bench_options *options, bool *listed, int *used)
{
    const char *name = argument[0], *value = argument[1];
    *used = 1;
    if (strcmp(name, "--quick") == 0) {
        options->most_elements = 5 * MI;
        options->rounds = 5;
        options->runner_seconds = 0.3;
        options->limit_seconds = 2;
    } else if (strcmp(name, "--check") == 0) {
        options->most_elements = 64 * KI;
        options->check = true;
        options->peers = NULL;
    } else if (strcmp(name, "--quiet") == 0) {
        options->quiet = true;
    } else if (strcmp(name, "--no-peers") == 0) {
        options->peers = NULL;
    } else if (strcmp(name, "--list") == 0) {
        *listed = true;
    } else {
        *used = 2;
        if (value == NULL)
            return false;
        if (strcmp(name, "--filter") == 0)
            options->filter = value;
        else if (strcmp(name, "--json") == 0)
            options->json = value;
        else if (strcmp(name, "--rounds") == 0)
            options->rounds = (int)strtol(value, NULL, 10);
        else
            return false;
    }
    return options->rounds > 0;
}

static int finish(const bench_options *options, const totals *t)
{
    if (t->unwritten) {
        fprintf(stderr, "bench: cannot write %s\n", options->json);
        return 1;
    }
    if (options->check)
        printf("bench: %s\n", t->failed == 0 ? "all results agree" : "not all results agree");
    else
        printf("%d measurements, %d targets kept, %d missed%s\n", t->count, t->kept, t->missed,
               t->failed > 0 ? "; SOME FAILED" : "");
    return t->failed > 0;
}

static void run_section(const section *of, const bench_options *options, bool listed, totals *t)
{
    bool headed = options->check;
    for (const bench_case *c = of->cases; c->name != NULL; c++) {
        if (!is_wanted(of, c, options))
            continue;
        if (!headed)
            printf("-- %s\n", of->name);
        headed = true;
        if (listed)
            list(c);
        else
            run_case(c, options, t);
    }
}

int main(int argc, char **argv)
{
    bench_options options = {
        .peers = BENCH_PEERS, .most_elements = INT64_MAX, .rounds = 15, .runner_seconds = 2, .limit_seconds = 10};
    bool listed = false;
    (void)argc; /* argv ends with NULL */
    if (argv[1] != NULL && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    for (int used = 0, i = 1; argv[i] != NULL; i += used) {
        if (!take_option(&argv[i], &options, &listed, &used)) {
            (void)fputs(usage, stderr);
            return 2;
        }
    }
    totals t = {.records = calloc(MOST_RECORDS, sizeof(bench_record)), .peers = {{.process = -1}, {.process = -1}}};
    if (t.records == NULL)
        return 1;
    if (!listed && !options.check)
        bench_print_head();
    for (int i = 0; i < SECTIONS; i++)
        run_section(&sections[i], &options, listed, &t);
    int code = listed ? 0 : finish(&options, &t);
    for (int i = 0; i < 2; i++)
        bench_peers_end(&t.peers[i]);
    free(t.records);
    return code;
}
