#include "tests/api/sources.h"

#include <stdlib.h>
#include <string.h>

double number_at(int64_t place)
{
    return (double)(place % 251);
}

static void set(void *elements, int64_t i, zc_dtype dtype, double value)
{
    if (dtype == ZC_FLOAT32)
        ((float *)elements)[i] = (float)value;
    else if (dtype == ZC_FLOAT64)
        ((double *)elements)[i] = value;
    else if (dtype == ZC_INT16)
        ((int16_t *)elements)[i] = (int16_t)value;
    else
        ((uint8_t *)elements)[i] = (uint8_t)value; /* a bool of many values, too */
}

const char *read_numbers(void *user, const int64_t *start, const int64_t *count, void *elements)
{
    numbered *n = user;
    int64_t size = 1, touched = 1;
    bool is_whole = true;
    for (int a = 0; a < n->rank; a++) {
        cr_assert(start[a] >= 0 && count[a] >= 1 && start[a] + count[a] <= n->shape[a], "axis %d: %ld from %ld of %ld",
                  a, (long)count[a], (long)start[a], (long)n->shape[a]);
        size *= count[a];
        touched *= (start[a] + count[a] - 1) / n->chunk[a] - start[a] / n->chunk[a] + 1;
        const bool ends = start[a] + count[a] == n->shape[a];
        is_whole &= start[a] % n->chunk[a] == 0 && (ends || count[a] % n->chunk[a] == 0);
    }
    for (int64_t i = 0; i < size; i++) {
        int64_t left = i, place = 0, row = 1;
        for (int a = n->rank - 1; a >= 0; a--) {
            place += (start[a] + left % count[a]) * row;
            left /= count[a];
            row *= n->shape[a];
        }
        set(elements, i, n->dtype, number_at(place));
    }
    n->misaligned += !is_whole;
    n->touched += touched;
    n->elements += size;
    n->largest = size > n->largest ? size : n->largest;
    return ++n->reads == n->fails_at ? "the line is down" : NULL;
}

void release_numbers(void *user)
{
    ((numbered *)user)->releases++;
}

const zc_tensor *from_numbers(zc_context *ctx, numbered *n)
{
    const zc_source source = {.user = n, .read = read_numbers, .release = release_numbers, .chunk = n->chunk};
    return zc_from_source(ctx, n->dtype, n->rank, n->shape, &source);
}

const zc_tensor *in_memory(zc_context *ctx, const numbered *n)
{
    int64_t size = 1;
    for (int a = 0; a < n->rank; a++)
        size *= n->shape[a];
    const size_t bytes = (size_t)size * zc_dtype_bytes(n->dtype);
    void *elements = malloc(bytes + 1);
    for (int64_t i = 0; i < size; i++)
        set(elements, i, n->dtype, number_at(i));
    const zc_tensor *t = zc_from_data(ctx, n->dtype, n->rank, n->shape, elements, bytes);
    free(elements);
    return t;
}

numbered numbers(zc_dtype dtype, int rank, const int64_t *shape, const int64_t *chunk)
{
    numbered n = {.rank = rank, .dtype = dtype};
    for (int a = 0; a < rank; a++) {
        n.shape[a] = shape[a];
        n.chunk[a] = chunk != NULL ? chunk[a] : 1;
    }
    return n;
}

void expect_same(const zc_tensor *t, const zc_tensor *wanted, const char *what)
{
    zc_tensor *result = NULL, *other = NULL;
    cr_assert_eq(zc_materialize(t, &result), ZC_OK, "%s: %s", what, t != NULL ? zc_error_text(zc_context_of(t)) : "");
    cr_assert_eq(zc_materialize(wanted, &other), ZC_OK, "%s", what);
    cr_assert_eq(zc_size(result), zc_size(other), "%s", what);
    cr_assert_eq(memcmp(zc_data(result), zc_data(other), (size_t)zc_size(other) * zc_dtype_bytes(zc_dtype_of(other))),
                 0, "%s", what);
}
