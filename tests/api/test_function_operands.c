/*
 * Operations behind an elementary function of large operands, which are asked for while it is computed: every sort of
 * operand, against the same operations on the function's results, which are in memory.
 */
#include <string.h>

#include "tests/api/values.h"

enum { ROWS = 700, COLUMNS = 1000, FORMS = 7 };

static zc_tensor *stored(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_copy(t), &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return out;
}

static zc_tensor *combine(int form, const zc_tensor *f, const zc_tensor *y)
{
    const zc_tensor *row = zc_index(y, 0, 3), *column = zc_slice(y, 1, 5, 6, 1);
    switch (form) {
    case 0:
        return zc_multiply(f, y);
    case 1:
        return zc_multiply(zc_add(f, row), column);
    case 2:
        return zc_add(f, zc_matrix_transpose(stored(zc_matrix_transpose(y))));
    case 3:
        return zc_subtract(zc_flip(y, ZC_AXES(1)), f);
    case 4: /* more operands than are asked for */
        return zc_add(zc_add(zc_add(zc_add(zc_add(f, y), stored(y)), stored(y)), stored(y)), stored(y));
    case 5: /* a function behind the function */
        return zc_multiply(zc_exp(zc_multiply(f, y)), y);
    default: /* some of the values are those of a table in memory, others are counted */
        return zc_where(
            zc_greater(y, row), f,
            zc_astype(zc_broadcast_to(zc_iota(zc_context_of(y), COLUMNS), ZC_SHAPE(ROWS, COLUMNS)), zc_dtype_of(y)));
    }
}

static void check(zc_dtype dtype, int threads)
{
    bench b = begin_with((zc_options){.threads = threads});
    const zc_tensor *x = stored(zc_astype(zc_cos(count_to(b, ZC_SHAPE(ROWS, COLUMNS))), dtype));
    const zc_tensor *y = stored(zc_astype(zc_sin(count_to(b, ZC_SHAPE(ROWS, COLUMNS))), dtype));
    zc_tensor *(*const functions[])(const zc_tensor *) = {zc_exp, zc_tanh, zc_log1p};
    for (int form = 0; form < FORMS; form++) {
        zc_tensor *f = functions[form % 3](x), *got = NULL, *wanted = NULL, *made = NULL;
        cr_assert_eq(zc_materialize(combine(form, f, y), &got), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_assert_eq(zc_materialize(functions[form % 3](x), &made), ZC_OK);
        cr_assert_eq(zc_materialize(combine(form, made, y), &wanted), ZC_OK);
        cr_expect_eq(memcmp(zc_data(got), zc_data(wanted), (size_t)zc_size(got) * zc_dtype_bytes(dtype)), 0,
                     "form %d of %s, %d threads", form, zc_dtype_name(dtype), threads);
        zc_release(got);
        zc_release(wanted);
    }
    finish(b);
}

Test(function_operands, have_the_bits_of_separate_operations)
{
    check(ZC_FLOAT32, 1);
    check(ZC_FLOAT64, 2);
}
