#include "materialize/tile/contractions/few_columns.h"

/* Fewest rows that are worth packing a matrix for, and most products for which even as many columns as a block has are
 * few. */
enum { LEAST_ROWS = 64, FEW_PRODUCTS = 16 };

static bool are_few(const zc_tile_program *p, const zc_contract_shape *s)
{
    const zc_contract_kernels *kernels = &p->kernels->contract[s->dtype];
    return kernels->narrow != NULL && s->columns.size > 1 &&
           s->columns.size < kernels->columns + (s->products.size <= FEW_PRODUCTS) && s->products.size <= ZC_CHAIN &&
           !s->x_is_computed && !s->y_is_computed;
}

int64_t zc_few_columns_lanes(const zc_tile_program *p, const zc_contract_shape *s)
{
    int64_t lanes = p->kernels->contract[s->dtype].columns;
    for (int halvings = 0; halvings < 2 && s->columns.size <= lanes / 2; halvings++)
        lanes /= 2;
    return lanes;
}

int64_t zc_few_columns_in_place(const zc_tile_program *p, const zc_contract_shape *s)
{
    const zc_contract_walk *batches = &s->batches.y;
    const int64_t batch = zc_contract_stride(batches), beyond = zc_few_columns_lanes(p, s) - s->columns.size;
    if (!zc_contract_is_run(&s->columns.y) || s->products.y.count > 1 || zc_contract_stride(&s->products.y) < 0 ||
        batches->count > 1 || batch < 0)
        return 0;
    if (beyond == 0)
        return s->batches.size;
    return batch == 0 ? 0 : zc_larger(s->batches.size - zc_divide_up(beyond, batch), 0);
}

/* Tells whether enough rows are multiplied with each matrix that is packed. */
static bool is_worthwhile(const zc_tile_program *p, const zc_contract_shape *s)
{
    return s->rows.size >= LEAST_ROWS || (s->rows.size > 1 && s->batches.size <= 2 * zc_few_columns_in_place(p, s));
}

/* Tells whether a row's factors are on so many lines of memory that blocks, which pack them, are faster. */
static bool leaps(const zc_tile_program *p, const zc_contract_shape *s)
{
    enum { LINE_BYTES = 64, MANY = 128 };
    const int64_t step = zc_contract_stride(&s->products.x);
    return s->columns.size > p->kernels->contract[s->dtype].columns / 2 && s->products.size >= MANY &&
           (step < 0 ? -step : step) >= LINE_BYTES / (int64_t)s->item;
}

bool zc_few_columns_apply(const zc_tile_program *p, const zc_contract_shape *s)
{
    return are_few(p, s) && s->rows.x.count <= 1 && s->products.x.count <= 1 &&
           zc_contract_is_run(&s->columns.result) && is_worthwhile(p, s) && !leaps(p, s) && s->rows.result.count == 1 &&
           s->rows.result.stride[0] == s->columns.size;
}
