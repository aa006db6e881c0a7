#include "tests/diff/eager.h"

#include <stdlib.h>
#include <string.h>

/* ---- Memory ---- */

typedef struct block {
    struct block *next;
    int64_t data[];
} block;

static block *blocks;

eager eager_new(int rank, const int64_t *shape)
{
    eager a = {.rank = rank, .size = 1};
    for (int i = 0; i < rank; i++) {
        a.shape[i] = shape[i];
        a.size *= shape[i];
    }
    block *b = malloc(sizeof *b + ((size_t)a.size + 1) * sizeof(int64_t));
    if (b == NULL)
        abort();
    b->next = blocks;
    blocks = b;
    a.data = b->data;
    return a;
}

void eager_free_all(void)
{
    while (blocks != NULL) {
        block *b = blocks;
        blocks = b->next;
        free(b);
    }
}

/* ---- Indices ---- */

static void unravel(const eager *a, int64_t number, int64_t *index)
{
    for (int i = a->rank - 1; i >= 0; i--) {
        index[i] = number % a->shape[i];
        number /= a->shape[i];
    }
}

static int64_t ravel(const eager *a, const int64_t *index)
{
    int64_t number = 0;
    for (int i = 0; i < a->rank; i++)
        number = number * a->shape[i] + index[i];
    return number;
}

/* The element that a, broadcast to `to`, shows at that index. */
static int64_t broadcast_element(const eager *a, const eager *to, const int64_t *index)
{
    int64_t own[EAGER_RANK];
    for (int i = 0; i < a->rank; i++)
        own[i] = a->shape[i] == 1 ? 0 : index[i + to->rank - a->rank];
    return a->data[ravel(a, own)];
}

bool eager_meet(const eager *a, const eager *b, int *rank, int64_t *shape)
{
    *rank = a->rank > b->rank ? a->rank : b->rank;
    for (int i = 1; i <= *rank; i++) {
        int64_t x = i <= a->rank ? a->shape[a->rank - i] : 1, y = i <= b->rank ? b->shape[b->rank - i] : 1;
        if (x != y && x != 1 && y != 1)
            return false;
        shape[*rank - i] = x == 1 ? y : x;
    }
    return true;
}

/* ---- Elementwise ---- */

eager eager_map2(int64_t (*f)(int64_t, int64_t), const eager *a, const eager *b)
{
    int rank;
    int64_t shape[EAGER_RANK] = {0}, index[EAGER_RANK];
    (void)eager_meet(a, b, &rank, shape);
    eager out = eager_new(rank, shape);
    for (int64_t i = 0; i < out.size; i++) {
        unravel(&out, i, index);
        out.data[i] = f(broadcast_element(a, &out, index), broadcast_element(b, &out, index));
    }
    return out;
}

eager eager_where(const eager *condition, const eager *a, const eager *b)
{
    int rank;
    int64_t shape[EAGER_RANK] = {0}, index[EAGER_RANK];
    (void)eager_meet(a, b, &rank, shape);
    eager both = eager_new(rank, shape);
    (void)eager_meet(condition, &both, &rank, shape);
    eager out = eager_new(rank, shape);
    for (int64_t i = 0; i < out.size; i++) {
        unravel(&out, i, index);
        const eager *from = broadcast_element(condition, &out, index) != 0 ? a : b;
        out.data[i] = broadcast_element(from, &out, index);
    }
    return out;
}

/* ---- Views, as copies ---- */

eager eager_broadcast(const eager *a, int rank, const int64_t *shape)
{
    int64_t index[EAGER_RANK];
    eager out = eager_new(rank, shape);
    for (int64_t i = 0; i < out.size; i++) {
        unravel(&out, i, index);
        out.data[i] = broadcast_element(a, &out, index);
    }
    return out;
}

eager eager_permute(const eager *a, const int *axes)
{
    int64_t shape[EAGER_RANK] = {0}, index[EAGER_RANK], from[EAGER_RANK];
    for (int i = 0; i < a->rank; i++)
        shape[i] = a->shape[axes[i]];
    eager out = eager_new(a->rank, shape);
    for (int64_t i = 0; i < out.size; i++) {
        unravel(&out, i, index);
        for (int k = 0; k < a->rank; k++)
            from[axes[k]] = index[k];
        out.data[i] = a->data[ravel(a, from)];
    }
    return out;
}

eager eager_slice(const eager *a, int axis, int64_t first, int64_t step, int64_t count)
{
    int64_t shape[EAGER_RANK] = {0}, index[EAGER_RANK];
    memcpy(shape, a->shape, sizeof shape);
    shape[axis] = count;
    eager out = eager_new(a->rank, shape);
    for (int64_t i = 0; i < out.size; i++) {
        unravel(&out, i, index);
        index[axis] = first + index[axis] * step;
        out.data[i] = a->data[ravel(a, index)];
    }
    return out;
}

eager eager_reshape(const eager *a, int rank, const int64_t *shape)
{
    eager out = eager_new(rank, shape);
    memcpy(out.data, a->data, (size_t)a->size * sizeof *a->data);
    return out;
}

eager eager_expand(const eager *a, int axis)
{
    int64_t shape[EAGER_RANK] = {0};
    for (int i = 0; i <= a->rank; i++)
        shape[i] = i < axis ? a->shape[i] : i == axis ? 1 : a->shape[i - 1];
    return eager_reshape(a, a->rank + 1, shape);
}

eager eager_index(const eager *a, int axis, int64_t index)
{
    eager slice = eager_slice(a, axis, index, 1, 1);
    int64_t shape[EAGER_RANK] = {0};
    for (int i = 0, to = 0; i < a->rank; i++) {
        if (i != axis)
            shape[to++] = a->shape[i];
    }
    return eager_reshape(&slice, a->rank - 1, shape);
}

/* ---- Reductions ---- */

/* The kept shape; and the number of the result that an index belongs to, and its number along the reduced axes. */
static eager kept_array(const eager *a, uint64_t axes)
{
    int64_t shape[EAGER_RANK] = {0};
    int rank = 0;
    for (int i = 0; i < a->rank; i++) {
        if ((axes >> i & 1) == 0)
            shape[rank++] = a->shape[i];
    }
    return eager_new(rank, shape);
}

static void split_index(const eager *a, uint64_t axes, const int64_t *index, int64_t *result, int64_t *number)
{
    *result = *number = 0;
    for (int i = 0; i < a->rank; i++) {
        int64_t *into = (axes >> i & 1) != 0 ? number : result;
        *into = *into * a->shape[i] + index[i];
    }
}

eager eager_reduce(const eager *a, uint64_t axes, int64_t first, int64_t (*f)(int64_t, int64_t))
{
    int64_t index[EAGER_RANK], result, number;
    eager out = kept_array(a, axes);
    for (int64_t i = 0; i < out.size; i++)
        out.data[i] = first;
    for (int64_t i = 0; i < a->size; i++) {
        unravel(a, i, index);
        split_index(a, axes, index, &result, &number);
        out.data[result] = f(out.data[result], a->data[i]);
    }
    return out;
}

eager eager_extreme(const eager *a, uint64_t axes, bool largest)
{
    int64_t index[EAGER_RANK], result, number;
    eager best = kept_array(a, axes), out = kept_array(a, axes);
    for (int64_t i = 0; i < out.size; i++)
        out.data[i] = -1;
    for (int64_t i = 0; i < a->size; i++) {
        unravel(a, i, index);
        split_index(a, axes, index, &result, &number);
        bool is_better = largest ? a->data[i] > best.data[result] : a->data[i] < best.data[result];
        if (out.data[result] < 0 || is_better) {
            best.data[result] = a->data[i];
            out.data[result] = number;
        }
    }
    return out;
}
