/* The strategies that reduce: reduce_rows, reduce_run and reduce_columns, and those for sums over pairs of rows. */
#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/zc_test.h"

static zc_tensor *first_sum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(x, ZC_AXES(0), false);
}

static zc_tensor *whole_sum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(x, ZC_ALL_AXES, false);
}

static zc_tensor *last_mean_of_sums(const zc_tensor *x, const zc_tensor *y)
{
    return zc_mean(zc_add(x, y), ZC_AXES(-1), false);
}

static zc_tensor *last_sum_of_products(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_multiply(x, y), ZC_AXES(-1), false);
}

static zc_tensor *first_sum_of_products(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_multiply(x, y), ZC_AXES(0), false);
}

static zc_tensor *last_sum_of_flipped(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(zc_flip(x, ZC_ALL_AXES), ZC_AXES(-1), false);
}

static zc_tensor *first_sum_of_flipped(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(zc_flip(x, ZC_AXES(0)), ZC_AXES(0), false);
}

static zc_tensor *first_sum_of_transposed(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(zc_matrix_transpose(x), ZC_AXES(0), false);
}

static zc_tensor *last_sum_of_transposed(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(zc_matrix_transpose(x), ZC_AXES(-1), false);
}

static zc_tensor *last_all(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_all(x, ZC_AXES(-1), false);
}

static zc_tensor *last_maximum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_max(x, ZC_AXES(-1), false);
}

static zc_tensor *first_minimum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_min(x, ZC_AXES(0), false);
}

static zc_tensor *whole_maximum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_max(x, ZC_ALL_AXES, false);
}

static zc_tensor *last_argmax(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_argmax(x, ZC_AXES(-1), false);
}

static zc_tensor *first_argmin(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_argmin(x, ZC_AXES(0), false);
}

/* Sums of products over all pairs of rows, rounded twice for each product. */
static zc_tensor *dots(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_multiply(zc_expand_dims(x, 1), y), ZC_AXES(-1), false);
}

static zc_tensor *dots_by_columns(const zc_tensor *x, const zc_tensor *y)
{
    return dots(x, zc_matrix_transpose(y));
}

static zc_tensor *dots_of_flipped(const zc_tensor *x, const zc_tensor *y)
{
    return dots(zc_flip(x, ZC_AXES(0)), y);
}

static zc_tensor *dots_backwards(const zc_tensor *x, const zc_tensor *y)
{
    return dots(zc_flip(x, ZC_AXES(1)), y);
}

static zc_tensor *distances(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_square(zc_subtract(zc_expand_dims(x, 1), y)), ZC_AXES(-1), false);
}

static zc_tensor *magnitudes(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_abs(zc_subtract(zc_expand_dims(x, 1), y)), ZC_AXES(-1), false);
}

/* Others from the last one to the first. */
static zc_tensor *distances_of_reversed(const zc_tensor *x, const zc_tensor *y)
{
    return distances(x, zc_flip(y, ZC_AXES(0)));
}

/* Stored a pair at a time, and in rows that are longer. */
static zc_tensor *dots_in_pairs(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *const both[] = {dots(x, y), zc_negative(dots(x, y))};
    return zc_stack(zc_context_of(x), 2, both, 2);
}

static zc_tensor *dots_side_by_side(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *const both[] = {dots(x, y), distances(x, y)};
    return zc_concat(zc_context_of(x), 2, both, 1);
}

/* Sums of the square of one load and the other one as it is. */
static zc_tensor *sums_with_squares(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_add(y, zc_multiply(zc_expand_dims(x, 1), zc_expand_dims(x, 1))), ZC_AXES(-1), false);
}

static const strategy_case rows[] = {
    {"reduce_rows", last_sum, {2, {2, 2}}, ONE},
    {"reduce_rows", last_sum, {2, {5, 7}}, ONE},
    {"reduce_rows", last_sum, {2, {3, 1023}}, ONE},
    {"reduce_rows", last_sum, {2, {3, 1024}}, ONE},
    {"reduce_rows", last_sum, {3, {2, 3, 70}}, ONE},
    {"reduce_rows", last_sum_of_flipped, {2, {3, 70}}, ONE},
    {"reduce_rows", last_sum_of_products, {2, {33, 70}}, {1, {70}}},
    {"reduce_rows", last_sum_of_products, {2, {33, 70}}, {2, {33, 1}}},
    {"reduce_rows", first_sum_of_transposed, {2, {5, 70}}, ONE}, /* rows in memory */
    {"reduce_rows", last_all, {2, {5, 70}}, ONE},
    {"!reduce_rows", last_sum, {2, {3, 1025}}, ONE},
    {"!reduce_rows", last_sum, {1, {7}}, ONE},
    {"!reduce_rows", last_sum, {2, {7, 1}}, ONE},
    {"!reduce_rows", last_sum, {2, {7, 0}}, ONE},
    {"none", last_sum, {2, {0, 7}}, ONE},
};

Test(strategies, reduce_rows_takes_short_rows)
{
    EXPECT_STRATEGIES("strategies, reduce_rows", rows, ALL_DTYPES);
}

static const strategy_case runs[] = {
    {"reduce_run", last_sum, {1, {2}}, ONE},
    {"reduce_run", last_sum, {1, {1023}}, ONE},
    {"reduce_run", last_sum, {1, {1024}}, ONE},
    {"reduce_run", last_sum, {1, {1025}}, ONE},
    {"reduce_run", last_sum, {2, {3, 1025}}, ONE},
    {"reduce_run", last_sum, {2, {1, 1025}}, ONE},
    {"reduce_run", whole_sum, {2, {5, 7}}, ONE},
    {"reduce_run", whole_sum, {3, {3, 40, 50}}, ONE},
    {"reduce_run", last_sum_of_flipped, {2, {3, 3000}}, ONE},
    {"reduce_run", last_sum_of_products, {2, {3, 3000}}, {2, {3, 1}}},
    {"reduce_run", last_all, {2, {3, 3000}}, ONE},
    {"!reduce_run", last_sum, {2, {5, 7}}, ONE},
    {"!reduce_run", whole_sum, {1, {1}}, ONE},
};

Test(strategies, reduce_run_takes_long_rows)
{
    EXPECT_STRATEGIES("strategies, reduce_run", runs, ALL_DTYPES);
}

/* Long enough that two threads divide one result's elements. */
static const strategy_case long_runs[] = {
    {"reduce_run", whole_sum, {1, {100000}}, ONE},
    {"reduce_run", last_mean_of_sums, {2, {2, 70001}}, {1, {1}}},
};

Test(strategies, reduce_run_divides_among_threads)
{
    EXPECT_STRATEGIES("strategies, long runs", long_runs, FLOATS | COMPLEX);
}

static const strategy_case columns[] = {
    {"reduce_columns", first_sum, {2, {2, 2}}, ONE},
    {"reduce_columns", first_sum, {2, {7, 5}}, ONE},
    {"reduce_columns", first_sum, {2, {1023, 3}}, ONE},
    {"reduce_columns", first_sum, {2, {1025, 17}}, ONE},
    {"reduce_columns", first_sum, {2, {3, 255}}, ONE},
    {"reduce_columns", first_sum, {2, {40, 257}}, ONE},
    {"reduce_columns", first_sum, {2, {130, 2050}}, ONE},
    {"reduce_columns", first_sum, {3, {7, 3, 5}}, ONE},
    {"reduce_columns", first_sum_of_flipped, {2, {40, 50}}, ONE},
    {"reduce_columns", first_sum_of_products, {2, {40, 50}}, {1, {50}}},
    {"reduce_columns", last_sum_of_transposed, {2, {40, 50}}, ONE}, /* columns in memory */
    {"!reduce_columns", first_sum, {2, {7, 1}}, ONE},
    {"!reduce_columns", first_sum, {2, {1, 7}}, ONE},
    {"!reduce_columns", first_sum_of_transposed, {2, {40, 50}}, ONE},
    {"none", first_sum, {2, {7, 0}}, ONE},
};

Test(strategies, reduce_columns_takes_results_side_by_side)
{
    EXPECT_STRATEGIES("strategies, reduce_columns", columns, ALL_DTYPES);
}

static const strategy_case extremes[] = {
    {"reduce_rows", last_maximum, {2, {5, 70}}, ONE},      {"reduce_rows", last_argmax, {2, {5, 70}}, ONE},
    {"reduce_run", last_argmax, {2, {3, 3000}}, ONE},      {"reduce_run", whole_maximum, {1, {70000}}, ONE},
    {"reduce_columns", first_minimum, {2, {40, 50}}, ONE}, {"reduce_columns", first_argmin, {2, {40, 50}}, ONE},
};

Test(strategies, extremes_are_reduced_in_each_way)
{
    EXPECT_STRATEGIES("strategies, extremes", extremes, REALS);
}

/* Rows of y at any positions, some counted from the end: as many bags of as many as x has. */
static zc_tensor *in_bags(const zc_tensor *x, const zc_tensor *y)
{
    zc_context *ctx = zc_context_of(y);
    zc_tensor *n = zc_reshape(zc_iota(ctx, zc_size(x)), zc_rank(x), zc_shape(x));
    zc_tensor *at = zc_remainder(zc_multiply(n, zc_weak_int(ctx, 7)), zc_weak_int(ctx, 2 * zc_shape(y)[0]));
    return zc_take(y, zc_subtract(at, zc_weak_int(ctx, zc_shape(y)[0])), 0);
}

static zc_tensor *sums_of_bags(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(in_bags(x, y), ZC_AXES(1), false);
}

static zc_tensor *minima_of_bags(const zc_tensor *x, const zc_tensor *y)
{
    return zc_min(in_bags(x, y), ZC_AXES(1), false);
}

static zc_tensor *argmaxima_of_bags(const zc_tensor *x, const zc_tensor *y)
{
    return zc_argmax(in_bags(x, y), ZC_AXES(1), false);
}

static const strategy_case bags[] = {
    {"reduce_columns", sums_of_bags, {2, {3, 16}}, {2, {40, 128}}},
    {"reduce_columns", sums_of_bags, {2, {40, 16}}, {2, {50, 128}}}, /* more positions than a row has elements */
    {"reduce_columns", sums_of_bags, {2, {2, 5}}, {2, {7, 200}}},
    {"reduce_columns", sums_of_bags, {2, {2, 50}}, {2, {9, 160}}},
    {"reduce_columns", sums_of_bags, {2, {1, 1100}}, {2, {30, 1030}}}, /* sum blocks, and columns, of several tiles */
};

Test(strategies, reduce_columns_joins_rows_of_a_table_where_they_are)
{
    EXPECT_STRATEGIES("strategies, bags", bags, ALL_DTYPES);
}

static const strategy_case extreme_bags[] = {
    {"reduce_columns", minima_of_bags, {2, {3, 16}}, {2, {40, 128}}},
    {"reduce_columns", minima_of_bags, {2, {2, 37}}, {2, {40, 300}}},
    {"reduce_columns", argmaxima_of_bags, {2, {3, 37}}, {2, {40, 128}}},
};

Test(strategies, extremes_of_rows_of_a_table_are_joined_where_they_are)
{
    EXPECT_STRATEGIES("strategies, extreme bags", extreme_bags, REALS);
}

static const strategy_case short_dots[] = {
    {"row_dot", dots, {2, {4, 2}}, {2, {16, 2}}},
    {"row_dot", dots, {2, {33, 3}}, {2, {17, 3}}},
    {"row_dot", dots, {2, {5, 15}}, {2, {31, 15}}},
    {"row_dot", dots, {2, {5, 16}}, {2, {32, 16}}},
    {"row_dot", dots, {2, {5, 128}}, {2, {600, 128}}},
    {"row_dot", distances, {2, {5, 7}}, {2, {33, 7}}},
    {"row_dot", distances, {2, {5, 40}}, {2, {48, 40}}},
    {"row_dot", distances_of_reversed, {2, {5, 16}}, {2, {48, 16}}},
    {"row_dot", magnitudes, {2, {33, 3}}, {2, {64, 3}}},
    {"row_dot", magnitudes, {2, {5, 21}}, {2, {35, 21}}},
    {"dot_block", magnitudes, {2, {9, 200}}, {2, {6, 200}}},
    {"row_dot", dots_of_flipped, {2, {5, 7}}, {2, {33, 7}}},
    {"dot_block", dots, {2, {5, 129}}, {2, {32, 129}}}, /* a longer row */
    {"dot_block", dots, {2, {5, 16}}, {2, {15, 16}}},   /* less than a vector of others */
    {"dot_block", distances, {2, {5, 1023}}, {2, {6, 1023}}},
    {"dot_block", dots, {2, {4, 1024}}, {2, {4, 1024}}},
    {"dot_block", dots, {2, {6, 1025}}, {2, {7, 1025}}}, /* two sum blocks */
    {"dot_block", dots_of_flipped, {2, {9, 3000}}, {2, {5, 3000}}},
    {"!dot_block", dots, {2, {5, 17}}, {2, {15, 17}}},    /* most would be the ends of the sums */
    {"!dot_block", dots, {2, {3, 1024}}, {2, {4, 1024}}}, /* too few rows */
    {"!dot_block", dots_backwards, {2, {5, 1024}}, {2, {5, 1024}}},
    {"!row_dot", dots_backwards, {2, {5, 7}}, {2, {33, 7}}},
    {"!row_dot", dots_by_columns, {2, {5, 7}}, {2, {7, 33}}},
    {"!row_dot", dots, {2, {5, 0}}, {2, {33, 0}}},
    {"none", dots, {2, {0, 7}}, {2, {33, 7}}},
};

Test(strategies, row_dot_and_dot_block_take_pairs_of_rows)
{
    EXPECT_STRATEGIES("strategies, pairs of rows", short_dots, WIDE_FLOATS);
}

/* Results stored with strides, in rows that are longer, and past the caches. */
static const strategy_case stored_dots[] = {
    {"row_dot", dots_in_pairs, {2, {5, 7}}, {2, {33, 7}}},
    {"dot_block", dots_in_pairs, {2, {5, 129}}, {2, {32, 129}}},
    {"row_dot", dots_side_by_side, {2, {5, 7}}, {2, {33, 7}}},
    {"dot_block", dots_side_by_side, {2, {5, 129}}, {2, {32, 129}}},
    {"!row_dot", sums_with_squares, {2, {5, 7}}, {2, {33, 7}}},
    {"row_dot", dots_side_by_side, {2, {1003, 4}}, {2, {8, 4}}}, /* of few columns: along the rows */
    {"row_dot", dots_in_pairs, {2, {700, 5}}, {2, {3, 5}}},
    {"row_dot", dots_side_by_side, {2, {2, 6}}, {2, {99, 6}}},
    {"!row_dot", dots_side_by_side, {2, {15, 4}}, {2, {8, 4}}},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* where these take minutes */
    {"row_dot", dots, {2, {2900, 2}}, {2, {2912, 2}}},
    {"row_dot", dots_side_by_side, {2, {200000, 16}}, {2, {8, 16}}},
#endif
};

Test(strategies, row_dot_and_dot_block_store_where_they_are_to)
{
    EXPECT_STRATEGIES("strategies, stored pairs of rows", stored_dots, WIDE_FLOATS);
}

static const strategy_case no_dots[] = {
    {"!row_dot", dots, {2, {5, 7}}, {2, {33, 7}}},
    {"!dot_block", dots, {2, {5, 256}}, {2, {5, 256}}},
    {"!row_dot", magnitudes, {2, {5, 7}}, {2, {33, 7}}},
    {"!dot_block", magnitudes, {2, {5, 256}}, {2, {5, 256}}},
};

/* Windows as long as y. */
static zc_tensor *sums_of_windows(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_sliding_window_view(x, ZC_SHAPE(zc_size(y)), ZC_AXES(0)), ZC_AXES(-1), false);
}

static zc_tensor *largest_of_windows(const zc_tensor *x, const zc_tensor *y)
{
    return zc_max(zc_abs(zc_sliding_window_view(x, ZC_SHAPE(zc_size(y)), ZC_AXES(0))), ZC_AXES(-1), false);
}

static const strategy_case windows[] = {
    {"reduce_tiles", sums_of_windows, {1, {5003}}, {1, {20}}},
    {"reduce_tiles", sums_of_windows, {1, {2000}}, {1, {200}}},
    {"reduce_tiles", largest_of_windows, {1, {1501}}, {1, {50}}},
    {"!reduce_tiles", sums_of_windows, {1, {300}}, {1, {200}}}, /* fewer windows than elements */
};

Test(strategies, reduce_tiles_joins_windows)
{
    EXPECT_STRATEGIES("strategies, windows", windows, INTEGERS | WIDE_FLOATS);
}

/* One row of many results after the other, of fewer elements than lanes, whose others are turned once. */
static zc_tensor *cubes(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *apart = zc_abs(zc_subtract(zc_expand_dims(x, 1), y));
    return zc_sum(zc_multiply(zc_square(apart), apart), ZC_AXES(-1), false);
}

static zc_tensor *largest_difference(const zc_tensor *x, const zc_tensor *y)
{
    return zc_max(zc_abs(zc_subtract(zc_expand_dims(x, 1), y)), ZC_AXES(-1), false);
}

static const strategy_case short_rows_of_pairs[] = {
    {"reduce_tiles", cubes, {2, {40, 3}}, {2, {300, 3}}},
    {"reduce_tiles", cubes, {2, {9, 5}}, {2, {1500, 5}}},
    {"reduce_tiles", cubes, {2, {5, 5}}, {2, {300, 5}}}, /* too few rows to turn the others for */
    {"reduce_tiles", largest_difference, {2, {40, 3}}, {2, {300, 3}}},
};

Test(strategies, reduce_tiles_takes_short_rows_of_pairs)
{
    EXPECT_STRATEGIES("strategies, short rows of pairs", short_rows_of_pairs, WIDE_FLOATS);
}

Test(strategies, other_dtypes_have_no_kernels_of_pairs)
{
    EXPECT_STRATEGIES("strategies, pairs of other rows", no_dots, INTEGERS | NARROW_FLOATS | COMPLEX);
}

/* ---- Operands of different sizes ---- */

static zc_tensor *last_sum_of_turned_products(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_multiply(zc_matrix_transpose(x), zc_matrix_transpose(y)), ZC_AXES(1), false);
}

/* The large operand decides along which axis elements are consecutive. */
static const strategy_case weighted[] = {
    {"reduce_columns", first_sum_of_products, {2, {300, 200}}, {2, {300, 1}}},
    {"reduce_columns", first_sum_of_products, {2, {300, 200}}, {2, {1, 200}}},
    {"reduce_columns", last_sum_of_turned_products, {2, {300, 200}}, {2, {300, 1}}},
    {"reduce_rows", last_sum_of_products, {2, {300, 200}}, {2, {300, 1}}},
    {"reduce_run", last_sum_of_products, {2, {20, 3000}}, {2, {20, 1}}},
};

Test(strategies, the_largest_operand_is_read_in_its_order)
{
    EXPECT_STRATEGIES("strategies, weighted", weighted, NUMBERS & ~NARROW_FLOATS);
}

static zc_tensor *middle_sum_of_products(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_multiply(x, y), ZC_AXES(1), false);
}

/* A small operand is read one by one for the whole domain as a large one is; what repeats along an axis is not. */
static const strategy_case weighted_rows[] = {
    {"reduce_columns", middle_sum_of_products, {3, {40, 300, 1}}, {3, {1, 300, 16}}},
    {"reduce_columns", middle_sum_of_products, {3, {40, 2000, 1}}, {3, {1, 2000, 64}}},
    {"reduce_rows", middle_sum_of_products, {3, {300, 64, 1}}, {3, {1, 64, 64}}}, /* short columns */
    {"reduce_rows", middle_sum_of_products, {3, {300, 200, 1}}, {3, {1, 200, 5}}},
};

Test(strategies, operands_are_read_in_an_order_in_which_none_is_scattered)
{
    EXPECT_STRATEGIES("strategies, weighted rows", weighted_rows, NUMBERS & ~NARROW_FLOATS);
}
