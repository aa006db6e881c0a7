/*
 * How long zerocast takes next to C written by hand for the same thing, and next to NumPy, numexpr and PyTorch where
 * they are installed. bench/README.md says what is measured how.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/peers.h"

enum { MOST_RECORDS = 1024 };

static const char usage[] = "usage: bench [OPTION...]\n"
                            "  --quick        sizes up to 4M elements, three rounds: two minutes\n"
                            "  --check        small sizes, results only, without peers: seconds\n"
                            "  --filter TEXT  cases whose name contains TEXT\n"
                            "  --quiet        only what misses a target\n"
                            "  --json FILE    the records as a list of objects\n"
                            "  --rounds N     at least so many (default 7)\n"
                            "  --no-peers     without NumPy, numexpr and PyTorch\n"
                            "  --list         the cases and their sizes, measures nothing\n";

static const bench_case *const groups[] = {chain_cases, broadcast_cases, reduction_cases, layout_cases, overhead_cases};

/* What is counted over all cases. */
typedef struct totals {
    bench_record *records;
    int count, kept, missed, failed;
    bool unwritten; /* the JSON */
} totals;

static bool is_wanted(const bench_case *c, const bench_options *options)
{
    return options->filter == NULL || strstr(c->name, options->filter) != NULL;
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

static void run(const bench_case *c, int64_t elements, int threads, const bench_options *options, bench_peers *peers,
                totals *t)
{
    bench_record *record = &t->records[t->count];
    bool missed = false;
    if (!bench_measure(c, elements, threads, options, peers, record))
        t->failed++;
    if (record->of == NULL)
        return;
    count_targets(record, t, &missed);
    if (missed || !options->quiet)
        bench_print(record);
    t->count += t->count < MOST_RECORDS - 1;
    /* As a whole after each record, so that a run that is ended early leaves what it has measured. */
    t->unwritten = options->json != NULL && !bench_write_json(options->json, t->records, t->count);
}

static void run_case(const bench_case *c, const bench_options *options, totals *t)
{
    int threads = c->threads && sysconf(_SC_NPROCESSORS_ONLN) >= 2 ? 2 : 1;
    bench_peers peers = bench_peers_start(options->peers, c->peer);
    for (const int64_t *size = c->sizes; *size != 0 && *size <= options->most_elements; size++) {
        for (int i = 1; i <= threads; i++) {
            if (i == 1 || *size >= MI || options->check) /* less is not worth two threads */
                run(c, *size, i, options, &peers, t);
        }
    }
    bench_peers_end(&peers);
}

/* True when the argument is understood; *used tells how many. */
static bool take_option(char **argument, bench_options *options, bool *listed, int *used)
{
    const char *name = argument[0], *value = argument[1];
    *used = 1;
    if (strcmp(name, "--quick") == 0) {
        options->most_elements = 5 * MI;
        options->rounds = 3;
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

int main(int argc, char **argv)
{
    bench_options options = {.peers = BENCH_PEERS, .most_elements = INT64_MAX, .rounds = 7};
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
    totals t = {.records = calloc(MOST_RECORDS, sizeof(bench_record))};
    if (t.records == NULL)
        return 1;
    if (!listed && !options.check)
        bench_print_head();
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        for (const bench_case *c = groups[g]; c->name != NULL; c++) {
            if (!is_wanted(c, &options))
                continue;
            if (listed)
                list(c);
            else
                run_case(c, &options, &t);
        }
    }
    int code = listed ? 0 : finish(&options, &t);
    free(t.records);
    return code;
}
