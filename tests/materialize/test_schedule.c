/*
 * Lazy is never worse than eager: random programs, taken by the library as one graph and, step by step, as an eager
 * runtime would take them: each step computed at once, in the order of recording, only those that the result needs, its
 * operands given back after their last use.
 *
 * The eager side is measured by the context's own count of bytes, and knows nothing of plans.
 */
#include <inttypes.h>
#include <string.h>

#include "tests/materialize/random_program.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { PROGRAMS = 150 };

/* Draws a program whose result is its last item. */
static program draw(void)
{
    program p = draw_program();
    need_item(&p, p.count - 1);
    return p;
}

/* ---- The eager side ---- */

/* Takes a step at once. A result that is a view is a copy on both sides. */
static zc_tensor *take_eagerly(const program *p, int i, zc_context *ctx, zc_tensor *const *items, effort *e)
{
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *t = take_step(p, &p->steps[i], items), *out = t;
    if (!is_view_step(&p->steps[i]) || i == p->count - 1) {
        add_effort(1, (const zc_tensor *const[]){t}, e);
        cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    }
    (void)zc_keep(out);
    zc_scope_end(scope);
    return out;
}

static effort run_eagerly(const program *p, zc_context *ctx)
{
    effort e = {0};
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *items[MOST_ITEMS] = {NULL};
    make_inputs(p, ctx, items);
    int64_t before = zc_memory_usage(ctx).held_bytes;
    zc_memory_reset_peak(ctx);
    for (int i = 2; i < p->count; i++) {
        if (!p->steps[i].is_needed)
            continue;
        items[i] = take_eagerly(p, i, ctx, items, &e);
        for (int k = 2; k <= i; k++) {
            if (items[k] != NULL && p->steps[k].last_use == i) {
                zc_release(items[k]);
                items[k] = NULL;
            }
        }
    }
    e.peak_bytes = zc_memory_usage(ctx).peak_bytes - before;
    zc_release(items[p->count - 1]);
    zc_scope_end(scope);
    return e;
}

/* ---- The law ---- */

static void expect_no_worse(const program *p, int number, zc_context *ctx)
{
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *items[MOST_ITEMS];
    make_inputs(p, ctx, items);
    effort lazy = {0};
    record_program(p, items);
    add_effort(1, (const zc_tensor *const[]){items[p->count - 1]}, &lazy);
    zc_scope_end(scope);
    effort eager = run_eagerly(p, ctx);
    cr_expect_leq(lazy.peak_bytes, eager.peak_bytes, "program %d: %" PRId64 " bytes, not %" PRId64, number,
                  lazy.peak_bytes, eager.peak_bytes);
    cr_expect_leq(lazy.work, eager.work + (double)STAGE_WORK * p->count,
                  "program %d: work %g in %d stages, not %g in %d", number, lazy.work, lazy.stages, eager.work,
                  eager.stages);
}

Test(schedule, plans_do_no_more_work_and_take_no_more_memory_than_eager)
{
    zc_random_begin("schedule");
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .recompute = true});
    program repeated = repeat_exponential();
    need_item(&repeated, repeated.count - 1);
    expect_no_worse(&repeated, -1, ctx);
    for (int i = 0; i < zc_test_count(PROGRAMS); i++) {
        program p = draw();
        expect_no_worse(&p, i, ctx);
    }
    zc_context_free(ctx);
}

/* ---- The same bits ---- */

static void materialize_all_steps(const program *p, zc_tensor **items)
{
    for (int i = 2; i < p->count; i++) {
        zc_tensor *out;
        items[i] = p->steps[i].is_needed ? take_step(p, &p->steps[i], items) : NULL;
        cr_assert(items[i] == NULL || zc_materialize(items[i], &out) == ZC_OK);
    }
}

/* The result in a context of that limit, all at once or after every step. False: the limit does not suffice. */
static bool compute(const program *p, int64_t limit, bool stepwise, double *elements, int64_t *need_bytes)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = limit});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *items[MOST_ITEMS], *out = NULL;
    zc_cost cost;
    make_inputs(p, ctx, items);
    *need_bytes = zc_memory_usage(ctx).held_bytes;
    if (stepwise)
        materialize_all_steps(p, items);
    else
        record_program(p, items);
    zc_tensor *result = items[p->count - 1];
    cr_assert_eq(zc_cost_of(result, &cost), ZC_OK);
    zc_status status = zc_materialize(result, &out);
    cr_assert(status == ZC_OK || (limit > 0 && status == ZC_ERROR_BUDGET), "%s", zc_error_text(ctx));
    if (status == ZC_OK)
        memcpy(elements, zc_data(out), (size_t)zc_size(out) * sizeof *elements);
    *need_bytes += cost.peak_bytes;
    zc_scope_end(scope);
    zc_context_free(ctx);
    return status == ZC_OK;
}

/* Whatever was computed before through the same handles, and under any limit that suffices: which is the one that the
 * plan without a limit needs, and any larger one than a limit that did. */
static void expect_same_bits(const program *p, int number)
{
    static double first[MOST_ROWS * MOST_COLUMNS], other[MOST_ROWS * MOST_COLUMNS];
    const size_t bytes = (size_t)(p->rows * p->columns) * sizeof *first;
    int64_t need_bytes, ignored;
    bool sufficed = false;
    (void)compute(p, 0, false, first, &need_bytes);
    (void)compute(p, 0, true, other, &ignored);
    cr_expect_eq(memcmp(first, other, bytes), 0, "program %d, step by step", number);
    for (int64_t limit = need_bytes % (int64_t)bytes + 2 * (int64_t)bytes; limit <= need_bytes;
         limit += (int64_t)bytes) {
        bool suffices = compute(p, limit, false, other, &ignored);
        cr_expect(suffices || !sufficed, "program %d: %" PRId64 " bytes are refused, fewer were not", number, limit);
        cr_expect(suffices || limit < need_bytes, "program %d needs more than was said", number);
        cr_expect(!suffices || memcmp(first, other, bytes) == 0, "program %d within %" PRId64 " bytes", number, limit);
        sufficed = suffices;
    }
}

Test(schedule, results_have_the_same_bits_however_they_are_planned)
{
    zc_random_begin("schedule/bits");
    for (int i = 0; i < zc_test_count(PROGRAMS / 3); i++) {
        program p = draw();
        expect_same_bits(&p, i);
    }
}
