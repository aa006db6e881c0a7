#include "tests/tools/session_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/session.h"
#include "tools/output/file_printer.h"

char *zc_text_of_expression(const char *expression, zc_executor executor, zc_dtype *dtype, zc_fault *fault)
{
    zc_request request = {.subcommand = ZC_SUBCOMMAND_EVAL, .expression = expression, .executor = executor};
    zc_session session;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    bool ok = out != NULL && zc_session_begin(&session, &request, fault);
    if (ok) {
        *dtype = zc_dtype_of(session.results.tensors[0]);
        ok = zc_print_tensors(zc_file_printer(out, NULL), session.results.count,
                              (const zc_tensor *const *)session.results.tensors, fault);
    }
    if (out != NULL) {
        zc_session_end(&session);
        fclose(out);
    }
    if (ok) {
        text[length - 1] = '\0';
        return text;
    }
    free(text);
    return NULL;
}
