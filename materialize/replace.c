/* The public calls that go on with what they have computed. */
#include "materialize/materialize.h"
#include "runtime/graph/tensor.h"

static zc_status replace(int count, const zc_tensor *const *next, zc_tensor **const *slots, const char *function,
                         zc_tensor **made)
{
    zc_status status = zc_materialize_for(count, next, function, made);
    for (int i = 0; i < count && status == ZC_OK; i++) {
        zc_release(zc_keep(*slots[i]));
        *slots[i] = zc_keep(made[i]);
    }
    return status;
}

static zc_status check_slots(int count, const zc_tensor *const *next, zc_tensor **const *slots, const char *function)
{
    if (zc_refuse_lost_in_list(NULL, function, "next", count, next))
        return ZC_ERROR_ARGUMENT;
    zc_status status = zc_check_tensors(count, next, function);
    if (status == ZC_OK && count > 0 && slots == NULL)
        return zc_refuse_place(next[0], function);
    for (int i = 0; i < count && status == ZC_OK; i++) {
        if (slots[i] == NULL)
            status = zc_refuse_place(next[i], function);
    }
    return status;
}

zc_status zc_replace(zc_tensor **slot, const zc_tensor *next)
{
    static const char function[] = "replace";
    zc_tensor *made, **const slots[] = {slot};
    if (ZC_REFUSE_LOST(function, next))
        return ZC_ERROR_ARGUMENT;
    const zc_status status = check_slots(1, &next, slots, function);
    return status == ZC_OK ? replace(1, &next, slots, function, &made) : status;
}

zc_status zc_replace_all(int count, const zc_tensor *const *next, zc_tensor **const *slots)
{
    static const char function[] = "replace_all";
    zc_status status = check_slots(count, next, slots, function);
    if (status != ZC_OK || count == 0)
        return status;
    zc_heap *heap = next[0]->heap;
    const size_t bytes = (size_t)count * sizeof(zc_tensor *); /* proven: as many tensors are in memory */
    zc_tensor **made = zc_heap_take(heap, bytes);
    if (made == NULL)
        return zc_fail_memory(next[0]->ctx, function);
    status = replace(count, next, slots, function, made);
    zc_heap_give(heap, made, bytes);
    return status;
}
