/*
 * Functions that give a tuple: of tensors, or the shape that shapes meet in.
 */
#include "expressions/base/memory.h"
#include "expressions/functions/arguments.h"
#include "expressions/functions/calls.h"
#include "expressions/values/literal.h"

/* The most tensors a tuple is made of. */
enum { MOST_PARTS = 1 << 16 };

/* A list of that many tensors, all NULL; NULL with the fault set when they are too many. */
static zc_tensor **new_list(zc_call *call, int64_t count)
{
    if (count > MOST_PARTS) {
        (void)zc_fault_refuse(call->fault,
                              "%s: gives %d tensors at most, not %lld; subscripts and slices take one each",
                              call->function->name, MOST_PARTS, (long long)count);
        return NULL;
    }
    return zc_memory_take(call->fault, (size_t)count * sizeof(zc_tensor *));
}

static void release_list(zc_tensor **list, int count)
{
    for (int i = 0; i < count; i++)
        zc_release(list[i]);
    zc_memory_give(list);
}

/* The tuple of the list's tensors, whose references it takes over; the list ends here. */
static bool make_tuple(zc_call *call, zc_tensor **list, int count, zc_object *result)
{
    zc_object *items = zc_memory_take(call->fault, ((size_t)count + 1) * sizeof *items);
    if (items == NULL) {
        release_list(list, count);
        return false;
    }
    for (int i = 0; i < count; i++)
        items[i] = (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = list[i]};
    zc_memory_give(list);
    bool ok = zc_object_make_sequence(ZC_OBJECT_TUPLE, items, (size_t)count, result, call->fault);
    zc_memory_give(items);
    return ok;
}

/* ---- Parts ---- */

/* The axis counted from 0 and its size; the library refuses what is out of bounds in its own words. */
static bool read_axis(zc_call *call, const zc_tensor *x, int i, int *axis, int64_t *extent)
{
    int rank = zc_rank(x);
    if (!zc_argument_axis(call, i, axis))
        return false;
    if (*axis < -rank || *axis >= rank)
        return zc_fault_refuse(call->fault, "%s: axis %d is out of bounds for rank %d", call->function->name, *axis,
                               rank);
    *extent = zc_shape(x)[*axis < 0 ? *axis + rank : *axis];
    return true;
}

bool zc_call_unstack(zc_call *call, zc_object *result)
{
    int axis;
    int64_t extent = 0;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !read_axis(call, x, 1, &axis, &extent))
        return false;
    zc_tensor **parts = new_list(call, extent);
    if (parts == NULL)
        return false;
    if (zc_unstack(x, axis, (int)extent, parts) == ZC_OK)
        return make_tuple(call, parts, (int)extent, result);
    zc_memory_give(parts);
    return false;
}

static bool split_equally(zc_call *call, const zc_tensor *x, int64_t count, int axis, zc_object *result)
{
    if (count <= 0)
        return zc_fault_refuse(call->fault, "split: the number of parts is %lld, not positive", (long long)count);
    zc_tensor **parts = new_list(call, count);
    if (parts == NULL)
        return false;
    if (zc_split(x, axis, (int)count, NULL, parts) == ZC_OK)
        return make_tuple(call, parts, (int)count, result);
    zc_memory_give(parts);
    return false;
}

/* NumPy's: x[:i0], x[i0:i1] ... x[in:] along the axis, by the rules of slices. */
static bool split_at(zc_call *call, const zc_tensor *x, const zc_sequence *indices, int axis, zc_object *result)
{
    zc_tensor **parts = new_list(call, indices->count + 1);
    if (parts == NULL)
        return false;
    int count = (int)indices->count + 1;
    int64_t start = 0, stop;
    for (int i = 0; i < count; i++, start = stop) {
        bool is_last = i == count - 1;
        stop = ZC_NONE;
        bool ok = is_last || zc_object_as_integer(indices->items[i], &stop);
        if (!ok)
            (void)zc_fault_refuse(call->fault, "split: the indices are integers, not %s",
                                  zc_object_describe(indices->items[i]));
        parts[i] = ok ? zc_slice(x, axis, start, stop, 1) : NULL;
        if (parts[i] == NULL) {
            release_list(parts, i);
            return false;
        }
    }
    return make_tuple(call, parts, count, result);
}

bool zc_call_split(zc_call *call, zc_object *result)
{
    int axis;
    int64_t extent, sections;
    zc_object where = call->arguments[1];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !read_axis(call, x, 2, &axis, &extent))
        return false;
    if (zc_object_is_sequence(where))
        return split_at(call, x, where.sequence, axis, result);
    return zc_argument_integer(call, 1, &sections) && split_equally(call, x, sections, axis, result);
}

/* ---- Broadcasts ---- */

/* The tuple of what `make` makes of all arguments. */
static bool make_arrays(zc_call *call, zc_status (*make)(int, const zc_tensor *const *, zc_tensor **),
                        zc_object *result)
{
    int count = (int)call->rest_count;
    zc_tensor **arrays = new_list(call, call->rest_count);
    zc_tensor **shown = arrays == NULL ? NULL : new_list(call, call->rest_count);
    bool ok = shown != NULL;
    for (int i = 0; ok && i < count; i++) {
        arrays[i] = zc_literal_tensor(call->ctx, call->rest[i], ZC_STRONG, call->function->name, call->fault);
        ok = arrays[i] != NULL;
    }
    ok = ok && make(count, (const zc_tensor *const *)arrays, shown) == ZC_OK;
    if (arrays != NULL)
        release_list(arrays, count);
    if (ok)
        return make_tuple(call, shown, count, result);
    zc_memory_give(shown);
    return false;
}

bool zc_call_broadcast_arrays(zc_call *call, zc_object *result)
{
    return make_arrays(call, zc_broadcast_arrays, result);
}

static zc_status mesh_by_picture(int count, const zc_tensor *const *tensors, zc_tensor **out)
{
    return zc_meshgrid(count, tensors, true, out);
}

static zc_status mesh_by_matrix(int count, const zc_tensor *const *tensors, zc_tensor **out)
{
    return zc_meshgrid(count, tensors, false, out);
}

bool zc_call_meshgrid(zc_call *call, zc_object *result)
{
    int indexing;
    if (!zc_argument_choice(call, 1, (const char *const[]){"xy", "ij"}, 2, &indexing))
        return false;
    return make_arrays(call, indexing == 0 ? mesh_by_picture : mesh_by_matrix, result);
}

/* Shapes as the library takes them: their sizes, and a list of the beginnings. */
typedef struct listed_shapes {
    int *ranks;
    int64_t (*sizes)[ZC_MAX_RANK];
    const int64_t **shapes;
} listed_shapes;

static bool meet_shapes(zc_call *call, const listed_shapes *list, zc_object *result)
{
    int rank;
    int64_t met[ZC_MAX_RANK];
    zc_object items[ZC_MAX_RANK];
    for (uint32_t i = 0; i < call->rest_count; i++) {
        call->arguments[0] = call->rest[i];
        if (!zc_argument_shape(call, 0, &list->ranks[i], list->sizes[i]))
            return false;
        list->shapes[i] = list->sizes[i];
    }
    if (zc_broadcast_shapes(call->ctx, (int)call->rest_count, list->ranks, list->shapes, &rank, met) != ZC_OK)
        return false;
    for (int a = 0; a < rank; a++)
        items[a] = zc_object_integer(met[a]);
    return zc_object_make_sequence(ZC_OBJECT_TUPLE, items, (size_t)rank, result, call->fault);
}

bool zc_call_broadcast_shapes(zc_call *call, zc_object *result)
{
    size_t room = (size_t)call->rest_count + 1;
    listed_shapes list = {zc_memory_take(call->fault, room * sizeof *list.ranks),
                          zc_memory_take(call->fault, room * sizeof *list.sizes),
                          zc_memory_take(call->fault, room * sizeof *list.shapes)};
    const bool ok = list.ranks != NULL && list.sizes != NULL && list.shapes != NULL && meet_shapes(call, &list, result);
    zc_memory_give(list.ranks);
    zc_memory_give(list.sizes);
    zc_memory_give(list.shapes);
    return ok;
}
