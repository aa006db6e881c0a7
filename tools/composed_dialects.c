/*
 * The broadcasts of other systems, whose arguments are more than a shape or a list of axes.
 */
#include "tools/arguments.h"
#include "tools/composed.h"

/* MindSpore takes a tuple and nothing else (its TypeError). */
zc_tensor *zc_compose_mindspore_broadcast_to(zc_call *call)
{
    int rank;
    int64_t shape[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL)
        return NULL;
    if (call->arguments[1].kind != ZC_VALUE_TUPLE) {
        (void)zc_fault_refuse(call->fault, "%s: shape is a tuple, not %s", call->function->name,
                              zc_value_describe(call->arguments[1]));
        return NULL;
    }
    return zc_argument_shape(call, 1, &rank, shape) ? zc_mindspore_broadcast_to(x, rank, shape) : NULL;
}

zc_tensor *zc_compose_ngraph_broadcast_like(zc_call *call)
{
    int count, axes[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    const zc_tensor *like = x == NULL ? NULL : zc_argument_tensor(call, 1);
    if (like == NULL || !zc_argument_axes(call, 2, &count, axes))
        return NULL;
    return zc_ngraph_broadcast_like(x, like, count, axes);
}

/* In the order of zc_openvino_mode. */
static const char *const openvino_modes[] = {[ZC_OPENVINO_NUMPY] = "numpy",
                                             [ZC_OPENVINO_EXPLICIT] = "explicit",
                                             [ZC_OPENVINO_BIDIRECTIONAL] = "bidirectional",
                                             [ZC_OPENVINO_PDPD] = "pdpd"};

zc_tensor *zc_compose_openvino_broadcast(zc_call *call)
{
    int rank, count, axis, axes[ZC_MAX_RANK];
    int64_t shape[ZC_MAX_RANK];
    int mode;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_shape(call, 1, &rank, shape) || !zc_argument_axes(call, 2, &count, axes) ||
        !zc_argument_choice(call, 3, openvino_modes, 4, &mode) || !zc_argument_axis(call, 4, &axis))
        return NULL;
    bool is_given = count >= 0;
    return zc_openvino_broadcast(x, rank, shape, (zc_openvino_mode)mode, is_given ? count : 0, is_given ? axes : NULL,
                                 axis);
}
