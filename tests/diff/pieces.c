#include "tests/diff/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "tests/diff/same.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { MOST_PIECES = 3000 };

/* Results of pieces: elements alone, in a context of their own. */
typedef struct results {
    zc_context *ctx;
    int64_t count;
    int *outputs;           /* [count] */
    zc_tensor *(*given)[2]; /* [count] */
} results;

static zc_tensor *copy_elements(zc_context *ctx, const zc_tensor *t)
{
    zc_tensor *made = NULL;
    cr_assert_eq(zc_materialize(t, &made), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return zc_from_data(ctx, zc_dtype_of(t), zc_rank(t), zc_shape(t), zc_data(made),
                        (size_t)zc_size(t) * zc_dtype_bytes(zc_dtype_of(t)));
}

static void run_piece(const zc_division *d, results *r, int64_t i, counts *counted)
{
    int n = 0;
    zc_piece piece;
    zc_tensor *out[2];
    const zc_tensor *inputs[2 * ZC_MOST_NEEDS];
    cr_assert_eq(zc_division_piece(d, i, &piece), ZC_OK);
    for (int k = 0; k < piece.need_count; k++) {
        const int64_t need = piece.needs[k];
        cr_assert(need >= 0 && need < i);
        for (int o = 0; o < r->outputs[need]; o++)
            inputs[n++] = r->given[need][o];
    }
    cr_assert_eq(zc_division_record(d, i, n, inputs, out), ZC_OK, "piece %ld", (long)i);
    int64_t bytes = 0;
    for (int o = 0; o < piece.outputs; o++) {
        r->given[i][o] = copy_elements(r->ctx, out[o]);
        bytes += zc_size(out[o]) * (int64_t)zc_dtype_bytes(zc_dtype_of(out[o]));
    }
    cr_assert_eq(bytes, piece.bytes);
    r->outputs[i] = piece.outputs;
    counted->pieces[piece.kind]++;
}

/* The same division in contexts of several numbers of threads, each of which computes every third piece. */
enum { WORKERS = 3 };

static void restore_all(const zc_division *d, zc_context *const *ctx, zc_division **out)
{
    size_t size;
    const zc_tensor *const *inputs;
    const void *bytes = zc_division_bytes(d, &size);
    const int count = zc_division_inputs(d, &inputs);
    const zc_tensor **own = calloc((size_t)count + 1, sizeof *own);
    for (int w = 0; w < WORKERS; w++) {
        zc_piece mine, its;
        for (int i = 0; i < count; i++)
            own[i] = copy_elements(ctx[w], inputs[i]);
        cr_assert_eq(zc_division_restore(ctx[w], bytes, size, count, own, &out[w]), ZC_OK, "%s", zc_error_text(ctx[w]));
        cr_assert_eq(zc_division_count(out[w]), zc_division_count(d));
        for (int64_t i = 0; i < zc_division_count(d); i++) {
            memset(&mine, 0, sizeof mine);
            memset(&its, 0, sizeof its);
            cr_assert_eq(zc_division_piece(d, i, &mine), ZC_OK);
            cr_assert_eq(zc_division_piece(out[w], i, &its), ZC_OK);
            cr_assert_str_eq(mine.rule, its.rule);
            mine.rule = its.rule;
            cr_assert_eq(memcmp(&mine, &its, sizeof mine), 0);
        }
    }
    free(own);
}

static void run_all(const zc_division *d, results *r, counts *counted)
{
    zc_context *ctx[WORKERS];
    zc_scope *scope[WORKERS];
    zc_division *own[WORKERS];
    for (int w = 0; w < WORKERS; w++) {
        ctx[w] = zc_context_new(&(zc_options){.threads = w == 0 ? 1 : w == 1 ? 2 : 7});
        scope[w] = zc_scope_begin(ctx[w]);
    }
    restore_all(d, ctx, own);
    for (int64_t i = 0; i < zc_division_count(d); i++)
        run_piece(own[zc_random_range(0, WORKERS - 1)], r, i, counted);
    for (int w = 0; w < WORKERS; w++) {
        zc_division_free(own[w]);
        zc_scope_end(scope[w]);
        zc_context_free(ctx[w]);
    }
}

/* The blocks are the windows of the tensors, which cover them. */
static void check_blocks(const zc_division *d, const results *r, int count, const zc_tensor *const *wanted)
{
    int64_t elements[MOST_RESULTS] = {0};
    for (int64_t i = 0; i < r->count; i++) {
        zc_piece piece;
        cr_assert_eq(zc_division_piece(d, i, &piece), ZC_OK);
        if (piece.kind != ZC_PIECE_BLOCK)
            continue;
        const zc_tensor *window = wanted[piece.of];
        for (int a = 0; a < piece.rank; a++)
            window = zc_slice(window, a, piece.first[a], piece.first[a] + piece.count[a], 1);
        zc_tensor *made = NULL;
        cr_assert_eq(zc_materialize(window, &made), ZC_OK);
        expect_same(made, r->given[i][0], 0, "a block");
        elements[piece.of] += zc_size(window);
    }
    for (int i = 0; i < count; i++)
        cr_assert_eq(elements[i], zc_size(wanted[i]));
}

static results new_results(int64_t count)
{
    results r = {.ctx = zc_context_new(NULL), .count = count};
    r.outputs = calloc((size_t)count, sizeof *r.outputs);
    r.given = calloc((size_t)count, sizeof *r.given);
    return r;
}

static void free_results(results *r)
{
    for (int64_t i = 0; i < r->count; i++) {
        for (int o = 0; o < r->outputs[i]; o++)
            zc_release(r->given[i][o]);
    }
    zc_context_free(r->ctx);
    free(r->outputs);
    free(r->given);
}

void check_division(zc_context *ctx, int count, const zc_tensor *const *tensors, const zc_tensor *const *wanted,
                    const zc_division_options *options, counts *counted)
{
    zc_division *d = NULL;
    cr_assert_eq(zc_division_make(count, tensors, options, &d), ZC_OK, "%s", zc_error_text(ctx));
    if (zc_division_count(d) <= MOST_PIECES) {
        results r = new_results(zc_division_count(d));
        run_all(d, &r, counted);
        check_blocks(d, &r, count, wanted);
        free_results(&r);
    }
    zc_division_free(d);
}
