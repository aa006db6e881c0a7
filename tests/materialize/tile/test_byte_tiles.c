/* Products of bytes by registers of tiles: the strategy with kernels written out, on any machine, and the machine's own
 * kernels, where it has some, against these. */
#include <stdlib.h>
#include <string.h>

#include "materialize/kernels/tables/dispatch.h"
#include "tests/materialize/byte_tiles.h"
#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { HALF = ZC_TILE_SIDE / 2, FOUR = 4, TILE_BYTES = HALF * ZC_TILE_PRODUCTS };

/* ---- Written out ---- */

static int32_t byte_at(const void *from, int64_t at, bool is_signed)
{
    return is_signed ? ((const int8_t *)from)[at] : ((const uint8_t *)from)[at];
}

/* Place in y of the factor of a product and a column. */
static int64_t y_at(const zc_byte_tiles *t, int64_t k, int64_t c)
{
    const int64_t step = k / ZC_TILE_PRODUCTS, four = k % ZC_TILE_PRODUCTS / FOUR;
    return (c / HALF * t->steps + step) * TILE_BYTES + four * ZC_TILE_PRODUCTS + c % HALF * FOUR + k % FOUR;
}

static void multiply(const zc_byte_tiles *t)
{
    uint32_t *sums = t->sums;
    for (int64_t r = 0; r < t->rows; r++) {
        for (int64_t c = 0; c < ZC_TILE_SIDE; c++) {
            uint32_t sum = t->adds ? sums[r * t->sums_row + c] : 0;
            for (int64_t k = 0; k < t->steps * ZC_TILE_PRODUCTS; k++) {
                const int64_t x_at = r * t->x_row + k / ZC_TILE_PRODUCTS * t->x_step + k % ZC_TILE_PRODUCTS;
                sum += (uint32_t)(byte_at(t->x, x_at, t->x_is_signed) * byte_at(t->y, y_at(t, k, c), t->y_is_signed));
            }
            sums[r * t->sums_row + c] = sum;
        }
    }
}

static void interleave(const void *from, int64_t row, void *to, int64_t half)
{
    for (int64_t k = 0; k < ZC_TILE_PRODUCTS; k++) {
        for (int64_t c = 0; c < ZC_TILE_SIDE; c++)
            ((char *)to)[c / HALF * half + k / FOUR * ZC_TILE_PRODUCTS + c % HALF * FOUR + k % FOUR] =
                ((const char *)from)[k * row + c];
    }
}

bool zc_are_tiles_written_out;

const zc_tile_kernels *__real_zc_kernels_tiles(const zc_kernels *kernels);
const zc_tile_kernels *__wrap_zc_kernels_tiles(const zc_kernels *kernels);
const zc_tile_kernels *__wrap_zc_kernels_tiles(const zc_kernels *kernels)
{
    static const zc_tile_kernels written_out = {multiply, interleave};
    return zc_are_tiles_written_out ? &written_out : __real_zc_kernels_tiles(kernels);
}

/* ---- The strategy ---- */

static zc_tensor *product(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_astype(x, ZC_INT32), zc_astype(y, ZC_INT32));
}

static zc_tensor *product_without_sign(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_astype(x, ZC_UINT32), zc_astype(y, ZC_UINT32));
}

/* One with a sign, the other one without. */
static zc_tensor *mixed_product(const zc_tensor *x, const zc_tensor *y)
{
    zc_tensor *other = NULL;
    const zc_tensor *changed = zc_astype(y, zc_dtype_of(y) == ZC_INT8 ? ZC_UINT8 : ZC_INT8);
    cr_assert_eq(zc_materialize(changed, &other), ZC_OK, "%s", zc_error_text(zc_context_of(y)));
    return product(x, other);
}

static zc_tensor *product_of_transposed(const zc_tensor *x, const zc_tensor *y)
{
    return product(zc_matrix_transpose(x), zc_matrix_transpose(y));
}

static zc_tensor *product_of_flipped(const zc_tensor *x, const zc_tensor *y)
{
    return product(zc_flip(x, ZC_ALL_AXES), zc_flip(y, ZC_AXES(-1)));
}

static zc_tensor *product_of_some(const zc_tensor *x, const zc_tensor *y)
{
    return product(zc_slice(x, 0, 1, ZC_NONE, 2), zc_slice(y, 1, 0, ZC_NONE, 3));
}

static zc_tensor *turned_product(const zc_tensor *x, const zc_tensor *y)
{
    return zc_copy(zc_matrix_transpose(product(x, y)));
}

static zc_tensor *finished_product(const zc_tensor *x, const zc_tensor *y)
{
    return zc_broadcast_to(zc_reshape(product(x, y), ZC_SHAPE(1, 40, 50)), ZC_SHAPE(3, 40, 50));
}

static zc_tensor *product_by_windows(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *windows = zc_sliding_window_view(y, ZC_SHAPE(64), ZC_AXES(0));
    return product(x, zc_matrix_transpose(windows));
}

static zc_tensor *product_with_itself(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *cast = zc_astype(x, ZC_INT32);
    (void)y;
    return zc_matmul(cast, zc_matrix_transpose(cast));
}

static zc_tensor *products_of_one(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *cast = zc_astype(x, ZC_INT32), *other = zc_astype(y, ZC_INT32);
    return zc_add(zc_matmul(cast, other), zc_matmul(cast, zc_flip(other, ZC_AXES(0))));
}

static zc_tensor *product_by_windows_of_cast(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *windows = zc_sliding_window_view(zc_astype(y, ZC_INT32), ZC_SHAPE(64), ZC_AXES(0));
    return zc_matmul(zc_astype(x, ZC_INT32), zc_matrix_transpose(windows));
}

/* The cast is needed besides. */
static zc_tensor *product_and_sum(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *cast = zc_astype(x, ZC_INT32);
    return zc_add(zc_matmul(cast, zc_astype(y, ZC_INT32)), zc_sum(cast, ZC_AXES(1), true));
}

static zc_tensor *product_of_long(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_astype(x, ZC_INT64), zc_astype(y, ZC_INT64));
}

/* Operands that are no casts of bytes in memory. */
static zc_tensor *product_of_negated(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_negative(zc_astype(x, ZC_INT32)), zc_astype(y, ZC_INT32));
}

static zc_tensor *product_of_negated_bytes(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_astype(zc_negative(x), ZC_INT32), zc_astype(y, ZC_INT32));
}

/* Results whose columns are apart, and whose rows are on two axes that are exchanged. */
static zc_tensor *products_across(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *operands[] = {zc_astype(x, ZC_INT32), zc_astype(y, ZC_INT32)};
    return zc_einsum(zc_context_of(x), "bij,bjk->ikb", 2, operands);
}

static zc_tensor *products_of_exchanged(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *operands[] = {zc_astype(x, ZC_INT32), zc_astype(y, ZC_INT32)};
    return zc_einsum(zc_context_of(x), "abj,jk->bak", 2, operands);
}

/* Rows of x, or products of y, on two axes. */
static zc_tensor *products_of_parts(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *operands[] = {zc_astype(zc_slice(x, 1, 0, ZC_NONE, 2), ZC_INT32), zc_astype(y, ZC_INT32)};
    return zc_einsum(zc_context_of(x), "abj,jk->abk", 2, operands);
}

static zc_tensor *products_by_parts(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *operands[] = {zc_astype(x, ZC_INT32), zc_astype(zc_slice(y, 1, 0, ZC_NONE, 2), ZC_INT32)};
    return zc_einsum(zc_context_of(x), "aij,ijk->ak", 2, operands);
}

static zc_tensor *product_of_taken(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *rows = zc_take(x, zc_astype(zc_slice(y, 1, 0, 1, 1), ZC_INT64), 0);
    return product(zc_reshape(rows, ZC_SHAPE(70, 70)), y);
}

static const strategy_case cases[] = {
    {"contract_tiles", product, {2, {32, 64}}, {2, {64, 32}}},
    {"contract_tiles", product, {2, {33, 70}}, {2, {70, 45}}},
    {"contract_tiles", product, {2, {64, 64}}, {2, {64, 45}}},
    {"contract_tiles", product, {2, {100, 128}}, {2, {128, 96}}},
    {"contract_tiles", product, {2, {40, 1100}}, {2, {1100, 40}}}, /* packed in two parts */
    {"contract_tiles", product, {2, {40, 1152}}, {2, {1152, 40}}}, /* likewise, x where it is */
    {"contract_tiles", product, {2, {530, 64}}, {2, {64, 33}}},    /* several blocks */
    {"contract_tiles", product, {2, {33, 64}}, {2, {64, 1040}}},
    {"contract_tiles", product, {2, {32, 9000}}, {2, {9000, 32}}}, /* runs are divided among threads */
    {"contract_tiles", product_without_sign, {2, {50, 100}}, {2, {100, 60}}},
    {"contract_tiles", mixed_product, {2, {50, 100}}, {2, {100, 60}}},
    {"contract_tiles", product, {3, {3, 32, 70}}, {3, {3, 70, 50}}},
    {"contract_tiles", product, {3, {3, 32, 64}}, {2, {64, 64}}},
    {"contract_tiles", product_of_transposed, {2, {70, 33}}, {2, {45, 70}}},
    {"contract_tiles", product_of_flipped, {2, {64, 128}}, {2, {128, 64}}},
    {"contract_tiles", product_of_some, {2, {70, 128}}, {2, {128, 100}}},
    {"contract_tiles", turned_product, {2, {40, 64}}, {2, {64, 50}}},
    {"contract_tiles", finished_product, {2, {40, 64}}, {2, {64, 50}}},
    {"contract_tiles", products_across, {3, {3, 40, 70}}, {3, {3, 70, 50}}},
    {"contract_tiles", products_of_exchanged, {3, {3, 40, 70}}, {2, {70, 50}}},
    {"contract_tiles", products_of_parts, {3, {3, 39, 64}}, {2, {64, 50}}},
    {"contract_tiles", products_by_parts, {3, {40, 3, 31}}, {3, {3, 61, 50}}},
    {"contract_tiles", product_by_windows, {2, {50, 64}}, {1, {100}}},
    {"contract_tiles", product_by_windows_of_cast, {2, {50, 64}}, {1, {100}}},
    {"contract_tiles", product_with_itself, {2, {50, 70}}, ONE},
    {"contract_tiles", products_of_one, {2, {50, 70}}, {2, {70, 40}}},
    {"!contract_tiles", product_and_sum, {2, {50, 70}}, {2, {70, 40}}},
    {"!contract_tiles", product_of_taken, {2, {50, 70}}, {2, {70, 40}}},
    {"!contract_tiles", product, {2, {31, 64}}, {2, {64, 50}}},
    {"!contract_tiles", product, {2, {50, 64}}, {2, {64, 31}}},
    {"!contract_tiles", product, {2, {50, 63}}, {2, {63, 50}}},
    {"!contract_tiles", product_of_negated, {2, {40, 64}}, {2, {64, 40}}},
    {"!contract_tiles", product_of_negated_bytes, {2, {40, 64}}, {2, {64, 40}}},
    {"!contract_tiles", product_of_long, {2, {50, 64}}, {2, {64, 50}}},
};

/* A kernel for machines that have none takes part in whatever the strategy does. */
Test(byte_tiles, contract_what_was_bytes)
{
    zc_are_tiles_written_out = true;
    EXPECT_STRATEGIES("byte tiles, written out", cases, 1 << ZC_INT8 | 1 << ZC_UINT8);
    zc_are_tiles_written_out = false;
    if (zc_kernels_tiles(zc_kernels_best()) != NULL)
        EXPECT_STRATEGIES("byte tiles, the machine's", cases, 1 << ZC_INT8 | 1 << ZC_UINT8);
}

/* Blocks become smaller until there is room for what is packed beside the result. */
Test(byte_tiles, fit_into_any_memory)
{
    zc_skip_of_one_thread();
    enum { SIDE = 300 };
    static int8_t x[SIDE * SIDE];
    static int32_t free_result[SIDE * SIDE];
    zc_random_begin("byte tiles, limits");
    zc_are_tiles_written_out = true;
    for (int i = 0; i < SIDE * SIDE; i++)
        x[i] = (int8_t)zc_random_range(-128, 127);
    for (int64_t room = 0; room < 1 << 20; room = 2 * room + 1000) {
        const zc_options options = {.threads = 1, .memory_limit = (int64_t)(sizeof free_result + sizeof x) + room};
        zc_context *ctx = zc_context_new(&options);
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *out = NULL;
        const zc_tensor *t = zc_from_data(ctx, ZC_INT8, ZC_SHAPE(SIDE, SIDE), x, sizeof x);
        cr_assert_eq(zc_materialize(product(t, t), &out), ZC_OK, "%s", zc_error_text(ctx));
        cr_assert_leq(zc_memory_usage(ctx).peak_bytes, options.memory_limit);
        const int32_t *sums = zc_data(out);
        if (room == 0)
            memcpy(free_result, sums, sizeof free_result);
        cr_assert_arr_eq(sums, free_result, sizeof free_result, "%ld bytes beside the result", (long)room);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
    int32_t sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += x[7 * SIDE + k] * x[k * SIDE + 11];
    cr_assert_eq(free_result[7 * SIDE + 11], sum);
    zc_are_tiles_written_out = false;
}

/* ---- The kernels ---- */

static void draw_bytes(char *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (char)zc_random_range(-128, 127);
}

Test(byte_tiles, kernels_multiply_as_loops_do)
{
    enum { ROUNDS = 50, MOST_STEPS = 5, MOST_ROWS = 3 * ZC_TILE_SIDE, SUMS_ROW = ZC_TILE_SIDE + 5 };
    static char x[MOST_ROWS * MOST_STEPS * ZC_TILE_PRODUCTS], y[MOST_STEPS * ZC_TILE_PRODUCTS * ZC_TILE_SIDE];
    static char packed[2][sizeof y];
    static uint32_t sums[2][MOST_ROWS * SUMS_ROW];
    const zc_tile_kernels *kernels = zc_kernels_tiles(zc_kernels_best());
    zc_random_begin("byte tiles, kernels");
    for (int round = 0; round < ROUNDS && kernels != NULL; round++) {
        const bool is_in_place = zc_random_bool();
        draw_bytes(x, sizeof x);
        draw_bytes(y, sizeof y);
        zc_byte_tiles t = {.x = x,
                           .rows = ZC_TILE_SIDE * zc_random_range(1, MOST_ROWS / ZC_TILE_SIDE),
                           .steps = zc_random_range(1, MOST_STEPS),
                           .sums_row = zc_random_range(ZC_TILE_SIDE, SUMS_ROW),
                           .x_is_signed = zc_random_bool(),
                           .y_is_signed = zc_random_bool(),
                           .adds = zc_random_bool()};
        t.x_row = is_in_place ? t.steps * ZC_TILE_PRODUCTS : ZC_TILE_PRODUCTS;
        t.x_step = is_in_place ? ZC_TILE_PRODUCTS : t.rows * ZC_TILE_PRODUCTS;
        for (int64_t i = 0; i < MOST_ROWS * SUMS_ROW; i++)
            sums[0][i] = sums[1][i] = (uint32_t)zc_random_range(0, UINT32_MAX);
        for (int64_t s = 0; s < t.steps; s++) {
            const char *from = y + s * ZC_TILE_PRODUCTS * ZC_TILE_SIDE;
            interleave(from, ZC_TILE_SIDE, packed[0] + s * TILE_BYTES, t.steps * TILE_BYTES);
            kernels->interleave(from, ZC_TILE_SIDE, packed[1] + s * TILE_BYTES, t.steps * TILE_BYTES);
        }
        cr_assert_arr_eq(packed[0], packed[1], (size_t)(t.steps * 2 * TILE_BYTES), "round %d", round);
        t.y = packed[0];
        t.sums = sums[0];
        multiply(&t);
        t.sums = sums[1];
        kernels->multiply(&t);
        cr_assert_arr_eq(sums[0], sums[1], sizeof *sums, "round %d", round);
    }
}
