#include "tools/command/eval_command.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/base/interrupt.h"
#include "tools/command/pipes.h"
#include "tools/command/session.h"
#include "tools/output/file_printer.h"
#include "tools/output/json.h"

/* Facts about a result before it is computed; afterwards it is a plain dense tensor. */
typedef struct facts {
    bool is_view;
    int64_t strides[ZC_MAX_RANK];
} facts;

/* Contents of a report. */
typedef struct report {
    const zc_results *results;
    facts *facts; /* [count] */
    zc_cost cost; /* of all results */
    bool has_data;
    zc_tensor **dense; /* [count], when has_data */
} report;

static bool ask(report *r, zc_fault *fault)
{
    int count = r->results->count;
    for (int k = 0; k < count; k++) {
        const zc_tensor *t = r->results->tensors[k];
        r->facts[k].is_view = zc_is_view(t);
        for (int i = 0; i < zc_rank(t); i++)
            r->facts[k].strides[i] = zc_strides(t)[i];
    }
    const zc_tensor *const *tensors = (const zc_tensor *const *)r->results->tensors;
    zc_status status = count == 1 ? zc_cost_of(tensors[0], &r->cost) : zc_cost_of_all(count, tensors, &r->cost);
    if (status != ZC_OK)
        return zc_fault_library(fault, zc_context_of(tensors[0]));
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

static bool are_small(const zc_results *results)
{
    for (int i = 0; i < results->count; i++) {
        if (!is_small(results->tensors[i]))
            return false;
    }
    return true;
}

/* Puts the dtype, shape and strides of one result. */
static void put_result(zc_json *json, const zc_tensor *t, const facts *f)
{
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
}

static void put_data(zc_json *json, const report *r, int k)
{
    const zc_tensor *t = r->results->tensors[k];
    if (!r->has_data)
        return;
    zc_json_key(json, "data");
    zc_json_array(json, zc_dtype_of(t), zc_rank(t), zc_shape(t), zc_data(r->dense[k]));
}

/* Puts the cost of all results. seconds NULL: nothing was computed. */
static void put_cost(zc_json *json, const zc_cost *cost, const zc_context *ctx, const double *seconds)
{
    zc_options options = zc_context_options(ctx);
    zc_json_key(json, "logical_bytes");
    zc_json_integer(json, cost->logical_bytes);
    zc_json_key(json, "held_bytes");
    zc_json_integer(json, cost->held_bytes);
    zc_json_key(json, "peak_bytes");
    zc_json_integer(json, cost->peak_bytes);
    zc_json_key(json, "measured_peak_bytes");
    zc_json_integer(json, zc_memory_usage(ctx).peak_bytes);
    zc_json_key(json, "written_bytes");
    zc_json_integer(json, cost->written_bytes);
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

static void put_results(zc_json *json, const report *r)
{
    zc_json_key(json, "results");
    zc_json_open(json, '[');
    for (int k = 0; k < r->results->count; k++) {
        zc_json_open(json, '{');
        put_result(json, r->results->tensors[k], &r->facts[k]);
        put_data(json, r, k);
        zc_json_close(json, '}');
    }
    zc_json_close(json, ']');
}

static void put_report(const report *r, const zc_session *session)
{
    zc_json json = {.out = stdout};
    double seconds = zc_session_clock() - session->begun;
    zc_json_open(&json, '{');
    if (!r->results->is_tuple)
        put_result(&json, r->results->tensors[0], &r->facts[0]);
    put_cost(&json, &r->cost, session->ctx, session->progress.works ? &seconds : NULL);
    if (r->results->is_tuple)
        put_results(&json, r);
    else
        put_data(&json, r, 0);
    zc_json_close(&json, '}');
    putc('\n', stdout);
}

/* ---- What is asked for ---- */

static zc_status materialize(const zc_results *r, zc_tensor **dense)
{
    return r->is_tuple ? zc_materialize_all(r->count, (const zc_tensor *const *)r->tensors, dense)
                       : zc_materialize(r->tensors[0], dense);
}

static bool save(const zc_request *request, const zc_session *session, zc_fault *fault)
{
    const zc_results *r = &session->results;
    if (request->output_count == 0)
        return true;
    if (request->output_count != r->count)
        return zc_fault_refuse(fault, "-o names %d file%s for %d result%s", request->output_count,
                               request->output_count == 1 ? "" : "s", r->count, r->count == 1 ? "" : "s");
    return zc_save_results(session->ctx, r->count, (const zc_tensor *const *)r->tensors, request, fault);
}

/* Saves, and computes what the report shows. */
static bool compute_reported(const zc_request *request, const zc_session *session, report *r, zc_fault *fault)
{
    if (!ask(r, fault) || !save(request, session, fault))
        return false;
    r->has_data = request->output_count == 0 && (request->style.shows_all || are_small(r->results));
    if (r->has_data && materialize(r->results, r->dense) != ZC_OK)
        return zc_fault_library(fault, session->ctx);
    put_report(r, session);
    return true;
}

static bool compute_and_report(const zc_request *request, const zc_session *session, zc_fault *fault)
{
    size_t count = (size_t)session->results.count;
    report r = {.results = &session->results,
                .facts = calloc(count, sizeof *r.facts),
                .dense = calloc(count, sizeof(zc_tensor *))};
    bool ok =
        r.facts != NULL && r.dense != NULL ? compute_reported(request, session, &r, fault) : zc_fault_memory(fault);
    for (size_t i = 0; r.dense != NULL && i < count; i++)
        zc_release(r.dense[i]);
    free(r.facts);
    free((void *)r.dense);
    return ok;
}

static bool compute(const zc_request *request, const zc_session *session, zc_fault *fault)
{
    const zc_results *r = &session->results;
    if (!request->json && !save(request, session, fault))
        return false;
    if (!request->json && (request->output_count > 0 || request->quiet))
        return true;
    const bool ok = request->json ? compute_and_report(request, session, fault)
                                  : zc_print_tensors(zc_file_printer(stdout, &request->style), r->count,
                                                     (const zc_tensor *const *)r->tensors, fault);
    return zc_interrupt_signal() == 0 || fault->status != ZC_OK ? ok
                                                                : zc_fault_refuse(fault, "stopped while it printed");
}

bool zc_eval_command(const zc_request *request, zc_fault *fault)
{
    zc_session session;
    bool ok = zc_session_begin(&session, request, fault) && compute(request, &session, fault);
    zc_session_end(&session);
    return ok;
}
