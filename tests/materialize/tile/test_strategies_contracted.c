/* The strategies that contract: contract_block, contract_batches, contract_few, contract_interleaved, contract_lanes,
 * contract_narrow and contract_row. */
#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/zc_test.h"

static zc_tensor *product(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, y);
}

static zc_tensor *product_of_transposed(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_matrix_transpose(x), zc_matrix_transpose(y));
}

static zc_tensor *product_of_some(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_slice(x, 0, ZC_NONE, ZC_NONE, -2), zc_slice(y, 0, 0, ZC_NONE, 2));
}

static zc_tensor *products_with_gaps(const zc_tensor *x, const zc_tensor *y)
{
    return zc_concat(zc_context_of(x), 2, (const zc_tensor *[]){zc_matmul(x, y), x}, 1);
}

static zc_tensor *product_of_reversed(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, zc_flip(y, ZC_AXES(1)));
}

static zc_tensor *transposed_product(const zc_tensor *x, const zc_tensor *y)
{
    return zc_copy(zc_matrix_transpose(zc_matmul(zc_flip(x, ZC_AXES(1)), y)));
}

static zc_tensor *inner(const zc_tensor *x, const zc_tensor *y)
{
    return zc_vecdot(x, y, -1);
}

static zc_tensor *inner_of_columns(const zc_tensor *x, const zc_tensor *y)
{
    return zc_vecdot(zc_matrix_transpose(x), zc_matrix_transpose(y), -1);
}

static zc_tensor *by_windows(const zc_tensor *x, const zc_tensor *y)
{
    const int64_t window[] = {2, 3};
    zc_tensor *seen = zc_sliding_window_view(x, 2, window, ZC_AXES(0, 1));
    return zc_tensordot(seen, y, 2, (const int[]){2, 3}, (const int[]){0, 1});
}

/* Images (n, c, h, w) and filters (o, c, 2, 3): results of which rows, columns or neither are next to each other. */
static zc_tensor *convolve(const zc_tensor *x, const zc_tensor *y, const char *notation)
{
    zc_tensor *windows = zc_sliding_window_view(x, ZC_SHAPE(2, 3), ZC_AXES(2, 3));
    return zc_einsum(zc_context_of(x), notation, 2, (const zc_tensor *[]){windows, y});
}

static zc_tensor *convolve_to_planes(const zc_tensor *x, const zc_tensor *y)
{
    return convolve(x, y, "nchwij,ocij->nohw");
}

static zc_tensor *convolve_to_channels(const zc_tensor *x, const zc_tensor *y)
{
    return convolve(x, y, "nchwij,ocij->nhwo");
}

static zc_tensor *convolve_turned(const zc_tensor *x, const zc_tensor *y)
{
    return convolve(zc_matrix_transpose(x), y, "nchwij,ocij->nohw");
}

static zc_tensor *convolve_every_second(const zc_tensor *x, const zc_tensor *y)
{
    zc_tensor *seen = zc_slice(zc_slice(x, 2, 0, ZC_NONE, 2), 3, ZC_NONE, ZC_NONE, -2);
    return convolve(seen, y, "nchwij,ocij->nowh");
}

/* The gradient with respect to the filters: y is that of the results. */
static zc_tensor *correlate(const zc_tensor *x, const zc_tensor *y)
{
    return convolve(x, y, "nchwij,nohw->ocij");
}

static zc_tensor *of_constants(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    zc_tensor *halves = zc_full(zc_context_of(x), ZC_SHAPE(zc_shape(x)[0], 5), zc_dtype_of(x), 2);
    return zc_matmul(zc_matrix_transpose(x), halves);
}

static const strategy_case contractions[] = {
    {"contract_block", product, {2, {1, 1}}, {2, {1, 2}}},
    {"contract_block", product, {2, {7, 5}}, {2, {5, 3}}},
    {"contract_block", product, {2, {13, 300}}, {2, {300, 33}}},               /* two chains */
    {"!contract_lanes", product, {2, {1, 300}}, {2, {300, 70}}},               /* a row */
    {"!contract_lanes", product_of_transposed, {2, {300, 70}}, {2, {1, 300}}}, /* a column */
    {"contract_block", product, {2, {5, 5000}}, {2, {5000, 7}}},               /* two runs */
    {"contract_block", product, {2, {3, 13000}}, {2, {13000, 3}}},             /* four */
    {"contract_block", product, {3, {3, 20, 40}}, {3, {3, 40, 50}}},
    {"contract_block", product, {2, {500, 9}}, {2, {9, 300}}}, /* two blocks of rows */
    {"contract_block", product_of_transposed, {2, {40, 30}}, {2, {50, 40}}},
    {"contract_block", transposed_product, {2, {40, 30}}, {2, {30, 50}}},
    {"contract_block", by_windows, {2, {30, 40}}, {3, {2, 3, 16}}},
    {"contract_block", by_windows, {2, {70, 75}}, {3, {2, 3, 40}}},
    {"contract_block", convolve_to_planes, {4, {2, 5, 12, 14}}, {4, {3, 5, 2, 3}}},
    {"contract_block", convolve_to_planes, {4, {2, 50, 5, 20}}, {4, {20, 50, 2, 3}}}, /* two chains */
    {"contract_block", convolve_to_channels, {4, {2, 5, 12, 14}}, {4, {3, 5, 2, 3}}},
    {"contract_block", convolve_to_channels, {4, {2, 50, 4, 20}}, {4, {40, 50, 2, 3}}},
    {"contract_block", convolve_turned, {4, {3, 7, 12, 14}}, {4, {40, 7, 2, 3}}},
    {"contract_block", convolve_every_second, {4, {3, 7, 25, 31}}, {4, {5, 7, 2, 3}}},
    {"contract_block", correlate, {4, {4, 2, 20, 70}}, {4, {4, 3, 19, 68}}}, /* two runs */
    {"contract_block", product, {2, {120, 600}}, {2, {600, 5}}},             /* more rows than stay in the caches */
    {"!contract_lanes", of_constants, {2, {30, 40}}, ONE},
    {"!contract_lanes", product, {2, {7, 5}}, {2, {5, 3}}},
    {"none", product, {2, {0, 5}}, {2, {5, 3}}},
};

Test(strategies, contract_block_takes_matrices)
{
    EXPECT_STRATEGIES("strategies, contractions", contractions, INTEGERS | WIDE_FLOATS | COMPLEX);
}

static zc_tensor *product_of_turned(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_flip(x, ZC_AXES(0)), zc_flip(y, ZC_AXES(0)));
}

static zc_tensor *product_by_steps(const zc_tensor *x, const zc_tensor *y)
{
    return zc_flip(zc_matmul(x, zc_slice(y, 0, 0, ZC_NONE, 2)), ZC_AXES(0));
}

static const strategy_case inner_products[] = {
    {"contract_lanes", inner, {1, {5}}, {1, {5}}},
    {"contract_lanes", inner, {1, {256}}, {1, {256}}},
    {"contract_lanes", inner, {1, {257}}, {1, {257}}},
    {"contract_lanes", inner, {1, {4095}}, {1, {4095}}},
    {"contract_lanes", inner, {1, {2048}}, {1, {2048}}},
    {"contract_lanes", inner, {1, {8192}}, {1, {8192}}},
    {"contract_lanes", inner, {1, {30000}}, {1, {30000}}},
    {"contract_lanes", inner, {1, {2100000}}, {1, {2100000}}}, /* longer than caches are */
    {"contract_lanes", inner, {2, {100, 64}}, {2, {100, 64}}},
    {"contract_lanes", inner, {2, {5, 600}}, {2, {5, 600}}},
    {"contract_lanes", inner_of_columns, {2, {700, 3}}, {2, {700, 3}}},
    {"contract_lanes", inner, {2, {40, 9000}}, {2, {40, 9000}}},
    {"contract_lanes", inner, {2, {3, 200000}}, {2, {3, 200000}}}, /* runs are divided among threads */
    {"contract_lanes", inner_of_columns, {2, {50000, 3}}, {2, {50000, 3}}},
    {"contract_lanes", product, {2, {70, 300}}, {1, {300}}},
    {"contract_lanes", product, {2, {3000, 20}}, {1, {20}}}, /* many results at a time */
    {"contract_lanes", product, {2, {300, 255}}, {1, {255}}},
    {"contract_lanes", product, {3, {3, 333, 29}}, {3, {3, 29, 1}}},
    {"contract_lanes", inner, {2, {5000, 7}}, {2, {5000, 7}}},
    {"contract_lanes", product, {2, {31, 256}}, {1, {256}}},
    {"contract_lanes", product, {2, {32, 256}}, {1, {256}}},
    {"contract_lanes", product, {2, {49, 256}}, {1, {256}}},
    {"contract_lanes", product, {2, {63, 300}}, {1, {300}}},
    {"contract_lanes", product, {2, {33, 70000}}, {1, {70000}}}, /* runs are divided among threads */
    {"contract_lanes", product, {2, {50, 5000}}, {1, {5000}}},
    {"contract_lanes", product, {2, {20, 70000}}, {1, {70000}}}, /* likewise, of sixteen and of four results */
    {"contract_lanes", product, {2, {3, 700}}, {1, {700}}},
    {"contract_lanes", product, {3, {3, 33, 600}}, {3, {3, 600, 1}}},
    {"contract_lanes", product, {3, {40, 5, 300}}, {3, {40, 300, 1}}}, /* few rows in many batches */
    {"contract_lanes", product, {3, {17, 15, 70}}, {3, {17, 70, 1}}},
    {"contract_lanes", product, {3, {300, 2, 1000}}, {3, {300, 1000, 1}}},
    {"contract_lanes", product, {3, {20, 3, 5000}}, {3, {20, 5000, 1}}},
    {"contract_lanes", product, {4, {5, 8, 3, 300}}, {4, {5, 8, 300, 1}}},
    {"contract_lanes", product_of_turned, {2, {70, 300}}, {1, {300}}},
    {"contract_lanes", product_by_steps, {2, {70, 300}}, {1, {600}}},
    {"!contract_lanes", product, {2, {1, 5}}, {2, {5, 2}}},
    {"!contract_lanes", product, {1, {300}}, {2, {300, 70}}},
};

static zc_tensor *conjugated_by_vector(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_conj(x), y);
}

static zc_tensor *vector_by_conjugated(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, zc_conj(y));
}

static zc_tensor *conjugated_by_turned(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_conj(x), zc_matrix_transpose(y));
}

/* The left operand is read as it was before, where products are next to each other. */
static const strategy_case conjugated_products[] = {
    {"contract_lanes", inner, {1, {5}}, {1, {5}}},
    {"contract_lanes", inner, {1, {257}}, {1, {257}}},
    {"contract_lanes", inner, {1, {4095}}, {1, {4095}}},
    {"contract_lanes", inner, {1, {30000}}, {1, {30000}}},
    {"contract_lanes", inner, {2, {100, 64}}, {2, {100, 64}}},
    {"contract_lanes", inner, {2, {5, 600}}, {2, {5, 600}}},
    {"contract_lanes", inner, {2, {40, 9000}}, {2, {40, 9000}}},
    {"contract_lanes", inner_of_columns, {2, {700, 3}}, {2, {700, 3}}},
    {"contract_lanes", conjugated_by_vector, {2, {70, 300}}, {1, {300}}},
    {"contract_lanes", vector_by_conjugated, {2, {70, 300}}, {1, {300}}},
    {"contract_lanes", conjugated_by_turned, {1, {300}}, {2, {70, 300}}},
};

Test(strategies, contract_lanes_takes_inner_products)
{
    EXPECT_STRATEGIES("strategies, inner products", inner_products, WIDE_FLOATS);
    EXPECT_STRATEGIES("strategies, conjugated inner products", conjugated_products, COMPLEX);
}

static zc_tensor *by_channel(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *operands[] = {zc_sliding_window_view(x, ZC_SHAPE(3), ZC_AXES(0)), y};
    return zc_einsum(zc_context_of(x), "ncw,wc->nc", 2, operands);
}

static zc_tensor *by_filter(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *operands[] = {y, zc_sliding_window_view(x, ZC_SHAPE(3), ZC_AXES(0))};
    return zc_einsum(zc_context_of(x), "wc,ncw->nc", 2, operands);
}

static zc_tensor *inner_of_turned(const zc_tensor *x, const zc_tensor *y)
{
    return zc_vecdot(zc_matrix_transpose(y), zc_matrix_transpose(zc_flip(x, ZC_AXES(0))), -1);
}

static const strategy_case inner_products_of_columns[] = {
    {"contract_batches", inner_of_columns, {2, {64, 37}}, {2, {64, 37}}},
    {"contract_batches", inner_of_columns, {2, {5, 8}}, {2, {5, 8}}},
    {"contract_batches", inner_of_columns, {2, {2, 5001}}, {2, {2, 5001}}},       /* of several units */
    {"contract_batches", inner_of_columns, {2, {9000, 40}}, {2, {9000, 40}}},     /* three runs */
    {"contract_batches", inner_of_columns, {2, {70000, 9}}, {2, {70000, 9}}},     /* runs are divided among threads */
    {"contract_batches", inner_of_columns, {3, {4, 300, 24}}, {3, {4, 300, 24}}}, /* batches of columns */
    {"contract_batches", inner_of_turned, {2, {300, 24}}, {2, {300, 24}}},        /* rows in reverse */
    {"contract_batches", by_channel, {2, {60, 16}}, {2, {3, 16}}},                /* a filter for each channel */
    {"contract_batches", inner_of_columns, {2, {640, 4}}, {2, {640, 4}}},
    {"!contract_batches", inner_of_columns, {2, {64, 3}}, {2, {64, 3}}},
    {"!contract_batches", inner_of_columns, {3, {4, 300, 12}}, {3, {4, 300, 12}}}, /* of several places */
    {"!contract_batches", inner, {2, {64, 64}}, {2, {64, 64}}},
};

/* Complex ones, too, from either side. */
static const strategy_case filtered[] = {
    {"contract_batches", by_channel, {2, {60, 16}}, {2, {3, 16}}},
    {"contract_batches", by_filter, {2, {60, 16}}, {2, {3, 16}}},
};

Test(strategies, contract_batches_takes_inner_products_of_columns)
{
    EXPECT_STRATEGIES("strategies, inner products of columns", inner_products_of_columns, INTEGERS | WIDE_FLOATS);
    EXPECT_STRATEGIES("strategies, filters", filtered, INTEGERS | WIDE_FLOATS | COMPLEX);
}

static zc_tensor *product_of_computed_rows(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_negative(x), y);
}

static zc_tensor *product_of_windows(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_sliding_window_view(zc_slice(x, 1, 0, 4, 1), ZC_SHAPE(3), ZC_AXES(0)), y);
}

static zc_tensor *product_by_windows(const zc_tensor *x, const zc_tensor *y)
{
    zc_tensor *seen = zc_sliding_window_view(x, ZC_SHAPE(3), ZC_AXES(0));
    return zc_tensordot(seen, y, 2, (const int[]){1, 2}, (const int[]){0, 1});
}

static zc_tensor *product_turned(const zc_tensor *x, const zc_tensor *y)
{
    return zc_einsum(zc_context_of(x), "ij,jk->ki", 2, (const zc_tensor *[]){x, y});
}

/* Products of as few columns as every table has vectors for. */
static const strategy_case narrow_products[] = {
    {"contract_narrow", product, {2, {64, 4}}, {2, {4, 2}}},
    {"contract_narrow", product, {2, {20000, 3}}, {2, {3, 2}}}, /* of several units */
    {"contract_narrow", product, {2, {601, 256}}, {2, {256, 2}}},
    {"contract_narrow", product, {3, {3, 100, 5}}, {3, {3, 5, 2}}},
    {"contract_narrow", product_of_transposed, {2, {7, 300}}, {2, {2, 7}}},
    {"contract_narrow", product, {2, {100, 4}}, {2, {4, 3}}},         /* of a vector and a half, or of one */
    {"contract_narrow", product, {3, {4, 8, 9}}, {3, {4, 9, 2}}},     /* small ones: all but the last in place */
    {"contract_narrow", product, {3, {900, 9, 9}}, {3, {900, 9, 3}}}, /* in several units */
    {"contract_narrow", product, {4, {5, 6, 16, 9}}, {4, {5, 6, 9, 2}}},
    {"contract_narrow", product, {3, {1000, 6, 6}}, {3, {1000, 6, 3}}}, /* many at a time */
    {"contract_narrow", product, {3, {70, 13, 5}}, {3, {70, 5, 3}}},
    {"contract_narrow", products_with_gaps, {3, {60, 7, 3}}, {3, {60, 3, 3}}},
    {"contract_narrow", product_of_some, {3, {60, 7, 3}}, {3, {60, 3, 3}}},
    {"contract_narrow", product, {3, {30, 5, 3}}, {3, {30, 3, 3}}},
    {"!contract_narrow", product, {2, {63, 4}}, {2, {4, 3}}},
    {"!contract_narrow", product, {2, {100, 257}}, {2, {257, 2}}},
    {"!contract_narrow", product, {2, {100, 4}}, {2, {4, 40}}},
    {"!contract_narrow", product, {2, {100, 4}}, {1, {4}}},
    {"!contract_narrow", product_of_computed_rows, {2, {100, 4}}, {2, {4, 2}}},
    {"!contract_narrow", product_of_windows, {2, {50, 5}}, {2, {3, 2}}},     /* rows are on two axes */
    {"!contract_narrow", product_by_windows, {2, {100, 4}}, {3, {4, 3, 2}}}, /* products are */
    {"!contract_narrow", product_turned, {2, {100, 4}}, {2, {4, 2}}},
};

Test(strategies, contract_narrow_takes_rows_by_few_columns)
{
    EXPECT_STRATEGIES("strategies, narrow products", narrow_products, WIDE_FLOATS);
}

static zc_tensor *product_of_squares_apart(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_slice(x, 0, ZC_NONE, ZC_NONE, 2), zc_slice(y, -2, ZC_NONE, ZC_NONE, 2));
}

static const strategy_case square_products[] = {
    {"contract_squares", product, {2, {64, 4}}, {2, {4, 4}}},
    {"contract_squares", product, {2, {20003, 4}}, {2, {4, 4}}}, /* of several units, and rows that are left */
    {"contract_squares", product, {2, {67, 4}}, {2, {4, 4}}},
    {"contract_squares", product, {3, {17, 4, 4}}, {3, {17, 4, 4}}},
    {"contract_squares", product, {3, {5000, 4, 4}}, {3, {5000, 4, 4}}},
    {"contract_squares", product, {3, {5, 9000, 4}}, {3, {5, 4, 4}}},
    {"contract_squares", product, {3, {20, 4, 4}}, {2, {4, 4}}},
    {"contract_squares", product, {4, {9, 7, 4, 4}}, {4, {9, 7, 4, 4}}},
    {"contract_squares", product_of_squares_apart, {3, {80, 4, 4}}, {3, {40, 8, 4}}},
    {"!contract_squares", product, {2, {60, 4}}, {2, {4, 4}}},
    {"!contract_squares", product, {3, {40, 5, 4}}, {3, {40, 4, 4}}},
    {"!contract_squares", product, {3, {40, 4, 5}}, {3, {40, 5, 4}}},
    {"!contract_squares", product, {3, {40, 4, 4}}, {3, {40, 4, 3}}},
    {"!contract_squares", product_of_transposed, {3, {40, 4, 4}}, {3, {40, 4, 4}}},
    {"!contract_squares", product_of_computed_rows, {3, {40, 4, 4}}, {3, {40, 4, 4}}},
};

Test(strategies, contract_squares_takes_rows_by_four_by_four)
{
    EXPECT_STRATEGIES("strategies, squares", square_products, WIDE_FLOATS);
}

/* Every second row, backwards, of every second row. */
static zc_tensor *product_of_steps(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_slice(x, -1, 0, ZC_NONE, 2), zc_slice(y, -2, ZC_NONE, ZC_NONE, -2));
}

static zc_tensor *columns_by_row(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *operands[] = {x, y};
    return zc_einsum(zc_context_of(x), "ij,i->j", 2, operands);
}

static const strategy_case rows_by_columns[] = {
    {"contract_row", product, {1, {1}}, {2, {1, 64}}},
    {"contract_row", product, {1, {300}}, {2, {300, 70}}},
    {"contract_row", product, {2, {1, 256}}, {2, {256, 256}}},
    {"contract_row", product, {1, {77}}, {2, {77, 5001}}},                  /* of several units */
    {"contract_row", product, {1, {300}}, {2, {300, 1030}}},                /* likewise, of threads */
    {"contract_row", product, {1, {9000}}, {2, {9000, 65}}},                /* three runs */
    {"contract_row", product, {1, {70000}}, {2, {70000, 33}}},              /* runs are divided among threads */
    {"contract_row", product_of_transposed, {2, {300, 70}}, {2, {1, 300}}}, /* a column */
    {"contract_row", columns_by_row, {2, {300, 130}}, {1, {300}}},          /* likewise */
    {"contract_row", product, {3, {3, 1, 300}}, {3, {3, 300, 70}}},         /* batches */
    {"contract_row", product_of_steps, {1, {600}}, {2, {600, 70}}},         /* factors that are apart */
    {"contract_row", product_of_turned, {2, {1, 300}}, {2, {300, 70}}},     /* rows in reverse */
    {"!contract_row", product, {1, {300}}, {2, {300, 3}}},
    {"!contract_row", product, {2, {2, 300}}, {2, {300, 70}}},
};

Test(strategies, contract_row_takes_rows_by_columns)
{
    EXPECT_STRATEGIES("strategies, rows by columns", rows_by_columns, WIDE_FLOATS | COMPLEX);
}

/* The first three columns of wider rows, by every second factor. */
static zc_tensor *product_of_some_columns(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_slice(x, 0, ZC_NONE, ZC_NONE, 2), zc_slice(y, -1, 0, 3, 1));
}

static const strategy_case rows_by_few[] = {
    {"contract_few", product, {1, {64}}, {2, {64, 2}}},
    {"contract_few", product, {1, {300}}, {2, {300, 3}}},            /* a chain and a part */
    {"contract_few", product, {1, {257}}, {2, {257, 7}}},            /* the rows that are packed are of two chains */
    {"contract_few", columns_by_row, {2, {9000, 5}}, {1, {9000}}},   /* three runs */
    {"contract_few", columns_by_row, {2, {70000, 3}}, {1, {70000}}}, /* runs are divided among threads */
    {"contract_few", product, {3, {3, 1, 256}}, {3, {3, 256, 7}}},   /* whose last batch alone ends with the operand */
    {"contract_few", product, {3, {3, 1, 1300}}, {3, {3, 1300, 6}}}, /* batches */
    {"contract_few", product_of_some_columns, {1, {2400}}, {2, {1200, 40}}}, /* no row is packed */
    {"!contract_few", product, {1, {63}}, {2, {63, 3}}},
    {"!contract_few", product_of_steps, {1, {600}}, {2, {600, 3}}}, /* rows in reverse */
    {"!contract_few", product, {2, {2, 300}}, {2, {300, 3}}},
    {"!contract_few", product, {1, {300}}, {2, {300, 70}}},
};

Test(strategies, contract_few_takes_rows_by_few_long_columns)
{
    EXPECT_STRATEGIES("strategies, rows by few columns", rows_by_few, WIDE_FLOATS);
}

static zc_tensor *by_computed(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, zc_negative(y));
}

/* Factors on two axes, and columns that are not next to each other. */
static zc_tensor *of_two_axes(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *operands[] = {zc_slice(x, 1, 0, -1, 1), zc_slice(y, 1, 0, -1, 1)};
    return zc_einsum(zc_context_of(x), "ij,ijk->k", 2, operands);
}

static zc_tensor *by_columns_apart(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, zc_slice(y, 1, 0, ZC_NONE, 2));
}

static const strategy_case not_by_few[] = {
    {"!contract_few", by_computed, {1, {300}}, {2, {300, 3}}},
    {"!contract_few", of_two_axes, {2, {20, 30}}, {3, {20, 30, 3}}},
    {"!contract_few", by_columns_apart, {1, {300}}, {2, {300, 6}}},
};

Test(strategies, contract_few_leaves_what_it_cannot_read_in_place)
{
    EXPECT_STRATEGIES("strategies, other rows by few columns", not_by_few, WIDE_FLOATS);
    static const strategy_case others[] = {{"!contract_few", product, {1, {300}}, {2, {300, 3}}}};
    EXPECT_STRATEGIES("strategies, rows of other dtypes by few columns", others, INTEGERS | COMPLEX);
}

static zc_tensor *by_lanes_of_windows(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_sliding_window_view(zc_slice(x, 1, 0, 4, 1), ZC_SHAPE(3), ZC_AXES(0)), y);
}

static zc_tensor *products_across(const zc_tensor *x, const zc_tensor *y)
{
    return zc_einsum(zc_context_of(x), "bij,bjk->ikb", 2, (const zc_tensor *[]){x, y});
}

static zc_tensor *products_among(const zc_tensor *x, const zc_tensor *y)
{
    return zc_einsum(zc_context_of(x), "bij,bjk->ibk", 2, (const zc_tensor *[]){x, y});
}

static zc_tensor *products_by_two(const zc_tensor *x, const zc_tensor *y)
{
    return zc_einsum(zc_context_of(x), "abij,abj->bai", 2, (const zc_tensor *[]){x, y});
}

static const strategy_case small_products[] = {
    {"contract_interleaved", products_with_gaps, {3, {40, 3, 2}}, {3, {40, 2, 2}}},
    {"contract_interleaved", product, {3, {40, 2, 2}}, {3, {40, 2, 3}}},
    {"contract_interleaved", product, {3, {5000, 2, 3}}, {3, {5000, 3, 2}}}, /* of several units */
    {"contract_interleaved", product, {3, {17, 3, 2}}, {3, {17, 2, 2}}},
    {"contract_interleaved", product, {3, {70, 8, 8}}, {3, {70, 8, 1}}},
    {"contract_interleaved", product, {3, {20, 5, 11}}, {3, {20, 11, 1}}},
    {"contract_interleaved", product, {3, {50, 1, 6}}, {3, {50, 6, 3}}},
    {"contract_interleaved", product_of_transposed, {3, {40, 4, 3}}, {3, {40, 2, 4}}},
    {"contract_interleaved", product_of_reversed, {3, {60, 3, 3}}, {3, {60, 3, 3}}}, /* which contract_narrow refuses */
    {"contract_interleaved", product_of_some, {3, {40, 3, 2}}, {3, {40, 2, 2}}},
    {"contract_interleaved", products_by_two, {4, {6, 7, 4, 5}}, {3, {6, 7, 5}}}, /* results in another order */
    {"contract_interleaved", product, {2, {200, 3}}, {1, {3}}},
    {"contract_interleaved", product, {2, {3000, 3}}, {1, {3}}},
    {"contract_interleaved", product, {3, {3, 50, 2}}, {3, {3, 2, 1}}},
    {"contract_interleaved", product_of_turned, {2, {70, 8}}, {1, {8}}},
    {"contract_interleaved", product_by_steps, {2, {70, 8}}, {1, {16}}},
    {"contract_interleaved", by_lanes_of_windows, {2, {50, 5}}, {1, {3}}}, /* lanes on two axes */
    {"!contract_interleaved", product, {3, {15, 3, 3}}, {3, {15, 3, 3}}},
    {"!contract_interleaved", product, {3, {40, 9, 9}}, {3, {40, 9, 9}}},
    {"!contract_interleaved", product, {2, {200, 17}}, {1, {17}}},
    {"!contract_interleaved", product, {1, {5}}, {2, {5, 300}}},
    {"!contract_interleaved", product, {3, {100, 1, 4}}, {3, {100, 4, 64}}},
    {"!contract_interleaved", product, {3, {40, 3, 300}}, {3, {40, 300, 1}}},
    {"!contract_interleaved", product_of_computed_rows, {3, {40, 3, 3}}, {3, {40, 3, 3}}},
    {"!contract_interleaved", products_across, {3, {40, 3, 3}}, {3, {40, 3, 3}}},
    {"!contract_interleaved", products_among, {3, {40, 3, 3}}, {3, {40, 3, 3}}},
    {"!contract_interleaved", inner, {2, {100, 3}}, {2, {100, 3}}},
};

/* Products of short rows of floats, which contract_lanes turns in registers. */
static const strategy_case short_rows[] = {
    {"contract_lanes", product, {2, {3000, 8}}, {1, {8}}},
    {"contract_lanes", product, {3, {3, 50, 7}}, {3, {3, 7, 1}}},
    {"contract_lanes", product, {2, {77, 11}}, {1, {11}}},
};

/* Products by few columns, of dtypes without contract_narrow. */
static const strategy_case few_columns[] = {
    {"contract_interleaved", product, {2, {300, 4}}, {2, {4, 2}}},
    {"contract_interleaved", product, {2, {9000, 3}}, {2, {3, 3}}},
    {"contract_interleaved", product, {3, {3, 50, 5}}, {3, {3, 5, 2}}},
    {"!contract_interleaved", product, {2, {300, 9}}, {2, {9, 9}}},
    {"!contract_interleaved", product, {2, {300, 2}}, {2, {2, 12}}},
};

Test(strategies, contract_interleaved_takes_many_small_products)
{
    EXPECT_STRATEGIES("strategies, small products", small_products, INTEGERS | WIDE_FLOATS | COMPLEX);
    EXPECT_STRATEGIES("strategies, few columns", few_columns, INTEGERS | COMPLEX);
    EXPECT_STRATEGIES("strategies, short rows", short_rows, WIDE_FLOATS);
}
