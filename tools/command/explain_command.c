#include "tools/command/explain_command.h"

#include "tools/command/session.h"

static bool print_plan(const zc_request *request, const zc_tensor *t, zc_fault *fault)
{
    char *text = NULL;
    if (zc_explain(t, request->format, &text) != ZC_OK)
        return zc_fault_library(fault, zc_context_of(t));
    bool ok = zc_write_text(text, fault);
    zc_text_free(zc_context_of(t), text);
    return ok;
}

bool zc_explain_command(const zc_request *request, zc_fault *fault)
{
    zc_session session;
    bool ok = zc_session_begin(&session, request, fault) && print_plan(request, session.result, fault);
    zc_session_end(&session);
    return ok;
}
