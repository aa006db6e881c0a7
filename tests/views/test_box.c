/*
 * Boxes against what they stand for, found element by element: the coordinates that a view reaches, and where its
 * elements are in a storage of just the box.
 */
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "views/box.h"

enum { TRIALS = 3000, MOST_AXES = 3, MOST_ELEMENTS = 400 };

typedef struct storage {
    int rank;
    int64_t shape[MOST_AXES], size;
} storage;

static storage draw_storage(void)
{
    storage s = {.rank = (int)zc_random_range(0, MOST_AXES), .size = 1};
    for (int k = 0; k < s.rank; k++) {
        s.shape[k] = zc_random_range(1, 7);
        s.size *= s.shape[k];
    }
    return s;
}

/* Any strides that stay inside the storage. */
static zc_view draw_view(const storage *s)
{
    zc_view view, proven;
    do {
        view.rank = (int)zc_random_range(0, MOST_AXES);
        view.offset = zc_random_range(0, s->size - 1);
        for (int a = 0; a < view.rank; a++) {
            view.shape[a] = zc_random_range(1, 4);
            view.stride[a] = zc_random_range(-s->size / 2, s->size / 2);
        }
    } while (zc_view_prove(view.rank, view.shape, view.stride, view.offset, s->size, &proven, NULL) != ZC_OK);
    return proven;
}

/* Element i of a view, in row-major order. */
static int64_t address(const zc_view *view, int64_t i)
{
    int64_t at = view->offset;
    for (int a = view->rank - 1; a >= 0; a--) {
        at += i % view->shape[a] * view->stride[a];
        i /= view->shape[a];
    }
    return at;
}

static bool holds(const zc_box *box, const storage *s, int64_t element)
{
    for (int k = s->rank - 1; k >= 0; k--) {
        int64_t at = element % s->shape[k] - box->first[k];
        element /= s->shape[k];
        if (at < 0 || at % box->step[k] != 0 || at / box->step[k] >= box->count[k])
            return false;
    }
    return true;
}

/* The box's storage: which element of the whole each of its elements is. */
static int64_t fill(const zc_box *box, const storage *s, int64_t *elements)
{
    int64_t count = 0;
    for (int64_t e = 0; e < s->size; e++) {
        if (holds(box, s, e))
            elements[count++] = e;
    }
    return count;
}

static void expect_holds_view(const zc_box *box, const storage *s, const zc_view *view)
{
    int64_t elements[MOST_ELEMENTS];
    int64_t count = fill(box, s, elements);
    zc_view located;
    cr_assert_eq(count, zc_box_size(box));
    zc_box_locate(box, view, s->shape, &located);
    for (int64_t i = 0; i < zc_view_size(view); i++) {
        cr_assert(holds(box, s, address(view, i)), "element %ld is not inside", (long)i);
        int64_t at = address(&located, i);
        cr_assert(at >= 0 && at < count && elements[at] == address(view, i), "element %ld is not there", (long)i);
    }
}

/* A view of the box shows its elements in their order. */
static void expect_shows_box(const zc_box *box, const storage *s, uint64_t kept)
{
    int64_t elements[MOST_ELEMENTS];
    int64_t count = fill(box, s, elements);
    zc_view view;
    zc_box_view(box, s->shape, kept, &view);
    cr_assert_eq(zc_view_size(&view), count);
    for (int64_t i = 0; i < count; i++)
        cr_assert_eq(address(&view, i), elements[i]);
}

Test(box, of_a_view_holds_its_elements_where_they_are_found_again)
{
    zc_random_begin("box");
    int exact = 0;
    for (int t = 0; t < TRIALS * zc_test_scale(); t++) {
        storage s = draw_storage();
        zc_view view = draw_view(&s);
        zc_box box;
        zc_box_of_view(&view, s.rank, s.shape, &box);
        expect_holds_view(&box, &s, &view);
        expect_shows_box(&box, &s, 0);
        expect_shows_box(&box, &s, UINT64_MAX);
        exact += !box.is_rows;
    }
    cr_expect_gt(exact, TRIALS / 10, "hardly any view shows a box");
}

/* Expects the clipped view to show just those elements that lie inside the box, in the view's order. */
static bool expect_clipped(const zc_box *box, const storage *s, const zc_view *view)
{
    zc_ranges ranges;
    zc_view part;
    int64_t count = 0, inside = 0;
    if (!zc_box_clip(box, view, s->shape, &ranges))
        return false;
    zc_view_clip(view, &ranges, &part);
    for (int64_t i = 0; i < zc_view_size(view); i++)
        inside += holds(box, s, address(view, i));
    for (int64_t i = 0; i < zc_view_size(view) && count < zc_view_size(&part); i++) {
        if (holds(box, s, address(view, i)))
            cr_assert_eq(address(&part, count++), address(view, i));
    }
    cr_assert_eq(count, inside);
    cr_assert_eq(zc_view_size(&part), inside);
    return true;
}

Test(box, clips_a_view_to_what_is_inside)
{
    zc_random_begin("box/clip");
    int clipped = 0;
    for (int t = 0; t < TRIALS * zc_test_scale(); t++) {
        storage s = draw_storage();
        zc_view view = draw_view(&s), other = draw_view(&s);
        zc_box box;
        zc_box_of_view(&other, s.rank, s.shape, &box);
        zc_box_fill(&box);
        clipped += expect_clipped(&box, &s, &view);
    }
    cr_expect_gt(clipped, TRIALS / 10, "hardly any view can be clipped");
}

/* Elements in both, counted one by one. */
static int64_t count_shared(const zc_box *a, const zc_box *b, const storage *s)
{
    int64_t count = 0;
    for (int64_t e = 0; e < s->size; e++)
        count += holds(a, s, e) && holds(b, s, e);
    return count;
}

Test(box, joined_with_another_one_holds_both)
{
    zc_random_begin("box/join");
    for (int t = 0; t < TRIALS * zc_test_scale(); t++) {
        storage s = draw_storage();
        zc_view views[2] = {draw_view(&s), draw_view(&s)};
        zc_box boxes[2], joined;
        for (int i = 0; i < 2; i++)
            zc_box_of_view(&views[i], s.rank, s.shape, &boxes[i]);
        zc_box_join(&boxes[0], &boxes[1], s.shape, &joined);
        for (int i = 0; i < 2; i++) {
            cr_assert(zc_box_contains(&joined, &boxes[i]));
            expect_holds_view(&joined, &s, &views[i]);
            bool inside = count_shared(&boxes[1 - i], &boxes[i], &s) == zc_box_size(&boxes[i]);
            cr_assert(!zc_box_contains(&boxes[1 - i], &boxes[i]) || inside);
        }
        cr_assert_geq(zc_box_overlap(&boxes[0], &boxes[1]), 0);
        zc_box_join(&boxes[0], &boxes[1], s.shape, &boxes[0]);
        cr_assert_eq(memcmp(joined.count, boxes[0].count, (size_t)s.rank * sizeof *joined.count), 0);
    }
}

/* Expects the overlap of boxes with equal steps to be exact. */
Test(box, overlap_is_what_both_hold)
{
    zc_random_begin("box/overlap");
    for (int t = 0; t < TRIALS; t++) {
        storage s = {.rank = 2, .shape = {12, 9}, .size = 108};
        zc_box boxes[2] = {{.rank = 2}, {.rank = 2}};
        for (int k = 0; k < 2; k++) {
            int64_t step = zc_random_range(1, 3);
            for (int i = 0; i < 2; i++) {
                boxes[i].first[k] = zc_random_range(0, 4);
                boxes[i].count[k] = zc_random_range(1, (s.shape[k] - 1 - boxes[i].first[k]) / step + 1);
                boxes[i].step[k] = boxes[i].count[k] > 1 ? step : 1;
            }
        }
        cr_assert_eq(zc_box_overlap(&boxes[0], &boxes[1]), count_shared(&boxes[0], &boxes[1], &s));
    }
}

/* An axis of one element is no way to move, whatever its stride: one that positions gather has any. */
Test(box, passes_over_axes_of_one_element)
{
    static const int64_t shape[] = {4, 5};
    const zc_view view = {.rank = 2, .offset = 7, .shape = {1, 3}, .stride = {100, 1}};
    zc_box box;
    zc_view located;
    zc_box_of_view(&view, 2, shape, &box);
    cr_expect(!box.is_rows && box.first[0] == 1 && box.count[0] == 1 && box.first[1] == 2 && box.count[1] == 3);
    zc_box_locate(&box, &view, shape, &located);
    cr_expect(located.offset == 0 && located.stride[0] == 0 && located.stride[1] == 1);
    zc_ranges ranges;
    cr_assert(
        zc_box_clip(&(zc_box){.rank = 2, .first = {0, 3}, .count = {4, 2}, .step = {1, 1}}, &view, shape, &ranges));
    cr_expect(ranges.first[0] == 0 && ranges.count[0] == 1 && ranges.first[1] == 1 && ranges.count[1] == 2);
}
