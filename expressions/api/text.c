/*
 * zc_text(): an array as text, as the command prints it.
 */
#include "runtime/context/text.h"
#include "expressions/api/apart.h"
#include "expressions/print/print.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/tensor.h"

static bool add(void *user, const char *text, size_t length)
{
    zc_text_builder *out = user;
    zc_text_add(out, "%.*s", (int)length, text); /* a word, or some blanks */
    return !out->failed;
}

zc_status zc_text(const zc_tensor *t, char **text)
{
    if (text != NULL)
        *text = NULL;
    if (ZC_REFUSE_LOST("text", t))
        return ZC_ERROR_ARGUMENT;
    if (text == NULL)
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "text", "text is NULL");
    ZC_DEFAULT_FLOATS();
    zc_apart apart;
    zc_text_builder out = {.heap = t->ctx->heap};
    zc_apart_begin(&apart, t->ctx);
    if (!zc_print_tensors((zc_printer){.write = add, .user = &out}, 1, &t, &apart.fault))
        out.failed = true;
    if (!out.failed)
        out.used--; /* the last end of a line */
    char *whole = zc_text_finish(&out);
    if (whole == NULL)
        (void)zc_fault_memory(&apart.fault);
    *text = whole;
    return zc_apart_end(&apart, "text");
}
