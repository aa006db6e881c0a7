#include "tools/command/eval_command.h"

#include <stdio.h>

#include "tools/command/session.h"
#include "tools/output/json.h"
#include "tools/output/print.h"

/* What is known of a result before it is computed; afterwards it is a plain dense tensor. */
typedef struct facts {
    bool is_view;
    int64_t strides[ZC_MAX_RANK];
    zc_cost cost;
} facts;

static bool ask(const zc_tensor *t, facts *f, zc_fault *fault)
{
    f->is_view = zc_is_view(t);
    for (int i = 0; i < zc_rank(t); i++)
        f->strides[i] = zc_strides(t)[i];
    if (zc_cost_of(t, &f->cost) != ZC_OK)
        return zc_fault_library(fault, zc_context_of(t));
    return true;
}

/* An array without elements may still be a list of very many empty lists. */
static bool is_small(const zc_tensor *t)
{
    int64_t lists = 1;
    for (int i = 0; i < zc_rank(t) && zc_shape(t)[i] > 0; i++) {
        if (lists > ZC_PRINT_THRESHOLD / zc_shape(t)[i])
            return false;
        lists *= zc_shape(t)[i];
    }
    return true;
}

/* seconds NULL: nothing was computed. */
static void put_facts(zc_json *json, const zc_tensor *t, const facts *f, const double *seconds)
{
    zc_options options = zc_context_options(zc_context_of(t));
    zc_json_key(json, "dtype");
    zc_json_string(json, zc_dtype_name(zc_dtype_of(t)));
    zc_json_key(json, "shape");
    zc_json_integers(json, zc_rank(t), zc_shape(t));
    zc_json_key(json, "strides");
    if (f->is_view)
        zc_json_integers(json, zc_rank(t), f->strides);
    else
        zc_json_null(json);
    zc_json_key(json, "is_view");
    zc_json_bool(json, f->is_view);
    zc_json_key(json, "logical_bytes");
    zc_json_integer(json, f->cost.logical_bytes);
    zc_json_key(json, "held_bytes");
    zc_json_integer(json, f->cost.held_bytes);
    zc_json_key(json, "peak_bytes");
    zc_json_integer(json, f->cost.peak_bytes);
    zc_json_key(json, "measured_peak_bytes");
    zc_json_integer(json, zc_memory_usage(zc_context_of(t)).peak_bytes);
    zc_json_key(json, "written_bytes");
    zc_json_integer(json, f->cost.written_bytes);
    zc_json_key(json, "seconds");
    if (seconds != NULL)
        zc_json_real(json, *seconds);
    else
        zc_json_null(json);
    zc_json_key(json, "executor");
    zc_json_string(json, options.executor == ZC_EXECUTOR_TILE ? "tile" : "reference");
    zc_json_key(json, "threads");
    zc_json_integer(json, options.threads);
}

/* Computes what the report shows, and prints it. */
static bool report(const zc_request *request, const zc_session *session, const facts *f, zc_fault *fault)
{
    const zc_tensor *t = session->result;
    zc_json json = {.out = stdout};
    zc_tensor *dense = NULL;
    bool has_data = request->output == NULL && is_small(t);
    if (has_data && zc_materialize(t, &dense) != ZC_OK)
        return zc_fault_library(fault, zc_context_of(t));
    double seconds = zc_session_clock() - session->begun;
    zc_json_open(&json, '{');
    put_facts(&json, t, f, session->progress.works ? &seconds : NULL);
    if (has_data) {
        zc_json_key(&json, "data");
        zc_json_array(&json, zc_dtype_of(t), zc_rank(t), zc_shape(t), zc_data(dense));
    }
    zc_json_close(&json, '}');
    putc('\n', stdout);
    zc_release(dense);
    return true;
}

static bool compute(const zc_request *request, const zc_session *session, zc_fault *fault)
{
    facts f;
    const zc_tensor *t = session->result;
    if (request->json && !ask(t, &f, fault))
        return false;
    if (request->output != NULL && zc_save(t, request->output) != ZC_OK)
        return zc_fault_library(fault, zc_context_of(t));
    if (request->json)
        return report(request, session, &f, fault);
    return request->output != NULL || request->quiet || zc_print_tensor(stdout, t, fault);
}

bool zc_eval_command(const zc_request *request, zc_fault *fault)
{
    zc_session session;
    bool ok = zc_session_begin(&session, request, fault) && compute(request, &session, fault);
    zc_session_end(&session);
    return ok;
}
