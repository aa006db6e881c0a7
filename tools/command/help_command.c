#include "tools/command/help_command.h"

#include <stdio.h>
#include <string.h>

#include "expressions/base/suggest.h"
#include "expressions/functions/meaning.h"
#include "tools/base/report.h"

enum { WIDTH = 79, INDENT = 4 };

/* NumPy's other names, each with what it stands for. */
static void print_aliases(void)
{
    const char *name, *alias;
    int column = 0;
    fputs("\nNumPy's other names; np.NAME and numpy.NAME are NAME, x.NAME(...) is NAME(x, ...)\n", stdout);
    for (int i = 0; (alias = zc_function_alias(i, &name)) != NULL; i++) {
        const int length = (int)(strlen(alias) + strlen(name)) + 3;
        if (column > 0 && column + 1 + length > WIDTH) {
            putc('\n', stdout);
            column = 0;
        }
        column += printf("%*s%s = %s", column == 0 ? INDENT : 2, "", alias, name);
    }
    putc('\n', stdout);
}

/* Names side by side, a topic above them. */
static void print_all(void)
{
    int count, column = 0;
    const zc_meaning *rows = zc_meanings(&count);
    fputs("Functions of expressions; zerocast help NAME tells what one does.\n", stdout);
    for (int i = 0; i < count; i++) {
        if (rows[i].name == NULL) {
            printf("%s\n%s\n", column > 0 ? "\n" : "", rows[i].text);
            column = 0;
            continue;
        }
        const int length = (int)strlen(rows[i].name);
        if (column > 0 && column + 1 + length > WIDTH) {
            putc('\n', stdout);
            column = 0;
        }
        column += printf("%*s%s", column == 0 ? INDENT : 1, "", rows[i].name);
    }
    putc('\n', stdout);
    print_aliases();
}

static bool print_function(const char *name, zc_fault *fault)
{
    char text[ZC_SUGGESTION_TEXT];
    zc_dtype dtype;
    const zc_function *function = zc_function_find(name);
    if (zc_dtype_from_name(name, &dtype))
        return zc_fault_refuse(fault, "help: %s is a dtype, not a function", name);
    if (function == NULL)
        return zc_fault_refuse(fault, "help: unknown function '%.64s'%s", name, zc_function_suggest(name, text));
    const zc_meaning *meaning = zc_meaning_find(function->name);
    printf("%s(%s)\n%*s%s\n", function->name, function->parameters, INDENT, "", meaning->text);
    if (meaning->computes)
        printf("%*sIt computes when it is called.\n", INDENT, "");
    return true;
}

bool zc_help_command(const zc_request *request, zc_fault *fault)
{
    if (request->positional_count == 0)
        print_all();
    for (int i = 0; i < request->positional_count; i++) {
        zc_fault one = {.status = ZC_OK};
        if (!print_function(request->positional[i], &one))
            zc_report_part(fault, &one);
    }
    return fault->status == ZC_OK;
}
