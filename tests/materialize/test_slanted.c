/*
 * Members of a group that go along rows as they go from one to the next, as diagonals do, and to computed positions
 * inside of rows; and slabs of stacks and concats. Bits are those of the stages run one after the other, and so are
 * refusals; no matrix of all pairs is in memory.
 */
#include "tests/materialize/grouped.h"
#include "tests/support/random.h"

/* Few points for blocks of a given length; pairs of MANY take more than caches have. */
enum { FEW = 90, MANY = 4200 };

static zc_tensor *held(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK);
    return out;
}

/* Positions in memory, below `most`, one for each point. */
static zc_tensor *classes(zc_context *ctx, int64_t count, int64_t most)
{
    return held(zc_remainder(zc_multiply(zc_iota(ctx, count), zc_weak_int(ctx, 31)), zc_weak_int(ctx, most)));
}

/* ---- Programs ---- */

static zc_tensor *similarities(zc_context *ctx, int64_t count, int64_t width)
{
    return zc_matmul(points_of(ctx, count, width, 0), zc_matrix_transpose(points_of(ctx, count, width, 5)));
}

/* InfoNCE: each point beside its own among all others. */
static zc_tensor *contrast(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *s = zc_divide(similarities(ctx, count, width), zc_weak_float(ctx, 0.25));
    return zc_subtract(zc_logsumexp(s, ZC_AXES(1), false), zc_diagonal(s, 0, 0, 1));
}

/* The same in both directions. */
static zc_tensor *contrast_both(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *s = similarities(ctx, count, width);
    const zc_tensor *rows = zc_logsumexp(s, ZC_AXES(1), false), *columns = zc_logsumexp(s, ZC_AXES(0), false);
    return zc_subtract(zc_add(rows, columns), zc_multiply(zc_diagonal(s, 0, 0, 1), zc_weak_float(ctx, 2)));
}

/* The sum of a kernel over pairs of different points, as in a maximum mean discrepancy. */
static zc_tensor *apart(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *k = zc_exp(zc_negative(distances_of(x, x)));
    return zc_subtract(zc_sum(k, ZC_ALL_AXES, false), zc_trace(k, 0, 0, 1));
}

/* Diagonals beside the main one, which end before the last row or begin behind the first. */
static zc_tensor *beside(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances_of(points_of(ctx, count, width, 0), points_of(ctx, count + 9, width, 5));
    return zc_add(zc_min(d, ZC_AXES(1), false), zc_diagonal(d, 9, 0, 1));
}

/* Backwards along the rows. */
static zc_tensor *against(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances_of(points_of(ctx, count, width, 0), points_of(ctx, count, width, 5));
    return zc_add(zc_max(d, ZC_AXES(1), false), zc_diagonal(zc_flip(d, ZC_AXES(1)), 0, 0, 1));
}

/* The loss of a classifier: the logarithm of the share of each point's own class. */
static zc_tensor *cross_entropy(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *s = similarities(ctx, count, width), *own = zc_expand_dims(classes(ctx, count, count), 1);
    return zc_subtract(zc_logsumexp(s, ZC_AXES(1), true), zc_take_along_axis(s, own, 1));
}

/* Distances to chosen points, and all of them. */
static zc_tensor *chosen(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances_of(points_of(ctx, count, width, 0), points_of(ctx, count, width, 5));
    const zc_tensor *some = zc_take(d, classes(ctx, 7, count), 1);
    return zc_subtract(zc_sum(some, ZC_AXES(1), false), zc_min(d, ZC_AXES(1), false));
}

/* Weights that are looked up for each pair. */
static zc_tensor *looked_up(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances_of(points_of(ctx, count, width, 0), points_of(ctx, count, width, 5));
    const zc_tensor *weight = zc_take(points_of(ctx, 11, 1, 3), classes(ctx, count, 11), 0);
    const zc_tensor *weighted = zc_multiply(d, zc_matrix_transpose(weight));
    return zc_add(zc_sum(weighted, ZC_AXES(1), false), zc_max(weighted, ZC_AXES(1), false));
}

/* Scores of one's own and of others in one row, as where negatives come from a queue. */
static zc_tensor *side_by_side(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *own = distances_of(points_of(ctx, count, width, 0), points_of(ctx, count, width, 5));
    const zc_tensor *parts[] = {own, similarities(ctx, count, width), points_of(ctx, count, 1, 3)};
    const zc_tensor *all = zc_concat(ctx, 3, parts, 1);
    return zc_subtract(zc_logsumexp(all, ZC_AXES(1), false), zc_diagonal(own, 0, 0, 1));
}

/* A slab of what another one is made of. */
static zc_tensor *of_each_other(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances_of(points_of(ctx, count, width, 0), points_of(ctx, count, width, 5));
    const zc_tensor *parts[] = {zc_exp(zc_negative(d)), d, zc_flip(d, ZC_AXES(1))};
    const zc_tensor *all = zc_concat(ctx, 3, parts, 1);
    return zc_add(zc_max(all, ZC_AXES(1), false), zc_sum(zc_square(all), ZC_AXES(1), false));
}

/* Slabs of which one is made of sums over all rows. */
static zc_tensor *beside_centred(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances_of(points_of(ctx, count, width, 0), points_of(ctx, count, width, 5));
    const zc_tensor *parts[] = {d, zc_subtract(d, zc_mean(d, ZC_AXES(0), false))};
    return zc_logsumexp(zc_concat(ctx, 2, parts, 1), ZC_AXES(1), false);
}

/* ---- Stacks, and concats along rows ---- */

/* Kernels of three widths in a stack, of which a mean is taken. */
static zc_tensor *stacked(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances_of(points_of(ctx, count, width, 0), points_of(ctx, count, width, 5));
    const zc_tensor *parts[3];
    for (int i = 0; i < 3; i++)
        parts[i] = zc_exp(zc_multiply(d, zc_weak_float(ctx, -1.5 - i)));
    return zc_sum(zc_mean(zc_stack(ctx, 3, parts, 0), ZC_AXES(0), false), ZC_AXES(1), false);
}

/* The same summed for each of the points. */
static zc_tensor *stacked_sums(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances_of(points_of(ctx, count, width, 0), points_of(ctx, count, width, 5));
    const zc_tensor *parts[] = {d, zc_sqrt(d), zc_flip(d, ZC_AXES(1))};
    return zc_max(zc_stack(ctx, 3, parts, 0), ZC_AXES(0, 2), false);
}

/* Distances to two sets, one below the other, the second of another length. */
static zc_tensor *below_each_other(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = points_of(ctx, count + 13, width, 5);
    const zc_tensor *parts[] = {distances_of(y, x), distances_of(x, x)};
    const zc_tensor *all = zc_concat(ctx, 2, parts, 0);
    return zc_add(zc_logsumexp(zc_negative(all), ZC_AXES(1), false), zc_min(all, ZC_AXES(1), false));
}

/* A matrix of four blocks. */
static zc_tensor *four_blocks(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = points_of(ctx, count / 2, width, 5);
    const zc_tensor *upper[] = {distances_of(x, x), distances_of(x, y)},
                    *lower[] = {distances_of(y, x), distances_of(y, y)};
    const zc_tensor *halves[] = {zc_concat(ctx, 2, upper, 1), zc_concat(ctx, 2, lower, 1)};
    return zc_sum(zc_exp(zc_negative(zc_concat(ctx, 2, halves, 0))), ZC_AXES(1), false);
}

/* Two attentions, computed as a stack. */
static zc_tensor *attentions(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = points_of(ctx, count, width, 5);
    const zc_tensor *parts[] = {zc_matmul(x, zc_matrix_transpose(y)), zc_matmul(y, zc_matrix_transpose(x))};
    const zc_tensor *weights = zc_softmax(zc_stack(ctx, 2, parts, 0), 2);
    return zc_sum(zc_matmul(weights, y), ZC_AXES(0), false);
}

/* Variances of columns of two products in a stack, of which each has one coordinate along the first axis. */
static zc_tensor *stacked_variances(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = points_of(ctx, count + 7, width, 5);
    const zc_tensor *z = zc_matrix_transpose(zc_add(y, zc_weak_int(ctx, 1)));
    const zc_tensor *parts[] = {zc_matmul(x, zc_matrix_transpose(y)), zc_matmul(x, z)};
    return zc_var(zc_stack(ctx, 2, parts, 0), ZC_AXES(1), 0, false);
}

/* A cross-entropy whose scores are computed in two parts. */
static zc_tensor *labeled(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = points_of(ctx, count - 9, width, 5);
    const zc_tensor *parts[] = {distances_of(x, x), distances_of(y, x)}, *s = zc_concat(ctx, 2, parts, 0);
    const zc_tensor *at = zc_expand_dims(classes(ctx, 2 * count - 9, count), 1);
    return zc_subtract(zc_logsumexp(s, ZC_AXES(1), true), zc_take_along_axis(s, at, 1));
}

/* Attention by heads, joined. */
static zc_tensor *heads(zc_context *ctx, int64_t count, int64_t width)
{
    enum { HEADS = 3 };
    const zc_tensor *x = points_of(ctx, count, HEADS * width, 0), *parts[HEADS];
    for (int h = 0; h < HEADS; h++) {
        const zc_tensor *own = zc_slice(x, 1, h * width, (h + 1) * width, 1);
        parts[h] = zc_matmul(zc_softmax(zc_matmul(own, zc_matrix_transpose(own)), 1), own);
    }
    return zc_concat(ctx, HEADS, parts, 1);
}

/* Attentions of a batch whose scores are a stack. */
static zc_tensor *batched(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = points_of(ctx, count, width, 5);
    const zc_tensor *parts[] = {distances_of(x, y), distances_of(y, x)}, *values[] = {x, y};
    return zc_matmul(zc_exp(zc_negative(zc_stack(ctx, 2, parts, 0))), zc_stack(ctx, 2, values, 0));
}

/* Few rows of several matrices, by one matrix. */
static zc_tensor *few_rows_each(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, 100, width, 0), *y = points_of(ctx, count, width, 5);
    const zc_tensor *parts[] = {distances_of(x, y), zc_sqrt(distances_of(x, y)),
                                zc_exp(zc_negative(distances_of(x, y)))};
    return zc_matmul(zc_concat(ctx, 3, parts, 0), y);
}

/* All pairs of one below the other, read by rows and by columns. */
static zc_tensor *both_ways(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = points_of(ctx, count, width, 5);
    const zc_tensor *parts[] = {distances_of(x, y), distances_of(y, y)}, *all = zc_concat(ctx, 2, parts, 0);
    return zc_add(zc_slice(zc_max(all, ZC_AXES(1), false), 0, 0, count, 1), zc_min(all, ZC_AXES(0), false));
}

/* Square, of two halves: read by rows and, in one stage, by columns. */
static zc_tensor *halves_and_turned(zc_context *ctx, int64_t count, int64_t width)
{
    const int64_t half = count / 2;
    const zc_tensor *x = points_of(ctx, half, width, 0), *y = points_of(ctx, 2 * half, width, 5);
    const zc_tensor *parts[] = {distances_of(x, y), zc_exp(zc_negative(distances_of(x, y)))};
    const zc_tensor *all = zc_concat(ctx, 2, parts, 0);
    return zc_sum(zc_multiply(all, zc_matrix_transpose(all)), ZC_AXES(1), false);
}

/* Two matrices, one below the other, as the second operand of a product. */
static zc_tensor *second_operand(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = points_of(ctx, count, width, 5);
    const zc_tensor *parts[] = {distances_of(x, y), distances_of(y, y)};
    return zc_matmul(zc_matrix_transpose(y), zc_matrix_transpose(zc_concat(ctx, 2, parts, 0)));
}

/* More matrices than are divided. */
static zc_tensor *many_parts(zc_context *ctx, int64_t count, int64_t width)
{
    enum { PARTS = 70 };
    const zc_tensor *y = points_of(ctx, count, width, 5), *parts[PARTS];
    for (int i = 0; i < PARTS; i++)
        parts[i] = zc_sqrt(distances_of(points_of(ctx, 100, width, i), y));
    return zc_argmin(zc_concat(ctx, PARTS, parts, 0), ZC_AXES(1), false);
}

/* Matrices of which each is small. */
static zc_tensor *small_parts(zc_context *ctx, int64_t count, int64_t width)
{
    enum { PARTS = 40 };
    const zc_tensor *y = points_of(ctx, count, width, 5), *parts[PARTS];
    for (int i = 0; i < PARTS; i++)
        parts[i] = zc_sqrt(distances_of(points_of(ctx, 5, width, i), y));
    return zc_max(zc_concat(ctx, PARTS, parts, 0), ZC_AXES(1), false);
}

/* A concat of which elements are set. */
static zc_tensor *set_inside(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = points_of(ctx, count, width, 5);
    const zc_tensor *parts[] = {distances_of(x, y), distances_of(y, y)}, *all = zc_concat(ctx, 2, parts, 0);
    const zc_tensor *set = zc_update(all, zc_index(zc_places(all), 0, 7), zc_weak_int(ctx, 1), ZC_UPDATE_SET);
    return zc_sum(set, ZC_AXES(1), false);
}

/* A product, and what overwrites it. */
static zc_tensor *overwritten(zc_context *ctx, int64_t count, int64_t width)
{
    return zc_tanh(similarities(ctx, count, width));
}

/* A copy of what is made once, above and below something else: not made twice. */
static zc_tensor *around(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = zc_exp(distances_of(points_of(ctx, count, width, 0), points_of(ctx, count, width, 5)));
    const zc_tensor *parts[] = {d, zc_negative(points_of(ctx, 1, count, 0)), d};
    return zc_concat(ctx, 3, parts, 0);
}

typedef struct program_case {
    const char *name;
    program_of_points *make;
    bool is_whole; /* not made again, so far */
} program_case;

static const program_case programs[] = {
    {"side by side", side_by_side, false},
    {"of each other", of_each_other, false},
    {"beside centred", beside_centred, true},
    {"contrast", contrast, false},
    {"contrast both", contrast_both, false},
    {"apart", apart, false},
    {"beside", beside, false},
    {"against", against, false},
    {"cross entropy", cross_entropy, false},
    {"chosen", chosen, false},
    {"looked up", looked_up, false},
    {"stacked", stacked, false},
    {"stacked sums", stacked_sums, false},
    {"below each other", below_each_other, false},
    {"four blocks", four_blocks, false},
    {"attentions", attentions, false},
    {"stacked variances", stacked_variances, false},
    {"labeled", labeled, false},
    {"heads", heads, false},
    {"batched", batched, false},
    {"few rows each", few_rows_each, true},
    {"both ways", both_ways, true},
    {"overwritten", overwritten, true},
    {"halves and turned", halves_and_turned, true},
    {"second operand", second_operand, true},
    {"many parts", many_parts, true},
    {"small parts", small_parts, true},
    {"set inside", set_inside, true},
    {"around", around, true},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

Test(slanted, programs_have_the_bits_of_their_stages)
{
    for (int i = 0; i < PROGRAMS; i++)
        expect_same_in_all_blocks(programs[i].name, programs[i].make, FEW, MANY);
}

Test(slanted, no_matrix_of_all_pairs_is_in_memory)
{
    enum { MOST = 4 << 20 };
    for (int i = 0; i < PROGRAMS; i++) {
        zc_cost cost;
        if (programs[i].is_whole)
            continue;
        zc_context *ctx = context_of(BY_BYTES, 1);
        zc_scope *scope = zc_scope_begin(ctx);
        cr_assert_eq(zc_cost_of(programs[i].make(ctx, MANY, 3), &cost), ZC_OK, "%s", zc_error_text(ctx));
        cr_expect_leq(cost.peak_bytes, MOST, "%s: %" PRId64, programs[i].name, cost.peak_bytes);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* ---- Wrong positions ---- */

/* Positions of which some are wrong: the first one at `at`. */
static zc_tensor *wrong_from(zc_context *ctx, int64_t count, int64_t at)
{
    const zc_tensor *i = zc_iota(ctx, count);
    return held(zc_where(zc_less(i, zc_weak_int(ctx, at)), i, zc_add(i, zc_weak_int(ctx, count))));
}

/* The least of them is in the last row: other blocks are wrong before. */
static zc_tensor *wrong_in_all(zc_context *ctx, int64_t count)
{
    const zc_tensor *own =
        held(zc_multiply(zc_add(zc_iota(ctx, count), zc_weak_int(ctx, 2)), zc_weak_int(ctx, -count)));
    const zc_tensor *s = similarities(ctx, count, 3);
    return zc_subtract(zc_logsumexp(s, ZC_AXES(1), true), zc_take_along_axis(s, zc_expand_dims(own, 1), 1));
}

/* Two lookups, of which the first recorded is wrong in later rows than the second. */
static zc_tensor *wrong_twice(zc_context *ctx, int64_t count)
{
    const zc_tensor *d = distances_of(points_of(ctx, count, 3, 0), points_of(ctx, count, 3, 5));
    const zc_tensor *late = zc_take_along_axis(d, zc_expand_dims(wrong_from(ctx, count, count - 3), 1), 1);
    const zc_tensor *early = zc_take_along_axis(zc_square(d), zc_expand_dims(wrong_from(ctx, count, 5), 1), 1);
    return zc_add(zc_max(zc_exp(zc_negative(late)), ZC_ALL_AXES, false), zc_max(early, ZC_ALL_AXES, false));
}

static zc_tensor *wrong_once(zc_context *ctx, int64_t count)
{
    const zc_tensor *s = similarities(ctx, count, 3);
    const zc_tensor *own = zc_take_along_axis(s, zc_expand_dims(wrong_from(ctx, count, 40), 1), 1);
    return zc_subtract(zc_logsumexp(s, ZC_AXES(1), true), own);
}

static void expect_same_refusal(zc_tensor *(*make)(zc_context *, int64_t), int64_t length)
{
    zc_context *alone = context_of(NO_GROUPS, 1), *ctx = context_of(length, 1);
    zc_scope *outer = zc_scope_begin(alone), *scope = zc_scope_begin(ctx);
    zc_tensor *out = NULL;
    cr_expect_eq(zc_materialize(make(alone, FEW), &out), ZC_ERROR_INDEX);
    cr_expect_eq(zc_materialize(make(ctx, FEW), &out), ZC_ERROR_INDEX);
    cr_expect_str_eq(zc_error_text(ctx), zc_error_text(alone));
    zc_scope_end(scope);
    zc_scope_end(outer);
    zc_context_free(ctx);
    zc_context_free(alone);
}

Test(slanted, wrong_positions_are_refused_as_without_groups)
{
    for (int64_t length = 1; length <= FEW; length *= 3) {
        expect_same_refusal(wrong_once, length);
        expect_same_refusal(wrong_twice, length);
        expect_same_refusal(wrong_in_all, length);
    }
}

/* ---- The law ---- */

/* The first load of a member from a block, with its stage. */
static zc_value *find_load(zc_plan *plan, zc_stage **of)
{
    for (int32_t s = 0; s < plan->stage_count; s++) {
        zc_stage *stage = plan->stages[s];
        for (int32_t v = 0; v < stage->value_count; v++) {
            zc_value *value = &stage->values[v];
            if (stage->member != NULL && zc_value_reads(value) && plan->slots[value->slot].is_block &&
                stage->rank == 1) {
                *of = stage;
                return value;
            }
        }
    }
    cr_assert_fail("no diagonal is read from a block");
    return NULL;
}

static void break_begin(zc_plan *plan)
{
    zc_stage *stage = NULL;
    const zc_value *load = find_load(plan, &stage);
    stage->offset[load->access] += 1; /* the last element is in the next row then */
}

static void break_slant(zc_plan *plan)
{
    zc_stage *stage = NULL;
    const zc_value *load = find_load(plan, &stage);
    stage->stride[(size_t)load->access * (size_t)stage->rank] += 1;
}

static zc_tensor *few_contrasts(zc_context *ctx)
{
    return contrast(ctx, FEW, 3);
}

Test(slanted, the_verifier_knows_what_diagonals_read)
{
    static void (*const breakages[])(zc_plan *) = {break_begin, break_slant};
    expect_refusals(few_contrasts, 7, (int)(sizeof breakages / sizeof *breakages), breakages);
}
