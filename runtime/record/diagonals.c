/* Triangles and diagonals: a comparison of two indices decides, element by element, so that nothing is stored. */
#include "runtime/record/diagonals.h"

#include "runtime/graph/scope.h"
#include "runtime/record/record.h"

/* ---- Triangles ---- */

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
    if (ZC_REFUSE_LOST(function, x))
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

/* ---- Diagonals ---- */

/* Finds the two axes whose steps together are the view's step along one of its axes, of which all others step along the
 * storage's other axes. */
static bool find_axes(const zc_view *view, int rank, const int64_t *shape, const int64_t *step,
                      zc_diagonal_place *found)
{
    int p = 0, k = 0;
    while (p < view->rank && view->stride[p] == step[k] && view->shape[p] == shape[k])
        p++, k++;
    found->axis[0] = k;
    for (int q = p; q < view->rank; q++) {
        found->along = q;
        for (found->axis[1] = k + 1; found->axis[1] < rank; found->axis[1]++) {
            if (view->stride[q] != step[k] + step[found->axis[1]])
                continue;
            bool fits = true;
            for (int a = 0, at = 0; a < rank && fits; a++) {
                if (a == k || a == found->axis[1])
                    continue;
                at += at == q;
                fits = view->stride[at] == step[a] && view->shape[at] == shape[a];
                at++;
            }
            if (fits)
                return true;
        }
    }
    return false;
}

bool zc_find_diagonal(const zc_view *view, int rank, const int64_t *shape, zc_diagonal_place *found)
{
    int64_t step[ZC_MAX_RANK], offset = view->offset;
    if (rank < 2 || view->rank != rank - 1)
        return false;
    for (int a = 0; a < rank; a++) {
        if (shape[a] < 2)
            return false;
    }
    zc_shape_row_major(rank, shape, step);
    if (!find_axes(view, rank, shape, step, found))
        return false;
    for (int i = 0; i < 2; i++) {
        found->first[i] = offset / step[found->axis[i]] % shape[found->axis[i]];
        offset -= found->first[i] * step[found->axis[i]];
    }
    const int64_t rows = shape[found->axis[0]] - found->first[0], columns = shape[found->axis[1]] - found->first[1];
    return offset == 0 && (found->first[0] == 0 || found->first[1] == 0) &&
           view->shape[found->along] == zc_smaller(rows, columns);
}

/* The values, each along the row, or the column, that it belongs to. */
static bool spread(const zc_diagonal_place *place, const zc_tensor *values, const zc_tensor *others, zc_view *out)
{
    const int64_t count = values->dims[place->along], along = zc_strides(values)[place->along];
    *out = (zc_view){.rank = others->rank, .offset = values->offset};
    for (int a = 0, p = 0; a < others->rank; a++) {
        out->shape[a] = others->dims[a];
        if (a == place->axis[0] || a == place->axis[1])
            continue;
        p += p == place->along;
        out->stride[a] = zc_strides(values)[p++];
    }
    for (int i = 0; i < 2; i++) {
        if (place->first[i] == 0 && others->dims[place->axis[i]] == count) {
            out->stride[place->axis[i]] = along;
            return true;
        }
    }
    return along == 0;
}

/* Positions along one of the two axes, from where the diagonal begins along the other one. */
static zc_tensor *number(const zc_diagonal_place *place, int i, const zc_tensor *others)
{
    const int64_t first = place->first[1 - i], count = others->dims[place->axis[i]];
    zc_view view = {.rank = others->rank, .offset = first};
    for (int a = 0; a < others->rank; a++)
        view.shape[a] = 1;
    view.shape[place->axis[i]] = count;
    view.stride[place->axis[i]] = 1;
    const zc_tensor *numbers = zc_iota(others->ctx, first + count); /* proven: at most the storage's elements */
    return numbers == NULL ? NULL : zc_tensor_new(others->ctx, zc_node_retain(numbers->node), &view, "iota");
}

zc_tensor *zc_record_on_diagonal(const zc_diagonal_place *place, const zc_tensor *values, const zc_tensor *others,
                                 bool *is_so, const char *function)
{
    zc_view view;
    *is_so = spread(place, values, others, &view);
    zc_scope *scope = *is_so ? zc_scope_begin(others->ctx) : NULL;
    if (scope == NULL)
        return NULL;
    zc_tensor *shown = zc_tensor_new(others->ctx, zc_node_retain(values->node), &view, function);
    zc_tensor *is_on = zc_equal(number(place, 0, others), number(place, 1, others));
    return zc_scope_end_with(scope, shown == NULL ? NULL : zc_where(is_on, shown, others));
}
