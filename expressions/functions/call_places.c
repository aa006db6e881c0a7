/* Functions of places in a tensor: gather, and update, which changes what stands there. */
#include "expressions/functions/arguments.h"
#include "expressions/functions/calls.h"
#include "expressions/values/literal.h"

/* Tensors made of the items of a tuple or list: how many, a reference each; or -1. */
static int read_tensors(zc_call *call, int i, zc_tensor *tensors[ZC_MAX_RANK])
{
    zc_object value = call->arguments[i];
    if (value.kind != ZC_OBJECT_TUPLE || value.sequence->count > ZC_MAX_RANK) {
        (void)zc_fault_refuse(call->fault, "%s: indices are a tuple of tensors, one for each axis",
                              call->function->name);
        return -1;
    }
    int count = (int)value.sequence->count;
    for (int made = 0; made < count; made++) {
        tensors[made] =
            zc_literal_tensor(call->ctx, value.sequence->items[made], ZC_STRONG, call->function->name, call->fault);
        if (tensors[made] != NULL)
            continue;
        while (made > 0)
            zc_release(tensors[--made]);
        return -1;
    }
    return count;
}

zc_tensor *zc_call_gather(zc_call *call)
{
    zc_tensor *owned[ZC_MAX_RANK];
    const zc_tensor *tensors[ZC_MAX_RANK];
    int axes[ZC_MAX_RANK], axis_count;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 2, &axis_count, axes))
        return NULL;
    int count = read_tensors(call, 1, owned);
    for (int i = 0; i < count; i++) {
        tensors[i] = owned[i];
        axes[i] = axis_count < 0 ? i : axes[i];
    }
    zc_tensor *result = NULL;
    if (count >= 0 && axis_count >= 0 && axis_count != count)
        (void)zc_fault_refuse(call->fault, "gather: %d axes for %d tensors of indices", axis_count, count);
    else if (count >= 0)
        result = zc_gather(x, count, axes, tensors);
    for (int i = 0; i < count; i++)
        zc_release(owned[i]);
    return result;
}

static const char *const ways[] = {
#define ZC_UPDATE(NAME, name, op) [ZC_UPDATE_##NAME] = #name,
#include "runtime/ops/updates.def"
#undef ZC_UPDATE
};

zc_tensor *zc_call_update(zc_call *call)
{
    int how;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    const zc_tensor *places = x == NULL ? NULL : zc_argument_tensor(call, 1);
    const zc_tensor *values = places == NULL ? NULL : zc_argument_tensor(call, 2);
    if (values == NULL || !zc_argument_choice(call, 3, ways, (int)(sizeof ways / sizeof *ways), &how))
        return NULL;
    return zc_update(x, places, values, (zc_update_op)how);
}

/* values[i] added to x[index[i]] along the axis. */
zc_tensor *zc_call_scatter_add(zc_call *call)
{
    int axis;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    const zc_tensor *index = x == NULL ? NULL : zc_argument_tensor(call, 1);
    const zc_tensor *values = index == NULL ? NULL : zc_argument_tensor(call, 2);
    if (values == NULL || !zc_argument_axis(call, 3, &axis))
        return NULL;
    zc_tensor *all = zc_places(x), *places = zc_take(all, index, axis);
    zc_tensor *result = places == NULL ? NULL : zc_update(x, places, values, ZC_UPDATE_ADD);
    zc_release(all);
    zc_release(places);
    return result;
}
