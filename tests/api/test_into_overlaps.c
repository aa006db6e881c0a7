/*
 * Random pairs of a source view and a target over one buffer: zc_materialize_into() gives memmove's result, whatever
 * the strides of both. The oracle gathers every element in plain C before it stores the first one.
 */
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { PAIRS = 1000000, MEMORY = 64, MOST_RANK = 3, MOST_EXTENT = 4 };

/* Strides and an offset over the elements of a buffer; no element lies outside. */
typedef struct placement {
    int64_t stride[MOST_RANK], offset;
} placement;

typedef struct pair {
    int rank;
    int64_t shape[MOST_RANK];
    int64_t count; /* elements of the buffer */
    placement source, target;
} pair;

/* Moves the placement to a random place in the buffer. False when it does not fit. */
static bool place(const pair *p, placement *at)
{
    int64_t lowest = 0, highest = 0;
    for (int a = 0; a < p->rank; a++) {
        int64_t reach = (p->shape[a] - 1) * at->stride[a];
        *(reach < 0 ? &lowest : &highest) += reach;
    }
    if (highest - lowest >= p->count)
        return false;
    at->offset = zc_random_range(-lowest, p->count - 1 - highest);
    return true;
}

static bool draw_source(const pair *p, placement *at)
{
    for (int a = 0; a < p->rank; a++)
        at->stride[a] = zc_random_range(-9, 9);
    return place(p, at);
}

/* Axes nested in a random order, each with a gap or none, forwards or backwards: no two elements share an address. */
static bool draw_target(const pair *p, placement *at)
{
    int order[MOST_RANK] = {0, 1, 2};
    int64_t step = zc_random_range(1, 3);
    for (int i = p->rank - 1; i > 0; i--) {
        int other = (int)zc_random_range(0, i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (int i = 0; i < p->rank; i++) {
        at->stride[order[i]] = zc_random_bool() ? step : -step;
        step = step * p->shape[order[i]] + zc_random_range(0, 1) * zc_random_range(0, 2);
    }
    return place(p, at);
}

static bool draw(pair *p)
{
    p->count = zc_random_range(1, MEMORY);
    p->rank = (int)zc_random_range(0, MOST_RANK);
    for (int a = 0; a < p->rank; a++)
        p->shape[a] = zc_random_range(1, a == 0 ? 2 * MOST_EXTENT : MOST_EXTENT);
    return draw_source(p, &p->source) && draw_target(p, &p->target);
}

/* The place of element `at`, in row-major order. */
static int64_t address(const pair *p, const placement *in, int64_t at)
{
    int64_t place = in->offset;
    for (int a = p->rank - 1; a >= 0; a--) {
        place += at % p->shape[a] * in->stride[a];
        at /= p->shape[a];
    }
    return place;
}

static void move_by_hand(const pair *p, unsigned char *memory, size_t item)
{
    unsigned char held[2 * MOST_EXTENT * MOST_EXTENT * MOST_EXTENT * sizeof(double)];
    int64_t size = 1;
    for (int a = 0; a < p->rank; a++)
        size *= p->shape[a];
    for (int64_t i = 0; i < size; i++)
        memcpy(held + (size_t)i * item, memory + (size_t)address(p, &p->source, i) * item, item);
    for (int64_t i = 0; i < size; i++)
        memcpy(memory + (size_t)address(p, &p->target, i) * item, held + (size_t)i * item, item);
}

Test(into, a_target_over_the_memory_that_a_view_reads_has_memmoves_meaning)
{
    zc_skip_of_one_thread();
    static const zc_dtype dtypes[] = {ZC_UINT8, ZC_INT16, ZC_INT32, ZC_FLOAT64};
    static const size_t items[] = {1, 2, 4, 8};
    _Alignas(16) unsigned char memory[MEMORY * sizeof(double)], wanted[sizeof memory];
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_random_begin("into_overlaps");
    const int64_t pairs = zc_test_count(PAIRS) / zc_test_long_step(3);
    for (int64_t i = 0; i < pairs;) {
        pair p;
        if (!draw(&p))
            continue;
        i++;
        int kind = (int)zc_random_range(0, 3);
        size_t bytes = (size_t)p.count * items[kind];
        for (size_t b = 0; b < bytes; b++)
            memory[b] = (unsigned char)zc_random_u64();
        memcpy(wanted, memory, bytes);
        move_by_hand(&p, wanted, items[kind]);
        zc_tensor *x =
            zc_import(ctx, dtypes[kind], p.rank, p.shape, p.source.stride, p.source.offset, memory, bytes, NULL, NULL);
        cr_assert_eq(zc_materialize_into(x, memory, bytes, p.target.stride, p.target.offset), ZC_OK, "pair %lld: %s",
                     (long long)i, zc_error_text(ctx));
        cr_assert_arr_eq(memory, wanted, bytes, "pair %lld", (long long)i);
        zc_release(x);
    }
    zc_context_free(ctx);
}

/* Targets that an explicit copy, a conversion of dtypes and two views of one buffer read. */
Test(into, overlaps_within_larger_memory)
{
    enum { COUNT = 100000 };
    static int64_t memory[COUNT], wanted[COUNT];
    zc_context *ctx = zc_context_new(NULL);
    for (int64_t shift = -3; shift <= 3; shift++) {
        for (int64_t i = 0; i < COUNT; i++)
            memory[i] = wanted[i] = i * i % 1009;
        int64_t from = shift < 0 ? -shift : 0, to = shift < 0 ? 0 : shift, size = COUNT - from - to;
        memmove(wanted + to, wanted + from, (size_t)size * sizeof *wanted);
        zc_tensor *x = zc_import(ctx, ZC_INT64, ZC_SHAPE(COUNT), NULL, 0, memory, sizeof memory, NULL, NULL);
        zc_tensor *part = zc_slice(x, 0, from, from + size, 1);
        cr_assert_eq(zc_materialize_into(part, memory, sizeof memory, NULL, to), ZC_OK, "%s", zc_error_text(ctx));
        cr_assert_arr_eq(memory, wanted, sizeof memory, "shifted by %lld", (long long)shift);
        zc_release(part);
        zc_release(x);
    }
    zc_context_free(ctx);
}

/* The copy on the way counts against the limit, and a refusal writes nothing. */
Test(into, an_overlap_without_room_for_the_copy_is_refused)
{
    enum { COUNT = 4096 };
    static double memory[COUNT];
    zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = COUNT * sizeof(double) / 4});
    memory[0] = 1;
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), NULL, 0, memory, sizeof memory, NULL, NULL);
    zc_tensor *part = zc_slice(x, 0, 0, COUNT / 2, 1);
    cr_expect_eq(zc_materialize_into(part, memory, sizeof memory, NULL, COUNT / 2), ZC_ERROR_BUDGET);
    cr_expect_eq(memory[COUNT / 2], 0);
    zc_error_clear(ctx);
    zc_tensor *few = zc_slice(x, 0, 0, COUNT / 8, 1);
    cr_expect_eq(zc_materialize_into(few, memory, sizeof memory, NULL, COUNT / 2), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_eq(memory[COUNT / 2], 1);
    zc_release(few);
    zc_release(part);
    zc_release(x);
    zc_context_free(ctx);
}
