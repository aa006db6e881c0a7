#include "tools/command/explain_command.h"

#include "tools/command/session.h"

static bool print_plan(const zc_request *request, const zc_session *session, zc_fault *fault)
{
    char *text = NULL;
    const zc_results *r = &session->results;
    zc_status status = r->is_tuple
                           ? zc_explain_all(r->count, (const zc_tensor *const *)r->tensors, request->format, &text)
                           : zc_explain(r->tensors[0], request->format, &text);
    if (status != ZC_OK)
        return zc_fault_library(fault, session->ctx);
    bool ok = zc_write_text(text, fault);
    zc_text_free(session->ctx, text);
    return ok;
}

bool zc_explain_command(const zc_request *request, zc_fault *fault)
{
    zc_session session;
    bool ok = zc_session_begin(&session, request, fault) && print_plan(request, &session, fault);
    zc_session_end(&session);
    return ok;
}
