/*
 * Contractions of an operand with itself, half of whose results are copied across the diagonal: they have the bits of
 * the same product with a copy of the operand, which is computed as any other.
 */
#include <inttypes.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 10 };
#else
enum { ROUNDS = 60 };
#endif

/* Ways to contract x (batches, rows, columns) with y, x itself or a copy. */
typedef enum form { GRAM, OUTER_PRODUCTS, SCALED, SEVERAL_AXES, FORMS } form;

static zc_tensor *contract(form how, const zc_tensor *x, const zc_tensor *y)
{
    zc_context *ctx = zc_context_of(x);
    switch (how) {
    case GRAM:
        return zc_matmul(zc_matrix_transpose(x), y);
    case OUTER_PRODUCTS:
        return zc_matmul(x, zc_matrix_transpose(y));
    case SCALED:
        return zc_add(zc_matmul(zc_matrix_transpose(x), y), zc_weak_int(ctx, 3));
    default:
        return zc_einsum(ctx, "bij,ckj->bick", 2, (const zc_tensor *const[]){x, y});
    }
}

static zc_tensor *stored(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_copy(t), &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return out;
}

/* Elements of many sizes, seen from memory in some way. */
static zc_tensor *draw_operand(bench b, zc_dtype dtype, const int64_t *shape)
{
    const zc_tensor *numbers = zc_sin(count_to(b, ZC_SHAPE(shape[0], 2 * shape[1], shape[2])));
    zc_tensor *x = stored(zc_astype(zc_multiply(numbers, zc_weak_float(b.ctx, 120)), dtype));
    switch (zc_random_range(0, 2)) {
    case 0:
        return zc_slice(x, 1, 0, shape[1], 1);
    case 1:
        return zc_slice(x, 1, 0, ZC_NONE, 2);
    default:
        return zc_flip(zc_slice(x, 1, shape[1], ZC_NONE, 1), ZC_AXES(1, 2));
    }
}

static void check(zc_options options, int rounds, int64_t most)
{
    static const zc_dtype dtypes[] = {ZC_FLOAT32, ZC_FLOAT64, ZC_INT8, ZC_INT32, ZC_FLOAT32, ZC_COMPLEX64};
    static const int64_t products[] = {31, 32, 100, 300, 4097, 9000};
    bench b = begin_with(options);
    for (int i = 0; i < zc_test_count(rounds); i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        const form how = (form)zc_random_range(0, FORMS - 1);
        const zc_dtype dtype = dtypes[zc_random_range(0, 5)];
        const int64_t batches = zc_random_range(1, 2), results = zc_random_range(1, most);
        int64_t summed = products[zc_random_range(0, 5)];
        summed = summed * results > 1 << 19 ? 64 : summed;
        const bool is_by_columns = how == GRAM || how == SCALED;
        const zc_tensor *x = draw_operand(
            b, dtype, (const int64_t[]){batches, is_by_columns ? summed : results, is_by_columns ? results : summed});
        const zc_tensor *y = stored(x);
        const zc_tensor *got = stored(contract(how, x, x)), *wanted = stored(contract(how, x, y));
        const size_t bytes = (size_t)zc_size(got) * zc_dtype_bytes(dtype);
        cr_assert_eq(memcmp(zc_data(got), zc_data(wanted), bytes), 0,
                     "form %d of %" PRId64 " batches, %" PRId64 " results by %" PRId64 " products of %s", (int)how,
                     batches, results, summed, zc_dtype_name(dtype));
        zc_scope_end(scope);
    }
    finish(b);
}

Test(contraction_symmetric, has_the_bits_of_a_product_with_a_copy)
{
    zc_random_begin("contraction_symmetric");
    check((zc_options){.threads = 1}, ROUNDS, 300);
    check((zc_options){.threads = 3}, ROUNDS, 300);
    check((zc_options){.threads = 2}, ROUNDS / 10, 1100);
}

/* A limit makes blocks small, and blocks have several panels. */
Test(contraction_symmetric, has_the_same_bits_in_small_blocks)
{
    bench b = begin_with((zc_options){.threads = 1});
    const zc_tensor *x = stored(zc_astype(zc_sin(count_to(b, ZC_SHAPE(3000, 300))), ZC_FLOAT32));
    const zc_tensor *wanted = stored(zc_matmul(zc_matrix_transpose(x), stored(x)));
    zc_tensor *out = NULL;
    for (int64_t room = 0; room < 1 << 20; room += 100000) {
        zc_context *tight = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 360000 + room});
        zc_tensor *own = zc_adopt(tight, x), *turned = zc_matrix_transpose(own), *product = zc_matmul(turned, own);
        cr_assert_eq(zc_materialize(product, &out), ZC_OK, "%s", zc_error_text(tight));
        cr_expect_eq(memcmp(zc_data(out), zc_data(wanted), (size_t)zc_size(wanted) * sizeof(float)), 0,
                     "%" PRId64 " bytes of room", room);
        zc_tensor *const made[] = {own, turned, product, out};
        for (size_t i = 0; i < sizeof made / sizeof *made; i++)
            zc_release(made[i]);
        zc_context_free(tight);
    }
    finish(b);
}

/* Into memory whose rows are next to each other: operands are exchanged there, and nothing else is written. */
Test(contraction_symmetric, fills_targets_of_any_strides)
{
    enum { SIDE = 150, PITCH = 200 };
    static float got[SIDE * PITCH];
    bench b = begin_with((zc_options){.threads = 2});
    const zc_tensor *x = stored(zc_astype(zc_sin(count_to(b, ZC_SHAPE(SIDE, 500))), ZC_FLOAT32));
    const zc_tensor *product = zc_matmul(x, zc_matrix_transpose(x));
    const float *wanted = zc_data(stored(zc_matmul(x, zc_matrix_transpose(stored(x)))));
    for (int turned = 0; turned < 2; turned++) {
        const int64_t strides[] = {turned ? 1 : PITCH, turned ? PITCH : 1};
        memset(got, 0xff, sizeof got);
        cr_assert_eq(zc_materialize_into(product, got, sizeof got, strides, 0), ZC_OK, "%s", zc_error_text(b.ctx));
        for (int i = 0; i < SIDE * PITCH; i++) {
            const int row = i / PITCH, column = i % PITCH;
            static const uint32_t untouched = UINT32_MAX;
            const void *expected = column < SIDE ? (const void *)&wanted[row * SIDE + column] : &untouched;
            cr_assert_eq(memcmp(&got[i], expected, sizeof *got), 0, "turned %d, (%d, %d)", turned, row, column);
        }
    }
    finish(b);
}

/* One program runs all blocks of a result: the first one's operands may be the same elements, those of others are not,
 * of rows (the first `columns` of them) as of batches (every one, and every second). */
Test(contraction_symmetric, is_no_block_whose_operands_move_apart)
{
    enum { ROWS = 4096, PRODUCTS = 64, COLUMNS = 256, BATCHES = 32, SIDE = 300 };
    bench b = begin_with((zc_options){.threads = 1});
    const zc_tensor *x = stored(zc_astype(zc_sin(count_to(b, ZC_SHAPE(ROWS, PRODUCTS))), ZC_FLOAT32));
    const zc_tensor *z = stored(zc_astype(zc_sin(count_to(b, ZC_SHAPE(2 * BATCHES, PRODUCTS, SIDE))), ZC_FLOAT32));
    const zc_tensor *weights[] = {x, stored(x)}, *matrices[] = {z, stored(z)};
    for (int of_batches = 0; of_batches < 2; of_batches++) {
        zc_tensor *made[2];
        for (int i = 0; i < 2; i++) { /* with itself, and with a copy */
            zc_tensor *product = of_batches ? zc_matmul(zc_matrix_transpose(zc_slice(z, 0, 0, BATCHES, 1)),
                                                        zc_slice(matrices[i], 0, 0, ZC_NONE, 2))
                                            : zc_matmul(x, zc_matrix_transpose(zc_slice(weights[i], 0, 0, COLUMNS, 1)));
            made[i] = stored(zc_add(product, zc_weak_int(b.ctx, 1)));
        }
        const size_t bytes = (size_t)zc_size(made[0]) * sizeof(float);
        cr_expect_eq(memcmp(zc_data(made[0]), zc_data(made[1]), bytes), 0, "of batches: %d", of_batches);
    }
    finish(b);
}
