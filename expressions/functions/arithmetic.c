#include "expressions/functions/arithmetic.h"

#include <string.h>

#include "expressions/functions/call_views.h"
#include "expressions/functions/calls.h"
#include "expressions/values/literal.h"
#include "expressions/values/number.h"

/* Hands a tensor of the library on, or its failure. */
static bool set_tensor(zc_context *ctx, zc_tensor *tensor, zc_object *result, zc_fault *fault)
{
    *result = (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = tensor};
    if (tensor == NULL)
        return zc_fault_library(fault, ctx);
    return true;
}

/* ---- Tuples and lists ---- */

typedef struct gathered {
    zc_object items[ZC_MAX_COMPUTED_ITEMS];
    size_t count;
} gathered;

static bool gather(gathered *g, const zc_sequence *sequence)
{
    if (sequence->count > ZC_MAX_COMPUTED_ITEMS - (int64_t)g->count)
        return false;
    for (int64_t i = 0; i < sequence->count; i++)
        g->items[g->count++] = zc_object_copy(sequence->items[i]);
    return true;
}

static bool finish(gathered *g, bool fits, zc_object_kind kind, zc_object *result, zc_fault *fault)
{
    if (fits)
        return zc_object_make_sequence(kind, g->items, g->count, result, fault);
    for (size_t i = 0; i < g->count; i++)
        zc_object_release(g->items[i]);
    return zc_fault_refuse(fault, "%s made by + or * holds %d items at most",
                           zc_object_describe((zc_object){.kind = kind}), ZC_MAX_COMPUTED_ITEMS);
}

static bool concatenate(zc_object a, zc_object b, zc_object *result, zc_fault *fault)
{
    gathered g;
    g.count = 0;
    return finish(&g, gather(&g, a.sequence) && gather(&g, b.sequence), a.kind, result, fault);
}

static bool repeat(zc_object a, int64_t times, zc_object *result, zc_fault *fault)
{
    gathered g;
    bool fits = true;
    g.count = 0;
    for (int64_t i = 0; i < times && fits && a.sequence->count > 0; i++)
        fits = gather(&g, a.sequence);
    return finish(&g, fits, a.kind, result, fault);
}

/* ---- Values that are no tensors ---- */

static bool combine_values(zc_operator op, zc_object a, zc_object b, zc_object *result, zc_fault *fault)
{
    int64_t times;
    if (zc_object_is_number(a) && zc_object_is_number(b) && op != ZC_OPERATOR_MATMUL)
        return zc_number_binary(op, a, b, result, fault);
    if (op == ZC_OPERATOR_EQUAL || op == ZC_OPERATOR_NOT_EQUAL) {
        bool truth = zc_object_equal(a, b) == (op == ZC_OPERATOR_EQUAL);
        *result = (zc_object){.kind = ZC_OBJECT_BOOL, .truth = truth};
        return true;
    }
    if (op == ZC_OPERATOR_ADD && zc_object_is_sequence(a) && a.kind == b.kind)
        return concatenate(a, b, result, fault);
    if (op == ZC_OPERATOR_MULTIPLY && zc_object_is_sequence(a) && zc_object_as_integer(b, &times))
        return repeat(a, times, result, fault);
    if (op == ZC_OPERATOR_MULTIPLY && zc_object_is_sequence(b) && zc_object_as_integer(a, &times))
        return repeat(b, times, result, fault);
    return zc_fault_refuse(fault, "%s: cannot combine %s and %s", zc_operator_describe(op)->name, zc_object_describe(a),
                           zc_object_describe(b));
}

/* ---- Operators ---- */

bool zc_apply_binary(zc_context *ctx, zc_operator op, zc_object a, zc_object b, zc_object *result, zc_fault *fault)
{
    const zc_operator_info *info = zc_operator_describe(op);
    if (a.kind != ZC_OBJECT_TENSOR && b.kind != ZC_OBJECT_TENSOR)
        return combine_values(op, a, b, result, fault);
    zc_tensor *left = zc_literal_tensor(ctx, a, ZC_WEAK, info->name, fault);
    zc_tensor *right = left == NULL ? NULL : zc_literal_tensor(ctx, b, ZC_WEAK, info->name, fault);
    zc_tensor *combined = right == NULL ? NULL : info->binary(left, right);
    zc_release(left);
    zc_release(right);
    return set_tensor(ctx, combined, result, fault);
}

bool zc_apply_unary(zc_context *ctx, zc_operator op, zc_object x, zc_object *result, zc_fault *fault)
{
    const zc_operator_info *info = zc_operator_describe(op);
    if (zc_object_is_number(x))
        return zc_number_unary(op, x, result, fault);
    if (x.kind != ZC_OBJECT_TENSOR)
        return zc_fault_refuse(fault, "%s: takes a tensor or a number, not %s", info->name, zc_object_describe(x));
    return set_tensor(ctx, info->unary(x.tensor), result, fault);
}

/* ---- Attributes ---- */

static bool shape_of(const zc_tensor *x, zc_object *result, zc_fault *fault)
{
    zc_object sizes[ZC_MAX_RANK];
    int rank = zc_rank(x);
    for (int i = 0; i < rank; i++)
        sizes[i] = zc_object_integer(zc_shape(x)[i]);
    return zc_object_make_sequence(ZC_OBJECT_TUPLE, sizes, (size_t)rank, result, fault);
}

bool zc_apply_attribute(zc_context *ctx, zc_object x, const char *name, zc_object *result, zc_fault *fault)
{
    if (x.kind != ZC_OBJECT_TENSOR)
        return zc_fault_refuse(fault, "%s has no attribute '%s'", zc_object_describe(x), name);
    if (strcmp(name, "T") == 0)
        return set_tensor(ctx, zc_reverse_axes(x.tensor), result, fault);
    if (strcmp(name, "mT") == 0)
        return set_tensor(ctx, zc_matrix_transpose(x.tensor), result, fault);
    if (strcmp(name, "real") == 0)
        return set_tensor(ctx, zc_real(x.tensor), result, fault);
    if (strcmp(name, "imag") == 0)
        return set_tensor(ctx, zc_imag(x.tensor), result, fault);
    if (strcmp(name, "shape") == 0)
        return shape_of(x.tensor, result, fault);
    if (strcmp(name, "dtype") == 0)
        *result = (zc_object){.kind = ZC_OBJECT_DTYPE, .dtype = zc_dtype_of(x.tensor)};
    else if (strcmp(name, "ndim") == 0)
        *result = zc_object_integer(zc_rank(x.tensor));
    else if (strcmp(name, "size") == 0)
        *result = zc_object_integer(zc_size(x.tensor));
    else
        return zc_fault_refuse(
            fault, "a tensor has no attribute '%.64s'; there are T, mT, real, imag, shape, dtype, ndim, size", name);
    return true;
}
