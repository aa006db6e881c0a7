#include "materialize/explain.h"

typedef struct reason_text {
    const char *name, *sentence;
} reason_text;

static const reason_text reasons[] = {
    [ZC_STAGE_RESULT] = {"result", "makes what was asked for"},
    [ZC_STAGE_REDUCTION] = {"reduction", "a reduction's results are there before they are used"},
    [ZC_STAGE_HOISTED] = {"hoisted", "evaluated once per element of its own axes, used along more"},
    [ZC_STAGE_NOT_AFFINE] = {"cut: not affine", "no strides express the view through which it is used"},
    [ZC_STAGE_SHARED] = {"cut: shared", "costly and used under several views, so evaluated once"},
    [ZC_STAGE_PIECE] = {"piece", "one tensor of a concat, or a run of one, written to its place"},
    [ZC_STAGE_EXPANDED] = {"expanded", "written out in full for a view that cannot repeat elements"},
};

const char *zc_stage_reason_name(zc_stage_reason reason)
{
    return reasons[reason].name;
}

const char *zc_stage_reason_sentence(zc_stage_reason reason)
{
    return reasons[reason].sentence;
}

const char *zc_value_name(const zc_value *value)
{
    switch (value->kind) {
    case ZC_VALUE_LOAD:
        return "load";
    case ZC_VALUE_CONSTANT:
        return "constant";
    case ZC_VALUE_CHECK:
        return "check";
    case ZC_VALUE_PICK:
        return "pick";
    case ZC_VALUE_INDEX:
        return "index";
    default:
        return zc_op_describe((zc_op)value->op)->name;
    }
}

zc_status zc_explain(const zc_tensor *t, zc_format format, char **text)
{
    if (t == NULL)
        return ZC_ERROR_ARGUMENT;
    if (text == NULL || (format != ZC_TEXT && format != ZC_JSON))
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "explain",
                       text == NULL ? "there is nowhere to put the text" : "the format is neither text nor JSON");
    *text = NULL;
    zc_plan plan;
    zc_status status = zc_plan_make(t, ZC_LAYOUT_DENSE, NULL, 0, "explain", &plan);
    if (status != ZC_OK)
        return status;
    zc_text out = {.heap = t->ctx->heap};
    if (format == ZC_TEXT)
        zc_explain_text(&plan, &out);
    else
        zc_explain_json(&plan, &out);
    zc_plan_free(&plan);
    *text = zc_text_finish(&out);
    return *text != NULL ? ZC_OK : zc_fail_memory(t->ctx, "explain");
}
