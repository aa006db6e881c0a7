#include "materialize/tile/contractions/groups.h"

#include "materialize/kernels/tables/dispatch.h"

/* Rows that each packed factor of y meets at least, and products of a result. */
enum { LEAST_ROWS = 6, LEAST_PRODUCTS = 4 };

zc_group_kernels zc_groups_find(const zc_kernels *kernels, const zc_contract_shape *s)
{
    const bool is_worth_it = (s->dtype == ZC_INT32 || s->dtype == ZC_UINT32) && s->rows.size >= LEAST_ROWS &&
                             s->products.size >= LEAST_PRODUCTS;
    if (!is_worth_it)
        return (zc_group_kernels){NULL, NULL};
    return (zc_group_kernels){zc_kernels_pairs(kernels), zc_kernels_fours(kernels)};
}

/* Changes packed rows chain by chain. */
static void change_rows(void (*change)(const zc_integer_groups *), zc_grouped grouped, zc_packed_rows rows)
{
    char *x = rows.x;
    for (int64_t at = 0; at < rows.products; at += ZC_CHAIN) {
        const int64_t length = zc_smaller(ZC_CHAIN, rows.products - at);
        change(&(zc_integer_groups){.integers = x,
                                    .rows = rows.rows,
                                    .length = length,
                                    .groups = zc_groups_of(grouped, length),
                                    .are_signed = grouped.are_signed,
                                    .are_flipped = grouped.are_flipped});
        x += rows.rows * length * (int64_t)sizeof(int32_t); /* proven: packed */
    }
}

/* Returns the size of the largest groups that the factors fit into and that have kernels. */
static int largest_group(int fit, bool has_fours)
{
    if (has_fours && (fit & (ZC_FIT_INT8 | ZC_FIT_UINT8)) != 0)
        return 4;
    return (fit & ZC_FIT_INT16) != 0 ? 2 : 1;
}

zc_grouped zc_groups_make_rows(const zc_kernels *kernels, zc_group_kernels groups, zc_packed_rows rows)
{
    if (groups.pairs == NULL)
        return (zc_grouped){.of = 1};
    const int fit = kernels->groups.fit(rows.x, rows.rows * rows.products); /* proven: likewise */
    zc_grouped grouped = {.of = largest_group(fit, groups.fours != NULL)};
    if (grouped.of == 4)
        grouped.are_signed = grouped.are_flipped = (fit & ZC_FIT_INT8) != 0; /* as most panels want it */
    if (grouped.of > 1)
        change_rows(grouped.of == 4 ? kernels->groups.four : kernels->groups.pair, grouped, rows);
    return grouped;
}

/* Smaller groups of rows. */
static zc_grouped divide(const zc_kernels *kernels, zc_grouped grouped, zc_packed_rows rows, int of)
{
    change_rows(grouped.of == 4 ? kernels->groups.part_fours : kernels->groups.part, grouped, rows);
    grouped.of = of;
    if (of == 2)
        change_rows(kernels->groups.pair, grouped, rows);
    return grouped;
}

zc_grouped zc_groups_make_panel(const zc_kernels *kernels, zc_grouped grouped, zc_packed_rows rows, char *y,
                                int64_t products, int64_t columns)
{
    const int64_t factors = products * columns; /* proven: likewise */
    const int fit = kernels->groups.fit(y, factors), most = largest_group(fit, grouped.of == 4);
    if (most < grouped.of)
        grouped = divide(kernels, grouped, rows, most);
    const bool flips = grouped.are_signed == ((fit & ZC_FIT_INT8) != 0); /* one of x and y has no sign */
    if (grouped.of == 4 && grouped.are_flipped != flips) {
        grouped.are_flipped = flips;
        change_rows(kernels->groups.flip, grouped, rows);
    }
    if (grouped.of > 1) {
        const zc_integer_groups panel = {
            .integers = y, .rows = 1, .length = factors, .groups = zc_groups_of(grouped, products) * columns};
        (grouped.of == 4 ? kernels->groups.four : kernels->groups.pair)(&panel);
    }
    return grouped;
}

zc_contract_kernel *zc_groups_kernel(zc_group_kernels groups, zc_grouped grouped)
{
    return grouped.of == 2 ? groups.pairs : groups.fours[grouped.are_signed != grouped.are_flipped];
}
