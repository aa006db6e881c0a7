/*
 * The reference executor: the definition of what a stage means, element by element in plain C. It shares the meaning of
 * the operations with the tile executor and nothing else: no loop nest, no tiles, no reducer, no threads.
 */
#include "materialize/execute/executor.h"
#include "materialize/execute/finalize.h"

#include <string.h>

enum { COUNTER_DIGITS = 64 };

typedef struct element_runner {
    const zc_stage *stage;
    char *const *slots;
    zc_scalar *values; /* of the element at hand */
    int64_t *position; /* [rank] */
    zc_bad_index *bad_index;
    zc_scalar scanned; /* of a scan: up to the element before */
    zc_thread_progress progress;
} element_runner;

static int64_t position_of(const element_runner *r, int32_t access)
{
    const zc_stage *stage = r->stage;
    const int64_t *stride = stage->stride + (size_t)access * (size_t)stage->rank;
    int64_t at = stage->offset[access];
    for (int a = 0; a < stage->rank; a++)
        at += r->position[a] * stride[a]; /* proven: verified to be inside */
    return at;
}

/* The element of a load or a pick. */
static const char *element_of(const element_runner *r, const zc_value *value)
{
    int64_t at = position_of(r, value->access);
    for (int i = 0; i < value->arity; i++)
        at += r->values[value->arg[i]].int64 * value->pick_stride[i]; /* proven: verified to be inside */
    return r->slots[value->slot] + (size_t)at * zc_dtype_bytes((zc_dtype)value->dtype);
}

/* The run that the runner stands in. */
static int32_t find_run(const element_runner *r)
{
    const int64_t *runs = r->stage->runs, at = r->position[r->stage->run_axis];
    int32_t low = 0, high = r->stage->value_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (runs[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The element of the run: its access begins where the run does. */
static const zc_scalar *evaluate_run(element_runner *r)
{
    const zc_stage *stage = r->stage;
    int32_t v = find_run(r);
    const zc_value *value = &stage->values[v];
    if (value->kind == ZC_VALUE_CONSTANT)
        return value->constant;
    r->position[stage->run_axis] -= stage->runs[v];
    memcpy(r->values[v].bytes, element_of(r, value), zc_dtype_bytes((zc_dtype)value->dtype));
    r->position[stage->run_axis] += stage->runs[v];
    return &r->values[v];
}

/* Computes every value at the runner's position and returns the last. */
static const zc_scalar *evaluate(element_runner *r)
{
    const zc_stage *stage = r->stage;
    if (stage->runs != NULL)
        return evaluate_run(r);
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        if (value->kind == ZC_VALUE_CONSTANT) {
            r->values[v] = *value->constant;
        } else if (value->kind == ZC_VALUE_INDEX) {
            r->values[v].int64 = position_of(r, value->access);
        } else if (zc_value_reads(value)) {
            zc_kernels_portable.map[ZC_OP_COPY][value->dtype](r->values[v].bytes, element_of(r, value), NULL, NULL, 1);
        } else if (value->kind == ZC_VALUE_CHECK) {
            r->values[v].int64 = *zc_check_positions(&zc_kernels_portable, stage, v, &r->values[value->arg[0]].int64,
                                                     &r->values[v].int64, 1, r->bad_index);
        } else {
            const void *arg[ZC_MAX_ARITY] = {NULL};
            for (int i = 0; i < value->arity; i++)
                arg[i] = r->values[value->arg[i]].bytes;
            zc_kernel_of(&zc_kernels_portable, stage, value)(r->values[v].bytes, arg[0], arg[1], arg[2], 1);
        }
    }
    return &r->values[stage->value_count - 1];
}

/* The next position in row-major order over axes first .. last-1, and so many elements more that are done; false, all
 * of them 0 again, after the last, and false where the work is to stop. */
static bool advance(element_runner *r, int first, int last, int done)
{
    if (!zc_thread_progress_add(&r->progress, (int64_t)done * zc_stage_values_each(r->stage)))
        return false;
    for (int a = last - 1; a >= first; a--) {
        if (++r->position[a] < r->stage->shape[a])
            return true;
        r->position[a] = 0;
    }
    return false;
}

/* ---- The tree of reducer.h, one element at a time ---- */

typedef struct tree {
    zc_map_kernel *combine;
    zc_scalar padding;
    zc_scalar lanes[ZC_LANES];
    zc_scalar digits[COUNTER_DIGITS];
    int64_t leaves;
} tree;

static void clear_lanes(tree *t)
{
    for (int l = 0; l < ZC_LANES; l++)
        t->lanes[l] = t->padding;
}

static zc_scalar join(const tree *t, zc_scalar left, zc_scalar right)
{
    zc_scalar result = t->padding;
    t->combine(result.bytes, left.bytes, right.bytes, NULL, 1);
    return result;
}

static zc_scalar fold(tree *t)
{
    for (int half = ZC_LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++)
            t->lanes[l] = join(t, t->lanes[l], t->lanes[l + half]);
    }
    return t->lanes[0];
}

/* Adds a run to the counter: runs of equal length are joined. */
static void push(tree *t, zc_scalar run)
{
    int digit = 0;
    for (; (t->leaves >> digit & 1) != 0; digit++)
        run = join(t, t->digits[digit], run);
    t->digits[digit] = run;
    t->leaves++;
}

static void end_leaf(tree *t)
{
    push(t, fold(t));
    clear_lanes(t);
}

static zc_scalar end_tree(tree *t, bool leaf_is_open)
{
    int digit = leaf_is_open ? 0 : __builtin_ctzll((unsigned long long)t->leaves);
    zc_scalar result = leaf_is_open ? fold(t) : t->digits[digit++];
    for (; t->leaves >> digit != 0; digit++) {
        if ((t->leaves >> digit & 1) != 0)
            result = join(t, t->digits[digit], result);
    }
    return result;
}

/* Joins the elements along the reduced axes at the runner's position. */
static zc_scalar join_elements(element_runner *r)
{
    const zc_stage *stage = r->stage;
    zc_dtype dtype = (zc_dtype)zc_stage_result(stage)->dtype;
    zc_op combine = zc_reduction_describe(stage->reduction)->combine;
    tree t = {.combine = zc_kernels_portable.map[combine][dtype],
              .padding = zc_reduction_padding(stage->reduction, dtype)};
    clear_lanes(&t);
    int64_t count = 0;
    do {
        int lane = (int)(count % ZC_LANES);
        t.lanes[lane] = join(&t, t.lanes[lane], *evaluate(r));
        if (++count % ZC_LEAF == 0)
            end_leaf(&t);
    } while (advance(r, stage->kept, stage->rank, 1));
    return end_tree(&t, count % ZC_LEAF != 0);
}

/* ---- Contractions ---- */

/* x * y, where it begins a chain: nothing is added to it then, not even a zero, which has a sign. Otherwise x * y +
 * sum, rounded once; of integers, which wrap, in two steps. */
static void add_real_product(zc_dtype dtype, bool begins, uint8_t *sum, const uint8_t *x, const uint8_t *y)
{
    zc_map_kernel *const(*map)[ZC_DTYPE_COUNT] = zc_kernels_portable.map;
    zc_scalar product;
    if (begins) {
        map[ZC_OP_MULTIPLY][dtype](sum, x, y, NULL, 1);
    } else if (zc_dtype_is_wide_float(dtype)) {
        map[ZC_OP_FMA][dtype](sum, x, y, sum, 1);
    } else {
        map[ZC_OP_MULTIPLY][dtype](product.bytes, x, y, NULL, 1);
        map[ZC_OP_ADD][dtype](sum, sum, product.bytes, NULL, 1);
    }
}

/* Of complex numbers part by part: the real one with the products of the real parts, then of the imaginary ones,
 * negated; the imaginary one with those that begin with x's real part. */
static void add_product(zc_dtype dtype, bool begins, zc_scalar *sum, zc_scalar x, zc_scalar y)
{
    if (!zc_dtype_is_complex(dtype)) {
        add_real_product(dtype, begins, sum->bytes, x.bytes, y.bytes);
        return;
    }
    zc_dtype part = zc_dtype_part(dtype);
    const size_t bytes = zc_dtype_bytes(part);
    uint8_t *real = sum->bytes, *imaginary = sum->bytes + bytes, negative[sizeof(double)];
    zc_kernels_portable.map[ZC_OP_NEGATIVE][part](negative, x.bytes + bytes, NULL, NULL, 1);
    add_real_product(part, begins, real, x.bytes, y.bytes);
    add_real_product(part, false, real, negative, y.bytes + bytes);
    add_real_product(part, begins, imaginary, x.bytes, y.bytes + bytes);
    add_real_product(part, false, imaginary, x.bytes + bytes, y.bytes);
}

/* Contracts the products along the reduced axes at the runner's position: chains of ZC_CHAIN, whose sums are added in
 * order up to ZC_CHAINS_END, and what that makes by the tree. */
static zc_scalar contract_elements(element_runner *r)
{
    const zc_stage *stage = r->stage;
    const zc_value *product = zc_stage_result(stage);
    zc_dtype dtype = (zc_dtype)product->dtype;
    tree t = {.combine = zc_kernels_portable.map[ZC_OP_ADD][dtype]};
    zc_scalar chain = {.words = {0}}, run = {.words = {0}};
    int64_t count = 0;
    bool goes_on = true;
    while (goes_on) {
        (void)evaluate(r);
        const zc_scalar x = r->values[product->arg[0]], y = r->values[product->arg[1]];
        add_product(dtype, count % ZC_CHAIN == 0, &chain, x, y);
        count++;
        goes_on = advance(r, stage->kept, stage->rank, 1);
        if (goes_on && count % ZC_CHAIN != 0)
            continue;
        run = (count - 1) % ZC_CHAINS_END < ZC_CHAIN ? chain : join(&t, run, chain);
        if (!goes_on || count % ZC_CHAINS_END == 0)
            push(&t, run);
    }
    return end_tree(&t, false);
}

/* ---- argmin and argmax ---- */

static bool holds(zc_op op, zc_dtype dtype, zc_scalar x, zc_scalar y)
{
    uint8_t result = 0;
    zc_kernels_portable.map[op][dtype](&result, x.bytes, y.bytes, NULL, 1);
    return result != 0;
}

static int64_t find_extreme(element_runner *r)
{
    const zc_stage *stage = r->stage;
    zc_dtype dtype = (zc_dtype)zc_stage_result(stage)->dtype;
    zc_op beyond = stage->reduction == ZC_REDUCTION_ARGMIN ? ZC_OP_LESS : ZC_OP_GREATER;
    zc_scalar best = {.words = {0}};
    int64_t best_number = 0, number = 0;
    do {
        zc_scalar x = *evaluate(r);
        bool is_first_nan = !holds(ZC_OP_EQUAL, dtype, x, x) && holds(ZC_OP_EQUAL, dtype, best, best);
        if (number == 0 || is_first_nan || holds(beyond, dtype, x, best)) {
            best = x;
            best_number = number;
        }
        number++;
    } while (advance(r, stage->kept, stage->rank, 1));
    return best_number;
}

/* ---- Storing ---- */

static void reduce_one(element_runner *r, void *out)
{
    const zc_stage *stage = r->stage;
    if (!zc_is_combined(stage)) {
        bool is_empty = zc_walked_count(stage) == 0;
        zc_finalize(stage, is_empty ? NULL : evaluate(r)->bytes, NULL, out, 1);
    } else if (stage->contracts) {
        zc_scalar sum = contract_elements(r);
        zc_finalize(stage, sum.bytes, NULL, out, 1);
    } else if (zc_reduction_is_index(stage->reduction)) {
        int64_t number = find_extreme(r);
        zc_finalize(stage, NULL, &number, out, 1);
    } else {
        zc_scalar joined = join_elements(r);
        zc_finalize(stage, joined.bytes, NULL, out, 1);
    }
}

/* Takes the element at hand in; the first one of a recurrence as it is. */
static void take_in(element_runner *r)
{
    const zc_stage *stage = r->stage;
    const zc_scalar element = *evaluate(r);
    uint8_t *scanned = r->scanned.bytes;
    bool is_first = r->position[stage->rank - 1] == 0;
    if (stage->scan == ZC_SCAN_RECURRENCE && is_first) {
        r->scanned = element;
        return;
    }
    zc_map_kernel *const(*map)[ZC_DTYPE_COUNT] = zc_kernels_portable.map;
    if (stage->scan == ZC_SCAN_RECURRENCE)
        map[ZC_OP_MULTIPLY][stage->result_dtype](scanned, scanned, r->values[stage->scan_factor].bytes, NULL, 1);
    zc_op op = zc_reduction_describe(zc_scan_describe(stage->scan)->reduction)->combine;
    map[op][stage->result_dtype](scanned, scanned, element.bytes, NULL, 1);
}

/* One element of a line after the other. */
static void scan_one(element_runner *r, char *to, size_t item)
{
    const zc_stage *stage = r->stage;
    const zc_scan_info *info = zc_scan_describe(stage->scan);
    if (r->position[stage->rank - 1] == 0)
        r->scanned = zc_reduction_padding(info->reduction, stage->result_dtype);
    if (info->is_before)
        memcpy(to, r->scanned.bytes, item);
    take_in(r);
    if (!info->is_before)
        memcpy(to, r->scanned.bytes, item);
}

static void store_one(element_runner *r)
{
    const zc_stage *stage = r->stage;
    size_t item = zc_dtype_bytes(stage->result_dtype);
    int64_t at = stage->store_offset;
    for (int a = 0; a < stage->kept; a++)
        at += r->position[a] * stage->store_stride[a]; /* proven: verified to be inside */
    if (stage->store_moves > 0)
        (void)evaluate(r);
    for (int i = 0; i < stage->store_moves; i++)
        at += r->values[stage->store_move[i].check].int64 * stage->store_move[i].stride; /* proven: likewise */
    char *to = r->slots[stage->store_slot] + (size_t)at * item;
    if (stage->scans) {
        scan_one(r, to, item);
    } else if (stage->scatters) {
        zc_op op = zc_update_describe(stage->update)->op;
        const void *value = evaluate(r)->bytes;
        zc_kernels_portable.map[op][stage->result_dtype](to, op == ZC_OP_COPY ? value : to, value, NULL, 1);
    } else if (stage->reduces) {
        zc_scalar result;
        reduce_one(r, result.bytes);
        memcpy(to, result.bytes, item);
    } else {
        memcpy(to, evaluate(r)->bytes, item);
    }
}

static zc_preparation prepare(zc_context *ctx, const zc_stage *stage, char *const *slots, zc_arena *arena,
                              void **prepared)
{
    (void)ctx;
    element_runner *r = zc_arena_take(arena, 1, sizeof *r);
    if (r == NULL)
        return ZC_NOT_PREPARED;
    *r = (element_runner){.stage = stage,
                          .slots = slots,
                          .values = zc_arena_take(arena, (size_t)stage->value_count, sizeof *r->values),
                          .position = zc_arena_take(arena, (size_t)stage->rank, sizeof *r->position)};
    *prepared = r;
    return r->values != NULL && r->position != NULL ? ZC_PREPARED : ZC_NOT_PREPARED;
}

static zc_status run(zc_context *ctx, void *prepared, char *scratch, zc_bad_index *bad)
{
    (void)scratch;
    element_runner *r = prepared;
    r->bad_index = bad;
    r->progress = (zc_thread_progress){.whole = &ctx->progress};
    memset(r->position, 0, (size_t)r->stage->rank * sizeof *r->position);
    const int each = zc_is_combined(r->stage) ? 0 : 1; /* what is combined counts its elements */
    do {
        store_one(r);
    } while (advance(r, 0, r->stage->kept, each));
    if (r->progress.is_stopped)
        return ZC_CANCELLED;
    return bad->check >= 0 ? ZC_ERROR_INDEX : ZC_OK;
}

const zc_stage_executor zc_stage_executor_reference = {.name = "reference", .prepare = prepare, .run = run};
