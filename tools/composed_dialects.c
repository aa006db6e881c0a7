/*
 * The broadcasts of other systems, whose arguments are more than a shape or a list of axes.
 */
#include <string.h>

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

typedef struct openvino_mode {
    const char *name;
    zc_openvino_mode mode;
} openvino_mode;

static bool read_mode(zc_call *call, int i, zc_openvino_mode *mode)
{
    static const openvino_mode modes[] = {{"numpy", ZC_OPENVINO_NUMPY},
                                          {"explicit", ZC_OPENVINO_EXPLICIT},
                                          {"bidirectional", ZC_OPENVINO_BIDIRECTIONAL},
                                          {"pdpd", ZC_OPENVINO_PDPD}};
    zc_value value = call->arguments[i];
    *mode = ZC_OPENVINO_NUMPY;
    if (value.kind == ZC_VALUE_NONE)
        return true;
    for (size_t k = 0; value.kind == ZC_VALUE_STRING && k < sizeof modes / sizeof *modes; k++) {
        if (strcmp(value.string, modes[k].name) == 0) {
            *mode = modes[k].mode;
            return true;
        }
    }
    return zc_fault_refuse(call->fault, "%s: mode is 'numpy', 'explicit', 'bidirectional' or 'pdpd', not %s",
                           call->function->name,
                           value.kind == ZC_VALUE_STRING ? value.string : zc_value_describe(value));
}

zc_tensor *zc_compose_openvino_broadcast(zc_call *call)
{
    int rank, count, axis, axes[ZC_MAX_RANK];
    int64_t shape[ZC_MAX_RANK];
    zc_openvino_mode mode;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_shape(call, 1, &rank, shape) || !zc_argument_axes(call, 2, &count, axes) ||
        !read_mode(call, 3, &mode) || !zc_argument_axis(call, 4, &axis))
        return NULL;
    bool is_given = count >= 0;
    return zc_openvino_broadcast(x, rank, shape, mode, is_given ? count : 0, is_given ? axes : NULL, axis);
}
