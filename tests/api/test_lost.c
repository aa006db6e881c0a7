/* Arguments that are lost: NULL, tensors of contexts that have ended, scopes that are ended again. */
#include "tests/api/values.h"

#include <string.h>

/* Expects the failure of a context, or of the thread where ctx is NULL, and forgets it. */
static void expect_told(zc_context *ctx, const char *sentence)
{
    cr_expect_eq(zc_error_status(ctx), ZC_ERROR_ARGUMENT, "%s", sentence);
    cr_expect_str_eq(zc_error_text(ctx), sentence);
    zc_error_clear(ctx);
    cr_expect_str_eq(zc_error_text(ctx), "");
}

#define TOLD(ctx, call, sentence)                                                                                      \
    do {                                                                                                               \
        zc_error_clear(ctx); /* tests may share a process, and with it the thread's failure */                         \
        cr_expect_null(call);                                                                                          \
        expect_told(ctx, sentence);                                                                                    \
    } while (0)
#define TOLD_STATUS(ctx, call, sentence)                                                                               \
    do {                                                                                                               \
        zc_error_clear(ctx);                                                                                           \
        cr_expect_eq(call, ZC_ERROR_ARGUMENT);                                                                         \
        expect_told(ctx, sentence);                                                                                    \
    } while (0)

/* ---- NULL ---- */

Test(lost, null_is_told_by_its_name)
{
    bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *x = OF(ctx, ZC_FLOAT64, 1, 2), *out = NULL;
    const zc_tensor *const some[] = {x, NULL, x};
    TOLD(ctx, zc_clip(x, NULL, x), "clip: low is NULL");
    TOLD(ctx, zc_clip(x, x, NULL), "clip: high is NULL");
    TOLD(ctx, zc_clip(NULL, NULL, x), "clip: x is NULL");
    TOLD(ctx, zc_add(NULL, x), "add: a is NULL");
    TOLD(ctx, zc_pow(x, NULL), "pow: b is NULL");
    TOLD(ctx, zc_less(x, NULL), "less: b is NULL");
    TOLD(ctx, zc_atan2(NULL, x), "atan2: y is NULL");
    TOLD(ctx, zc_lerp(x, x, NULL), "lerp: weight is NULL");
    TOLD(ctx, zc_fma(x, x, NULL), "fma: z is NULL");
    TOLD(ctx, zc_where(NULL, x, x), "where: condition is NULL");
    TOLD(ctx, zc_complex(x, NULL), "complex: imag is NULL");
    TOLD(ctx, zc_xla_binary(ZC_XLA_ADD, x, NULL, 0, NULL), "xla_binary: b is NULL");
    TOLD(ctx, zc_ngraph_broadcast_like(x, NULL, 0, NULL), "ngraph.broadcast_like: like is NULL");
    TOLD(ctx, zc_matmul(NULL, x), "matmul: a is NULL");
    TOLD(ctx, zc_tensordot(x, NULL, 0, NULL, NULL), "tensordot: b is NULL");
    TOLD(ctx, zc_outer(x, NULL), "outer: b is NULL");
    TOLD(ctx, zc_pad(NULL, 1, LENGTHS(1), LENGTHS(1), ZC_PAD_CONSTANT, x), "pad: t is NULL");
    TOLD(ctx, zc_take(x, NULL, 0), "take: positions is NULL");
    TOLD(ctx, zc_update(x, x, NULL, ZC_UPDATE_SET), "update: values is NULL");
    TOLD(ctx, zc_isin(x, NULL), "isin: values is NULL");
    TOLD(ctx, zc_softmax_sum(NULL, x, 0), "softmax_sum: scores is NULL");
    TOLD(ctx, zc_grad(x, NULL), "grad: x is NULL");
    TOLD(ctx, zc_concat(ctx, 3, some, 0), "concat: tensors[1] is NULL");
    TOLD(ctx, zc_gather(x, 1, (const int[]){0}, (const zc_tensor *const[]){NULL}), "gather: positions[0] is NULL");
    TOLD(ctx, zc_einsum(ctx, "i,i,i->i", 3, some), "einsum: tensors[1] is NULL");
    TOLD(ctx, zc_adopt(ctx, NULL), "adopt: t is NULL");
    zc_tensor *none = NULL;
    TOLD_STATUS(ctx, zc_assign(&x, NULL, x), "assign: places is NULL");
    TOLD_STATUS(ctx, zc_assign(&x, x, NULL), "assign: values is NULL");
    TOLD_STATUS(ctx, zc_assign(&none, x, x), "assign: *t is NULL");
    TOLD_STATUS(ctx, zc_assign_keeping(&x, x, x, 1, NULL), "assign: held is NULL");
    TOLD_STATUS(ctx, zc_quantile(NULL, x, ZC_ALL_AXES, false, false, &out), "quantile: x is NULL");
    TOLD_STATUS(ctx, zc_quantile(x, NULL, ZC_ALL_AXES, false, false, NULL), "quantile: q is NULL");
    TOLD_STATUS(ctx, zc_searchsorted(x, NULL, false, NULL, &out), "searchsorted: x2 is NULL");
    TOLD_STATUS(ctx, zc_searchsorted(NULL, x, false, NULL, NULL), "searchsorted: x1 is NULL");
    TOLD_STATUS(ctx, zc_materialize_all(3, some, (zc_tensor *[3]){NULL}), "materialize_all: tensors[1] is NULL");
    zc_tensor **const slots[] = {&out, NULL, &out};
    TOLD_STATUS(ctx, zc_replace_all(3, some, slots), "replace_all: next[1] is NULL");
    TOLD_STATUS(ctx, zc_replace_all(1, some, NULL), "replace_all: there is nowhere to put the result");
    TOLD_STATUS(ctx, zc_replace_all(2, (const zc_tensor *const[]){x, x}, slots),
                "replace_all: there is nowhere to put the result");
    TOLD_STATUS(ctx, zc_searchsorted(x, x, false, NULL, NULL), "searchsorted: there is nowhere to put the result");
    TOLD_STATUS(ctx, zc_vjp(NULL, NULL, 1, (const zc_tensor *const[]){x}, &out), "vjp: y is NULL");
    TOLD_STATUS(ctx, zc_vjp(x, NULL, 2, some, (zc_tensor *[2]){NULL}), "vjp: x[1] is NULL");
    finish(b);
}

/* Without any context the thread keeps what was told last. */
Test(lost, without_a_context_the_thread_is_told)
{
    bench b = begin();
    TOLD(NULL, zc_sqrt(NULL), "sqrt: x is NULL");
    TOLD(NULL, zc_sum(NULL, ZC_ALL_AXES, false), "sum: x is NULL");
    TOLD(NULL, zc_var(NULL, ZC_ALL_AXES, 0, false), "var: x is NULL");
    TOLD(NULL, zc_softmax(NULL, 0), "softmax: x is NULL");
    TOLD(NULL, zc_trace(NULL, 0, 0, 1), "trace: x is NULL");
    TOLD(NULL, zc_diff(NULL, 0, 1), "diff: x is NULL");
    TOLD(NULL, zc_count_nonzero(NULL, ZC_ALL_AXES, false), "count_nonzero: x is NULL");
    TOLD(NULL, zc_vector_norm(NULL, ZC_ALL_AXES, false, 2), "vector_norm: x is NULL");
    TOLD(NULL, zc_cumulative_sum(NULL, 0, false), "cumulative_sum: x is NULL");
    TOLD(NULL, zc_reshape(NULL, ZC_SHAPE(1)), "reshape: t is NULL");
    TOLD(NULL, zc_matrix_transpose(NULL), "matrix_transpose: t is NULL");
    TOLD(NULL, zc_torch_expand(NULL, ZC_SHAPE(1)), "torch.expand: t is NULL");
    TOLD(NULL, zc_astype(NULL, ZC_INT8), "astype: x is NULL");
    TOLD(NULL, zc_copy(NULL), "copy: t is NULL");
    TOLD(NULL, zc_bitcast(NULL, ZC_INT8), "bitcast: t is NULL");
    TOLD(NULL, zc_real(NULL), "real: x is NULL");
    TOLD(NULL, zc_imag(NULL), "imag: x is NULL");
    TOLD(NULL, zc_conj(NULL), "conj: x is NULL");
    cr_expect_eq(zc_error_status(b.ctx), ZC_OK);
    finish(b);
}

Test(lost, what_is_rearranged_and_contexts_are_told_to_the_thread)
{
    TOLD(NULL, zc_roll(NULL, 0, NULL, NULL), "roll: t is NULL");
    TOLD(NULL, zc_tile(NULL, 0, NULL), "tile: t is NULL");
    TOLD(NULL, zc_repeat(NULL, 2, 0), "repeat: t is NULL");
    TOLD(NULL, zc_tril(NULL, 0), "tril: x is NULL");
    TOLD(NULL, zc_gather(NULL, 0, NULL, NULL), "gather: t is NULL");
    TOLD(NULL, zc_places(NULL), "places: t is NULL");
    TOLD(NULL, zc_variable(NULL), "variable: x is NULL");
    TOLD(NULL, zc_stop_gradient(NULL), "stop_gradient: x is NULL");
    TOLD(NULL, zc_iota(NULL, 1), "iota: ctx is NULL");
    TOLD(NULL, zc_full(NULL, ZC_SHAPE(1), ZC_INT8, 0), "full: ctx is NULL");
    TOLD(NULL, zc_constant(NULL, ZC_INT8, NULL), "constant: ctx is NULL");
    TOLD(NULL, zc_import(NULL, ZC_INT8, ZC_SHAPE(0), NULL, 0, NULL, 0, NULL, NULL), "import: ctx is NULL");
    TOLD(NULL, zc_from_data(NULL, ZC_INT8, ZC_SHAPE(0), NULL, 0), "from_data: ctx is NULL");
    TOLD(NULL, zc_weak_int(NULL, 1), "weak_int: ctx is NULL");
    TOLD(NULL, zc_arange_int64(NULL, 0, 1, 1), "arange: ctx is NULL");
    TOLD(NULL, zc_linspace(NULL, 0, 1, 2, true, ZC_FLOAT64), "linspace: ctx is NULL");
    TOLD(NULL, zc_stack(NULL, 0, NULL, 0), "stack: ctx is NULL");
    TOLD(NULL, zc_adopt(NULL, NULL), "adopt: ctx is NULL");
    TOLD(NULL, zc_eval(NULL, "1", NULL, 0, NULL), "eval: ctx is NULL");
    TOLD(NULL, zc_open(NULL, "x.npy"), "open: ctx is NULL");
    TOLD(NULL, zc_scope_begin(NULL), "scope_begin: ctx is NULL");
}

Test(lost, what_gives_a_status_tells_the_thread)
{
    zc_tensor *out = NULL;
    zc_dtype dtype;
    char *text = NULL;
    TOLD_STATUS(NULL, zc_materialize(NULL, &out), "materialize: t is NULL");
    TOLD_STATUS(NULL, zc_materialize_all(2, NULL, (zc_tensor *[2]){NULL}), "materialize_all: tensors is NULL");
    TOLD_STATUS(NULL, zc_materialize_all(-1, NULL, &out), "materialize_all: -1 tensors are no list");
    TOLD_STATUS(NULL, zc_materialize_into(NULL, NULL, 0, NULL, 0), "materialize_into: t is NULL");
    TOLD_STATUS(NULL, zc_copy_to(NULL, ZC_INT8, NULL, 0), "copy_to: t is NULL");
    TOLD_STATUS(NULL, zc_item(NULL, NULL), "item: t is NULL");
    TOLD_STATUS(NULL, zc_text(NULL, &text), "text: t is NULL");
    TOLD_STATUS(NULL, zc_replace(&out, NULL), "replace: next is NULL");
    TOLD_STATUS(NULL, zc_replace_all(-1, NULL, NULL), "replace_all: -1 tensors are no list");
    TOLD_STATUS(NULL, zc_replace_all(1, NULL, NULL), "replace_all: next is NULL");
    cr_expect_eq(zc_replace_all(0, NULL, NULL), ZC_OK);
    TOLD_STATUS(NULL, zc_explain(NULL, ZC_TEXT, &text), "explain: t is NULL");
    TOLD_STATUS(NULL, zc_sort(NULL, 0, false, &out), "sort: x is NULL");
    TOLD_STATUS(NULL, zc_median(NULL, ZC_ALL_AXES, false, false, &out), "median: x is NULL");
    TOLD_STATUS(NULL, zc_nonzero(NULL, &out), "nonzero: x is NULL");
    TOLD_STATUS(NULL, zc_unstack(NULL, 0, 1, &out), "unstack: t is NULL");
    TOLD_STATUS(NULL, zc_broadcast_arrays(1, (const zc_tensor *const[]){NULL}, &out),
                "broadcast_arrays: tensors[0] is NULL");
    TOLD_STATUS(NULL, zc_meshgrid(-1, NULL, false, &out), "meshgrid: -1 tensors are no list");
    TOLD_STATUS(NULL, zc_result_type(0, NULL, &dtype), "result_type: there are no tensors");
    TOLD_STATUS(NULL, zc_assign(NULL, NULL, NULL), "assign: *t is NULL");
    TOLD_STATUS(NULL, zc_compute_pending(NULL), "compute_pending: ctx is NULL");
    zc_cancel(NULL);
    zc_set_progress(NULL, NULL, NULL);
    expect_told(NULL, "set_progress: ctx is NULL");
    TOLD_STATUS(NULL, zc_set_cache_limit(NULL, 0), "set_cache_limit: ctx is NULL");
    TOLD_STATUS(NULL, zc_serialize(0, NULL, NULL), "serialize: there are no tensors");
    TOLD_STATUS(NULL, zc_deserialize(NULL, NULL, 0, 0, NULL, 0, NULL), "deserialize: ctx is NULL");
    cr_expect_eq(zc_error_errno(NULL), 0);
    cr_expect_not(zc_error_budget(NULL, NULL));
}

/* The first failure of a chain stays. */
Test(lost, chains_tell_where_they_failed)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3);
    cr_expect_null(zc_add(zc_sqrt(zc_reshape(x, ZC_SHAPE(7))), x));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_SHAPE);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "reshape: "));
    zc_error_clear(b.ctx);
    zc_error_clear(NULL);
    finish(b);
}

/* So do chains in the thread: the rest of them says that something is NULL. */
Test(lost, threads_keep_where_a_chain_failed)
{
    cr_expect_null(zc_sum(zc_sqrt(zc_arange_int64(NULL, 0, 3, 1)), ZC_ALL_AXES, false));
    cr_expect_null(zc_context_new(&(zc_options){.threads = 5000}));
    cr_expect_eq(zc_item(zc_sqrt(NULL), NULL), ZC_ERROR_ARGUMENT);
    expect_told(NULL, "context_new: threads is 5000, at most 1024");
    int rank;
    int64_t met[ZC_MAX_RANK];
    const int ranks[] = {1, 1};
    const int64_t two = 2, three = 3, *const shapes[] = {&two, &three};
    cr_expect_eq(zc_broadcast_shapes(NULL, 2, ranks, shapes, &rank, met), ZC_ERROR_SHAPE);
    cr_expect_eq(zc_error_status(NULL), ZC_ERROR_SHAPE);
    zc_error_clear(NULL);
}

/* ---- Options ---- */

static void *no_memory(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    (void)bytes;
    (void)alignment;
    return NULL;
}

static void nothing(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    (void)memory;
    (void)bytes;
    (void)alignment;
}

Test(lost, failures_of_the_program_are_kept_as_those_of_the_library)
{
    static const char sentence[] = "resize: 100 % of it";
    bench b = begin();
    zc_error_clear(NULL);
    cr_expect_eq(zc_error_record(b.ctx, ZC_OK, "nothing"), ZC_OK);
    cr_expect_eq(zc_error_status(b.ctx), ZC_OK);
    cr_expect_eq(zc_error_record(b.ctx, ZC_ERROR_SHAPE, sentence), ZC_ERROR_SHAPE);
    cr_expect_eq(zc_error_record(b.ctx, ZC_ERROR_FILE, "later"), ZC_ERROR_FILE);
    cr_expect_null(zc_add(NULL, NULL));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_SHAPE);
    cr_expect_str_eq(zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
    zc_budget budget = {0};
    cr_expect_eq(zc_error_record(b.ctx, ZC_ERROR_BUDGET, NULL), ZC_ERROR_BUDGET);
    cr_expect(zc_error_budget(b.ctx, &budget) && budget.need == 0 && budget.window_axis == -1);
    cr_expect_str_eq(zc_error_text(b.ctx), "");
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_error_record(NULL, ZC_ERROR_SHAPE, "first"), ZC_ERROR_SHAPE);
    cr_expect_eq(zc_error_record(NULL, ZC_ERROR_AXIS, "last"), ZC_ERROR_AXIS);
    cr_expect_str_eq(zc_error_text(NULL), "last");
    zc_error_clear(NULL);
    finish(b);
}

Test(lost, contexts_tell_why_there_are_none)
{
    const zc_allocator half = {.allocate = no_memory}, other_half = {.deallocate = nothing},
                       empty = {.allocate = no_memory, .deallocate = nothing};
    TOLD(NULL, zc_context_new(&(zc_options){.threads = 5000}), "context_new: threads is 5000, at most 1024");
    TOLD(NULL, zc_context_new(&(zc_options){.threads = -1}), "context_new: threads is -1, at most 1024");
    TOLD(NULL, zc_context_new(&(zc_options){.memory_limit = -2}), "context_new: memory_limit is -2, at least 0");
    TOLD(NULL, zc_context_new(&(zc_options){.node_limit = -3}), "context_new: node_limit is -3, at least 0");
    TOLD(NULL, zc_context_new(&(zc_options){.header_limit = -4}), "context_new: header_limit is -4, at least 0");
    TOLD(NULL, zc_context_new(&(zc_options){.executor = (zc_executor)9}), "context_new: executor 9 is none");
    TOLD(NULL, zc_context_new(&(zc_options){.allocator = &half}), "context_new: the allocator lacks a function");
    TOLD(NULL, zc_context_new(&(zc_options){.allocator = &other_half}), "context_new: the allocator lacks a function");
    cr_expect_null(zc_context_new(&(zc_options){.allocator = &empty}));
    cr_expect_eq(zc_error_status(NULL), ZC_ERROR_MEMORY);
    cr_expect_str_eq(zc_error_text(NULL), "context_new: out of memory");
    zc_error_clear(NULL);
}

/* ---- Contexts and scopes that have ended ---- */

Test(lost, tensors_of_contexts_that_have_ended_are_refused)
{
    bench b = begin();
    zc_context *other = zc_context_new(NULL);
    zc_tensor *x = zc_from_data(other, ZC_FLOAT64, ZC_SHAPE(2), (const double[]){3, 4}, 16), *out = NULL;
    zc_tensor *y = zc_add(x, x), *near = OF(b.ctx, ZC_FLOAT64, 1, 2);
    zc_context_free(other);
    cr_expect_eq(((const double *)zc_data(x))[1], 4, "it can be read");
    TOLD(NULL, zc_sqrt(x), "sqrt: the context of x has ended; zc_adopt takes a tensor into another");
    TOLD(NULL, zc_flip(y, ZC_ALL_AXES), "flip: the context of t has ended; zc_adopt takes a tensor into another");
    TOLD(b.ctx, zc_add(near, x), "add: the context of b has ended; zc_adopt takes a tensor into another");
    TOLD(b.ctx, zc_concat(b.ctx, 2, (const zc_tensor *const[]){near, y}, 0),
         "concat: the context of tensors[1] has ended; zc_adopt takes a tensor into another");
    TOLD_STATUS(NULL, zc_materialize(y, &out),
                "materialize: the context of t has ended; zc_adopt takes a tensor into another");
    TOLD_STATUS(b.ctx, zc_searchsorted(near, near, false, x, &out),
                "searchsorted: the context of sorter has ended; zc_adopt takes a tensor into another");
    EXPECT(zc_add(zc_adopt(b.ctx, y), near), 7, 10);
    zc_release(x);
    zc_release(y);
    finish(b);
}

#if defined(ZC_KEEP_ENDED_SCOPES)
Test(lost, scopes_are_ended_once)
{
    zc_context *ctx = zc_context_new(NULL);
    for (int i = 0; i < 1100; i++) {
        zc_scope *outer = zc_scope_begin(ctx), *inner = zc_scope_begin(ctx);
        (void)zc_iota(ctx, 3);
        zc_scope_end(outer);
        zc_scope_end(inner); /* ended with the outer one */
        expect_told(ctx, "scope_end: the scope has ended");
    }
    zc_context_free(ctx);
}
#endif
