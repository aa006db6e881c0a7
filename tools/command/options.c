#include "tools/command/options.h"

#include <stdlib.h>
#include <string.h>

#include "expressions/base/suggest.h"
#include "expressions/language/lexer.h"
#include "tools/command/pipes.h"
#include "tools/output/output_name.h"

enum { MAX_THREADS = 1024 };

/* ---- Values of options ---- */

static bool set_output(zc_request *request, const char *value, zc_fault *fault)
{
    request->outputs[request->output_count++] = value;
    if (value[0] == '\0')
        return zc_fault_usage(fault, "--output: the file name is empty");
    return zc_output_name_check(value, fault);
}

static bool set_file(zc_request *request, const char *value, zc_fault *fault)
{
    request->expression_file = value;
    if (value[0] == '\0')
        return zc_fault_usage(fault, "--file: the file name is empty");
    return true;
}

/* Digits only, no sign, nothing behind; false when it is no such number or does not fit. */
static bool read_digits(const char *text, size_t length, int64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, text[i] - '0', number))
            return false;
    }
    return length > 0;
}

static bool set_threads(zc_request *request, const char *value, zc_fault *fault)
{
    int64_t number;
    if (!read_digits(value, strlen(value), &number) || number < 1 || number > MAX_THREADS)
        return zc_fault_usage(fault, "--threads: '%s' is not a number from 1 to %d", value, MAX_THREADS);
    request->threads = (int)number;
    return true;
}

/* name: where the value comes from. */
static bool read_memory_limit(const char *name, const char *value, zc_request *request, zc_fault *fault)
{
    static const char units[] = "KMGT";
    size_t length = strlen(value);
    const char *unit = length == 0 ? NULL : strchr(units, value[length - 1]);
    int64_t number, factor = unit == NULL ? 1 : (int64_t)1 << (10 * (unit - units + 1));
    if (!read_digits(value, unit == NULL ? length : length - 1, &number) ||
        __builtin_mul_overflow(number, factor, &number) || number < 1)
        return zc_fault_usage(fault, "%s: '%s' is not a number of bytes above 0, such as 500000, 64K or 2G", name,
                              value);
    request->memory_limit = number;
    return true;
}

static bool set_memory_limit(zc_request *request, const char *value, zc_fault *fault)
{
    return read_memory_limit("--memory-limit", value, request, fault);
}

/* Takes the memory limit from the environment where the option is not given. */
static bool take_environment(zc_request *request, zc_fault *fault)
{
    static const char name[] = "ZEROCAST_MEMORY_LIMIT";
    const char *value = getenv(name);
    const bool computes = zc_has_expression(request) || request->subcommand == ZC_SUBCOMMAND_CONVERT;
    if (!computes || request->memory_limit != 0 || value == NULL || value[0] == '\0')
        return true;
    return read_memory_limit(name, value, request, fault);
}

static bool set_executor(zc_request *request, const char *value, zc_fault *fault)
{
    if (strcmp(value, "tile") == 0)
        request->executor = ZC_EXECUTOR_TILE;
    else if (strcmp(value, "reference") == 0)
        request->executor = ZC_EXECUTOR_REFERENCE;
    else
        return zc_fault_usage(fault, "--executor: '%s' is none of reference, tile", value);
    return true;
}

static bool set_format(zc_request *request, const char *value, zc_fault *fault)
{
    static const char *const names[] = {[ZC_TEXT] = "text", [ZC_JSON] = "json", [ZC_DOT] = "dot", [ZC_BRIEF] = "brief"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(value, names[i]) == 0) {
            request->format = (zc_format)i;
            return true;
        }
    }
    return zc_fault_usage(fault, "--format: '%s' is none of text, json, dot, brief", value);
}

static bool set_json(zc_request *request, const char *value, zc_fault *fault)
{
    (void)value;
    (void)fault;
    request->json = true;
    return true;
}

static bool set_all(zc_request *request, const char *value, zc_fault *fault)
{
    (void)value;
    (void)fault;
    request->style.shows_all = true;
    return true;
}

static bool set_precision(zc_request *request, const char *value, zc_fault *fault)
{
    enum { MOST = 17 };
    int64_t number;
    if (!read_digits(value, strlen(value), &number) || number > MOST)
        return zc_fault_usage(fault, "--precision: '%s' is not a number of digits from 0 to %d", value, MOST);
    request->style.digits = (int)number;
    return true;
}

static bool set_histogram(zc_request *request, const char *value, zc_fault *fault)
{
    (void)value;
    (void)fault;
    request->histogram = true;
    return true;
}

static bool set_quiet(zc_request *request, const char *value, zc_fault *fault)
{
    (void)value;
    (void)fault;
    request->quiet = true;
    return true;
}

static bool set_progress(zc_request *request, const char *value, zc_fault *fault)
{
    (void)value;
    (void)fault;
    request->progress = ZC_PROGRESS_BAR_ALWAYS;
    return true;
}

static bool set_no_progress(zc_request *request, const char *value, zc_fault *fault)
{
    (void)value;
    (void)fault;
    request->progress = ZC_PROGRESS_BAR_NEVER;
    return true;
}

static bool set_help(zc_request *request, const char *value, zc_fault *fault)
{
    (void)value;
    (void)fault;
    request->wants_help = true;
    return true;
}

/* ---- The table ---- */

typedef struct option {
    const char *name; /* "--threads" */
    char letter;      /* 'o' of -o, or NUL */
    bool has_value;
    unsigned subcommands; /* that have it */
    bool (*set)(zc_request *request, const char *value, zc_fault *fault);
} option;

enum {
    EVAL = ZC_SUBCOMMAND_EVAL,
    EXPLAIN = ZC_SUBCOMMAND_EXPLAIN,
    INFO = ZC_SUBCOMMAND_INFO,
    HELP = ZC_SUBCOMMAND_HELP,
    CONVERT = ZC_SUBCOMMAND_CONVERT,
    SHOW = ZC_SUBCOMMAND_SHOW
};

/* clang-format off */
static const option options[] = {
    {"--help",         'h',  false, EVAL | EXPLAIN | INFO | HELP | CONVERT | SHOW, set_help},
    {"--output",       'o',  true,  EVAL | SHOW,                         set_output},
    {"--file",         'f',  true,  EVAL | EXPLAIN | SHOW,               set_file},
    {"--threads",      '\0', true,  EVAL | EXPLAIN | SHOW,               set_threads},
    {"--memory-limit", '\0', true,  EVAL | EXPLAIN | CONVERT | SHOW,     set_memory_limit},
    {"--executor",     '\0', true,  EVAL | EXPLAIN | SHOW,               set_executor},
    {"--json",         '\0', false, EVAL | INFO,                  set_json},
    {"--all",          '\0', false, EVAL,                         set_all},
    {"--precision",    '\0', true,  EVAL,                         set_precision},
    {"--histogram",    '\0', false, SHOW,                         set_histogram},
    {"--quiet",        '\0', false, EVAL,                         set_quiet},
    {"--progress",     '\0', false, EVAL | SHOW,                         set_progress},
    {"--no-progress",  '\0', false, EVAL | SHOW,                         set_no_progress},
    {"--format",       '\0', true,  EXPLAIN,                      set_format},
};
/* clang-format on */

enum { OPTION_COUNT = sizeof options / sizeof options[0] };

static bool is_spelled(const option *o, const char *argument)
{
    size_t length = strlen(o->name);
    if (argument[1] != '-')
        return o->letter != '\0' && argument[1] == o->letter && (o->has_value || argument[2] == '\0');
    return strncmp(argument, o->name, length) == 0 && (argument[length] == '\0' || argument[length] == '=');
}

static const option *find_option(zc_subcommand subcommand, const char *argument)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        if ((options[i].subcommands & subcommand) != 0 && is_spelled(&options[i], argument))
            return &options[i];
    }
    return NULL;
}

/* Tells options, which begin with -, from the expression: -x is one where the expression is still missing and there is
 * no option of that letter. */
static bool is_option(const zc_request *request, const char *argument)
{
    if (argument[0] != '-' || argument[1] == '\0')
        return false;
    bool may_be_expression = zc_has_expression(request) && request->positional_count == 0 &&
                             request->expression_file == NULL && argument[1] != '-';
    return !may_be_expression || find_option(request->subcommand, argument) != NULL;
}

static bool refuse_option(zc_subcommand subcommand, const char *argument, zc_fault *fault)
{
    zc_suggestion suggestion = zc_suggestion_begin(argument);
    char text[ZC_SUGGESTION_TEXT];
    for (int i = 0; i < OPTION_COUNT; i++) {
        if ((options[i].subcommands & subcommand) != 0)
            zc_suggestion_offer(&suggestion, options[i].name);
    }
    return zc_fault_usage(fault, "unknown option '%.64s'%s", argument, zc_suggestion_text(&suggestion, text));
}

/* ---- The arguments ---- */

/* The value joined to an option: of --name=value what follows the sign, of -ovalue what follows the letter. */
static const char *joined_value(const char *argument)
{
    if (argument[1] != '-')
        return argument[2] == '\0' ? NULL : argument + 2;
    const char *sign = strchr(argument, '=');
    return sign == NULL ? NULL : sign + 1;
}

/* Takes the option at *i, and the argument behind it when that is its value. */
static bool take_option(int count, char **arguments, int *i, zc_request *request, zc_fault *fault)
{
    const option *o = find_option(request->subcommand, arguments[*i]);
    if (o == NULL)
        return refuse_option(request->subcommand, arguments[*i], fault);
    const char *value = joined_value(arguments[*i]);
    if (!o->has_value && value != NULL)
        return zc_fault_usage(fault, "%s: takes no value", o->name);
    if (o->has_value && value == NULL && *i + 1 == count)
        return zc_fault_usage(fault, "%s: its value is missing", o->name);
    if (o->has_value && value == NULL)
        value = arguments[++*i];
    return o->set(request, value, fault);
}

static bool check_bindings(const zc_request *request, zc_fault *fault)
{
    int reads = 0;
    for (int i = 0; i < request->positional_count; i++) {
        const char *argument = request->positional[i], *sign = strchr(argument, '=');
        size_t length = sign == NULL ? 0 : (size_t)(sign - argument);
        if (sign == NULL || !zc_is_name(argument, length) || sign[1] == '\0')
            return zc_fault_usage(fault, "'%.64s' is not NAME=FILE", argument);
        if (zc_is_standard(sign + 1) && reads++ > 0)
            return zc_fault_usage(fault, "standard input is read once, and two names stand for it");
        for (int k = 0; k < i; k++) {
            if (strncmp(request->positional[k], argument, length + 1) == 0)
                return zc_fault_usage(fault, "the name '%.*s' is bound twice", (int)length, argument);
        }
    }
    return true;
}

/* Standard output takes one result, and nothing besides. */
static bool check_outputs(const zc_request *request, zc_fault *fault)
{
    int written = 0;
    for (int i = 0; i < request->output_count; i++)
        written += zc_is_standard(request->outputs[i]) ? 1 : 0; /* proven: as many as arguments */
    if (written > 1)
        return zc_fault_usage(fault, "--output: standard output takes one result, and %d names stand for it", written);
    if (written > 0 && request->json)
        return zc_fault_usage(fault, "--json: the report goes to standard output, which takes the result");
    return true;
}

/* convert takes a file and another one, which is its output. */
static bool take_files(zc_request *request, zc_fault *fault)
{
    if (request->positional_count != 2)
        return zc_fault_usage(fault, "convert: takes two files, IN and OUT, not %d", request->positional_count);
    request->positional_count = 1;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): two were counted */
    return set_output(request, request->positional[1], fault);
}

/* The first positional argument is the expression unless a file holds it; the others are NAME=FILE. */
static bool check_positional(zc_request *request, zc_fault *fault)
{
    if (request->subcommand == ZC_SUBCOMMAND_INFO && request->positional_count == 0)
        return zc_fault_usage(fault, "info: no file is named");
    if (request->subcommand == ZC_SUBCOMMAND_CONVERT)
        return take_files(request, fault);
    if (!zc_has_expression(request))
        return true;
    if (request->expression_file == NULL) {
        if (request->positional_count == 0)
            return zc_fault_usage(fault, "no expression is given");
        request->expression = request->positional[0];
        request->positional++;
        request->positional_count--;
    }
    return check_bindings(request, fault);
}

bool zc_request_parse(zc_subcommand subcommand, int count, char **arguments, zc_request *request, zc_fault *fault)
{
    *request = (zc_request){.subcommand = subcommand, .style.digits = -1};
    request->memory = malloc(2 * ((size_t)count + 1) * sizeof *request->memory);
    if (request->memory == NULL)
        return zc_fault_memory(fault);
    request->positional = request->memory;
    request->outputs = request->memory + count + 1;
    bool takes_options = true;
    for (int i = 0; i < count && !request->wants_help; i++) {
        if (takes_options && strcmp(arguments[i], "--") == 0)
            takes_options = false;
        else if (!takes_options || !is_option(request, arguments[i]))
            request->positional[request->positional_count++] = arguments[i];
        else if (!take_option(count, arguments, &i, request, fault))
            return false;
    }
    return request->wants_help ||
           (take_environment(request, fault) && check_positional(request, fault) && check_outputs(request, fault));
}

void zc_request_free(zc_request *request)
{
    free((void *)request->memory);
    *request = (zc_request){0};
}
