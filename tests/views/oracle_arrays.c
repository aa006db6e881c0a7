/* Views as arrays of storage indices: slow, plain, and written without a look at views/. */
#include "tests/views/oracle.h"

#include <stdlib.h>
#include <string.h>

static void allocate(oracle *o, int rank, const int64_t *shape)
{
    o->rank = rank;
    memcpy(o->shape, shape, (size_t)rank * sizeof *shape);
    o->count = (int64_t)oracle_size(rank, shape);
    o->element = malloc((size_t)(o->count + 1) * sizeof *o->element);
    if (o->element == NULL)
        abort();
}

void oracle_strided(oracle *o, int rank, const int64_t *shape, const int64_t *stride, int64_t offset)
{
    int64_t at[ZC_MAX_RANK] = {0};
    allocate(o, rank, shape);
    for (int64_t k = 0; k < o->count; k++, oracle_next(rank, shape, at)) {
        o->element[k] = (int64_t)oracle_address(rank, stride, offset, at);
    }
}

void oracle_free(oracle *o)
{
    free(o->element);
    o->element = NULL;
}

/* Strides over what o itself reaches: from the lowest to the highest of its elements. */
static bool apply_as_strided(oracle *o, const view_call *c, const index_map *s)
{
    oracle result;
    oracle_strided(&result, s->rank, s->shape, c->stride, o->count > 0 ? o->element[0] + c->start : 0);
    int64_t lowest = INT64_MAX;
    int64_t highest = INT64_MIN;
    for (int64_t k = 0; k < o->count; k++) {
        lowest = o->element[k] < lowest ? o->element[k] : lowest;
        highest = o->element[k] > highest ? o->element[k] : highest;
    }
    bool inside = true;
    for (int64_t k = 0; k < result.count; k++)
        inside = inside && result.element[k] >= lowest && result.element[k] <= highest;
    if (!inside) {
        oracle_free(&result);
        return false;
    }
    oracle_free(o);
    *o = result;
    return true;
}

bool oracle_apply(oracle *o, const view_call *c)
{
    index_map s;
    int64_t at[ZC_MAX_RANK] = {0};
    int64_t from[ZC_MAX_RANK];
    if (!oracle_map(c, o->rank, o->shape, &s))
        return false;
    if (c->kind == CALL_AS_STRIDED)
        return apply_as_strided(o, c, &s);
    oracle result;
    allocate(&result, s.rank, s.shape);
    for (int64_t k = 0; k < result.count; k++, oracle_next(s.rank, s.shape, at)) {
        oracle_pull(&s, at, from);
        result.element[k] = o->element[oracle_ravel(o->rank, o->shape, from)];
    }
    oracle_free(o);
    *o = result;
    return true;
}

void oracle_compose(const oracle *inner, oracle *outer)
{
    for (int64_t k = 0; k < outer->count; k++)
        outer->element[k] = inner->element[outer->element[k]];
}

/* The strides that the first two elements along each axis force, if any do. */
bool oracle_is_affine(const oracle *o)
{
    int64_t at[ZC_MAX_RANK] = {0};
    int64_t stride[ZC_MAX_RANK] = {0};
    for (int a = 0; a < o->rank && o->count > 0; a++) {
        if (o->shape[a] < 2)
            continue;
        at[a] = 1;
        stride[a] = o->element[oracle_ravel(o->rank, o->shape, at)] - o->element[0];
        at[a] = 0;
    }
    for (int64_t k = 0; k < o->count; k++, oracle_next(o->rank, o->shape, at)) {
        if (o->element[k] != oracle_address(o->rank, stride, o->element[0], at))
            return false;
    }
    return true;
}

bool oracle_agrees(const oracle *o, const zc_view *view)
{
    int64_t at[ZC_MAX_RANK] = {0};
    if (view->rank != o->rank || memcmp(view->shape, o->shape, (size_t)o->rank * sizeof *o->shape) != 0)
        return false;
    for (int a = 0; a < view->rank; a++)
        if ((view->shape[a] == 1 || o->count == 0) && view->stride[a] != 0)
            return false;
    if (o->count == 0)
        return view->offset == 0;
    for (int64_t k = 0; k < o->count; k++, oracle_next(o->rank, o->shape, at)) {
        if (o->element[k] != oracle_address(view->rank, view->stride, view->offset, at))
            return false;
    }
    return true;
}
