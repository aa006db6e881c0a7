/*
 * Values and copies of a few elements that were read of an array, and are still there. Each is a view, and would keep
 * the array from being written to in its memory; or elements of what was recorded, which it would keep. An array lists
 * them, and they get memory of their own where that helps.
 */
#include "python/core/aliases.h"

/* Without the GIL a value is another thread's at any time. */
#if defined(Py_GIL_DISABLED)
enum { LENDS = 0 };
#else
enum { LENDS = 1 };
#endif

void core_lend(array_object *lender, array_object *value)
{
    if (!LENDS || zc_size(lender->tensor) == 1)
        return;
    value->lender = lender;
    value->is_of_memory = zc_size(value->tensor) == 1 && zc_is_view(value->tensor);
    value->next_lent = lender->lent;
    if (lender->lent != NULL)
        lender->lent->previous_lent = value;
    lender->lent = value;
}

void core_lend_copy(array_object *lender, array_object *copy)
{
    if (zc_size(copy->tensor) <= CORE_FEW)
        core_lend(lender, copy);
}

void core_end_loan(array_object *value)
{
    array_object *lender = value->lender;
    if (lender == NULL)
        return;
    if (value->previous_lent != NULL)
        value->previous_lent->next_lent = value->next_lent;
    else
        lender->lent = value->next_lent;
    if (value->next_lent != NULL)
        value->next_lent->previous_lent = value->previous_lent;
    value->lender = value->next_lent = value->previous_lent = NULL;
}

void core_end_loans(array_object *array)
{
    core_end_loan(array);
    while (array->lent != NULL)
        core_end_loan(array->lent);
}

/* Values that are looked at before a write; beyond them an array with more is written to as one with any other view. */
enum { MOST_LENT = 15 };

/* Lets the values have a handle of their own where a loan has theirs, of which that one may lose its reference. */
static bool take_apart(array_object *const *loan, int count, zc_tensor **values)
{
    int i = 0;
    while (i < count && loan[i]->tensor != *values)
        i++;
    if (i == count)
        return true;
    zc_tensor *t = *values, *again = zc_broadcast_to(t, zc_rank(t), zc_shape(t));
    if (again == NULL)
        return false;
    zc_release(t);
    *values = again;
    return true;
}

/* A function of the program's may run meanwhile, and change or end what was lent: then nothing is replaced. */
zc_status core_assign_keeping(array_object *owner, const zc_tensor *places, zc_tensor **values)
{
    array_object *loan[MOST_LENT];
    zc_tensor *held[MOST_LENT + 1], *was[MOST_LENT];
    int count = 0;
    for (array_object *v = owner->lent; v != NULL && count < MOST_LENT; v = v->next_lent)
        loan[count++] = v;
    for (int i = 0; i < count / 2; i++) { /* the first read comes first */
        array_object *later = loan[i];
        loan[i] = loan[count - 1 - i];
        loan[count - 1 - i] = later;
    }
    if (!take_apart(loan, count, values))
        return zc_error_status(zc_context_of(*values));
    for (int i = 0; i < count; i++) {
        held[i] = was[i] = loan[i]->tensor;
        Py_INCREF((PyObject *)loan[i]);
    }
    held[count] = *values;
    const zc_status status = zc_assign_keeping(&owner->tensor, places, *values, count + 1, held);
    *values = held[count];
    for (int i = 0; i < count; i++) {
        if (held[i] == was[i])
            continue;
        core_end_loan(loan[i]);
        loan[i]->tensor = held[i];
    }
    for (int i = 0; i < count; i++)
        Py_DECREF((PyObject *)loan[i]);
    return status;
}

bool core_lends_few(const array_object *owner)
{
    int count = 0;
    for (const array_object *v = owner->lent; v != NULL && count <= CORE_FEW_LENT; v = v->next_lent)
        count += v->is_of_memory;
    return count <= CORE_FEW_LENT;
}

/* Asks for copies of values: what is computed of one may else be a view of all elements of then. */
void core_look_at_lent(const core_frame *frame, array_object *owner, core_settled *s)
{
    s->count = 0;
    for (array_object *v = owner->lent; v != NULL && s->count < CORE_FEW_LENT; v = v->next_lent) {
        const bool is_value = zc_size(v->tensor) == 1 && zc_context_of(v->tensor) == frame->ctx;
        zc_tensor *copy = is_value ? zc_copy(v->tensor) : NULL;
        if (copy == NULL)
            continue;
        s->value[s->count] = (array_object *)Py_NewRef((PyObject *)v);
        s->was[s->count++] = zc_retain(v->tensor);
        s->asked[s->count] = copy;
    }
    if (zc_error_status(frame->ctx) == ZC_ERROR_MEMORY) /* then a value stays as it is */
        zc_error_clear(frame->ctx);
}

void core_put_lent(array_object *owner, core_settled *s)
{
    zc_tensor **held[CORE_FEW_LENT], *copies[CORE_FEW_LENT];
    for (int i = 0; i <= s->count; i++)
        zc_release(s->asked[i]); /* which read the values */
    for (int i = 0; i < s->count; i++) {
        const int v = s->count - 1 - i; /* the first read comes first */
        array_object *value = s->value[v];
        const bool is_there = value->lender == owner && value->tensor == s->was[v];
        copies[i] = s->is[1 + v];
        held[i] = is_there ? &value->tensor : NULL;
        if (is_there)
            zc_release(s->was[v]); /* which ends nothing: the value has a reference */
        s->was[v] = is_there ? NULL : s->was[v];
    }
    (void)zc_replace_held(owner->tensor, s->count, held, copies);
    for (int i = 0; i < s->count; i++) {
        array_object *value = s->value[s->count - 1 - i];
        if (copies[i] != NULL && value->tensor == copies[i])
            core_end_loan(value);
    }
    for (int i = 0; i <= s->count; i++)
        zc_release(s->is[i]);
    for (int i = 0; i < s->count; i++) {
        zc_release(s->was[i]);
        Py_DECREF((PyObject *)s->value[i]);
    }
}
