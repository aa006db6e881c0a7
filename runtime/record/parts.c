/*
 * What elements hold: their bits read as another dtype, and the parts of complex numbers. Of data that exists both are
 * views: a part is every other one of twice as many floats. Of what is still to be computed they are recorded.
 */
#include "runtime/graph/invariance.h"
#include "runtime/graph/leaf.h"
#include "runtime/record/record.h"
#include "views/view_ops.h"

/* ---- Bits ---- */

/* The bytes of t that exist, as a leaf of their own over the same memory. The leaf knows nothing of the node's
 * invariant axes; they become broadcast ones, as they would be had the node no data yet. */
static zc_tensor *show_data(const zc_tensor *t, zc_buffer *data, zc_dtype dtype)
{
    zc_view view;
    zc_reason why;
    zc_tensor_view(t, &view);
    if (zc_dtype_bytes(zc_dtype_of(t)) == zc_dtype_bytes(dtype))
        zc_invariant_view(t->node, &view, &view);
    zc_status status = zc_view_bitcast(&view, zc_dtype_bytes(zc_dtype_of(t)), zc_dtype_bytes(dtype), &view, &why);
    if (status == ZC_OK && (uintptr_t)data->memory % zc_dtype_alignment(dtype) != 0)
        status =
            zc_refuse(&why, ZC_ERROR_ARGUMENT, "the memory is not aligned to elements of %s", zc_dtype_name(dtype));
    if (status == ZC_OK)
        return zc_leaf_over(t, dtype, &view, "bitcast");
    (void)zc_fail_because(t->ctx, status, "bitcast", &why);
    return NULL;
}

/* Records the bits of what is still to be computed: it has no bytes yet, but every element keeps its place. */
static zc_tensor *record_bits(const zc_tensor *t, zc_dtype dtype)
{
    zc_view view;
    zc_node *node = zc_record_bitcast(t, dtype, &view);
    if (node != NULL)
        return zc_tensor_new(t->ctx, node, &view, "bitcast");
    (void)zc_fail_memory(t->ctx, "bitcast");
    return NULL;
}

zc_tensor *zc_bitcast(const zc_tensor *t, zc_dtype dtype)
{
    if (ZC_REFUSE_LOST("bitcast", t))
        return NULL;
    if (!zc_dtype_is_valid(dtype)) {
        (void)zc_fail(t->ctx, ZC_ERROR_DTYPE, "bitcast", "%d is not a dtype", (int)dtype);
        return NULL;
    }
    zc_dtype from = zc_dtype_of(t);
    zc_buffer *data = zc_node_data(t->node);
    if (data != NULL && from != dtype)
        return show_data(t, data, dtype);
    if (zc_dtype_bytes(from) == zc_dtype_bytes(dtype))
        return record_bits(t, dtype);
    (void)zc_fail(
        t->ctx, ZC_ERROR_DTYPE, "bitcast",
        "%s to %s changes the size of the elements, which needs data that exists; materialise the tensor first",
        zc_dtype_name(from), zc_dtype_name(dtype));
    return NULL;
}

/* ---- Parts of complex numbers ---- */

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
    if (ZC_REFUSE_LOST("real", x))
        return NULL;
    if (!zc_dtype_is_complex(zc_dtype_of(x)))
        return zc_adopt(x->ctx, x);
    return take_part(x, REAL);
}

zc_tensor *zc_imag(const zc_tensor *x)
{
    if (ZC_REFUSE_LOST("imag", x))
        return NULL;
    return zc_dtype_is_complex(zc_dtype_of(x)) ? take_part(x, IMAG)
                                               : zc_full(x->ctx, x->rank, x->dims, zc_dtype_of(x), 0);
}

zc_tensor *zc_conj(const zc_tensor *x)
{
    if (ZC_REFUSE_LOST("conj", x))
        return NULL;
    if (!zc_dtype_is_complex(zc_dtype_of(x)))
        return zc_adopt(x->ctx, x);
    return zc_record_converted(ZC_OP_CONJ, zc_dtype_of(x), &x);
}

/* There is no complex number of 16-bit floats: they are float32 here. */
zc_tensor *zc_complex(const zc_tensor *real, const zc_tensor *imag)
{
    zc_dtype dtype;
    const zc_tensor *parts[] = {real, imag};
    if (ZC_REFUSE_LOST("complex", real, imag) || zc_record_promote("complex", parts, 2, &dtype) != ZC_OK)
        return NULL;
    if (zc_dtype_is_complex(dtype)) {
        (void)zc_fail(real->ctx, ZC_ERROR_DTYPE, "complex", "takes real parts, not %s", zc_dtype_name(dtype));
        return NULL;
    }
    bool is_float = zc_dtype_describe(dtype)->kind == ZC_KIND_FLOAT;
    zc_dtype meeting = !is_float ? ZC_FLOAT64 : zc_dtype_is_narrow(dtype) ? ZC_FLOAT32 : dtype;
    return zc_record_converted(ZC_OP_COMPLEX, meeting, parts);
}
