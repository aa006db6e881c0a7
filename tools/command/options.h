/*
 * What the command line asks for.
 *
 * Invariant: everything points into argv, which outlives the request; of the environment ZEROCAST_MEMORY_LIMIT counts.
 * Wrong usage is a fault of exit code 2 before any file is looked at.
 */
#ifndef ZC_TOOLS_COMMAND_OPTIONS_H
#define ZC_TOOLS_COMMAND_OPTIONS_H

#include "expressions/base/fault.h"
#include "expressions/print/print.h"
#include "tools/output/progress_bar.h"

typedef enum zc_subcommand {
    ZC_SUBCOMMAND_EVAL = 1,
    ZC_SUBCOMMAND_EXPLAIN = 2,
    ZC_SUBCOMMAND_INFO = 4,
    ZC_SUBCOMMAND_HELP = 8,
    ZC_SUBCOMMAND_CONVERT = 16,
    ZC_SUBCOMMAND_SHOW = 32
} zc_subcommand;

typedef struct zc_request {
    zc_subcommand subcommand;
    bool wants_help;
    const char *expression;      /* NULL when it comes from a file */
    const char *expression_file; /* NULL when it is an argument */
    const char **memory;         /* that positional and outputs point into */
    const char **positional;     /* NAME=FILE arguments; of info and convert the files, of help the functions */
    int positional_count;
    const char **outputs; /* [output_count], behind the positional ones; one for each result */
    int output_count;     /* 0: print */
    int64_t memory_limit; /* 0: the default */
    int threads;          /* 0: the default */
    zc_executor executor;
    zc_format format;
    zc_progress_bar_choice progress;
    zc_print_style style;
    bool json;
    bool quiet;
    bool histogram; /* of show */
} zc_request;

/* Tells whether the subcommand takes an expression, and a memory limit for what it computes. */
static inline bool zc_has_expression(const zc_request *request)
{
    return (request->subcommand & (ZC_SUBCOMMAND_EVAL | ZC_SUBCOMMAND_EXPLAIN | ZC_SUBCOMMAND_SHOW)) != 0;
}

/* Reads the arguments behind the subcommand. End the request with zc_request_free() whatever comes back. */
bool zc_request_parse(zc_subcommand subcommand, int count, char **arguments, zc_request *request, zc_fault *fault);

void zc_request_free(zc_request *request);

#endif
