/* The strategies that contract: contract_block, contract_lanes and contract_row. */
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
    {"contract_block", product, {3, {3, 20, 20}}, {3, {3, 20, 20}}},
    {"contract_block", product, {2, {500, 9}}, {2, {9, 300}}}, /* two blocks of rows */
    {"contract_block", product_of_transposed, {2, {40, 30}}, {2, {50, 40}}},
    {"contract_block", transposed_product, {2, {40, 30}}, {2, {30, 50}}},
    {"contract_block", by_windows, {2, {30, 40}}, {3, {2, 3, 6}}},
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
    {"contract_lanes", inner_of_columns, {2, {64, 37}}, {2, {64, 37}}},
    {"contract_lanes", inner_of_columns, {2, {700, 3}}, {2, {700, 3}}},
    {"contract_lanes", inner, {2, {40, 9000}}, {2, {40, 9000}}},
    {"contract_lanes", inner, {2, {3, 200000}}, {2, {3, 200000}}}, /* runs are divided among threads */
    {"contract_lanes", inner_of_columns, {2, {9000, 40}}, {2, {9000, 40}}},
    {"contract_lanes", inner_of_columns, {2, {50000, 3}}, {2, {50000, 3}}},
    {"contract_lanes", product, {2, {70, 300}}, {1, {300}}},
    {"contract_lanes", product, {2, {31, 256}}, {1, {256}}},
    {"contract_lanes", product, {2, {32, 256}}, {1, {256}}},
    {"contract_lanes", product, {2, {49, 256}}, {1, {256}}},
    {"contract_lanes", product, {2, {63, 300}}, {1, {300}}},
    {"contract_lanes", product, {2, {33, 70000}}, {1, {70000}}}, /* runs are divided among threads */
    {"contract_lanes", product, {2, {50, 5000}}, {1, {5000}}},
    {"contract_lanes", product, {2, {20, 70000}}, {1, {70000}}}, /* likewise, of sixteen and of four results */
    {"contract_lanes", product, {2, {3, 700}}, {1, {700}}},
    {"contract_lanes", product, {3, {3, 33, 600}}, {3, {3, 600, 1}}},
    {"contract_lanes", product_of_turned, {2, {70, 300}}, {1, {300}}},
    {"contract_lanes", product_by_steps, {2, {70, 300}}, {1, {600}}},
    {"!contract_lanes", product, {2, {1, 5}}, {2, {5, 2}}},
    {"!contract_lanes", product, {1, {300}}, {2, {300, 70}}},
};

Test(strategies, contract_lanes_takes_inner_products)
{
    EXPECT_STRATEGIES("strategies, inner products", inner_products, WIDE_FLOATS);
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
    EXPECT_STRATEGIES("strategies, rows by columns", rows_by_columns, WIDE_FLOATS);
}
