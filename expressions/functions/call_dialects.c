/*
 * The broadcasts of other systems, whose arguments are more than a shape or a list of axes.
 */
#include <stdio.h>

#include "expressions/functions/arguments.h"
#include "expressions/functions/calls.h"

static void write_tuple(char *text, size_t bytes, int rank, const int64_t *shape)
{
    size_t used = (size_t)snprintf(text, bytes, "(");
    for (int a = 0; a < rank; a++) /* proven: there is room for every size */
        used += (size_t)snprintf(text + used, bytes - used, "%s%lld", a == 0 ? "" : ", ", (long long)shape[a]);
    (void)snprintf(text + used, bytes - used, rank == 1 ? ",)" : ")");
}

/* MindSpore takes a tuple and nothing else (its TypeError). */
zc_tensor *zc_call_mindspore_broadcast_to(zc_call *call)
{
    enum { TEXT = ZC_MAX_RANK * 22 + 4 }; /* a comma, a blank and 20 digits for each size */
    int rank;
    int64_t shape[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_shape(call, 1, &rank, shape))
        return NULL;
    if (call->arguments[1].kind == ZC_OBJECT_TUPLE)
        return zc_mindspore_broadcast_to(x, rank, shape);
    char from[TEXT], to[TEXT];
    write_tuple(from, sizeof from, zc_rank(x), zc_shape(x));
    write_tuple(to, sizeof to, rank, shape);
    (void)zc_fault_refuse(call->fault, "%s: shape is a tuple, not %s (operand shape: %s, target shape: %s)",
                          call->function->name, zc_object_describe(call->arguments[1]), from, to);
    return NULL;
}

zc_tensor *zc_call_ngraph_broadcast_like(zc_call *call)
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

zc_tensor *zc_call_openvino_broadcast(zc_call *call)
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
