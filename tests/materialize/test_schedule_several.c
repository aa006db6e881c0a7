/*
 * Lazy is never worse than eager, of several results at once, gradients among them: random graphs, taken by the library
 * as one plan and, node by node, as an eager runtime would: each needed node computed at once, in the order of
 * recording, its operands given back after their last use, all of a node that is a result kept, and what shows a node
 * in another way copied at the end, in the order in which it is asked for. Elements that repeat along an axis may be
 * computed once and then repeated, so their bytes are granted.
 *
 * The eager side walks the graph itself, and its memory is the context's own count of bytes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/graph/tensor.h"
#include "tests/materialize/random_program.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { PROGRAMS = 100, MOST_RESULTS = 6, MOST_NODES = 1 << 14 };

/* ---- What is asked for ---- */

typedef struct several {
    program p;
    int count;
    int items[MOST_RESULTS]; /* [count - gradients] */
    int gradients;           /* of the sum of the last item, with respect to the input and another item */
    int with_respect_to;
} several;

static several draw(void)
{
    several s = {.p = draw_program(), .count = 1};
    program *p = &s.p;
    s.items[0] = p->count - 1;
    for (int64_t more = zc_random_range(0, 3); more > 0; more--)
        s.items[s.count++] = (int)zc_random_range(zc_random_range(0, 4) == 0 ? 0 : 2, p->count - 1);
    for (int i = 0; i < s.count; i++)
        need_item(p, s.items[i]);
    if (zc_random_range(0, 2) == 0) {
        s.gradients = 2;
        s.with_respect_to = p->full[zc_random_range(0, p->full_count - 1)];
        s.count += 2;
    }
    return s;
}

/* Records the program and what is asked for; sometimes in another order than it was recorded in. */
static void record(const several *s, zc_context *ctx, zc_tensor **items, zc_tensor **results)
{
    int own = s->count - s->gradients;
    record_program(&s->p, items);
    for (int i = 0; i < own; i++)
        results[i] = items[s->items[i]];
    if (s->gradients > 0) {
        zc_tensor *y = items[s->p.count - 1], *x = items[s->with_respect_to];
        const zc_tensor *const both[] = {items[0], x != NULL && !zc_is_view(x) ? x : items[0]};
        cr_assert_eq(zc_vjp(y, NULL, 2, both, results + own), ZC_OK, "%s", zc_error_text(ctx));
    }
    for (int i = s->count - 1; i > 0 && s->p.rows % 2 == 0; i--) {
        zc_tensor *last = results[i];
        results[i] = results[i / 2];
        results[i / 2] = last;
    }
}

/* ---- The eager side ---- */

typedef struct walk {
    zc_context *ctx;
    zc_node *nodes[MOST_NODES];
    int last_use[MOST_NODES]; /* a node's place in the list, or INT32_MAX: it is a result */
    int count;
    effort spent;
} walk;

static int find_node(const walk *w, const zc_node *node)
{
    int i = 0;
    while (i < w->count && w->nodes[i] != node)
        i++;
    return i < w->count ? i : -1;
}

static bool is_computed(const zc_node *node)
{
    return zc_node_data(node) == NULL && node->kind != ZC_NODE_CONSTANT && node->kind != ZC_NODE_IOTA;
}

/* Lists what is needed, in any order. */
static void list_nodes(walk *w, int count, zc_tensor *const *results)
{
    for (int i = 0; i < count; i++) {
        if (is_computed(results[i]->node) && find_node(w, results[i]->node) < 0)
            w->nodes[w->count++] = results[i]->node;
    }
    for (int at = 0; at < w->count; at++) {
        for (int e = 0; e < w->nodes[at]->edge_count; e++) {
            zc_node *operand = w->nodes[at]->edges[e].node;
            if (!is_computed(operand) || find_node(w, operand) >= 0)
                continue;
            cr_assert_lt(w->count, MOST_NODES);
            w->nodes[w->count++] = operand;
        }
    }
}

static int compare_serials(const void *a, const void *b)
{
    const zc_node *x = *(zc_node *const *)a, *y = *(zc_node *const *)b;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

static void find_last_uses(walk *w, int count, zc_tensor *const *results)
{
    for (int at = 0; at < w->count; at++) {
        w->last_use[at] = -1;
        for (int e = 0; e < w->nodes[at]->edge_count; e++) {
            int operand = find_node(w, w->nodes[at]->edges[e].node);
            if (operand >= 0)
                w->last_use[operand] = at;
        }
    }
    for (int i = 0; i < count; i++) {
        int at = find_node(w, results[i]->node);
        if (at >= 0)
            w->last_use[at] = INT32_MAX;
    }
}

static void forget_data(zc_node *node)
{
    zc_buffer_release(atomic_exchange(&node->data, NULL));
}

static zc_tensor *compute_eagerly(walk *w, const zc_tensor *t)
{
    zc_tensor *out = NULL;
    add_effort(1, &t, &w->spent);
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(w->ctx));
    return out;
}

static void compute_nodes(walk *w)
{
    for (int at = 0; at < w->count; at++) {
        zc_node *node = w->nodes[at];
        zc_view all;
        zc_view_row_major(node->rank, node->shape, &all);
        zc_tensor *t = zc_tensor_new(w->ctx, zc_node_retain(node), &all, "test");
        zc_release(compute_eagerly(w, t));
        zc_release(t);
        for (int before = 0; before < at; before++) {
            if (w->last_use[before] == at)
                forget_data(w->nodes[before]);
        }
    }
}

static bool is_all_of_its_node(const zc_tensor *t)
{
    zc_view view;
    zc_tensor_view(t, &view);
    return zc_view_is_identity(&view, t->node->size);
}

/* Copies what shows a node in another way, and gives that node back after its last copy, if all of it is no result. */
static void copy_views(int count, zc_tensor *const *results, walk *w, zc_tensor **copies)
{
    for (int i = 0; i < count; i++) {
        bool is_made = find_node(w, results[i]->node) >= 0, is_last = is_made;
        for (int j = 0; j < count; j++)
            is_last &= results[j]->node != results[i]->node || (j <= i && !is_all_of_its_node(results[j]));
        bool is_view = is_made && !is_all_of_its_node(results[i]);
        copies[i] = compute_eagerly(w, is_view ? zc_copy(results[i]) : results[i]);
        if (is_last)
            forget_data(results[i]->node);
    }
}

/* Bytes of the nodes that repeat elements, each of these counted once. */
static int64_t bytes_granted(const walk *w)
{
    int64_t bytes = 0;
    for (int at = 0; at < w->count; at++) {
        const zc_node *node = w->nodes[at];
        int64_t own = (int64_t)zc_dtype_bytes((zc_dtype)node->dtype);
        for (int a = 0; a < node->rank; a++)
            own *= (node->invariant >> a & 1) != 0 ? 1 : node->shape[a];
        bytes += node->invariant != 0 ? own : 0;
    }
    return bytes;
}

static effort run_eagerly(const several *s, zc_context *ctx)
{
    static walk w;
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *items[MOST_ITEMS] = {NULL}, *results[MOST_RESULTS], *copies[MOST_RESULTS];
    w.ctx = ctx;
    w.count = 0;
    w.spent = (effort){0};
    make_inputs(&s->p, ctx, items);
    record(s, ctx, items, results);
    list_nodes(&w, s->count, results);
    qsort(w.nodes, (size_t)w.count, sizeof(zc_node *), compare_serials);
    find_last_uses(&w, s->count, results);
    int64_t before = zc_memory_usage(ctx).held_bytes;
    zc_memory_reset_peak(ctx);
    compute_nodes(&w);
    copy_views(s->count, results, &w, copies);
    w.spent.peak_bytes = zc_memory_usage(ctx).peak_bytes - before + bytes_granted(&w);
    w.spent.work += (double)STAGE_WORK * (w.count + s->count);
    zc_scope_end(scope);
    return w.spent;
}

/* ---- The law ---- */

static void expect_no_worse(const several *s, int number, zc_context *ctx)
{
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *items[MOST_ITEMS] = {NULL}, *results[MOST_RESULTS];
    effort lazy = {0};
    make_inputs(&s->p, ctx, items);
    record(s, ctx, items, results);
    add_effort(s->count, (const zc_tensor *const *)results, &lazy);
    zc_scope_end(scope);
    effort eager = run_eagerly(s, ctx);
    cr_expect_leq(lazy.peak_bytes, eager.peak_bytes, "program %d: %" PRId64 " bytes, not %" PRId64, number,
                  lazy.peak_bytes, eager.peak_bytes);
    cr_expect_leq(lazy.work, eager.work, "program %d: work %g in %d stages, not %g in %d", number, lazy.work,
                  lazy.stages, eager.work, eager.stages);
}

Test(schedule, several_results_take_no_more_work_and_memory_than_eager)
{
    zc_random_begin("schedule/several");
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .recompute = true});
    for (int i = 0; i < zc_test_count(PROGRAMS); i++) {
        several s = draw();
        expect_no_worse(&s, i, ctx);
    }
    zc_context_free(ctx);
}

/* ---- The same bits ---- */

/* Manners of computing the results: together; together, after every step; each alone. */
typedef enum manner { TOGETHER, STEPWISE, ALONE } manner;

static void compute_steps(const program *p, zc_tensor *const *items)
{
    for (int i = 2; i < p->count; i++) {
        zc_tensor *out;
        cr_assert(items[i] == NULL || zc_materialize(items[i], &out) == ZC_OK);
    }
}

static zc_status compute_results(const several *s, manner how, zc_tensor *const *results, zc_tensor **made)
{
    const zc_tensor *const *wanted = (const zc_tensor *const *)results;
    zc_status status = ZC_OK;
    if (how != ALONE)
        return zc_materialize_all(s->count, wanted, made);
    for (int i = 0; i < s->count && status == ZC_OK; i++)
        status = zc_materialize(results[i], &made[i]);
    return status;
}

/* In a context of that limit. False: the limit does not suffice. */
static bool compute(const several *s, int64_t limit, manner how, double *elements, int64_t *need_bytes)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = limit});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *items[MOST_ITEMS] = {NULL}, *results[MOST_RESULTS], *made[MOST_RESULTS];
    zc_cost cost;
    make_inputs(&s->p, ctx, items);
    *need_bytes = zc_memory_usage(ctx).held_bytes;
    record(s, ctx, items, results);
    if (how == STEPWISE)
        compute_steps(&s->p, items);
    cr_assert_eq(zc_cost_of_all(s->count, (const zc_tensor *const *)results, &cost), ZC_OK);
    zc_memory_reset_peak(ctx);
    int64_t held = zc_memory_usage(ctx).held_bytes;
    zc_status status = compute_results(s, how, results, made);
    cr_assert(status == ZC_OK || (limit > 0 && status == ZC_ERROR_BUDGET), "%s", zc_error_text(ctx));
    cr_expect(status != ZC_OK || how == ALONE || zc_memory_usage(ctx).peak_bytes - held == cost.peak_bytes);
    for (int i = 0; i < s->count && status == ZC_OK; i++) {
        size_t bytes = (size_t)zc_size(made[i]) * zc_dtype_bytes(zc_dtype_of(made[i]));
        memcpy(elements + (ptrdiff_t)i * MOST_ROWS * (MOST_COLUMNS + 2), zc_data(made[i]), bytes);
    }
    *need_bytes += cost.peak_bytes;
    zc_scope_end(scope);
    zc_context_free(ctx);
    return status == ZC_OK;
}

static void expect_same_bits(const several *s, int number)
{
    static double first[MOST_RESULTS * MOST_ROWS * (MOST_COLUMNS + 2)], other[sizeof first / sizeof *first];
    int64_t need_bytes, ignored, step = s->p.rows * s->p.columns * 8;
    bool sufficed = false;
    (void)compute(s, 0, TOGETHER, first, &need_bytes);
    (void)compute(s, 0, STEPWISE, other, &ignored);
    cr_expect_eq(memcmp(first, other, sizeof first), 0, "program %d, step by step", number);
    (void)compute(s, 0, ALONE, other, &ignored);
    cr_expect_eq(memcmp(first, other, sizeof first), 0, "program %d, each alone", number);
    for (int64_t limit = need_bytes % step + 2 * step; limit <= need_bytes; limit += step) {
        bool suffices = compute(s, limit, TOGETHER, other, &ignored);
        cr_expect(suffices || !sufficed, "program %d: %" PRId64 " bytes are refused, fewer were not", number, limit);
        cr_expect(suffices || limit < need_bytes, "program %d needs more than was said", number);
        cr_expect(!suffices || memcmp(first, other, sizeof first) == 0, "program %d within %" PRId64 " bytes", number,
                  limit);
        sufficed = suffices;
    }
}

Test(schedule, several_results_have_the_same_bits_however_they_are_planned)
{
    zc_random_begin("schedule/several bits");
    for (int i = 0; i < zc_test_count(PROGRAMS / 4); i++) {
        several s = draw();
        expect_same_bits(&s, i);
    }
}
