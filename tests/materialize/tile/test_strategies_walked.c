/* Contractions whose rows, products, batches or results are walked along two axes, in reverse or apart: a strategy that
 * takes one stride leaves them to another. */
#include "materialize/kernels/tables/dispatch.h"
#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/zc_test.h"

static zc_tensor *product(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, y);
}

static zc_tensor *einsum(const char *notation, const zc_tensor *x, const zc_tensor *y)
{
    return zc_einsum(zc_context_of(x), notation, 2, (const zc_tensor *[]){x, y});
}

/* All but the last along an axis, so that its steps and those of the axis before are no longer one. */
static zc_tensor *but_last(const zc_tensor *t, int axis)
{
    return zc_slice(t, axis, 0, -1, 1);
}

/* ---- Factors ---- */

static zc_tensor *by_factors_on_two_axes(const zc_tensor *x, const zc_tensor *y)
{
    return einsum("nij,ijk->nk", x, but_last(y, 1));
}

static zc_tensor *row_by_factors_on_two_axes(const zc_tensor *x, const zc_tensor *y)
{
    return einsum("ij,ijk->k", x, but_last(y, 1));
}

static zc_tensor *by_columns_apart(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, zc_slice(y, 1, 0, ZC_NONE, 2));
}

/* Factors of a row that are far apart, from the last one on. */
static zc_tensor *of_rows_that_leap(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_matrix_transpose(zc_flip(x, ZC_AXES(0))), y);
}

/* ---- Batches ---- */

static zc_tensor *by_batches_in_reverse(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, zc_flip(y, ZC_AXES(0)));
}

static zc_tensor *of_batches_on_two_axes(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(but_last(x, 1), y);
}

static zc_tensor *by_batches_on_two_axes(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, but_last(y, 1));
}

static zc_tensor *conjugated_batches_on_two_axes(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_conj(but_last(x, 1)), y);
}

/* With itself, but for the order of batches. */
static zc_tensor *by_other_batches(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_matmul(x, zc_permute_dims(x, ZC_AXES(1, 0, 3, 2)));
}

static zc_tensor *by_some_of_itself(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_matmul(x, zc_matrix_transpose(but_last(x, 0)));
}

/* Takes half of the elements of the same rows, first ones and every second. */
static zc_tensor *by_every_second(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *other = zc_slice(x, 1, 0, ZC_NONE, 2);
    (void)y;
    return zc_matmul(zc_slice(x, 1, 0, zc_shape(other)[1], 1), zc_matrix_transpose(other));
}

static zc_tensor *by_itself(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_matmul(x, zc_matrix_transpose(x));
}

/* ---- Results ---- */

/* Two axes of rows, and other rows behind each of the first. */
static zc_tensor *rows_with_gaps(const zc_tensor *x, const zc_tensor *y)
{
    const int rows = zc_rank(x) - 2;
    zc_tensor *products = rows == 1 ? einsum("abk,kc->abc", x, y) : einsum("nabk,nkc->nabc", x, y);
    return zc_concat(zc_context_of(x), 2, (const zc_tensor *[]){products, zc_slice(x, -1, 0, zc_shape(y)[rows], 1)},
                     rows);
}

/* ---- The strategies ---- */

static const strategy_case cases[] = {
    /* Few columns. */
    {"contract_narrow", by_batches_in_reverse, {3, {5, 64, 3}}, {3, {5, 3, 2}}},
    {"contract_narrow", by_batches_in_reverse, {3, {1000, 64, 3}}, {3, {1000, 3, 3}}},
    {"!contract_narrow", of_rows_that_leap, {2, {200, 100}}, {2, {200, 20}}},
    {"!contract_narrow", rows_with_gaps, {3, {10, 20, 5}}, {2, {5, 2}}},
    /* Rows of four. */
    {"contract_squares", product, {2, {65, 4}}, {2, {4, 4}}}, /* a row is left for a unit of its own */
    {"contract_squares", product, {2, {8193, 4}}, {2, {4, 4}}},
    {"!contract_squares", by_factors_on_two_axes, {3, {80, 2, 2}}, {3, {2, 3, 4}}},
    {"!contract_squares", by_columns_apart, {2, {80, 4}}, {2, {4, 8}}},
    /* One row. */
    {"!contract_few", row_by_factors_on_two_axes, {2, {20, 30}}, {3, {20, 31, 3}}},
    {"contract_lanes", of_batches_on_two_axes, {4, {5, 9, 3, 300}}, {4, {5, 8, 300, 1}}},
    {"contract_lanes", by_batches_on_two_axes, {4, {5, 8, 3, 300}}, {4, {5, 9, 300, 1}}},
    /* Both operands in one memory. */
    {"contract_block", by_some_of_itself, {2, {20, 40}}, ONE},
    {"contract_block", by_every_second, {2, {20, 80}}, ONE},
    {"contract_block", by_itself, {4, {3, 3, 20, 40}}, ONE},
    {"contract_block", by_other_batches, {4, {3, 3, 20, 40}}, ONE},
};

Test(strategies, contractions_are_walked_along_several_axes)
{
    EXPECT_STRATEGIES("strategies, walks", cases, WIDE_FLOATS);
}

static const strategy_case many[] = {
    {"!contract_interleaved", rows_with_gaps, {4, {64, 2, 2, 3}}, {3, {64, 3, 3}}},
    {"!contract_interleaved", rows_with_gaps, {4, {64, 2, 2, 2}}, {3, {64, 2, 2}}},
};

Test(strategies, contract_interleaved_leaves_rows_with_gaps)
{
    EXPECT_STRATEGIES("strategies, rows with gaps", many, INTEGERS | WIDE_FLOATS | COMPLEX);
}

static const strategy_case conjugated[] = {
    {"contract_block", conjugated_batches_on_two_axes, {4, {3, 5, 6, 70}}, {4, {3, 4, 70, 1}}},
    {"contract_lanes", conjugated_batches_on_two_axes, {4, {3, 5, 1, 700}}, {4, {3, 4, 700, 1}}},
};

Test(strategies, contract_lanes_computes_conjugates_of_batches_on_two_axes)
{
    EXPECT_STRATEGIES("strategies, conjugated batches", conjugated, COMPLEX);
}

/* ---- What is read ahead ---- */

static enum { AS_THE_MACHINE, NOT_AHEAD, AHEAD } asks;

bool __real_zc_kernels_ask_ahead(void);
bool __wrap_zc_kernels_ask_ahead(void);
bool __wrap_zc_kernels_ask_ahead(void)
{
    return asks == AS_THE_MACHINE ? __real_zc_kernels_ask_ahead() : asks == AHEAD;
}

static zc_tensor *inner(const zc_tensor *x, const zc_tensor *y)
{
    return zc_vecdot(x, y, -1);
}

/* More factors than caches hold, and fewer. */
static const strategy_case lines[] = {
    {"contract_lanes", inner, {1, {2100000}}, {1, {2100000}}},
    {"contract_lanes", inner, {1, {30000}}, {1, {30000}}},
};

Test(strategies, contract_lanes_has_the_same_bits_however_a_machine_reads)
{
    for (asks = NOT_AHEAD; asks <= AHEAD; asks++)
        EXPECT_STRATEGIES("strategies, reading", lines, WIDE_FLOATS);
    asks = AS_THE_MACHINE;
}
