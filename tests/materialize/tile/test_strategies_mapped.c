/* The strategies that store each element where it belongs: runs, copy, transpose, map and map_rows. */
#include "materialize/kernels/tables/dispatch.h"
#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/zc_test.h"

static zc_tensor *flip_rows(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_flip(x, ZC_AXES(0));
}

static zc_tensor *flip_all(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_flip(x, ZC_ALL_AXES);
}

/* Every third element from the second on. */
static zc_tensor *every_third(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_slice(x, -1, 1, ZC_NONE, 3);
}

/* x along y's first axis. */
static zc_tensor *repeated(const zc_tensor *x, const zc_tensor *y)
{
    return zc_broadcast_to(x, zc_rank(y), zc_shape(y));
}

static zc_tensor *transposed(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_permute_dims(x, zc_rank(x), (const int[]){zc_rank(x) - 1, 0, 1});
}

static zc_tensor *matrix_transposed(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_matrix_transpose(x);
}

/* Nothing is consecutive along another axis. */
static zc_tensor *transposed_and_flipped(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_flip(zc_matrix_transpose(x), ZC_AXES(0));
}

static zc_tensor *transposed_sum(const zc_tensor *x, const zc_tensor *y)
{
    return zc_add(zc_matrix_transpose(x), y);
}

static zc_tensor *sum(const zc_tensor *x, const zc_tensor *y)
{
    return zc_add(x, y);
}

static zc_tensor *sum_of_flipped_rows(const zc_tensor *x, const zc_tensor *y)
{
    return zc_add(zc_flip(x, ZC_AXES(0)), y);
}

static zc_tensor *sum_of_flipped(const zc_tensor *x, const zc_tensor *y)
{
    return zc_add(zc_flip(x, ZC_AXES(-1)), y);
}

static zc_tensor *equality(const zc_tensor *x, const zc_tensor *y)
{
    return zc_equal(x, y);
}

static zc_tensor *sum_of_repeated(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_broadcast_to(x, zc_rank(y), zc_shape(y)), ZC_AXES(0), false);
}

/* Nine runs, of three kinds, along the last axis. */
static zc_tensor *laid_along_last(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *const runs[] = {x, y, zc_flip(x, ZC_AXES(-1)), y, x, x, zc_flip(y, ZC_ALL_AXES), x, y};
    return zc_concat(zc_context_of(x), 9, runs, -1);
}

static zc_tensor *laid_along_first(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *const runs[] = {x, y, zc_flip(x, ZC_AXES(-1)), zc_flip(y, ZC_AXES(0)), x};
    return zc_concat(zc_context_of(x), 5, runs, 0);
}

/* Concats along both axes in turns, deeper than slabs lie inside each other: one of them is stored on its own, and then
 * laid into its slab after all. */
static zc_tensor *laid_along_both(const zc_tensor *x, const zc_tensor *y)
{
    enum { DEPTH = 40 };
    zc_tensor *laid = zc_slice(x, 0, 0, ZC_NONE, 1);
    (void)y;
    for (int i = 0; i < DEPTH; i++) {
        zc_tensor *line =
            zc_broadcast_to(zc_slice(zc_slice(x, 0, 0, 1, 1), 1, 0, 1, 1), 2,
                            (const int64_t[]){i % 2 == 0 ? 1 : zc_shape(laid)[0], i % 2 == 0 ? zc_shape(laid)[1] : 1});
        const zc_tensor *const runs[] = {line, laid};
        laid = zc_concat(zc_context_of(x), 2, runs, i % 2);
    }
    return laid;
}

/* Each a column: every element of a run lies in a row of its own. */
static zc_tensor *stacked_columns(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *const runs[] = {x, zc_flip(y, ZC_AXES(0)), x};
    return zc_stack(zc_context_of(x), 3, runs, 1);
}

/* Columns of the transposed, so that neither side is consecutive. */
static zc_tensor *laid_transposed(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *const runs[] = {zc_matrix_transpose(x), y};
    return zc_permute_dims(zc_copy(zc_concat(zc_context_of(x), 2, runs, 1)), ZC_AXES(1, 0));
}

static zc_tensor *framed(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    static const int64_t before[] = {1, 2}, after[] = {3, 1};
    return zc_pad(x, 2, before, after, ZC_PAD_WRAP, NULL);
}

/* Runs of a roll: what is rolled is computed, and there before. */
static zc_tensor *rolled_twice(const zc_tensor *x, const zc_tensor *y)
{
    zc_tensor *sum = zc_copy(zc_add(x, y));
    return zc_add(zc_roll(sum, 1, (const int64_t[]){3}, (const int[]){-1}), sum);
}

static const strategy_case runs[] = {
    {"runs", laid_along_last, {1, {1}}, {1, {2}}},
    {"runs", laid_along_last, {1, {100}}, {1, {8192}}},
    {"runs", laid_along_last, {2, {3, 5}}, {2, {3, 1}}},
    {"runs", laid_along_last, {4, {2, 3, 2, 3}}, {4, {2, 3, 2, 7}}},
    {"runs", laid_along_first, {1, {7}}, {1, {9}}},
    {"runs", laid_along_first, {2, {3, 50}}, {2, {40, 50}}}, /* several units */
    {"runs", laid_along_first, {3, {1, 4, 5}}, {3, {6, 4, 5}}},
    {"runs", laid_along_both, {2, {3, 5}}, ONE},
    {"runs", stacked_columns, {1, {50}}, {1, {50}}},
    {"runs", laid_transposed, {2, {3, 5}}, {2, {5, 4}}},
    {"runs", framed, {2, {4, 5}}, ONE},
    {"runs", rolled_twice, {1, {1000}}, {1, {1000}}},
    {"!runs", laid_along_first, {1, {8193}}, {1, {8193}}},
    {"none", laid_along_last, {2, {0, 5}}, {2, {0, 5}}},
};

Test(strategies, runs_takes_small_pieces_that_are_only_moved)
{
    EXPECT_STRATEGIES("strategies, runs", runs, NUMBERS);
}

static const strategy_case no_runs[] = {{"!runs", laid_along_last, {1, {100}}, {1, {100}}}};

Test(strategies, runs_leaves_bools_to_others)
{
    EXPECT_STRATEGIES("strategies, runs of bools", no_runs, BOOLS);
}

static const strategy_case copies[] = {
    {"copy", flip_rows, {2, {2, 2}}, ONE},
    {"copy", flip_rows, {2, {5, 7}}, ONE},
    {"copy", flip_rows, {2, {3, 1025}}, ONE},
    {"copy", flip_rows, {3, {3, 4, 5}}, ONE},
    {"copy", flip_rows, {1, {2}}, ONE},
    {"copy", flip_all, {2, {5, 7}}, ONE},
    {"copy", flip_all, {1, {1023}}, ONE},
    {"copy", flip_all, {1, {1024}}, ONE},
    {"copy", flip_all, {1, {16385}}, ONE},
    {"copy", every_third, {1, {5}}, ONE},
    {"copy", every_third, {2, {3, 50}}, ONE},
    {"copy", repeated, {2, {1, 7}}, {2, {300, 7}}},
    {"copy", repeated, {2, {5, 1}}, {2, {5, 3000}}},
    {"copy", repeated, {1, {1}}, {2, {2, 3}}},
    {"copy", transposed_and_flipped, {2, {5, 7}}, ONE},
    {"!copy", matrix_transposed, {2, {5, 7}}, ONE}, /* cheaper by squares */
    {"none", every_third, {1, {3}}, ONE},           /* one element is dense where it is */
    {"none", flip_rows, {2, {0, 7}}, ONE},
    {"none", repeated, {2, {1, 0}}, {2, {5, 0}}},
};

Test(strategies, copy_moves_rows_of_what_is_only_loaded)
{
    EXPECT_STRATEGIES("strategies, copy", copies, NUMBERS);
}

/* Past the caches. */
static const strategy_case large_copies[] = {
    {"copy", flip_rows, {2, {1100, 2049}}, ONE},
};

Test(strategies, copy_moves_large_rows)
{
    EXPECT_STRATEGIES("strategies, large copies", large_copies, WIDE_FLOATS);
}

static const strategy_case never_copies[] = {
    {"map", flip_rows, {2, {5, 7}}, ONE},
    {"map", repeated, {2, {1, 7}}, {2, {300, 7}}},
};

Test(strategies, copy_leaves_bools_to_map)
{
    EXPECT_STRATEGIES("strategies, copies of bools", never_copies, BOOLS);
}

static const strategy_case transposes[] = {
    {"transpose", matrix_transposed, {2, {2, 2}}, ONE},
    {"transpose", matrix_transposed, {2, {5, 7}}, ONE},
    {"transpose", matrix_transposed, {2, {2, 1000}}, ONE},
    {"transpose", matrix_transposed, {2, {1000, 2}}, ONE},
    {"transpose", matrix_transposed, {2, {63, 129}}, ONE},
    {"transpose", matrix_transposed, {2, {64, 128}}, ONE},
    {"transpose", matrix_transposed, {2, {129, 65}}, ONE},
    {"transpose", matrix_transposed, {3, {3, 17, 33}}, ONE},
    {"transpose", transposed, {3, {5, 6, 7}}, ONE},
    {"transpose", transposed_sum, {2, {33, 65}}, {2, {65, 33}}},
    {"transpose", transposed_sum, {2, {33, 65}}, {1, {33}}},
    {"transpose", transposed_sum, {2, {3, 5}}, {2, {5, 1}}},
    {"!transpose", matrix_transposed, {2, {1, 7}}, ONE}, /* one column is a row */
    {"!transpose", transposed_and_flipped, {2, {5, 7}}, ONE},
    {"!transpose", sum, {2, {5, 7}}, {2, {5, 7}}},
    {"none", matrix_transposed, {2, {0, 7}}, ONE},
};

Test(strategies, transpose_takes_what_is_consecutive_along_another_axis)
{
    EXPECT_STRATEGIES("strategies, transpose", transposes, ALL_DTYPES);
}

/* Rows of y, and of y flipped, picked by positions that are loaded, computed, and counted. */
static zc_tensor *picked_rows(const zc_tensor *x, const zc_tensor *y)
{
    (void)x;
    zc_context *ctx = zc_context_of(y);
    zc_tensor *n = zc_iota(ctx, zc_shape(y)[0]);
    zc_tensor *at = NULL;
    if (zc_materialize(zc_remainder(zc_multiply(n, zc_weak_int(ctx, 7)), zc_weak_int(ctx, zc_shape(y)[0])), &at) !=
        ZC_OK)
        return NULL;
    zc_tensor *backwards = zc_subtract(zc_weak_int(ctx, -1), at);
    zc_tensor *three = zc_add(zc_take(y, at, 0), zc_take(zc_flip(y, ZC_AXES(-1)), backwards, 0));
    return zc_add(three, zc_take(y, n, 0));
}

/* A position for each row and one for each column, so that no row is moved as a whole. */
static zc_tensor *picked_elements(const zc_tensor *x, const zc_tensor *y)
{
    (void)x;
    zc_context *ctx = zc_context_of(y);
    zc_tensor *rows = zc_expand_dims(zc_iota(ctx, zc_shape(y)[0]), 1), *columns = zc_iota(ctx, zc_shape(y)[1]);
    const zc_tensor *const positions[] = {rows, columns};
    return zc_add(zc_gather(y, ZC_AXES(0, 1), positions), zc_take(y, zc_iota(ctx, zc_shape(y)[0]), 0));
}

static const strategy_case picks[] = {
    {"map", picked_rows, ONE, {2, {5, 7}}},      {"map", picked_rows, ONE, {2, {300, 128}}},
    {"map", picked_rows, ONE, {2, {3, 5000}}},   {"map", picked_rows, ONE, {2, {40, 1}}},
    {"map", picked_rows, ONE, {3, {9, 5, 33}}},  {"map", picked_elements, ONE, {2, {30, 50}}},
    {"map", picked_elements, ONE, {2, {1, 600}}}};

Test(strategies, map_picks_rows_by_one_position_each)
{
    EXPECT_STRATEGIES("strategies, picks", picks, ALL_DTYPES);
}

static const strategy_case maps[] = {
    {"map", sum, {0, {0}}, {0, {0}}},
    {"map", sum, {1, {1}}, {1, {1}}},
    {"map", sum, {1, {2}}, {1, {2}}},
    {"map", sum, {1, {1023}}, {1, {1023}}},
    {"map", sum, {1, {1024}}, {1, {1024}}},
    {"map", sum, {1, {1025}}, {1, {1}}},
    {"map", sum, {2, {5, 7}}, {2, {5, 7}}}, /* one long row */
    {"map", sum, {2, {5, 7}}, {1, {7}}},    /* rows too short for a chain */
    {"map", sum, {1, {16385}}, {1, {16385}}},
    {"map", sum_of_flipped, {2, {3, 700}}, {1, {700}}},
    {"map", sum_of_flipped, {1, {4097}}, {1, {4097}}},
    {"map", equality, {2, {3, 700}}, {1, {700}}}, /* a bool of other dtypes is no step of a chain */
    {"map", last_sum, {2, {5, 0}}, ONE},          /* nothing is reduced */
    {"map", sum_of_repeated, {2, {1, 7}}, {2, {9, 7}}},
    {"!map", transposed_sum, {2, {33, 65}}, {2, {65, 33}}},
    {"none", sum, {2, {0, 7}}, {1, {7}}},
};

Test(strategies, map_takes_every_stage_that_combines_nothing)
{
    EXPECT_STRATEGIES("strategies, map", maps, ALL_DTYPES);
}

static const strategy_case sums[] = {{"!map", last_sum, {2, {5, 7}}, ONE}, {"!map", last_sum, {1, {7}}, ONE}};

Test(strategies, map_leaves_reductions_to_others)
{
    EXPECT_STRATEGIES("strategies, map of sums", sums, BOOLS | INTEGERS | WIDE_FLOATS | COMPLEX);
}

static zc_tensor *two_steps(const zc_tensor *x, const zc_tensor *y)
{
    return zc_add(zc_multiply(zc_flip(x, ZC_AXES(0)), y), y);
}

static zc_tensor *two_steps_backwards(const zc_tensor *x, const zc_tensor *y)
{
    return zc_add(zc_multiply(zc_flip(x, ZC_AXES(-1)), y), y);
}

/* More rows of x, each the same along y's first axis, than are kept from tile to tile. */
static zc_tensor *sum_of_many_rows(const zc_tensor *x, const zc_tensor *y)
{
    zc_tensor *t = zc_add(y, zc_index(x, 0, 0));
    for (int i = 1; i < 70; i++)
        t = zc_add(t, zc_index(x, 0, i));
    return t;
}

static const strategy_case rows[] = {
    {"map_rows", two_steps, {2, {2, 512}}, {2, {2, 512}}},
    {"map_rows", two_steps, {2, {7, 513}}, {2, {7, 513}}},
    {"map_rows", two_steps, {2, {3, 1023}}, {2, {3, 1023}}},
    {"map_rows", two_steps, {2, {33, 1024}}, {2, {33, 1024}}},
    {"map_rows", two_steps, {2, {40, 1025}}, {2, {40, 1025}}},
    {"map_rows", two_steps, {2, {2, 16384}}, {2, {2, 16384}}},
    {"map_rows", two_steps, {3, {2, 3, 600}}, {3, {2, 3, 600}}},
    {"map_rows", sum, {2, {5, 600}}, {2, {5, 1}}}, /* stride 0 along the rows */
    {"!map_rows", sum, {2, {5, 600}}, {1, {600}}}, /* stride 0 across them: y is kept in a block */
    {"!map_rows", two_steps, {2, {2, 16385}}, {2, {2, 16385}}},
    {"!map_rows", two_steps, {2, {9, 7}}, {2, {9, 7}}},
    {"!map_rows", sum_of_many_rows, {2, {70, 6000}}, {2, {5, 6000}}},
    {"!map_rows", sum, {1, {600}}, {1, {600}}},
    {"!map_rows", two_steps_backwards, {2, {5, 600}}, {2, {5, 600}}},
    {"!map_rows", sum_of_flipped_rows, {2, {5, 600}}, {2, {5, 600}}}, /* one operation has a kernel of its own */
};

Test(strategies, map_rows_runs_one_chain_along_each_row)
{
    if (zc_kernels_best()->chains == NULL)
        cr_skip_test("this machine has no vectors for chains");
    EXPECT_STRATEGIES("strategies, map_rows", rows, INTEGERS | WIDE_FLOATS);
}

static const strategy_case no_chains[] = {
    {"!map_rows", two_steps, {2, {5, 600}}, {2, {5, 600}}},
};

Test(strategies, map_rows_leaves_dtypes_without_chains_to_map)
{
    EXPECT_STRATEGIES("strategies, map_rows of others", no_chains, BOOLS | NARROW_FLOATS | COMPLEX);
}

static zc_tensor *exponential(const zc_tensor *x, const zc_tensor *y)
{
    return zc_exp(two_steps(x, y));
}

static const strategy_case costly[] = {{"map", exponential, {2, {5, 600}}, {2, {5, 600}}}};

Test(strategies, map_rows_leaves_costly_operations_to_map)
{
    EXPECT_STRATEGIES("strategies, map_rows of costly operations", costly, FLOATS);
}
