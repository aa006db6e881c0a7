/*
 * Long lines, which several threads sort together: the same elements, and the same numbers of equal ones, as by one
 * thread.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { LONG = (1 << 18) + 123, LONG_KEYS = 3 * (1 << 20) + 123, MOST_BYTES_EACH = 8, MOST_THREADS = 4 };

/* Bits of any kind; of few, whose elements are equal to many others; in order already; and all the same. */
static void fill(char *memory, size_t bytes_each, int kind)
{
    for (int64_t i = 0; i < LONG; i++) {
        const uint64_t drawn = zc_random_u64();
        const uint64_t few[] = {0, UINT64_C(0x8000000000000000), UINT64_C(0x7ff8000000000001), drawn << 60,
                                ~drawn >> 62};
        const uint64_t bits[] = {drawn, few[drawn % 5], (uint64_t)i << 20, 42};
        memcpy(memory + (size_t)i * bytes_each, &bits[kind], bytes_each);
    }
}

/* The bytes of what a call makes of the elements: sorted, their numbers, the groups of equal ones. */
static void *take(bench b, zc_dtype dtype, const void *memory, int call, bool descending, size_t *bytes)
{
    const int64_t shape[] = {LONG};
    zc_tensor *x = zc_import(b.ctx, dtype, 1, shape, NULL, 0, memory, LONG * zc_dtype_bytes(dtype), NULL, NULL);
    zc_tensor *out = NULL, *other = NULL;
    zc_status status = call == 0   ? zc_sort(x, 0, descending, &out)
                       : call == 1 ? zc_argsort(x, 0, descending, &out)
                       : call == 2 ? zc_unique_values(x, &out)
                                   : zc_unique_inverse(x, &other, &out);
    cr_assert_eq(status, ZC_OK, "%s", zc_error_text(b.ctx));
    *bytes = (size_t)zc_size(out) * zc_dtype_bytes(zc_dtype_of(out));
    void *copy = malloc(*bytes);
    cr_assert(copy != NULL && zc_data(out) != NULL);
    return memcpy(copy, zc_data(out), *bytes);
}

static void expect_same(zc_dtype dtype, const void *memory, int kind)
{
    for (int way = 0; way < 2 * 4; way++) {
        const int call = way / 2;
        const bool descending = way % 2 != 0;
        void *wanted = NULL;
        size_t wanted_bytes = 0, bytes;
        for (int threads = 1; threads <= MOST_THREADS; threads++) {
            bench b = begin_with((zc_options){.threads = threads});
            void *found = take(b, dtype, memory, call, descending, &bytes);
            if (threads == 1) {
                wanted = found;
                wanted_bytes = bytes;
            } else {
                cr_expect(bytes == wanted_bytes && memcmp(found, wanted, bytes) == 0,
                          "%s, elements %d, call %d, descending %d, %d threads", zc_dtype_name(dtype), kind, call,
                          descending, threads);
                free(found);
            }
            finish(b);
        }
        free(wanted);
    }
}

Test(sorting_shared, gives_what_one_thread_gives)
{
    const int step = zc_test_step(2);
    zc_random_begin("sorting_shared");
    char *memory = malloc((size_t)LONG * MOST_BYTES_EACH);
    cr_assert(memory != NULL);
    for (int d = 0; d < (int)ZC_COMPLEX64; d += zc_test_stride()) {
        for (int kind = d % step; kind < 4; kind += step) {
            fill(memory, zc_dtype_bytes((zc_dtype)d), kind);
            expect_same((zc_dtype)d, memory, kind);
        }
    }
    free(memory);
}

/* Keys of 8 and 16 bits alone are shared in longer lines. Numbers below 100, each many times. */
static void expect_sorted(zc_dtype dtype, int threads, bool descending)
{
    bench b = begin_with((zc_options){.threads = threads});
    zc_tensor *numbers = zc_multiply(zc_iota(b.ctx, LONG_KEYS), zc_weak_int(b.ctx, 40503)), *x = NULL, *out = NULL;
    zc_tensor *whole = zc_remainder(numbers, zc_weak_int(b.ctx, dtype == ZC_BOOL ? 2 : 100));
    cr_assert_eq(zc_materialize(zc_astype(whole, dtype), &x), ZC_OK);
    cr_assert_eq(zc_sort(x, 0, descending, &out), ZC_OK, "%s", zc_error_text(b.ctx));
    zc_tensor *back = zc_astype(out, ZC_INT64), *before = zc_slice(back, 0, 0, -1, 1),
              *after = zc_slice(back, 0, 1, ZC_NONE, 1);
    EXPECT(zc_all(descending ? zc_greater_equal(before, after) : zc_less_equal(before, after), ZC_ALL_AXES, false), 1);
    EXPECT(zc_equal(zc_sum(back, ZC_ALL_AXES, false), zc_sum(whole, ZC_ALL_AXES, false)), 1);
    EXPECT(zc_equal(zc_sum(zc_square(back), ZC_ALL_AXES, false), zc_sum(zc_square(whole), ZC_ALL_AXES, false)), 1);
    zc_release(out);
    zc_release(x);
    finish(b);
}

Test(sorting_shared, narrow_keys_come_in_order_and_all)
{
    for (int d = 0; d < (int)ZC_COMPLEX64; d += zc_test_stride()) {
        expect_sorted((zc_dtype)d, 2, false);
        expect_sorted((zc_dtype)d, 3, true);
    }
}

/* Lines of a result that are columns, and fewer than threads. */
Test(sorting_shared, stores_lines_that_are_not_rows)
{
    bench b = begin_with((zc_options){.threads = 4}), one = begin_with((zc_options){.threads = 1});
    zc_tensor *out[2] = {NULL, NULL};
    bench benches[] = {b, one};
    for (int i = 0; i < 2; i++) {
        zc_tensor *x =
            zc_remainder(zc_multiply(count_to(benches[i], ZC_SHAPE(LONG, 2)), zc_weak_int(benches[i].ctx, 7919)),
                         zc_weak_int(benches[i].ctx, 10007));
        cr_assert_eq(zc_sort(x, 0, false, &out[i]), ZC_OK);
    }
    cr_expect_eq(memcmp(zc_data(out[0]), zc_data(out[1]), (size_t)LONG * 2 * sizeof(int64_t)), 0);
    finish(b);
    finish(one);
}
