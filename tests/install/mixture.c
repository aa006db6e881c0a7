/*
 * A host that does all that a program does with the library: it records, computes, grows, frees, prints, fails, stops
 * calls, writes and reads files, in several contexts and threads. Every value is known without the library. It prints
 * the allocator's name, and fails where a value is wrong or memory is left: what a context counts, and what the process
 * has after many rounds beside what it had after a few.
 *
 * A program of its own, or with PLUGIN a module that loader.c loads.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zerocast.h>

enum { THREADS = 3, WARM = 3, GROWN = 1 << 18 };

static int failed; /* of the main thread and of others: written before they are joined */

__attribute__((format(printf, 2, 3))) static void expect(int holds, const char *claim, ...)
{
    if (holds)
        return;
    va_list arguments;
    va_start(arguments, claim);
    vfprintf(stderr, claim, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
}

/* ---- What contexts do ---- */

static double item(zc_context *ctx, const char *expression, const zc_tensor *x)
{
    zc_tensor *t = zc_eval(ctx, expression, "x", ZC_TENSORS(x));
    double value = -1;
    expect(zc_item(t, &value) == ZC_OK, "%s: %s", expression, zc_error_text(ctx));
    zc_release(t);
    return value;
}

static void compute(zc_context *ctx)
{
    zc_tensor *n = zc_iota(ctx, 100003), *wide = zc_broadcast_to(zc_iota(ctx, 1000), ZC_SHAPE(1000, 1000));
    int64_t sum = 0;
    expect(zc_item_int64(zc_sum(zc_multiply(n, n), ZC_ALL_AXES, false), &sum) == ZC_OK && sum == 333358333950005,
           "a sum of squares is %lld", (long long)sum);
    expect(item(ctx, "sum(astype(x, float64) * 0.5)", wide) == 249750000, "a sum is another one");
    expect(item(ctx, "y = astype(x, float32) / 8; z = matmul(y.mT, y); z[3, 4] * 64", wide) == 12000,
           "a product is another one");
    const double x = 2;
    zc_tensor *square = zc_variable(zc_constant(ctx, ZC_FLOAT64, &x));
    expect(item(ctx, "grad(x ** 3, x)", square) == 12, "a gradient is another one");
}

static void sort(zc_context *ctx)
{
    zc_tensor *scattered =
        zc_remainder(zc_multiply(zc_iota(ctx, 70001), zc_weak_int(ctx, 7919)), zc_weak_int(ctx, 1009));
    zc_tensor *sorted = NULL, *values = NULL, *counts = NULL, *places = NULL;
    expect(zc_sort(scattered, 0, true, &sorted) == ZC_OK && item(ctx, "x[0] * 2000 + x[-1]", sorted) == 1008 * 2000,
           "sorting failed");
    expect(zc_unique_counts(scattered, &values, &counts) == ZC_OK && zc_size(values) == 1009 &&
               item(ctx, "sum(x)", counts) == 70001,
           "unique elements are others");
    expect(zc_nonzero(zc_equal(scattered, zc_weak_int(ctx, 5)), &places) == ZC_OK && zc_size(places) >= 69,
           "positions are others");
}

/* Blocks of every size from a few bytes on, each in the place of the one before. */
static void grow(zc_context *ctx)
{
    zc_tensor *all = zc_keep(zc_full(ctx, ZC_SHAPE(1), ZC_FLOAT32, 1));
    while (all != NULL && zc_size(all) < GROWN) {
        zc_tensor *more = zc_concat(ctx, ZC_TENSORS(all, all), 0);
        expect(zc_replace(&all, more) == ZC_OK, "growing: %s", zc_error_text(ctx));
        zc_release(more);
    }
    zc_tensor *chain = zc_weak_int(ctx, 0);
    for (int i = 0; i < 3000; i++)
        chain = zc_add(chain, zc_weak_int(ctx, i));
    expect(item(ctx, "x", chain) == 2999 * 1500, "a long chain is another number");
    expect(item(ctx, "sum(x)", all) == GROWN, "what grew is another number");
    zc_release(all);
}

static void print(zc_context *ctx)
{
    char *text = NULL;
    zc_tensor *t = zc_linspace(ctx, -0.1, 1e30, 3, true, ZC_FLOAT64);
    const char *wanted = "[-1.e-01  5.e+29  1.e+30]";
    expect(zc_text(t, &text) == ZC_OK && strcmp(text, wanted) == 0, "the text is '%s'", text != NULL ? text : "");
    zc_text_free(ctx, text);
    text = NULL;
    expect(zc_explain(zc_add(t, t), ZC_JSON, &text) == ZC_OK && text[0] == '{', "a plan is not told");
    zc_text_free(ctx, text);
}

static bool stop(void *user, int64_t done, int64_t total)
{
    (void)user, (void)done, (void)total;
    return false;
}

/* Refusals of all sorts: when recorded, planned, run and found in a file. */
static void fail(zc_context *ctx)
{
    double value = 5;
    expect(zc_add(zc_iota(ctx, 3), zc_iota(ctx, 4)) == NULL && zc_error_status(ctx) == ZC_ERROR_SHAPE &&
               strstr(zc_error_text(ctx), "(3,) and (4,)") != NULL,
           "shapes: '%s'", zc_error_text(ctx));
    zc_error_clear(ctx);
    expect(zc_eval(ctx, "1 + ", "", 0, NULL) == NULL && zc_error_status(ctx) == ZC_ERROR_FORMAT,
           "half a sentence is one");
    zc_error_clear(ctx);
    zc_tensor *beyond = zc_take(zc_iota(ctx, 5), zc_iota(ctx, 6), 0);
    expect(zc_item(zc_sum(beyond, ZC_ALL_AXES, false), &value) == ZC_ERROR_INDEX && value == 5, "an index is none");
    zc_error_clear(ctx);
    zc_tensor *out = NULL, *large = zc_broadcast_to(zc_weak_float(ctx, 1), ZC_SHAPE(1 << 20, 1 << 20));
    expect(zc_materialize(zc_exp(large), &out) == ZC_OK || zc_error_status(ctx) == ZC_ERROR_BUDGET, "a limit is none");
    zc_release(out);
    zc_error_clear(ctx);
    zc_set_progress(ctx, stop, NULL);
    expect(zc_materialize(zc_exp(zc_astype(zc_iota(ctx, 1 << 19), ZC_FLOAT64)), &out) == ZC_CANCELLED,
           "none was stopped");
    zc_set_progress(ctx, NULL, NULL);
    zc_error_clear(ctx);
    expect(zc_open(ctx, "/nowhere/at/all.npy") == NULL && zc_error_status(ctx) == ZC_ERROR_FILE, "a file is there");
    zc_error_clear(ctx);
}

static void save(zc_context *ctx, int number)
{
    static const char *const endings[] = {"npy", "safetensors", "csv"};
    char folder[64], path[128];
    (void)snprintf(folder, sizeof folder, "/tmp/zerocast-mixture-%ld-%d", (long)getpid(), number);
    zc_tensor *t = zc_divide(zc_iota(ctx, 1000), zc_weak_int(ctx, 8));
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s.%s", folder, endings[i]);
        expect(zc_save(t, path) == ZC_OK, "%s: %s", path, zc_error_text(ctx));
        zc_tensor *read = zc_open(ctx, path);
        expect(zc_rank(read) == 1 && item(ctx, "sum(x)", read) == 62437.5, "%s: other elements", path);
        (void)unlink(path);
    }
}

/* ---- Contexts and threads ---- */

static void use(zc_options options, int number)
{
    zc_context *ctx = zc_context_new(&options);
    zc_scope *scope = zc_scope_begin(ctx);
    compute(ctx);
    sort(ctx);
    grow(ctx);
    print(ctx);
    fail(ctx);
    save(ctx, number);
    zc_scope_end(scope);
    zc_context_trim(ctx);
    const zc_memory usage = zc_memory_usage(ctx);
    expect(zc_error_status(ctx) == ZC_OK, "failed: %s", zc_error_text(ctx));
    expect(usage.held_bytes == 0 && usage.nodes == 0 && usage.cached_bytes == 0,
           "the context keeps %lld bytes, %lld nodes", (long long)usage.held_bytes, (long long)usage.nodes);
    zc_context_free(ctx);
}

typedef struct guest {
    int number;
    const zc_tensor *shared; /* of another thread's context */
} guest;

static void *visit(void *argument)
{
    const guest *g = argument;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1 + g->number % 2});
    zc_tensor *mine = zc_adopt(ctx, g->shared);
    expect(item(ctx, "sum(x)", mine) == 499999500000., "a shared tensor has another sum");
    zc_release(mine);
    zc_context_free(ctx);
    (void)zc_context_new(&(zc_options){.threads = -1}); /* refused, by the thread's own failure */
    expect(zc_error_status(NULL) == ZC_ERROR_ARGUMENT, "the thread has no failure");
    use((zc_options){.threads = 2, .memory_limit = 64 << 20}, g->number);
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    guest guests[THREADS];
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *shared = zc_multiply(zc_iota(ctx, 1000000), zc_weak_int(ctx, 1));
    for (int i = 0; i < THREADS; i++) {
        guests[i] = (guest){i, shared};
        expect(pthread_create(&threads[i], NULL, visit, &guests[i]) == 0, "no thread");
    }
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- What the process has ---- */

__attribute__((weak)) long long blocks_in_use(void); /* foreign_malloc.c's */
__attribute__((weak)) int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);

/* Pages that are there, which an allocator does not give back at once. */
static long long resident(void)
{
    long long all = 0, there = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    expect(file != NULL && fscanf(file, "%lld %lld", &all, &there) == 2, "no figure of the process's memory");
    if (file != NULL)
        fclose(file);
    return there * sysconf(_SC_PAGESIZE);
}

static void look_for_growth(long long (*measure)(void), long long room, int rounds)
{
    long long after_some = 0;
    for (int round = 0; round < WARM + rounds; round++) {
        if (round == WARM)
            after_some = measure();
        run_threads();
        use((zc_options){.threads = 1 + round % 4, .memory_limit = 1 << 30}, THREADS);
    }
    const long long now = measure();
    expect(rounds == 0 || now - after_some <= room, "%lld, then %lld: memory is lost", after_some, now);
}

#if defined(PLUGIN)
int run_mixture(int rounds);
int run_mixture(int rounds)
#else
static int run_mixture(int rounds)
#endif
{
    const int counts = blocks_in_use != NULL;
    look_for_growth(counts ? blocks_in_use : resident, counts ? 4 : 4 << 20, rounds);
    if (!failed)
        printf("%s\n", zc_allocator_name());
    return failed;
}

#if !defined(PLUGIN)
int main(int count, char **arguments)
{
    return run_mixture(count > 1 ? atoi(arguments[1]) : 0);
}
#endif
