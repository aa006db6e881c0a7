/* The cases of the broadcast dialects (tests/views/dialect_cases.def) once more, as expressions of the command. */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/named_shapes.h"
#include "tests/tools/session_text.h"
#include "tests/views/dialects.h"

typedef struct dialect_case {
    dialect dialect;
    const char *from, *to, *list;
    const char *shape; /* NULL: refused */
    const char *refusal;
} dialect_case;

static const dialect_case cases[] = {
#define ACCEPTED(dialect, from, to, list, shape, stride) {dialect, from, to, list, shape, NULL},
#define REFUSED(dialect, from, to, list, refusal)        {dialect, from, to, list, NULL, refusal},
#include "tests/views/dialect_cases.def"
#undef ACCEPTED
#undef REFUSED
};

/* The function, and what stands before and behind the second list where there is one. */
typedef struct form {
    const char *function;
    const char *before; /* NULL: no second list */
    const char *behind;
} form;

static const form forms[DIALECTS] = {
    [NUMPY] = {"broadcast_to", NULL, ""},
    [TENSORFLOW] = {"tf.broadcast_to", NULL, ""},
    [MINDSPORE] = {"mindspore.broadcast_to", NULL, ""},
    [NGRAPH] = {"ngraph.broadcast", ", (", ")"},
    [XLA_BROADCAST] = {"xla.broadcast", NULL, ""},
    [XLA_IN_DIM] = {"xla.broadcast_in_dim", ", (", ")"},
    [STABLEHLO] = {"stablehlo.broadcast_in_dim", ", (", ")"},
    [TORCH] = {"torch.expand", NULL, ""},
    [ONNX] = {"onnx.expand", NULL, ""},
    [OPENVINO_NUMPY] = {"openvino.broadcast", NULL, ", mode='numpy'"},
    [OPENVINO_EXPLICIT] = {"openvino.broadcast", ", (", "), mode='explicit'"},
    [OPENVINO_BIDIRECTIONAL] = {"openvino.broadcast", NULL, ", mode='bidirectional'"},
    [OPENVINO_PDPD] = {"openvino.broadcast", ", mode='pdpd', axis=(", ")"},
};

/* The comma that makes a tuple of a list of one; an axis is none. */
static const char *comma(const char *list, dialect d)
{
    return *list != '\0' && d != OPENVINO_PDPD ? "," : "";
}

static void write_expression(const dialect_case *c, char *buffer, size_t bytes)
{
    const form *f = &forms[c->dialect];
    bool has_list = f->before != NULL;
    (void)snprintf(buffer, bytes, "%s(zeros((%s%s)), (%s%s)%s%s%s%s)%s", f->function, c->from, comma(c->from, NUMPY),
                   c->to, comma(c->to, NUMPY), has_list ? f->before : "", has_list ? c->list : "",
                   has_list ? comma(c->list, c->dialect) : "", f->behind, c->shape != NULL ? ".shape" : "");
}

/* "2,3" for what prints as "[2 3]" with any padding; "" for "[]". */
static void unprint(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from >= '0' && *from <= '9')
            *to++ = *from;
        else if (*from == ' ' && to > text && to[-1] != ',')
            *to++ = ',';
    }
    *to = '\0';
}

static int read_list(const char *text, int64_t *items)
{
    int count = 0;
    while (*text != '\0') {
        char *end;
        items[count++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return count;
}

/* Every refusal names the operand's shape and the target's, of XLA's Broadcast the sizes before the operand's. */
static void expect_names(const dialect_case *c, const char *text)
{
    int64_t from[16], to[32];
    int rank = read_list(c->from, from), target = read_list(c->to, to);
    if (c->dialect == XLA_BROADCAST)
        target += read_list(c->from, to + target);
    cr_expect(zc_names_shapes(text, rank, from, target, to), "'%s' does not name both shapes", text);
}

Test(dialects, give_their_cases_as_expressions)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dialect_case *c = &cases[i];
        char expression[512];
        zc_fault fault = {0};
        zc_dtype dtype;
        write_expression(c, expression, sizeof expression);
        char *text = zc_text_of_expression(expression, ZC_EXECUTOR_TILE, &dtype, &fault);
        cr_expect((text != NULL) == (c->shape != NULL), "%s: %s", expression, fault.text);
        if (text != NULL && c->shape != NULL) {
            unprint(text);
            cr_expect(strcmp(text, c->shape) == 0, "%s is %s, not %s", expression, text, c->shape);
        } else if (text == NULL && c->refusal != NULL) {
            cr_expect(strncmp(fault.text, forms[c->dialect].function, strlen(forms[c->dialect].function)) == 0 &&
                          strstr(fault.text, c->refusal) != NULL,
                      "%s: '%s' lacks '%s'", expression, fault.text, c->refusal);
            expect_names(c, fault.text);
        }
        free(text);
    }
}
