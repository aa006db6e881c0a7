/*
 * Complex numbers and their parts. A part of data that exists is a view of it: the bytes seen as twice as many floats,
 * of which every other one is taken. A part of what is still to be computed is recorded.
 */
#include "runtime/graph/invariance.h"
#include "runtime/graph/leaf.h"
#include "runtime/record/record.h"

typedef enum part { REAL, IMAG } part;

static const char *const names[] = {[REAL] = "real", [IMAG] = "imag"};

/* Strides count floats now, so they double. Invariant axes, which the leaf knows nothing of, become broadcast ones. */
static zc_tensor *view_part(const zc_tensor *z, part which)
{
    zc_view view;
    zc_tensor_view(z, &view);
    zc_invariant_view(z->node, &view, &view);
    view.offset = 2 * view.offset + (which == IMAG); /* proven: inside the bytes of the data */
    for (int a = 0; a < view.rank; a++)
        view.stride[a] *= 2; /* proven: likewise */
    zc_view_canonicalise(&view);
    return zc_leaf_over(z, zc_dtype_part(zc_dtype_of(z)), &view, names[which]);
}

static zc_tensor *take_part(const zc_tensor *z, part which)
{
    if (zc_node_data(z->node) != NULL)
        return view_part(z, which);
    return zc_record_converted(which == REAL ? ZC_OP_REAL : ZC_OP_IMAG, zc_dtype_of(z), &z);
}

zc_tensor *zc_real(const zc_tensor *x)
{
    if (x == NULL || !zc_dtype_is_complex(zc_dtype_of(x)))
        return x == NULL ? NULL : zc_adopt(x->ctx, x);
    return take_part(x, REAL);
}

zc_tensor *zc_imag(const zc_tensor *x)
{
    if (x == NULL)
        return NULL;
    return zc_dtype_is_complex(zc_dtype_of(x)) ? take_part(x, IMAG)
                                               : zc_full(x->ctx, x->rank, x->dims, zc_dtype_of(x), 0);
}

zc_tensor *zc_conj(const zc_tensor *x)
{
    if (x == NULL || !zc_dtype_is_complex(zc_dtype_of(x)))
        return x == NULL ? NULL : zc_adopt(x->ctx, x);
    return zc_record_converted(ZC_OP_CONJ, zc_dtype_of(x), &x);
}

/* There is no complex number of 16-bit floats: they are float32 here. */
zc_tensor *zc_complex(const zc_tensor *real, const zc_tensor *imag)
{
    zc_dtype dtype;
    const zc_tensor *parts[] = {real, imag};
    if (real == NULL || imag == NULL || zc_record_promote("complex", parts, 2, &dtype) != ZC_OK)
        return NULL;
    if (zc_dtype_is_complex(dtype)) {
        (void)zc_fail(real->ctx, ZC_ERROR_DTYPE, "complex", "takes real parts, not %s", zc_dtype_name(dtype));
        return NULL;
    }
    bool is_float = zc_dtype_describe(dtype)->kind == ZC_KIND_FLOAT;
    zc_dtype meeting = !is_float ? ZC_FLOAT64 : zc_dtype_is_narrow(dtype) ? ZC_FLOAT32 : dtype;
    return zc_record_converted(ZC_OP_COMPLEX, meeting, parts);
}
