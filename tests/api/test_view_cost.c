/*
 * What a view costs: one handle from the allocator, whatever its shape, and not a byte of data.
 */
#include <stdlib.h>

#include "tests/api/values.h"

/* An allocator that adds up what is asked of it. */
typedef struct counted {
    int64_t calls;
    int64_t bytes;
} counted;

static void *take(void *user, size_t bytes, size_t alignment)
{
    counted *sum = user;
    sum->calls++;
    sum->bytes += (int64_t)bytes;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user, (void)bytes, (void)alignment;
    free(memory);
}

enum { N = 6 };

typedef zc_tensor *maker(const zc_tensor *x);

/* Makers of a view of x, (6, 6). */
#define VIEW(name, ...)                                                                                                \
    static zc_tensor *name(const zc_tensor *x)                                                                         \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }
VIEW(broadcast_to, zc_broadcast_to(x, ZC_SHAPE(INT64_C(1) << 50, N, N)))
VIEW(tf_broadcast_to, zc_tf_broadcast_to(x, ZC_SHAPE(INT64_C(1) << 50, N, N)))
VIEW(mindspore_broadcast_to, zc_mindspore_broadcast_to(x, ZC_SHAPE(INT64_C(1) << 50, N, -1)))
VIEW(ngraph_broadcast, zc_ngraph_broadcast(x, ZC_SHAPE(N, INT64_C(1) << 50, N), ZC_AXES(1)))
VIEW(xla_broadcast, zc_xla_broadcast(x, ZC_SHAPE(INT64_C(1) << 50)))
VIEW(xla_broadcast_in_dim, zc_xla_broadcast_in_dim(x, ZC_SHAPE(N, INT64_C(1) << 50, N), ZC_AXES(0, 2)))
VIEW(stablehlo_broadcast_in_dim, zc_stablehlo_broadcast_in_dim(x, ZC_SHAPE(N, INT64_C(1) << 50, N), ZC_AXES(2, 0)))
VIEW(torch_expand, zc_torch_expand(x, ZC_SHAPE(INT64_C(1) << 50, -1, N)))
VIEW(onnx_expand, zc_onnx_expand(x, ZC_SHAPE(INT64_C(1) << 50, 1, 1)))
VIEW(openvino_broadcast, zc_openvino_broadcast(x, ZC_SHAPE(INT64_C(1) << 50, N, N), ZC_OPENVINO_NUMPY, ZC_NO_AXES, -1))
VIEW(permute_dims, zc_permute_dims(x, ZC_AXES(1, 0)))
VIEW(matrix_transpose, zc_matrix_transpose(x))
VIEW(swapaxes, zc_swapaxes(x, 0, 1))
VIEW(moveaxis, zc_moveaxis(x, 0, 1))
VIEW(slice, zc_slice(x, 0, 1, ZC_NONE, 2))
VIEW(index_, zc_index(x, 0, 2))
VIEW(expand_dims, zc_expand_dims(x, 1))
VIEW(squeeze, zc_squeeze(x, ZC_NO_AXES))
VIEW(flip, zc_flip(x, ZC_ALL_AXES))
VIEW(rot90, zc_rot90(x, 1, 0, 1))
VIEW(diagonal, zc_diagonal(x, 1, 0, 1))
VIEW(sliding_window_view, zc_sliding_window_view(x, ZC_SHAPE(3, 3), ZC_ALL_AXES))
VIEW(as_strided, zc_as_strided(x, ZC_SHAPE(2, 2), (const int64_t[]){1, N}, 3))
VIEW(reshape, zc_reshape(x, ZC_SHAPE(-1)))
VIEW(reshape_view, zc_reshape_view(x, ZC_SHAPE(2, 3, 6)))

static maker *const makers[] = {broadcast_to,
                                tf_broadcast_to,
                                mindspore_broadcast_to,
                                ngraph_broadcast,
                                xla_broadcast,
                                xla_broadcast_in_dim,
                                stablehlo_broadcast_in_dim,
                                torch_expand,
                                onnx_expand,
                                openvino_broadcast,
                                permute_dims,
                                matrix_transpose,
                                swapaxes,
                                moveaxis,
                                slice,
                                index_,
                                expand_dims,
                                squeeze,
                                flip,
                                rot90,
                                diagonal,
                                sliding_window_view,
                                as_strided,
                                reshape,
                                reshape_view};

Test(view_cost, a_view_is_one_handle_and_no_data)
{
    counted sum = {0};
    zc_allocator allocator = {&sum, take, give};
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator});
    float values[N * N] = {0};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(N, N), values, sizeof values);
    zc_memory before = zc_memory_usage(ctx);
    cr_assert_eq(before.held_bytes, (int64_t)sizeof values);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        counted start = sum;
        zc_tensor *view = makers[i](x);
        cr_assert_not_null(view, "view %zu: %s", i, zc_error_text(ctx));
        zc_memory now = zc_memory_usage(ctx);
        cr_assert_eq(sum.calls - start.calls, 1, "view %zu takes %ld allocations", i, (long)(sum.calls - start.calls));
        cr_assert_lt(sum.bytes - start.bytes, 256, "view %zu takes %ld bytes", i, (long)(sum.bytes - start.bytes));
        cr_assert(now.held_bytes == before.held_bytes && now.peak_bytes == before.peak_bytes, "view %zu takes data", i);
        cr_assert_eq(zc_strides(view) != NULL && zc_is_view(view), true);
        zc_release(view);
        cr_assert_eq(zc_memory_usage(ctx).header_bytes, before.header_bytes, "view %zu leaves something", i);
    }
    zc_release(x);
    cr_assert_eq(zc_memory_usage(ctx).held_bytes, 0);
    zc_context_free(ctx);
}

/* A bit cast takes a node of its own, and lists one handle each. */
Test(view_cost, bit_casts_and_lists_take_no_data_either)
{
    counted sum = {0};
    zc_allocator allocator = {&sum, take, give};
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator});
    float values[N * N] = {0};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(N, N), values, sizeof values);
    zc_tensor *huge = zc_broadcast_to(x, ZC_SHAPE(INT64_C(1) << 50, N, N)), *parts[N];
    counted start = sum;
    cr_assert_eq(zc_unstack(huge, 1, N, parts), ZC_OK);
    cr_assert_eq(sum.calls - start.calls, N);
    for (int i = 0; i < N; i++)
        zc_release(parts[i]);
    start = sum;
    cr_assert_eq(zc_split(huge, 2, 3, NULL, parts), ZC_OK);
    cr_assert_eq(sum.calls - start.calls, 3);
    for (int i = 0; i < 3; i++)
        zc_release(parts[i]);
    start = sum;
    cr_assert_eq(zc_broadcast_arrays(2, (const zc_tensor *const[]){huge, x}, parts), ZC_OK);
    cr_assert_eq(sum.calls - start.calls, 2);
    zc_release(parts[0]);
    zc_release(parts[1]);
    start = sum;
    zc_tensor *bytes = zc_bitcast(huge, ZC_UINT8);
    cr_assert_not_null(bytes);
    cr_assert_eq(sum.calls - start.calls, 2);
    cr_assert_eq(zc_memory_usage(ctx).held_bytes, (int64_t)sizeof values);
    cr_assert_eq(zc_memory_usage(ctx).peak_bytes, (int64_t)sizeof values);
    zc_release(bytes);
    zc_release(huge);
    zc_release(x);
    zc_context_free(ctx);
}
