#include "materialize/tile/contractions/pairs.h"

#include "materialize/kernels/dispatch.h"

/* Rows that each packed factor of y meets at least, and products of a result. */
enum { LEAST_ROWS = 6, LEAST_PRODUCTS = 4 };

zc_contract_kernel *zc_pairs_find(const zc_kernels *kernels, const zc_contract_shape *s)
{
    const bool is_worth_it = (s->dtype == ZC_INT32 || s->dtype == ZC_UINT32) && s->rows.size >= LEAST_ROWS &&
                             s->products.size >= LEAST_PRODUCTS;
    return is_worth_it ? zc_kernels_pairs(kernels) : NULL;
}

/* Of all chains, one after the other. */
static void change_rows(void (*change)(const zc_paired *), char *x, int64_t rows, int64_t products)
{
    for (int64_t at = 0; at < products; at += ZC_CHAIN) {
        const int64_t length = zc_smaller(ZC_CHAIN, products - at);
        change(&(zc_paired){x, rows, length, zc_pairs_of(length)});
        x += rows * length * (int64_t)sizeof(int32_t); /* proven: packed */
    }
}

bool zc_pairs_make_rows(const zc_kernels *kernels, char *x, int64_t rows, int64_t products)
{
    const bool fit = kernels->pairs.fit(x, rows * products); /* proven: likewise */
    if (fit)
        change_rows(kernels->pairs.pair, x, rows, products);
    return fit;
}

void zc_pairs_part_rows(const zc_kernels *kernels, char *x, int64_t rows, int64_t products)
{
    change_rows(kernels->pairs.part, x, rows, products);
}

bool zc_pairs_make_panel(const zc_kernels *kernels, char *y, int64_t products, int64_t columns)
{
    const int64_t factors = products * columns; /* proven: likewise */
    const bool fit = kernels->pairs.fit(y, factors);
    if (fit)
        kernels->pairs.pair(&(zc_paired){y, 1, factors, zc_pairs_of(products) * columns});
    return fit;
}
