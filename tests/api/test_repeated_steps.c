/*
 * Loops whose steps are alike: what was prepared for a stage serves the later ones of the same structure, whatever
 * their slots and offsets are. A plan of many steps has the bits of the steps computed one by one.
 */
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { SIDE = 24, MOST_STEPS = 300 };

typedef struct drawn_step {
    int kind, axis;
    int64_t by;
    double factor;
} drawn_step;

static drawn_step draw_step(void)
{
    return (drawn_step){.kind = (int)zc_random_range(0, 7),
                        .axis = (int)zc_random_range(0, 1),
                        .by = zc_random_range(1, 3),
                        .factor = (double)zc_random_range(1, 3) / 4};
}

static zc_tensor *part(const zc_tensor *y, const drawn_step *s)
{
    return zc_slice(y, s->axis, s->by, s->by + SIDE / 2, 1);
}

/* Another y of the same shape; what it sees of y has a step's strides and offset. */
static zc_tensor *take(bench b, const zc_tensor *y, const drawn_step *s)
{
    zc_tensor *factor = zc_weak_float(b.ctx, s->factor);
    switch (s->kind) {
    case 0:
        return zc_add(zc_multiply(y, factor), zc_flip(y, ZC_AXES(s->axis)));
    case 1:
        return zc_subtract(y, zc_mean(y, ZC_AXES(s->axis), true));
    case 2:
        return zc_multiply(zc_maximum(y, zc_max(y, ZC_AXES(s->axis), true)), factor);
    case 3:
        return zc_concat(b.ctx, 2, (const zc_tensor *const[]){part(y, s), zc_multiply(part(y, s), factor)}, s->axis);
    case 4:
        return zc_add(y, zc_permute_dims(y, ZC_AXES(1, 0)));
    case 5:
        return zc_add(y, zc_astype(zc_argmax(y, ZC_AXES(s->axis), true), ZC_FLOAT64));
    case 6:
        return zc_astype(zc_astype(zc_multiply(y, factor), ZC_FLOAT32), ZC_FLOAT64);
    default:
        return zc_where(zc_less(y, factor), y, zc_negative(zc_roll(y, 1, LENGTHS(s->by), &s->axis)));
    }
}

static zc_tensor *begin_with_numbers(bench b)
{
    zc_tensor *t =
        zc_remainder(zc_multiply(count_to(b, ZC_SHAPE(SIDE, SIDE)), zc_weak_int(b.ctx, 37)), zc_weak_int(b.ctx, 101));
    return zc_divide(zc_astype(t, ZC_FLOAT64), zc_weak_float(b.ctx, 16));
}

static void expect_bits_of_single_steps(bench b, const drawn_step *steps, int count)
{
    zc_tensor *at_once = begin_with_numbers(b), *one_by_one = begin_with_numbers(b), *all = NULL;
    for (int i = 0; i < count; i++) {
        zc_tensor *computed = NULL;
        at_once = zc_copy(take(b, at_once, &steps[i]));
        cr_assert_eq(zc_materialize(take(b, one_by_one, &steps[i]), &computed), ZC_OK, "%s", zc_error_text(b.ctx));
        one_by_one = computed;
    }
    cr_assert_eq(zc_materialize(at_once, &all), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_eq(memcmp(zc_data(all), zc_data(one_by_one), SIDE * SIDE * sizeof(double)), 0, "%d steps", count);
}

Test(repeated_steps, have_the_bits_of_steps_computed_one_by_one)
{
    static const int counts[] = {2, 9, 40, MOST_STEPS}; /* of the last, no plan is kept */
    zc_random_begin("repeated_steps");
    for (int round = 0; round < zc_test_count(5); round++) {
        drawn_step steps[MOST_STEPS];
        for (int i = 0; i < MOST_STEPS; i++)
            steps[i] = draw_step();
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            bench b = begin();
            expect_bits_of_single_steps(b, steps, counts[i]);
            finish(b);
        }
    }
}
