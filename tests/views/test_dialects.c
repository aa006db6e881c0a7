/*
 * The broadcast dialects: the systems' own cases, where the systems differ, and every small shape against an
 * independent statement of each rule (dialect_rules.c).
 */
#include "tests/support/named_shapes.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/views/dialect_rules.h"
#include "tests/views/dialects.h"
#include "tests/views/oracle.h"
#include "views/dialects/dialects.h"

#include <stdlib.h>
#include <string.h>

typedef struct list {
    int count;
    int64_t item[16];
    int axis[16]; /* the same */
} list;

static list read_list(const char *text)
{
    list l = {0};
    while (*text != '\0') {
        char *end;
        l.item[l.count] = strtoll(text, &end, 10);
        l.axis[l.count] = (int)l.item[l.count];
        l.count++;
        text = *end == ',' ? end + 1 : end;
    }
    return l;
}

typedef struct dialect_case {
    dialect dialect;
    const char *from;
    const char *to;
    const char *list;
    const char *shape; /* NULL: refused */
    const char *stride;
    const char *refusal;
} dialect_case;

static const dialect_case cases[] = {
#define ACCEPTED(dialect, from, to, list, shape, stride) {dialect, from, to, list, shape, stride, NULL},
#define REFUSED(dialect, from, to, list, refusal)        {dialect, from, to, list, NULL, NULL, refusal},
#include "tests/views/dialect_cases.def"
#undef ACCEPTED
#undef REFUSED
};

/* Expects a refusal of any dialect to name the operand's shape and the target's. Of XLA's Broadcast the latter is the
 * sizes and then the operand's shape. */
static void check_names(dialect d, const zc_view *in, int rank, const int64_t *shape, const char *text)
{
    int64_t target[2 * ZC_MAX_RANK];
    int all = rank;
    for (int a = 0; a < rank; a++)
        target[a] = shape[a];
    for (int a = 0; a < in->rank && d == XLA_BROADCAST; a++)
        target[all++] = in->shape[a];
    cr_assert(zc_names_shapes(text, in->rank, in->shape, all, target), "%s: '%s' does not name both shapes",
              dialect_names[d], text);
}

static zc_status call(dialect d, const char *from, const char *to, const char *second, zc_view *out, zc_reason *why)
{
    zc_view in;
    list operand = read_list(from), target = read_list(to), axes = read_list(second);
    zc_view_row_major(operand.count, operand.item, &in);
    zc_status status = dialect_call(d, &in, target.count, target.item, axes.count, axes.axis, out, why);
    if (status != ZC_OK)
        check_names(d, &in, target.count, target.item, why->text);
    return status;
}

Test(dialects, give_the_cases_of_their_systems)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dialect_case *c = &cases[i];
        zc_view out;
        zc_reason why = {.text = ""};
        zc_status status = call(c->dialect, c->from, c->to, c->list, &out, &why);
        const char *name = dialect_names[c->dialect];
        cr_expect_eq(status == ZC_OK, c->shape != NULL, "%s (%s) to (%s) by {%s}: '%s'", name, c->from, c->to, c->list,
                     why.text);
        if (c->shape == NULL) {
            cr_expect(strstr(why.text, c->refusal) != NULL, "%s: '%s' lacks '%s'", name, why.text, c->refusal);
        } else if (status == ZC_OK) {
            list shape = read_list(c->shape), stride = read_list(c->stride);
            cr_expect(zc_shape_equal(out.rank, out.shape, shape.count, shape.item), "%s (%s) to (%s): another shape",
                      name, c->from, c->to);
            cr_expect(zc_shape_equal(out.rank, out.stride, stride.count, stride.item), "%s (%s) to (%s): other strides",
                      name, c->from, c->to);
        }
    }
}

/* Comparison of the systems: the result's shape in each, or NULL for a refusal. */
typedef struct divergence {
    const char *from;
    const char *to;
    const char *numpy, *tensorflow, *mindspore, *torch, *onnx, *openvino;
} divergence;

static const divergence matrix[] = {
    {"3", "2,3", "2,3", "2,3", "2,3", "2,3", "2,3", "2,3"},
    {"3", "3,1", NULL, NULL, NULL, NULL, "3,3", NULL},
    {"4", "1", NULL, NULL, NULL, NULL, "4", NULL},
    {"2,3", "3", NULL, NULL, NULL, NULL, "2,3", NULL},
    {"1", "0", "0", "0", NULL, "0", "0", "0"},
    {"3", "0", NULL, NULL, NULL, NULL, NULL, NULL},
    {"0", "5", NULL, NULL, NULL, NULL, NULL, NULL},
    {"3,1", "-1,4", NULL, NULL, "3,4", "3,4", NULL, NULL},
    {"3", "-1,3", NULL, NULL, NULL, NULL, NULL, NULL},
    {"", "-1", NULL, NULL, NULL, NULL, NULL, NULL},
};

Test(dialects, differ_where_their_systems_differ)
{
    static const dialect columns[] = {NUMPY, TENSORFLOW, MINDSPORE, TORCH, ONNX, OPENVINO_NUMPY};
    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++) {
        const divergence *row = &matrix[i];
        const char *expected[] = {row->numpy, row->tensorflow, row->mindspore, row->torch, row->onnx, row->openvino};
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            zc_view out;
            zc_reason why = {.text = ""};
            zc_status status = call(columns[k], row->from, row->to, "", &out, &why);
            cr_expect_eq(status == ZC_OK, expected[k] != NULL, "%s (%s) to (%s): %s", dialect_names[columns[k]],
                         row->from, row->to, why.text);
            if (status != ZC_OK || expected[k] == NULL)
                continue;
            list shape = read_list(expected[k]);
            cr_expect(zc_shape_equal(out.rank, out.shape, shape.count, shape.item), "%s (%s) to (%s)",
                      dialect_names[columns[k]], row->from, row->to);
        }
    }
    zc_view out;
    zc_reason why;
    cr_expect_neq(call(NGRAPH, "1,3", "2,3", "0", &out, &why), ZC_OK, "nGraph expanded an axis of size 1");
}

/* ---- Every small shape ---- */

/* The lists of up to `rank` items, each of `span` values from `low` on. */
typedef struct domain {
    int rank;
    int low;
    int span;
} domain;

static int64_t count_lists(const domain *d)
{
    int64_t count = 1;
    for (int rank = 0; rank < d->rank; rank++)
        count = 1 + count * d->span;
    return count;
}

static void list_at(const domain *d, int64_t k, numbers *out)
{
    int64_t lists = 1;
    for (out->count = 0; k >= lists; lists *= d->span, out->count++)
        k -= lists;
    for (int i = out->count - 1; i >= 0; i--, k /= d->span)
        out->item[i] = d->low + k % d->span;
}

static void check_elements(dialect d, const zc_view *in, const zc_view *out, const placement *p)
{
    int64_t at[ZC_MAX_RANK] = {0}, own[ZC_MAX_RANK];
    for (wide left = oracle_size(out->rank, out->shape); left > 0; left--) {
        for (int a = 0; a < in->rank; a++)
            own[a] = in->shape[a] == 1 ? 0 : at[p->axis[a]];
        wide expected = oracle_address(in->rank, in->stride, in->offset, own);
        cr_assert(oracle_address(out->rank, out->stride, out->offset, at) == expected, "%s shows another element",
                  dialect_names[d]);
        oracle_next(out->rank, out->shape, at);
    }
}

static void describe(const numbers *n, char *text)
{
    zc_shape_text(text, ZC_SHAPE_TEXT, n->count, n->item);
}

/* Returns whether the call was accepted. */
static bool check_small(dialect d, const numbers *from, const numbers *to, const numbers *axes)
{
    zc_view in, out;
    zc_reason why = {.text = ""};
    placement p;
    int places[ZC_MAX_RANK];
    char a[ZC_SHAPE_TEXT], b[ZC_SHAPE_TEXT], c[ZC_SHAPE_TEXT];
    zc_view_row_major(from->count, from->item, &in);
    for (int i = 0; i < axes->count; i++)
        places[i] = (int)axes->item[i];
    bool accepts = dialect_rule(d, from, to, axes, &p);
    zc_status status = dialect_call(d, &in, to->count, to->item, axes->count, places, &out, &why);
    if ((status == ZC_OK) != accepts) {
        describe(from, a), describe(to, b), describe(axes, c);
        cr_assert_fail("%s of %s to %s by %s: '%s'", dialect_names[d], a, b, c, why.text);
    }
    if (status != ZC_OK) {
        check_names(d, &in, to->count, to->item, why.text);
        return false;
    }
    cr_assert(zc_shape_equal(out.rank, out.shape, p.rank, p.shape), "%s: another shape", dialect_names[d]);
    check_elements(d, &in, &out, &p);
    cr_assert_eq(dialect_call(d, &in, to->count, to->item, axes->count, places, &in, NULL), ZC_OK);
    cr_assert(zc_view_equal(&in, &out), "%s differs in place", dialect_names[d]);
    return true;
}

/* Operands of sizes 0 to 3, targets of -2 to 3, lists of -1 up to `rank`: all of them, or about one in `every`. */
static void sweep(int rank, int64_t every)
{
    const domain operands = {rank, 0, 4}, targets = {rank, -2, 6}, lists = {rank, -1, rank + 2};
    for (dialect d = 0; d < DIALECTS; d++) {
        int64_t from_count = count_lists(&operands), to_count = count_lists(&targets);
        int64_t all = from_count * to_count * (dialect_takes_list(d) ? count_lists(&lists) : 1);
        int64_t gap = dialect_takes_list(d) ? every : 1, accepted = 0, refused = 0;
        for (int64_t k = gap > 1 ? zc_random_range(0, gap - 1) : 0;
             k<all; k += gap> 1 ? zc_random_range(1, 2 * gap - 1) : 1) {
            numbers from, to, axes;
            list_at(&operands, k % from_count, &from);
            list_at(&targets, k / from_count % to_count, &to);
            list_at(&lists, k / from_count / to_count, &axes);
            check_small(d, &from, &to, &axes) ? accepted++ : refused++;
        }
        cr_log_info("%s, rank %d: %lld accepted, %lld refused", dialect_names[d], rank, (long long)accepted,
                    (long long)refused);
        int64_t least = gap > 1 ? 0 : 20;
        cr_expect(accepted > least && refused > least, "%s: %lld accepted, %lld refused", dialect_names[d],
                  (long long)accepted, (long long)refused);
    }
}

Test(dialects, follow_their_rules_for_every_shape_up_to_rank_2)
{
    sweep(2, 1);
}

/* 17 million calls, of which ZC_TEST_SCALE=50 makes all. */
Test(dialects, follow_their_rules_for_shapes_up_to_rank_3)
{
    zc_random_begin("dialects/rank 3");
    sweep(3, zc_test_scale() < 50 ? 50 / zc_test_scale() : 1);
}

/* ---- Arguments that are no lists ---- */

/* A refusal of an operand of shape (1,) that names it, and the target's shape where there is one to read. */
static void expect_refusal(dialect d, int rank, const int64_t *shape, int count, const int *axes)
{
    zc_view in, out;
    zc_reason why = {.text = ""};
    zc_view_row_major(ZC_SHAPE(1), &in);
    cr_expect_eq(dialect_call(d, &in, rank, shape, count, axes, &out, &why), ZC_ERROR_ARGUMENT, "%s", dialect_names[d]);
    if (rank >= 0 && rank <= ZC_MAX_RANK && shape != NULL)
        check_names(d, &in, rank, shape, why.text);
    else
        cr_expect(zc_names_shape(why.text, in.rank, in.shape), "%s: '%s' does not name (1,)", dialect_names[d],
                  why.text);
}

Test(dialects, refuse_bad_ranks_and_missing_lists)
{
    const int axes[1] = {0};
    int64_t ones[ZC_MAX_RANK + 1];
    for (int a = 0; a <= ZC_MAX_RANK; a++)
        ones[a] = 1;
    for (dialect d = 0; d < DIALECTS; d++) {
        expect_refusal(d, ZC_MAX_RANK + 1, ones, 1, axes);
        expect_refusal(d, -1, ones, 1, axes);
        expect_refusal(d, 2, NULL, 1, axes);
        if (dialect_takes_list(d) && d != OPENVINO_PDPD) {
            expect_refusal(d, 2, ones, 1, NULL);
            expect_refusal(d, 2, ones, -1, axes);
        }
    }
}

/* Refusals of a rank that no list can have, of no shape, and of a result of too high a rank. */
Test(dialects, tell_the_rank_where_they_cannot_tell_the_shape)
{
    zc_view in, out;
    zc_reason why;
    int64_t ones[ZC_MAX_RANK + 1];
    for (int a = 0; a <= ZC_MAX_RANK; a++)
        ones[a] = 1;
    zc_view_row_major(ZC_SHAPE(3), &in);
    (void)zc_view_tf_broadcast_to(&in, ZC_MAX_RANK + 1, ones, &out, &why);
    cr_expect_str_eq(why.text, "rank 65 is outside 0 to 64 (operand shape: [3], target rank: 65)");
    (void)zc_view_tf_broadcast_to(&in, 2, NULL, &out, &why);
    cr_expect_str_eq(why.text, "the shape is NULL (operand shape: [3], target shape: NULL)");
    cr_expect_eq(zc_view_xla_broadcast(&in, ZC_MAX_RANK, ones, &out, &why), ZC_ERROR_ARGUMENT);
    cr_expect(strstr(why.text, "exceed the highest rank, 64 (operand shape: [3], target shape: [1,1,1,") != NULL, "%s",
              why.text);
    cr_expect(why.text[strlen(why.text) - 1] == ')', "'%s' is cut", why.text);
}

/* The longest texts: none is cut before both shapes are told. */
Test(dialects, have_room_for_both_shapes)
{
    int64_t high[ZC_MAX_RANK], other[ZC_MAX_RANK];
    int wrong[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        high[a] = a % 20 == 0 ? 1000 : 1, other[a] = a % 20 == 0 ? -1000 - a : 1, wrong[a] = 1000000000 - a;
    for (dialect d = 0; d < DIALECTS; d++)
        for (int negative = 0; negative < 2; negative++) {
            zc_view in, out;
            zc_reason why = {.text = ""};
            zc_view_row_major(ZC_MAX_RANK, high, &in);
            zc_status status =
                dialect_call(d, &in, ZC_MAX_RANK, negative ? other : high, ZC_MAX_RANK, wrong, &out, &why);
            size_t length = strlen(why.text);
            cr_expect(status == ZC_OK || (length > 0 && length < sizeof why.text - 1), "%s: '%s' is cut",
                      dialect_names[d], why.text);
        }
}

/* Both lists in wrong modes, and a mode that there is not: the words, then the shapes. */
Test(dialects, openvino_wants_axes_mapping_in_the_explicit_mode_only)
{
#define SHAPES " (operand shape: {3}, target shape: {2,3})"
    static const int axes[] = {1};
    static const struct {
        zc_openvino_mode mode;
        int count;
        const int *axes;
        const char *text;
    } refused[] = {
        {ZC_OPENVINO_NUMPY, 1, axes, "axes_mapping input should not be provided for mode other than explicit" SHAPES},
        {ZC_OPENVINO_PDPD, 1, NULL, "axes_mapping input should not be provided for mode other than explicit" SHAPES},
        {ZC_OPENVINO_EXPLICIT, 0, NULL, "axes_mapping input should be provided if explicit mode is used" SHAPES},
        {(zc_openvino_mode)4, 0, NULL, "4 is not a mode of Broadcast" SHAPES},
    };
    zc_view in, out;
    zc_reason why;
    zc_view_row_major(ZC_SHAPE(3), &in);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cr_expect_eq(zc_view_openvino_broadcast(&in, ZC_SHAPE(2, 3), refused[i].mode, refused[i].count, refused[i].axes,
                                                -1, &out, &why),
                     ZC_ERROR_ARGUMENT);
        cr_expect_str_eq(why.text, refused[i].text);
    }
#undef SHAPES
}

/* Sizes that fit one by one but not together, in every dialect. */
Test(dialects, refuse_products_beyond_int64)
{
    const int64_t huge[2] = {INT64_C(1) << 32, INT64_C(1) << 31};
    for (dialect d = 0; d < DIALECTS; d++) {
        zc_view in, out;
        zc_reason why = {.text = ""};
        const int all[2] = {0, 1};
        zc_view_row_major(0, NULL, &in);
        int count = d == NGRAPH ? 2 : 0;
        cr_expect_eq(dialect_call(d, &in, 2, huge, count, all, &out, &why), ZC_ERROR_OVERFLOW, "%s", dialect_names[d]);
        check_names(d, &in, 2, huge, why.text);
    }
}

/* The sizes of the result overflow, and not those that were asked for. */
Test(dialects, refuse_results_beyond_int64)
{
    static const dialect meeting[] = {XLA_BROADCAST, ONNX, OPENVINO_BIDIRECTIONAL, OPENVINO_PDPD};
    const int64_t rows[2] = {INT64_C(1) << 32, 1}, columns[2] = {1, INT64_C(1) << 31};
    for (size_t i = 0; i < sizeof meeting / sizeof *meeting; i++) {
        zc_view in, out;
        zc_reason why = {.text = ""};
        zc_view_row_major(2, rows, &in);
        cr_expect_eq(dialect_call(meeting[i], &in, 2, columns, 0, NULL, &out, &why), ZC_ERROR_OVERFLOW, "%s",
                     dialect_names[meeting[i]]);
        check_names(meeting[i], &in, 2, columns, why.text);
    }
}
