#include "tools/command/explain_command.h"

#include <stdio.h>
#include <string.h>

#include "tools/command/session.h"

enum { NOTE_BYTES = 512 };

/* Prints the functions that computed before, which the plan does not show. */
static bool print_computed(const zc_evaluator *e, zc_fault *fault)
{
    char note[NOTE_BYTES] = "\ncomputed when called, before this plan:";
    if (e->computed_count == 0 && !e->masks_compute)
        return true;
    for (int i = 0; i < e->computed_count; i++)
        (void)snprintf(note + strlen(note), sizeof note - strlen(note), "%s %s", i > 0 ? "," : "", e->computed[i]);
    if (e->masks_compute)
        (void)snprintf(note + strlen(note), sizeof note - strlen(note), "%s masks in subscripts",
                       e->computed_count > 0 ? "," : "");
    (void)snprintf(note + strlen(note), sizeof note - strlen(note), "\n");
    return zc_write_text(note, fault);
}

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
    if (ok && (request->format == ZC_TEXT || request->format == ZC_BRIEF))
        ok = print_computed(&session->evaluator, fault);
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
