#include "expressions/functions/binder.h"

#include <stdlib.h>
#include <string.h>

#include "expressions/base/suggest.h"

typedef struct parameter {
    char name[ZC_PARAMETER_BYTES];
    bool has_default;
    zc_object value; /* the default */
} parameter;

/* ---- The parameters' text ---- */

static zc_object read_default(const char *text)
{
    if (strncmp(text, "None", 4) == 0)
        return (zc_object){.kind = ZC_OBJECT_NONE};
    if (strncmp(text, "True", 4) == 0 || strncmp(text, "False", 5) == 0)
        return (zc_object){.kind = ZC_OBJECT_BOOL, .truth = text[0] == 'T'};
    if (strcspn(text, "e") < strcspn(text, ",")) /* no default has a point, which strtod() reads by the locale */
        return (zc_object){.kind = ZC_OBJECT_FLOAT, .real = strtod(text, NULL)};
    return zc_object_integer(strtoll(text, NULL, 10));
}

/* Reads "name" or "name=default" and moves on to the next; false at the end. */
static bool next_parameter(const char **text, parameter *out)
{
    if (**text == '\0')
        return false;
    size_t name = strcspn(*text, "=,"), all = strcspn(*text, ",");
    *out = (parameter){.has_default = name < all};
    memcpy(out->name, *text, name < sizeof out->name ? name : sizeof out->name - 1); /* the rest is 0 */
    if (out->has_default)
        out->value = read_default(*text + name + 1);
    *text += all + strspn(*text + all, ", ");
    return true;
}

static int read_parameters(const zc_function *function, parameter *parameters)
{
    const char *text = function->parameters;
    int count = 0;
    while (next_parameter(&text, &parameters[count])) /* no row of functions.def has more than fit: tested */
        count++;
    return count;
}

int zc_parameter_count(const zc_function *function)
{
    parameter parameters[ZC_MAX_PARAMETERS];
    return read_parameters(function, parameters);
}

const char *zc_parameter_name(const zc_function *function, int i, char *buffer)
{
    parameter parameters[ZC_MAX_PARAMETERS];
    (void)read_parameters(function, parameters);
    memcpy(buffer, parameters[i].name, ZC_PARAMETER_BYTES);
    return buffer;
}

/* ---- Binding ---- */

static bool takes_any(const zc_function *function)
{
    return function->parameters[0] == '*';
}

static bool refuse_count(zc_call *call, const parameter *parameters, int count, uint32_t given)
{
    int least = 0;
    while (least < count && !parameters[least].has_default)
        least++;
    if (least == count)
        return zc_fault_refuse(call->fault, "%s: takes %d argument%s, not %lu", call->function->name, count,
                               count == 1 ? "" : "s", (unsigned long)given);
    return zc_fault_refuse(call->fault, "%s: takes %d to %d arguments, not %lu", call->function->name, least, count,
                           (unsigned long)given);
}

static bool refuse_keyword(zc_call *call, const parameter *parameters, int count, const char *keyword)
{
    zc_suggestion suggestion = zc_suggestion_begin(keyword);
    char text[ZC_SUGGESTION_TEXT];
    for (int i = takes_any(call->function) ? 1 : 0; i < count; i++)
        zc_suggestion_offer(&suggestion, parameters[i].name);
    return zc_fault_refuse(call->fault, "%s: there is no argument '%s'%s", call->function->name, keyword,
                           zc_suggestion_text(&suggestion, text));
}

static int find_parameter(const parameter *parameters, int count, const char *name)
{
    int i = 0;
    while (i < count && strcmp(parameters[i].name, name) != 0)
        i++;
    return i;
}

/* The name that our rows have where NumPy's parameter has another one. */
static const char *name_of_keyword(const char *keyword)
{
    static const struct {
        const char *alias, *name;
    } aliases[] = {
#define ZC_ALIAS(alias, name)
#define ZC_PARAMETER_ALIAS(alias, name) {alias, name},
#include "expressions/functions/aliases.def"
#undef ZC_ALIAS
#undef ZC_PARAMETER_ALIAS
    };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (strcmp(aliases[i].alias, keyword) == 0)
            return aliases[i].name;
    }
    return keyword;
}

static bool bind_keyword(zc_call *call, const parameter *parameters, int count, const zc_object *pair, bool *is_bound)
{
    const char *keyword = pair[0].string;
    int i = find_parameter(parameters, count, keyword);
    if (i == count)
        i = find_parameter(parameters, count, name_of_keyword(keyword));
    if (i == count)
        return refuse_keyword(call, parameters, count, keyword);
    if (is_bound[i])
        return zc_fault_refuse(call->fault, "%s: argument '%s' is given twice", call->function->name, keyword);
    is_bound[i] = true;
    call->arguments[i] = pair[1];
    return true;
}

/* Tells x.reshape(2, 3): a method of which the second parameter takes several numbers, and the others are left out. */
static bool spreads(const zc_call *call, const parameter *parameters, const zc_object *positional, uint32_t count)
{
    bool are_numbers =
        count > 2 && (strcmp(parameters[1].name, "shape") == 0 || strcmp(parameters[1].name, "axes") == 0);
    for (uint32_t i = 1; i < count && are_numbers; i++)
        are_numbers = zc_object_is_number(positional[i]);
    return call->is_method && are_numbers;
}

/* Makes them one tuple. */
static bool spread(zc_call *call, const zc_object *positional, uint32_t count)
{
    zc_object numbers[ZC_MAX_RANK];
    if (count > ZC_MAX_RANK)
        return zc_fault_refuse(call->fault, "%s: %lu numbers are more than the highest rank, %d", call->function->name,
                               (unsigned long)count - 1, ZC_MAX_RANK);
    memcpy(numbers, positional + 1, (count - 1) * sizeof *numbers);
    return zc_object_make_sequence(ZC_OBJECT_TUPLE, numbers, count - 1, &call->spread, call->fault);
}

bool zc_bind(zc_call *call, const zc_object *positional, uint32_t positional_count, const zc_object *keywords,
             uint32_t keyword_count)
{
    parameter parameters[ZC_MAX_PARAMETERS];
    bool is_bound[ZC_MAX_PARAMETERS] = {false};
    int count = read_parameters(call->function, parameters);
    if (takes_any(call->function)) { /* its first parameter is what no keyword is called */
        call->rest = positional;
        call->rest_count = positional_count;
        is_bound[0] = true;
        positional_count = 0;
    }
    if (spreads(call, parameters, positional, positional_count)) {
        if (!spread(call, positional, positional_count))
            return false;
        call->arguments[1] = call->spread;
        is_bound[1] = true;
        positional_count = 1;
    }
    if (positional_count > (uint32_t)count)
        return refuse_count(call, parameters, count, positional_count);
    for (uint32_t i = 0; i < positional_count; i++) {
        call->arguments[i] = positional[i];
        is_bound[i] = true;
    }
    for (uint32_t i = 0; i < keyword_count; i++) {
        if (!bind_keyword(call, parameters, count, keywords + 2 * (size_t)i, is_bound))
            return false;
    }
    for (int i = 0; i < count; i++) {
        if (!is_bound[i] && !parameters[i].has_default)
            return zc_fault_refuse(call->fault, "%s: argument '%s' is missing", call->function->name,
                                   parameters[i].name);
        if (!is_bound[i])
            call->arguments[i] = parameters[i].value;
    }
    return true;
}
