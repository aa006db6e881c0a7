/*
 * The public face of the view operations: one zc_NAME() per row of views/view_ops.def, each of which asks the views
 * room for the view of the result and makes a handle on the same node. Apart stand reshape, which may have to
 * record a copy, and ngraph.broadcast_like, which looks at a second shape.
 */
#include "runtime/record/record.h"
#include "views/broadcast.h"
#include "views/dialects/dialects.h"
#include "views/view_ops.h"

/* The handle of a view operation's result, or the failure with its sentence. */
static zc_tensor *finish(const zc_tensor *t, zc_status status, const zc_view *view, const char *name,
                         const zc_reason *why)
{
    if (status != ZC_OK) {
        (void)zc_fail_because(t->ctx, status, name, why);
        return NULL;
    }
    return zc_tensor_new(t->ctx, zc_node_retain(t->node), view, name);
}

#define ZC_VIEW_FACE(label, call)                                                                                      \
    if (ZC_REFUSE_LOST(label, t))                                                                                      \
        return NULL;                                                                                                   \
    zc_view view;                                                                                                      \
    zc_reason why;                                                                                                     \
    zc_tensor_view(t, &view);                                                                                          \
    zc_status status = call;                                                                                           \
    return finish(t, status, &view, label, &why);
#define ZC_VIEW_OP_DEFINE(name, label, arguments, ...)                                                                 \
    zc_tensor *zc_##name(const zc_tensor *t, __VA_ARGS__)                                                              \
    {                                                                                                                  \
        ZC_VIEW_FACE(label, zc_view_##name(&view, ZC_UNPACK arguments, &view, &why))                                   \
    }
#define ZC_VIEW_OP(name, label, parameters, arguments) ZC_VIEW_OP_DEFINE(name, label, arguments, ZC_UNPACK parameters)
#define ZC_VIEW_OP_0(name, label)                                                                                      \
    zc_tensor *zc_##name(const zc_tensor *t)                                                                           \
    {                                                                                                                  \
        ZC_VIEW_FACE(label, zc_view_##name(&view, &view, &why))                                                        \
    }
#include "views/dialects/dialects.def"
#include "views/view_ops.def"

static zc_status refuse_copy(const zc_view *view, const zc_view *reshaped, zc_reason *why)
{
    char from[ZC_SHAPE_TEXT], steps[ZC_SHAPE_TEXT], to[ZC_SHAPE_TEXT];
    return zc_refuse(why, ZC_ERROR_SHAPE, "shape %s with strides %s takes a copy to become %s",
                     zc_shape_text(from, sizeof from, view->rank, view->shape),
                     zc_shape_text(steps, sizeof steps, view->rank, view->stride),
                     zc_shape_text(to, sizeof to, reshaped->rank, reshaped->shape));
}

static zc_tensor *reshape(const zc_tensor *t, int rank, const int64_t *shape, bool may_copy, const char *label)
{
    if (ZC_REFUSE_LOST(label, t))
        return NULL;
    zc_view view, reshaped;
    zc_reason why;
    bool affine = false;
    zc_tensor_view(t, &view);
    zc_status status = zc_view_reshape(&view, rank, shape, &affine, &reshaped, &why);
    if (status == ZC_OK && !affine && !may_copy)
        status = refuse_copy(&view, &reshaped, &why);
    if (status != ZC_OK || affine)
        return finish(t, status, &reshaped, label, &why);
    zc_node *copy = zc_record_copy(t);
    if (copy == NULL) {
        (void)zc_fail_memory(t->ctx, label);
        return NULL;
    }
    return zc_tensor_new(t->ctx, copy, &reshaped, label);
}

zc_tensor *zc_reshape(const zc_tensor *t, int rank, const int64_t *shape)
{
    return reshape(t, rank, shape, true, "reshape");
}

zc_tensor *zc_reshape_view(const zc_tensor *t, int rank, const int64_t *shape)
{
    return reshape(t, rank, shape, false, "reshape_view");
}

/* The documented contract: axes as given, and without any a scalar along all. Only like's shape is looked at. */
zc_tensor *zc_ngraph_broadcast_like(const zc_tensor *t, const zc_tensor *like, int count, const int *axes)
{
    static const char label[] = "ngraph.broadcast_like";
    if (ZC_REFUSE_LOST(label, t, like))
        return NULL;
    zc_view view;
    zc_reason why;
    int every[ZC_MAX_RANK];
    zc_tensor_view(t, &view);
    if (count == 0 && t->rank > 0) {
        zc_status refused =
            zc_refuse_asked(&(zc_asked){&view, like->rank, like->dims, zc_ngraph_text}, &why, ZC_ERROR_SHAPE,
                            "without broadcast axes arg must be a scalar, not of rank %d", t->rank);
        return finish(t, refused, NULL, label, &why);
    }
    for (int a = 0; a < like->rank; a++)
        every[a] = a;
    zc_status status = zc_view_ngraph_broadcast(&view, like->rank, like->dims, count == 0 ? like->rank : count,
                                                count == 0 ? every : axes, &view, &why);
    return finish(t, status, &view, label, &why);
}
