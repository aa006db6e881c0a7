/*
 * What a record says: which targets it keeps, a line of the table, its JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

const char *bench_runner_name(const bench_case *c, bench_runner runner)
{
    static const char *const names[] = {[OURS] = "ours",
                                        [ONE_THREAD] = "one thread",
                                        [CALL] = "a call",
                                        [NUMPY] = "NumPy",
                                        [NUMPY_OUT] = "NumPy, out=",
                                        [XLA] = "XLA",
                                        [NUMEXPR] = "numexpr",
                                        [TORCH] = "PyTorch",
                                        [TORCH_OUT] = "PyTorch, out=",
                                        [NANOSECONDS] = "ns",
                                        [FASTER_PEER] = "the faster of NumPy and XLA"};
    return runner >= FIRST && runner <= THIRD ? c->references[runner - FIRST].name : names[runner];
}

/* ---- Targets ---- */

int bench_targets(const bench_record *record, bench_bound bounds[BOUNDS])
{
    int count = 0;
    const bench_bound *bound = record->of->bounds;
    for (; bound != NULL && bound->most > 0 && count < BOUNDS - 1; bound++) {
        bool applies = (bound->elements == 0 || bound->elements == record->elements) &&
                       (bound->threads == 0 || bound->threads == record->threads) &&
                       !isnan(bench_reached(record, bound));
        if (applies)
            bounds[count++] = *bound;
    }
    if (record->threads == 2 && record->elements >= MI) /* every case that is worth two threads */
        bounds[count++] = (bench_bound){.against = ONE_THREAD, .most = 1 / 1.7};
    return count;
}

double bench_reached(const bench_record *record, const bench_bound *bound)
{
    if (bound->against == NANOSECONDS)
        return 1e9 * record->times[OURS];
    if (bound->against == FASTER_PEER)
        return fmax(record->ratios[NUMPY], record->ratios[XLA]); /* of one NAN: the other one */
    return bound->without_call ? record->net_ratios[bound->against] : record->ratios[bound->against];
}

bool bench_is_kept(const bench_record *record, const bench_bound *bound)
{
    return !record->over && (bench_reached(record, bound) <= bound->most || record->times[OURS] <= bound->or_seconds);
}

bench_runner bench_fastest_by_hand(const bench_record *record)
{
    bench_runner fastest = RUNNERS;
    for (int i = FIRST; i <= THIRD; i++) {
        const bench_by_hand *reference = &record->of->references[i - FIRST];
        bool counts = reference->run != NULL && !reference->yardstick && !isnan(record->times[i]);
        if (counts && (fastest == RUNNERS || record->times[i] < record->times[fastest]))
            fastest = (bench_runner)i;
    }
    return fastest;
}

/* ---- The table ---- */

static void print_count(int64_t n)
{
    char text[32];
    if (n % MI == 0)
        (void)snprintf(text, sizeof text, "%" PRId64 "M", n / MI);
    else if (n % KI == 0)
        (void)snprintf(text, sizeof text, "%" PRId64 "K", n / KI);
    else
        (void)snprintf(text, sizeof text, "%" PRId64, n);
    printf(" %9s", text);
}

static void print_time(double time)
{
    if (isnan(time))
        printf(" %9s", "-");
    else if (time >= 1)
        printf(" %7.2f s", time);
    else if (time < 1e-6)
        printf(" %6.0f ns", 1e9 * time);
    else if (time < 1e-3)
        printf(" %6.1f us", 1e6 * time);
    else
        printf(" %6.1f ms", 1e3 * time);
}

/* Small ones keep two digits that say something. */
static void print_ratio(double ratio)
{
    if (isnan(ratio))
        printf(" %7s", "-");
    else
        printf(" %7.*f", ratio < 0.1 ? 4 : ratio < 100 ? 2 : 0, ratio);
}

static void print_bytes(const char *name, double bytes)
{
    if (!isnan(bytes))
        printf("%s %.2f MB", name, bytes / 1e6);
}

/* Prints the memory of a program: data at once, by NumPy as well, and growth of the process, plans included. */
static void print_memory(const bench_record *record)
{
    if (record->plan_bytes > 0)
        printf("  {plan %.2f MB}", record->plan_bytes / 1e6);
    if (!record->of->program)
        return;
    printf("  {");
    print_bytes("data", record->peak_bytes);
    print_bytes(", NumPy", record->numpy_peak_bytes);
    print_bytes(", process", record->grown_bytes);
    printf("}");
}

void bench_print_head(void)
{
    printf("%-42s %7s %9s   %9s %9s %7s  %s\n%-42s %7s %9s   %9s %9s %7s %7s %7s %7s %7s %7s %7s  %s\n", "", "", "", "",
           "", "ours /", "other / ours: how many times faster ours is", "case", "threads", "elements", "ours",
           "by hand", "by hand", "NumPy", "out=", "XLA", "numexpr", "PyTorch", "out=", "targets: ours is at most");
}

static void print_target(const bench_record *record, const bench_bound *bound)
{
    const char *name = bench_runner_name(record->of, bound->against);
    double reached = bench_reached(record, bound);
    const char *verdict = bench_is_kept(record, bound) ? "ok" : "MISSED";
    if (bound->against == NANOSECONDS)
        printf("  [%.0f ns: %.0f, %s]", bound->most, reached, verdict);
    else
        printf("  [%.2f of %s%s: %.2f, %s]", bound->most, name, bound->without_call ? ", call excluded" : "", reached,
               verdict);
}

void bench_print(const bench_record *record)
{
    bench_bound bounds[BOUNDS];
    int count = bench_targets(record, bounds);
    bench_runner by_hand = bench_fastest_by_hand(record);
    printf("%-42s %7d", record->of->name, record->threads);
    print_count(record->elements);
    printf(" %s", record->over ? ">" : " ");
    print_time(record->times[OURS]);
    print_time(by_hand == RUNNERS ? NAN : record->times[by_hand]);
    print_ratio(by_hand == RUNNERS ? NAN : record->ratios[by_hand]);
    for (int i = NUMPY; i < RUNNERS; i++)
        print_ratio(1 / record->ratios[i]);
    for (int i = 0; i < count; i++)
        print_target(record, &bounds[i]);
    print_memory(record);
    printf("\n");
    (void)fflush(stdout);
}

/* ---- JSON ---- */

static void write_number(FILE *file, const char *key, double value)
{
    if (isnan(value))
        (void)fprintf(file, ", \"%s\": null", key);
    else
        (void)fprintf(file, ", \"%s\": %.6g", key, value);
}

#ifdef __clang__
static const char compiler[] = "clang " __clang_version__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

/* The processor's name, without what JSON would have to escape. */
static void machine(char *text, size_t bytes)
{
    char line[256], name[128] = "unknown processor";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value == NULL)
            continue;
        (void)snprintf(name, sizeof name, "%s", value + 2);
        name[strcspn(name, "\n\"\\")] = '\0';
        break;
    }
    if (file != NULL)
        (void)fclose(file);
    (void)snprintf(text, bytes, "%s, %ld cores, %s", name, sysconf(_SC_NPROCESSORS_ONLN), compiler);
}

static void write_targets(FILE *file, const bench_record *record)
{
    bench_bound bounds[BOUNDS];
    int count = bench_targets(record, bounds);
    bool ok = true;
    write_number(file, "target", count > 0 ? bounds[0].most : NAN);
    (void)fprintf(file, ", \"targets\": [");
    for (int i = 0; i < count; i++) {
        bool kept = bench_is_kept(record, &bounds[i]);
        ok &= kept;
        (void)fprintf(file, "%s{\"against\": \"%s\"", i > 0 ? ", " : "",
                      bench_runner_name(record->of, bounds[i].against));
        write_number(file, "reached", bench_reached(record, &bounds[i]));
        write_number(file, "most", bounds[i].most);
        (void)fprintf(file, ", \"ok\": %s}", kept ? "true" : "false");
    }
    (void)fprintf(file, "], \"ok\": %s", count == 0 ? "null" : ok ? "true" : "false");
}

static void write_record(FILE *file, const bench_record *record, const char *where)
{
    bench_runner by_hand = bench_fastest_by_hand(record);
    (void)fprintf(file, "{\"case\": \"%s\", \"elements\": %" PRId64 ", \"threads\": %d", record->of->name,
                  record->elements, record->threads);
    write_number(file, "ours_s", record->times[OURS]);
    (void)fprintf(file, ", \"over\": %s", record->over ? "true" : "false");
    write_number(file, "hand_s", by_hand == RUNNERS ? NAN : record->times[by_hand]);
    write_number(file, "ratio", by_hand == RUNNERS ? NAN : record->ratios[by_hand]);
    write_number(file, "pair_ours_s", by_hand == RUNNERS ? NAN : record->pairs[by_hand][0]);
    write_number(file, "pair_hand_s", by_hand == RUNNERS ? NAN : record->pairs[by_hand][1]);
    static const char *const keys[] = {"numpy_s", "numpy_out_s", "xla_s", "numexpr_s", "torch_s", "torch_out_s"};
    for (int i = 0; i < PEERS; i++)
        write_number(file, keys[i], record->times[NUMPY + i]);
    static const char *const ratio_keys[] = {"numpy_ratio",   "numpy_out_ratio", "xla_ratio",
                                             "numexpr_ratio", "torch_ratio",     "torch_out_ratio"};
    for (int i = 0; i < PEERS; i++)
        write_number(file, ratio_keys[i], record->ratios[NUMPY + i]);
    write_number(file, "one_thread_s", record->times[ONE_THREAD]);
    write_number(file, "peak_bytes", record->peak_bytes);
    write_number(file, "numpy_peak_bytes", record->numpy_peak_bytes);
    write_number(file, "grown_bytes", record->grown_bytes);
    (void)fprintf(file, ", \"references\": {");
    bool first = true;
    for (int i = FIRST; i <= THIRD; i++) {
        if (isnan(record->times[i]))
            continue;
        (void)fprintf(file, "%s\"%s\": %.6g", first ? "" : ", ", record->of->references[i - FIRST].name,
                      record->times[i]);
        first = false;
    }
    (void)fprintf(file, "}");
    write_targets(file, record);
    (void)fprintf(file, ", \"machine\": \"%s\"}", where);
}

bool bench_write_json(const char *path, const bench_record *records, int count)
{
    char where[256];
    machine(where, sizeof where);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    (void)fprintf(file, "[");
    for (int i = 0; i < count; i++) {
        (void)fprintf(file, i > 0 ? ",\n " : "\n ");
        write_record(file, &records[i], where);
    }
    (void)fprintf(file, "\n]\n");
    bool ok = ferror(file) == 0;
    return fclose(file) == 0 && ok;
}
