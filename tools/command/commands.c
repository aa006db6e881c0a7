#include "tools/command/commands.h"

#include <stdio.h>
#include <string.h>

#include "expressions/base/suggest.h"
#include "tools/base/interrupt.h"
#include "tools/base/report.h"
#include "tools/command/convert_command.h"
#include "tools/command/eval_command.h"
#include "tools/command/explain_command.h"
#include "tools/command/help.h"
#include "tools/command/help_command.h"
#include "tools/command/info_command.h"
#include "tools/command/session.h"
#include "tools/command/show_command.h"
#include "tools/output/format_names.h"

typedef struct subcommand {
    const char *name;
    zc_subcommand number;
    const char *help;
    bool (*run)(const zc_request *request, zc_fault *fault);
} subcommand;

static const subcommand subcommands[] = {
    {"eval", ZC_SUBCOMMAND_EVAL, zc_help_eval, zc_eval_command},
    {"explain", ZC_SUBCOMMAND_EXPLAIN, zc_help_explain, zc_explain_command},
    {"info", ZC_SUBCOMMAND_INFO, zc_help_info, zc_info_command},
    {"show", ZC_SUBCOMMAND_SHOW, zc_help_show, zc_show_command},
    {"convert", ZC_SUBCOMMAND_CONVERT, zc_help_convert, zc_convert_command},
    {"help", ZC_SUBCOMMAND_HELP, zc_help_help, zc_help_command},
};

enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof subcommands[0] };

static bool run_subcommand(const subcommand *s, int count, char **arguments, zc_fault *fault)
{
    zc_request request;
    bool ok = zc_request_parse(s->number, count, arguments, &request, fault);
    if (ok && request.wants_help)
        zc_format_names_print(stdout, s->help);
    else if (ok)
        ok = s->run(&request, fault);
    zc_request_free(&request);
    return ok;
}

static bool refuse_subcommand(const char *name, zc_fault *fault)
{
    zc_suggestion suggestion = zc_suggestion_begin(name);
    char text[ZC_SUGGESTION_TEXT];
    for (int i = 0; i < SUBCOMMAND_COUNT; i++)
        zc_suggestion_offer(&suggestion, subcommands[i].name);
    return zc_fault_usage(fault, "unknown subcommand '%.64s'%s", name, zc_suggestion_text(&suggestion, text));
}

static bool run(int count, char **arguments, zc_fault *fault)
{
    if (count == 0)
        return zc_fault_usage(
            fault, "no subcommand is given: eval, explain, show, info, convert or help (see zerocast --help)");
    if (strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0) {
        zc_format_names_print(stdout, zc_help_all);
        return true;
    }
    if (strcmp(arguments[0], "--version") == 0)
        return printf("zerocast %s, memory from the %s allocator\n", zc_version(), zc_allocator_name()) >= 0;
    for (int i = 0; i < SUBCOMMAND_COUNT; i++) {
        if (strcmp(arguments[0], subcommands[i].name) == 0)
            return run_subcommand(&subcommands[i], count - 1, arguments + 1, fault);
    }
    return refuse_subcommand(arguments[0], fault);
}

int zc_run_command(int count, char **arguments)
{
    zc_fault fault = {.status = ZC_OK};
    (void)run(count, arguments, &fault);
    (void)zc_finish_output(&fault);
    zc_interrupt_explain(&fault);
    return zc_report(&fault);
}
