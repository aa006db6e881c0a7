/* Triangles of matrices: a comparison of the two last indices decides, element by element, so that nothing is stored.
 */
#include "runtime/graph/scope.h"
#include "runtime/record/record.h"

/* Row i and column j of the last two axes, compared: j - i <= k is the lower triangle. */
static zc_tensor *keep(const zc_tensor *x, int64_t k, bool is_lower)
{
    zc_tensor *rows = zc_expand_dims(zc_iota(x->ctx, x->dims[x->rank - 2]), 1);
    zc_tensor *columns = zc_iota(x->ctx, x->dims[x->rank - 1]);
    zc_tensor *distance = zc_subtract(columns, rows), *border = zc_weak_int(x->ctx, k);
    zc_tensor *is_kept = is_lower ? zc_less_equal(distance, border) : zc_greater_equal(distance, border);
    return zc_where(is_kept, x, zc_full(x->ctx, 0, NULL, zc_dtype_of(x), 0));
}

static zc_tensor *triangle(const zc_tensor *x, int64_t k, bool is_lower, const char *function)
{
    if (x == NULL)
        return NULL;
    if (x->rank < 2) {
        (void)zc_fail(x->ctx, ZC_ERROR_SHAPE, function, "a matrix has two axes, not %d", x->rank);
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    return zc_scope_end_with(scope, keep(x, k, is_lower));
}

zc_tensor *zc_tril(const zc_tensor *x, int64_t k)
{
    return triangle(x, k, true, "tril");
}

zc_tensor *zc_triu(const zc_tensor *x, int64_t k)
{
    return triangle(x, k, false, "triu");
}
