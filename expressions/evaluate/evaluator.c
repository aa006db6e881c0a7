#include "expressions/evaluate/evaluator.h"

#include <math.h>
#include <string.h>

#include "expressions/base/memory.h"
#include "expressions/base/suggest.h"
#include "expressions/evaluate/variables.h"
#include "expressions/functions/arithmetic.h"
#include "expressions/functions/binder.h"
#include "expressions/functions/meaning.h"
#include "expressions/language/parser.h"
#include "expressions/values/element.h"
#include "expressions/values/literal.h"
#include "expressions/values/subscript.h"
#include "expressions/values/wide.h"

enum { FIRST_CAPACITY = 64 };

static void mark_variable(void *user, uint32_t name)
{
    zc_evaluator *e = user;
    e->slots[name].is_variable = true;
}

bool zc_evaluator_begin(zc_evaluator *e, zc_context *ctx, const zc_program *program, zc_fault *fault)
{
    *e = (zc_evaluator){.ctx = ctx, .program = program, .fault = fault};
    e->slots =
        zc_memory_take(fault, ((size_t)program->names.count + 1) * sizeof *e->slots); /* proven: names are in memory */
    e->stack = zc_memory_take(fault, FIRST_CAPACITY * sizeof *e->stack);
    e->capacity = e->stack == NULL ? 0 : FIRST_CAPACITY;
    return e->slots != NULL && e->stack != NULL && zc_find_variables(program, mark_variable, e, fault);
}

void zc_evaluator_end(zc_evaluator *e)
{
    for (size_t i = 0; i < e->depth; i++)
        zc_object_release(e->stack[i]);
    for (uint32_t i = 0; e->slots != NULL && i < e->program->names.count; i++)
        zc_object_release(e->slots[i].value);
    zc_object_release(e->result);
    zc_memory_give(e->stack);
    zc_memory_give(e->slots);
    *e = (zc_evaluator){0};
}

/* ---- Stack and slots ---- */

/* Takes over the value's reference whatever comes back. */
static bool push(zc_evaluator *e, zc_object value)
{
    if (e->depth == e->capacity) {
        size_t capacity = e->capacity * 2;
        zc_object *stack = zc_memory_grow(e->fault, e->stack, capacity * sizeof *stack);
        if (stack == NULL) {
            zc_object_release(value);
            return false;
        }
        e->stack = stack;
        e->capacity = capacity;
    }
    e->stack[e->depth++] = value;
    return true;
}

static void drop(zc_evaluator *e, size_t count)
{
    for (size_t i = 0; i < count; i++)
        zc_object_release(e->stack[--e->depth]);
}

/* Puts a result in the place of the topmost `count` values, of which there is one at least, so there is room. */
static void replace(zc_evaluator *e, size_t count, zc_object result)
{
    drop(e, count);
    e->stack[e->depth++] = result;
}

/* A float becomes a tensor. What is no float stays as it is; differentiating by it is refused there. */
static bool make_variable(zc_evaluator *e, zc_object *value)
{
    if (value->kind == ZC_OBJECT_FLOAT)
        *value = (zc_object){.kind = ZC_OBJECT_TENSOR,
                             .tensor = zc_literal_tensor(e->ctx, *value, ZC_STRONG, "the variable", e->fault)};
    else if (value->kind != ZC_OBJECT_TENSOR)
        return true;
    if (value->tensor == NULL) /* LCOV_EXCL_BR_LINE: memory is out */
        return false;          /* LCOV_EXCL_LINE: likewise */
    zc_tensor *variable = zc_variable(value->tensor);
    if (variable != NULL) {
        zc_release(value->tensor);
        value->tensor = variable;
        return true;
    }
    if (zc_error_status(e->ctx) != ZC_ERROR_DTYPE)
        return zc_fault_library(e->fault, e->ctx);
    zc_error_clear(e->ctx);
    return true;
}

static void bind(zc_evaluator *e, uint32_t name, zc_object value)
{
    zc_slot *slot = &e->slots[name];
    zc_object_release(slot->value);
    slot->value = value;
    slot->is_bound = true;
}

/* Takes over the value's reference whatever comes back. */
static bool bind_variable(zc_evaluator *e, uint32_t name, zc_object value)
{
    if (e->slots[name].is_variable && !make_variable(e, &value)) {
        zc_object_release(value);
        return false;
    }
    bind(e, name, value);
    return true;
}

void zc_evaluator_bind(zc_evaluator *e, const char *name, size_t length, zc_object value)
{
    uint32_t number;
    if (zc_names_find(&e->program->names, name, length, &number))
        bind(e, number, value);
    else
        zc_object_release(value);
}

bool zc_evaluator_is_bound(const zc_evaluator *e, const char *name, size_t length)
{
    uint32_t number;
    return zc_names_find(&e->program->names, name, length, &number) && e->slots[number].is_bound;
}

bool zc_evaluator_bind_variable(zc_evaluator *e, const char *name, size_t length, zc_object value)
{
    uint32_t number;
    if (zc_names_find(&e->program->names, name, length, &number))
        return bind_variable(e, number, value);
    zc_object_release(value);
    return true;
}

/* ---- Names ---- */

typedef struct named_value {
    const char *name;
    zc_object value;
} named_value;

static const named_value constants[] = {
    {"True", {.kind = ZC_OBJECT_BOOL, .truth = true}},
    {"False", {.kind = ZC_OBJECT_BOOL, .truth = false}},
    {"None", {.kind = ZC_OBJECT_NONE}},
    {"newaxis", {.kind = ZC_OBJECT_NONE}},
    {"inf", {.kind = ZC_OBJECT_FLOAT, .real = (double)INFINITY}},
    {"nan", {.kind = ZC_OBJECT_FLOAT, .real = (double)NAN}},
    {"pi", {.kind = ZC_OBJECT_FLOAT, .real = 0x1.921fb54442d18p+1}},
    {"e", {.kind = ZC_OBJECT_FLOAT, .real = 0x1.5bf0a8b145769p+1}},
};

enum { CONSTANT_COUNT = sizeof constants / sizeof constants[0] };

static bool refuse_name(zc_evaluator *e, const char *name)
{
    zc_suggestion suggestion = zc_suggestion_begin(name);
    char text[ZC_SUGGESTION_TEXT];
    if (zc_function_find(name) != NULL)
        return zc_fault_refuse(e->fault, "'%s' is a function; it is called as %s(...)", name, name);
    for (uint32_t i = 0; i < e->program->names.count; i++) {
        if (e->slots[i].is_bound)
            zc_suggestion_offer(&suggestion, e->program->names.texts[i]);
    }
    for (int i = 0; i < CONSTANT_COUNT; i++)
        zc_suggestion_offer(&suggestion, constants[i].name);
    for (int i = 0; i < ZC_DTYPE_COUNT; i++)
        zc_suggestion_offer(&suggestion, zc_dtype_name((zc_dtype)i));
    return zc_fault_refuse(e->fault, "unknown name '%.64s'%s", name, zc_suggestion_text(&suggestion, text));
}

static bool load(zc_evaluator *e, uint32_t number)
{
    const zc_slot *slot = &e->slots[number];
    const char *name = e->program->names.texts[number];
    zc_dtype dtype;
    if (slot->is_bound)
        return push(e, zc_object_copy(slot->value));
    for (int i = 0; i < CONSTANT_COUNT; i++) {
        if (strcmp(constants[i].name, name) == 0)
            return push(e, constants[i].value);
    }
    if (zc_dtype_by_name(name, &dtype))
        return push(e, (zc_object){.kind = ZC_OBJECT_DTYPE, .dtype = dtype});
    return refuse_name(e, name);
}

/* ---- Instructions ---- */

static bool push_integer(zc_evaluator *e, const zc_instruction *instruction)
{
    const zc_operator sign = instruction->is_negative ? ZC_OPERATOR_NEGATIVE : ZC_OPERATOR_POSITIVE;
    zc_object object;
    return zc_wide_unary(sign, (zc_wide){.magnitude = instruction->magnitude}, &object, e->fault) && push(e, object);
}

static bool run_operator(zc_evaluator *e, const zc_instruction *instruction)
{
    bool is_unary = instruction->code == ZC_CODE_UNARY;
    size_t operands = is_unary ? 1 : 2;
    const zc_object *x = &e->stack[e->depth - operands];
    zc_operator op = (zc_operator)instruction->op;
    zc_object result;
    bool ok = is_unary ? zc_apply_unary(e->ctx, op, x[0], &result, e->fault)
                       : zc_apply_binary(e->ctx, op, x[0], x[1], &result, e->fault);
    if (ok)
        replace(e, operands, result);
    return ok;
}

static bool run_attribute(zc_evaluator *e, uint32_t name)
{
    zc_object result;
    bool ok = zc_apply_attribute(e->ctx, e->stack[e->depth - 1], e->program->names.texts[name], &result, e->fault);
    if (ok)
        replace(e, 1, result);
    return ok;
}

static bool run_subscript(zc_evaluator *e)
{
    const zc_object *x = &e->stack[e->depth - 2];
    zc_object result;
    bool ok = zc_subscript(e->ctx, x[0], x[1], &result, &e->masks_compute, e->fault);
    if (ok)
        replace(e, 2, result);
    return ok;
}

/* The sequence takes over the references on the stack. */
static bool build(zc_evaluator *e, zc_object_kind kind, size_t count)
{
    zc_object result;
    e->depth -= count;
    return zc_object_make_sequence(kind, e->stack + e->depth, count, &result, e->fault) && push(e, result);
}

static bool refuse_function(zc_evaluator *e, uint32_t number)
{
    const char *name = e->program->names.texts[number];
    char text[ZC_SUGGESTION_TEXT];
    zc_dtype dtype;
    if (e->slots[number].is_bound)
        return zc_fault_refuse(e->fault, "'%.64s' is %s, not a function", name,
                               zc_object_describe(e->slots[number].value));
    if (zc_dtype_from_name(name, &dtype))
        return zc_fault_refuse(e->fault, "%s is a dtype, not a function; use astype(x, %s)", name, name);
    return zc_fault_refuse(e->fault, "unknown function '%.64s'%s", name, zc_function_suggest(name, text));
}

/* Notes a function that the program calls: a name is looked up once. */
static void note_computed(zc_evaluator *e, const char *name)
{
    const zc_meaning *meaning = zc_meaning_find(name);
    if (meaning->computes)
        e->computed[e->computed_count++] = meaning->name;
}

static bool run_all(zc_evaluator *e);

/* Lets a refusal by a function that a body calls be one of the function that has the body. */
static void rename_fault(zc_fault *fault, const char *name)
{
    char inner[ZC_PARAMETER_BYTES];
    const size_t length = strcspn(fault->text, ":"), own = strlen(name), rest = strlen(fault->text + length) + 1;
    if (fault->status == ZC_OK || length >= sizeof inner || own + rest > sizeof fault->text)
        return;
    memcpy(inner, fault->text, length);
    inner[length] = '\0';
    if (zc_function_find(inner) == NULL)
        return;
    memmove(fault->text + own, fault->text + length, rest);
    memcpy(fault->text, name, own);
}

/* Runs the body of a function over its parameters. */
static bool run_body(zc_evaluator *e, const zc_call *call, zc_object *result)
{
    zc_program program = {0};
    zc_evaluator inner = {0};
    const char *body = call->function->body;
    char name[ZC_PARAMETER_BYTES];
    bool ok =
        zc_parse(body, strlen(body), &program, e->fault) && zc_evaluator_begin(&inner, e->ctx, &program, e->fault);
    for (int i = 0; ok && i < zc_parameter_count(call->function); i++) {
        (void)zc_parameter_name(call->function, i, name);
        zc_evaluator_bind(&inner, name, strlen(name), zc_object_copy(call->arguments[i]));
    }
    ok = ok && run_all(&inner); /* recursion: a body calls rows that stand before it */
    if (ok)
        *result = zc_object_copy(inner.result);
    else
        rename_fault(e->fault, call->function->name);
    zc_evaluator_end(&inner);
    zc_program_free(&program);
    return ok;
}

/* Calls a function, or evaluates what it is defined as. */
static bool call_function(zc_evaluator *e, zc_call *call, const zc_object *arguments, const zc_instruction *instruction,
                          zc_object *result)
{
    const zc_object *keywords = arguments + instruction->count;
    if (call->function->body == NULL)
        return zc_function_call(call, arguments, instruction->count, keywords, instruction->keyword_count, result);
    return zc_bind(call, arguments, instruction->count, keywords, instruction->keyword_count) &&
           run_body(e, call, result);
}

static bool run_call(zc_evaluator *e, const zc_instruction *instruction)
{
    zc_slot *slot = &e->slots[instruction->name];
    if (slot->function == NULL) {
        slot->function = zc_function_find(e->program->names.texts[instruction->name]);
        if (slot->function == NULL)
            return refuse_function(e, instruction->name);
        note_computed(e, slot->function->name);
    }
    size_t operands = (size_t)instruction->count + 2 * (size_t)instruction->keyword_count;
    const zc_object *arguments = &e->stack[e->depth - operands];
    zc_call call = {
        .ctx = e->ctx, .fault = e->fault, .function = slot->function, .is_method = instruction->code == ZC_CODE_METHOD};
    zc_object result;
    if (!call_function(e, &call, arguments, instruction, &result))
        return false;
    drop(e, operands);
    return push(e, result);
}

static bool end_statement(zc_evaluator *e, const zc_instruction *instruction)
{
    zc_object_release(e->result);
    e->result = e->stack[--e->depth];
    return instruction->code != ZC_CODE_STORE || bind_variable(e, instruction->name, zc_object_copy(e->result));
}

static bool run_instruction(zc_evaluator *e, const zc_instruction *instruction)
{
    switch ((zc_code)instruction->code) {
    case ZC_CODE_INTEGER:
        return push_integer(e, instruction);
    case ZC_CODE_FLOAT:
        return push(e, (zc_object){.kind = ZC_OBJECT_FLOAT, .real = instruction->real});
    case ZC_CODE_IMAGINARY:
        return push(e, (zc_object){.kind = ZC_OBJECT_COMPLEX, .point = {0, instruction->real}});
    case ZC_CODE_STRING:
        return push(e, (zc_object){.kind = ZC_OBJECT_STRING, .string = e->program->names.texts[instruction->name]});
    case ZC_CODE_NONE:
        return push(e, (zc_object){.kind = ZC_OBJECT_NONE});
    case ZC_CODE_ELLIPSIS:
        return push(e, (zc_object){.kind = ZC_OBJECT_ELLIPSIS});
    case ZC_CODE_LOAD:
        return load(e, instruction->name);
    case ZC_CODE_UNARY:
    case ZC_CODE_BINARY:
        return run_operator(e, instruction);
    case ZC_CODE_ATTRIBUTE:
        return run_attribute(e, instruction->name);
    case ZC_CODE_SLICE:
        return build(e, ZC_OBJECT_SLICE, 3);
    case ZC_CODE_SUBSCRIPT:
        return run_subscript(e);
    case ZC_CODE_TUPLE:
        return build(e, ZC_OBJECT_TUPLE, instruction->count);
    case ZC_CODE_LIST:
        return build(e, ZC_OBJECT_LIST, instruction->count);
    case ZC_CODE_CALL:
    case ZC_CODE_METHOD:
        return run_call(e, instruction);
    default: /* ZC_CODE_STORE, ZC_CODE_RESULT */
        return end_statement(e, instruction);
    }
}

static bool run_all(zc_evaluator *e)
{
    for (size_t i = 0; i < e->program->count; i++) {
        if (!run_instruction(e, &e->program->code[i]))
            return false;
    }
    return true;
}

/* ---- What a program stands for ---- */

static bool holds_tensor(zc_object value)
{
    if (!zc_object_is_sequence(value))
        return value.kind == ZC_OBJECT_TENSOR;
    bool holds = false;
    for (int64_t i = 0; i < value.sequence->count && !holds; i++)
        holds = holds_tensor(value.sequence->items[i]); /* recursion: sequences nest ZC_MAX_RANK deep */
    return holds;
}

/* Tells whether both would be arrays of one shape, if they are arrays. */
static bool are_alike(zc_object a, zc_object b)
{
    if (!zc_object_is_sequence(a) || !zc_object_is_sequence(b))
        return zc_object_is_number(a) && zc_object_is_number(b);
    bool alike = a.sequence->count == b.sequence->count;
    for (int64_t i = 0; i < a.sequence->count && alike; i++) /* recursion: sequences nest ZC_MAX_RANK deep */
        alike = are_alike(a.sequence->items[i], b.sequence->items[i]);
    return alike;
}

/* A tuple is several results where an array is in it, or where its items do not make one array: x.size, x.shape. */
static bool is_several(zc_object value)
{
    if (value.kind != ZC_OBJECT_TUPLE)
        return false;
    bool is_array = !holds_tensor(value);
    for (int64_t i = 0; i < value.sequence->count && is_array; i++)
        is_array = are_alike(value.sequence->items[0], value.sequence->items[i]);
    return !is_array;
}

/* Those of tuples in a tuple are results, too. */
static size_t count_results(zc_object value)
{
    size_t count = 0;
    if (!is_several(value))
        return 1;
    for (int64_t i = 0; i < value.sequence->count; i++)
        count += count_results(value.sequence->items[i]); /* recursion: sequences nest ZC_MAX_RANK deep */
    return count;
}

static bool take_results(zc_evaluator *e, zc_object value, zc_results *results)
{
    if (is_several(value)) {
        bool ok = true;
        for (int64_t i = 0; i < value.sequence->count && ok; i++) /* recursion: sequences nest ZC_MAX_RANK deep */
            ok = take_results(e, value.sequence->items[i], results);
        return ok;
    }
    zc_tensor *tensor = zc_literal_tensor(e->ctx, value, ZC_STRONG, "the result", e->fault);
    if (tensor == NULL)
        return false;
    results->tensors[results->count++] = tensor;
    return true;
}

bool zc_evaluator_run(zc_evaluator *e, zc_results *results)
{
    if (!run_all(e))
        return false;
    results->is_tuple = is_several(e->result);
    const size_t bytes = (count_results(e->result) + 1) * sizeof(zc_tensor *); /* proven: they are in memory */
    results->tensors = zc_memory_take(e->fault, bytes);
    return results->tensors != NULL && take_results(e, e->result, results);
}

void zc_results_free(zc_results *results)
{
    for (int i = 0; i < results->count; i++)
        zc_release(results->tensors[i]);
    zc_memory_give((const void *)results->tensors);
    *results = (zc_results){0};
}
