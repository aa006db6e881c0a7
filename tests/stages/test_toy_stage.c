/* A row of the kinds of stages and a file are all it takes: plans of the new kind are verified, told apart from others,
 * explained, and run. */
#include <string.h>

#include "materialize/explain/explain_text.h"
#include "materialize/plan/stage_words.h"
#include "materialize/plan/verify.h"
#include "materialize/run/run.h"
#include "materialize/stages/map.h"
#include "tests/materialize/plan_of.h"
#include "tests/stages/toy_stage.h"
#include "tests/support/zc_test.h"

enum { ROWS = 2, COLUMNS = 3, COUNT = ROWS * COLUMNS };

typedef struct toy {
    zc_context *ctx;
    zc_scope *scope;
    const zc_tensor *asked;
    zc_plan plan;
} toy;

/* Minus the numbers from 0 on, by a stage of the new kind. */
static toy begin(void)
{
    toy t = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    t.scope = zc_scope_begin(t.ctx);
    zc_tensor *numbers = zc_astype(zc_iota(t.ctx, COUNT), ZC_FLOAT64);
    t.asked = zc_negative(zc_reshape(numbers, ZC_SHAPE(ROWS, COLUMNS)));
    cr_assert_eq(zc_plan_of(t.asked, &t.plan), ZC_OK, "%s", zc_error_text(t.ctx));
    cr_assert_eq(t.plan.stage_count, 1);
    t.plan.stages[0]->kind = &zc_stage_kind_toy;
    return t;
}

static void end(toy *t)
{
    zc_plan_free(&t->plan);
    zc_scope_end(t->scope);
    zc_context_free(t->ctx);
}

Test(toy_stage, runs_as_its_file_says)
{
    toy t = begin();
    const zc_plan_request request = {.count = 1, .tensors = &t.asked, .function = "test"};
    cr_assert_eq(zc_plan_run(&t.plan, &request, NULL), ZC_OK, "%s", zc_error_text(t.ctx));
    zc_buffer *buffer = zc_plan_take_result(&t.plan, 0);
    zc_plan_end_run(&t.plan);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(((const double *)buffer->memory)[i], -i + i % COLUMNS, "%d", i);
    zc_buffer_release(buffer);
    end(&t);
}

Test(toy_stage, is_verified_by_its_rule)
{
    toy t = begin();
    zc_reason why;
    cr_expect_eq(zc_plan_verify(&t.plan, &why), ZC_OK, "%s", why.text);
    t.plan.slots[t.plan.stages[0]->store.slot].dtype = t.plan.stages[0]->store.dtype = ZC_INT64;
    cr_expect_eq(zc_plan_verify(&t.plan, &why), ZC_ERROR_INTERNAL);
    cr_expect_not_null(strstr(why.text, "a toy has an axis"), "%s", why.text);
    end(&t);
}

Test(toy_stage, has_words_of_its_own)
{
    toy t = begin();
    int64_t word[2][96];
    zc_words words[2] = {{word[0], 0, 96}, {word[1], 0, 96}};
    zc_stage other = *t.plan.stages[0];
    other.kind = &zc_stage_kind_map;
    cr_assert(zc_stage_add_words(t.plan.stages[0], &words[0]) && zc_stage_add_words(&other, &words[1]));
    cr_expect_eq(words[0].count, words[1].count);
    cr_expect_neq(memcmp(word[0], word[1], words[0].count * sizeof *word[0]), 0);
    end(&t);
}

Test(toy_stage, explains_itself)
{
    toy t = begin();
    zc_counts counts;
    zc_text_builder text = {.heap = t.ctx->heap};
    cr_assert(zc_plan_prepare_dry(&t.plan) && zc_counts_make(&t.plan, &counts));
    zc_explain_text(&counts, NULL, &text);
    char *told = zc_text_finish(&text);
    cr_expect_not_null(strstr(told, "    toy of 2 axes\n"), "%s", told);
    cr_expect_not_null(strstr(told, "run by reference"), "%s", told);
    zc_text_free(t.ctx, told);
    end(&t);
}
