/* Copies that contractions read: those that no strides express are packed from where the elements are. */
#include <string.h>

#include "tests/api/values.h"

/* The windows of pictures (n, c, h, w) as columns, which no strides express: a row for each of c and a window's places.
 */
static zc_tensor *columns_of(const zc_tensor *pictures, int64_t window)
{
    const int64_t *shape = zc_shape(pictures), places = (shape[2] - window + 1) * (shape[3] - window + 1);
    zc_tensor *windows = zc_sliding_window_view(pictures, ZC_SHAPE(window, window), ZC_AXES(2, 3));
    return zc_reshape(zc_permute_dims(windows, ZC_AXES(0, 1, 4, 5, 2, 3)),
                      ZC_SHAPE(shape[0], shape[1] * window * window, places));
}

/* The columns are packed from the pictures, whichever operand they are, and have the bits of columns that are stored.
 */
Test(contraction_copies, of_windows_are_not_stored)
{
    bench b = begin_with((zc_options){.threads = 2, .recompute = true});
    zc_tensor *numbers = zc_sin(zc_astype(count_to(b, ZC_SHAPE(2, 3, 9, 11)), ZC_FLOAT32)), *pictures = NULL;
    cr_assert_eq(zc_materialize(numbers, &pictures), ZC_OK);
    const zc_tensor *columns = columns_of(pictures, 3), *turned = zc_matrix_transpose(columns),
                    *stored = zc_copy(columns);
    zc_tensor *filters = NULL, *held = NULL;
    cr_assert_eq(zc_materialize(zc_cos(zc_astype(count_to(b, ZC_SHAPE(5, 27)), ZC_FLOAT32)), &filters), ZC_OK);
    cr_assert_eq(zc_materialize(stored, &held), ZC_OK);
    const struct {
        zc_tensor *lazy, *of_stored;
    } products[] = {
        {zc_matmul(filters, columns), zc_matmul(filters, held)},
        {zc_matmul(turned, zc_matrix_transpose(filters)),
         zc_matmul(zc_matrix_transpose(held), zc_matrix_transpose(filters))},
        {zc_matmul(turned, columns), zc_matmul(zc_matrix_transpose(held), held)},
        {zc_matmul(zc_slice(turned, 2, 9, 27, 1), zc_slice(zc_slice(columns, 1, 9, 27, 1), 2, 0, 18, 1)),
         zc_matmul(zc_slice(zc_matrix_transpose(held), 2, 9, 27, 1),
                   zc_slice(zc_slice(held, 1, 9, 27, 1), 2, 0, 18, 1))},
        {zc_sum(zc_matmul(filters, columns), ZC_AXES(2), false), zc_sum(zc_matmul(filters, held), ZC_AXES(2), false)},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        zc_tensor *got = NULL, *wanted = NULL;
        const zc_cost cost = cost_of(products[i].lazy), of_stored = cost_of(products[i].of_stored);
        cr_expect_eq(cost.peak_bytes, of_stored.peak_bytes, "product %zu", i);
        cr_expect_eq(cost.written_bytes, of_stored.written_bytes, "product %zu", i);
        cr_assert_eq(zc_materialize(products[i].lazy, &got), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_assert_eq(zc_materialize(products[i].of_stored, &wanted), ZC_OK);
        cr_expect_eq(memcmp(zc_data(got), zc_data(wanted), (size_t)zc_size(got) * sizeof(float)), 0, "product %zu", i);
    }
    finish(b);
}

/* A part of the columns that begins within a window's places is no part of the pictures that strides express. */
Test(contraction_copies, of_parts_within_windows_are_stored)
{
    bench b = begin_with((zc_options){.threads = 2});
    zc_tensor *pictures = NULL, *held = NULL, *got = NULL, *wanted = NULL;
    cr_assert_eq(zc_materialize(zc_astype(count_to(b, ZC_SHAPE(2, 3, 9, 11)), ZC_FLOAT32), &pictures), ZC_OK);
    const zc_tensor *columns = columns_of(pictures, 3), *filters = zc_full(b.ctx, ZC_SHAPE(5, 16), ZC_FLOAT32, 2);
    cr_assert_eq(zc_materialize(zc_copy(columns), &held), ZC_OK);
    cr_assert_eq(zc_materialize(zc_matmul(filters, zc_slice(columns, 1, 4, 20, 1)), &got), ZC_OK);
    cr_assert_eq(zc_materialize(zc_matmul(filters, zc_slice(held, 1, 4, 20, 1)), &wanted), ZC_OK);
    cr_expect_eq(memcmp(zc_data(got), zc_data(wanted), (size_t)zc_size(got) * sizeof(float)), 0);
    finish(b);
}

/* Copies are made where the caller asks for them, and where others read the same elements, too. */
Test(contraction_copies, that_are_needed_are_made)
{
    bench b = begin_with((zc_options){.threads = 2});
    zc_tensor *pictures = NULL, *out[2] = {NULL};
    cr_assert_eq(zc_materialize(zc_astype(count_to(b, ZC_SHAPE(2, 3, 9, 11)), ZC_FLOAT32), &pictures), ZC_OK);
    const zc_tensor *columns = columns_of(pictures, 3), *filters = zc_full(b.ctx, ZC_SHAPE(5, 27), ZC_FLOAT32, 2);
    const int64_t bytes = zc_size(columns) * (int64_t)sizeof(float);
    const zc_tensor *both[] = {zc_matmul(filters, columns), columns};
    cr_expect_geq(cost_of(zc_matmul(filters, zc_copy(columns))).written_bytes, bytes);
    cr_assert_eq(zc_materialize_all(2, both, out), ZC_OK, "%s", zc_error_text(b.ctx));
    zc_tensor *twice = NULL;
    cr_assert_eq(zc_materialize(zc_matmul(filters, out[1]), &twice), ZC_OK);
    cr_expect_eq(memcmp(zc_data(twice), zc_data(out[0]), (size_t)zc_size(twice) * sizeof(float)), 0);
    finish(b);
}
