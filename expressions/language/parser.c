/*
 * Two states alternate: an operand is wanted, or an operator (a comma, a closing bracket, the end) is. Operands are
 * emitted as they come, operators when something that binds less tightly follows.
 */
#include "expressions/language/parser.h"

#include <string.h>

#include "expressions/base/memory.h"
#include "expressions/language/parser_stack.h"
#include "expressions/language/syntax_error.h"

/* Tells whether a name is one of the words. */
static bool is_word(const zc_token *token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == token->length && memcmp(words[i], token->text, token->length) == 0)
            return true;
    }
    return false;
}

static bool is_constant_name(const zc_token *token)
{
    return is_word(token, (const char *const[]){"True", "False", "None"}, 3);
}

/* ---- Brackets ---- */

static bool open_bracket(zc_parser *p, zc_frame_kind kind)
{
    if (!zc_parser_push(p, kind, ZC_OPERATOR_COUNT))
        return false;
    zc_parser_advance(p);
    p->wants_operand = true;
    p->has_callee = p->has_method = false;
    return true;
}

static bool emit_missing_bound(zc_parser *p)
{
    return zc_parser_emit(p, (zc_instruction){.code = ZC_CODE_NONE});
}

/* Ends the item before a comma or a closing bracket; its operand is there unless one is wanted. */
static bool finish_item(zc_parser *p)
{
    zc_frame *top = zc_parser_top(p);
    if (top->colons > 0) {
        bool ok = !p->wants_operand || emit_missing_bound(p);
        for (int i = top->colons; ok && i < 2; i++)
            ok = emit_missing_bound(p);
        top->colons = 0;
        top->items++;
        return ok && zc_parser_emit(p, (zc_instruction){.code = ZC_CODE_SLICE});
    }
    if (top->kind == ZC_FRAME_CALL && top->edge == ZC_EDGE_ASSIGN)
        top->keywords++;
    else if (top->kind == ZC_FRAME_CALL && top->keywords > 0)
        return zc_parser_refuse(p, &p->token, "a positional argument follows a keyword argument");
    else
        top->items++;
    return true;
}

static bool emit_bracket(zc_parser *p, const zc_frame *frame)
{
    zc_instruction tuple = {.code = ZC_CODE_TUPLE, .count = frame->items};
    bool is_tuple = frame->has_comma || frame->items == 0;
    switch (frame->kind) {
    case ZC_FRAME_LIST:
        tuple.code = ZC_CODE_LIST;
        return zc_parser_emit(p, tuple);
    case ZC_FRAME_CALL:
        return zc_parser_emit(p, (zc_instruction){.code = frame->is_method ? ZC_CODE_METHOD : ZC_CODE_CALL,
                                                  .name = frame->name,
                                                  .count = frame->items,
                                                  .keyword_count = frame->keywords});
    case ZC_FRAME_SUBSCRIPT:
        return (!is_tuple || zc_parser_emit(p, tuple)) &&
               zc_parser_emit(p, (zc_instruction){.code = ZC_CODE_SUBSCRIPT});
    default:
        return !is_tuple || zc_parser_emit(p, tuple);
    }
}

static bool matches(zc_token_kind closing, zc_frame_kind kind)
{
    bool is_round = kind == ZC_FRAME_GROUP || kind == ZC_FRAME_CALL;
    bool is_square = kind == ZC_FRAME_LIST || kind == ZC_FRAME_SUBSCRIPT;
    return closing == ZC_TOKEN_CLOSE_PAREN ? is_round : is_square;
}

static bool close_bracket(zc_parser *p)
{
    zc_frame *top = zc_parser_top(p);
    if (!matches(p->token.kind, top->kind))
        return zc_parser_refuse(p, &p->token, "this bracket closes none that is open");
    if (top->kind == ZC_FRAME_SUBSCRIPT && top->edge == ZC_EDGE_OPEN && p->wants_operand)
        return zc_parser_refuse(p, &p->token, "the subscript is empty");
    bool has_item = !p->wants_operand || top->edge == ZC_EDGE_COLON;
    if (has_item && !finish_item(p))
        return false;
    zc_frame frame = *top;
    p->depth--;
    zc_parser_advance(p);
    p->wants_operand = false;
    p->has_callee = p->has_method = false;
    return emit_bracket(p, &frame);
}

static bool take_comma(zc_parser *p)
{
    zc_frame *top = zc_parser_top(p);
    if (!finish_item(p))
        return false;
    top->has_comma = true;
    top->edge = ZC_EDGE_COMMA;
    zc_parser_advance(p);
    p->wants_operand = true;
    return true;
}

static bool take_colon(zc_parser *p)
{
    zc_frame *top = zc_parser_top(p);
    if (top->kind != ZC_FRAME_SUBSCRIPT)
        return zc_parser_refuse(p, &p->token, "a slice stands only in a subscript, x[start:stop:step]");
    if (top->colons == 2)
        return zc_parser_refuse(p, &p->token, "a slice has three parts at most, start:stop:step");
    if (p->wants_operand && !emit_missing_bound(p))
        return false;
    top->colons++;
    top->edge = ZC_EDGE_COLON;
    zc_parser_advance(p);
    p->wants_operand = true;
    return true;
}

/* ---- Statements ---- */

static bool begin_statement(zc_parser *p)
{
    if (!zc_parser_push(p, ZC_FRAME_STATEMENT, ZC_OPERATOR_COUNT))
        return false;
    p->wants_operand = true;
    p->has_callee = p->has_method = false;
    if (p->token.kind != ZC_TOKEN_NAME || p->ahead.kind != ZC_TOKEN_ASSIGN)
        return true;
    if (is_constant_name(&p->token))
        return zc_parser_refuse(p, &p->token, "this name is a constant and cannot be bound");
    zc_frame *top = zc_parser_top(p);
    top->is_binding = true;
    if (!zc_parser_intern(p, &p->token, &top->name))
        return false;
    zc_parser_advance(p);
    zc_parser_advance(p);
    return true;
}

static bool end_statement(zc_parser *p)
{
    zc_frame *top = zc_parser_top(p);
    if (top->kind != ZC_FRAME_STATEMENT && p->token.kind == ZC_TOKEN_END)
        return zc_parser_refuse(p, &top->token, "this bracket is never closed");
    if (top->kind != ZC_FRAME_STATEMENT)
        return zc_parser_expected(p, "a closing bracket");
    if (!p->wants_operand)
        top->items++;
    if (top->has_comma && !zc_parser_emit(p, (zc_instruction){.code = ZC_CODE_TUPLE, .count = top->items}))
        return false;
    zc_code code = top->is_binding ? ZC_CODE_STORE : ZC_CODE_RESULT;
    p->depth--;
    return zc_parser_emit(p, (zc_instruction){.code = (uint8_t)code, .name = top->name});
}

/* ---- Operands ---- */

/* Python words that people try, and what stands in for them. */
static const char *advice_for(const zc_token *token)
{
    if (is_word(token, (const char *const[]){"and", "or", "not"}, 3))
        return "there are no 'and', 'or', 'not'; use &, |, ~ or logical_and, logical_or, logical_not";
    if (is_word(token, (const char *const[]){"if", "else"}, 2))
        return "there is no 'if'; use where(condition, x1, x2)";
    if (is_word(token, (const char *const[]){"lambda", "for", "in", "is", "def", "import", "while"}, 7))
        return "this word of Python is not part of the language";
    return NULL;
}

static bool take_name(zc_parser *p)
{
    zc_frame *top = zc_parser_top(p);
    uint32_t name;
    const char *advice = advice_for(&p->token);
    if (advice != NULL)
        return zc_parser_refuse(p, &p->token, advice);
    if (!zc_parser_intern(p, &p->token, &name))
        return false;
    zc_instruction instruction = {.code = ZC_CODE_LOAD, .name = name};
    bool is_keyword = top->kind == ZC_FRAME_CALL && (top->edge == ZC_EDGE_OPEN || top->edge == ZC_EDGE_COMMA) &&
                      p->ahead.kind == ZC_TOKEN_ASSIGN;
    if (is_keyword) {
        instruction.code = ZC_CODE_STRING;
        top->edge = ZC_EDGE_ASSIGN;
        zc_parser_advance(p);
    } else {
        p->wants_operand = false;
        p->has_callee = true;
        p->has_method = false;
        p->callee = p->program->count;
    }
    zc_parser_advance(p);
    return zc_parser_emit(p, instruction);
}

static bool take_literal(zc_parser *p)
{
    zc_instruction instruction = {0};
    switch (p->token.kind) {
    case ZC_TOKEN_INTEGER:
        instruction.code = ZC_CODE_INTEGER;
        instruction.magnitude = p->token.integer;
        break;
    case ZC_TOKEN_FLOAT:
        instruction.code = ZC_CODE_FLOAT;
        instruction.real = p->token.real;
        break;
    case ZC_TOKEN_IMAGINARY:
        instruction.code = ZC_CODE_IMAGINARY;
        instruction.real = p->token.real;
        break;
    case ZC_TOKEN_STRING:
        instruction.code = ZC_CODE_STRING;
        if (!zc_parser_intern(p, &p->token, &instruction.name))
            return false;
        break;
    default:
        instruction.code = ZC_CODE_ELLIPSIS;
        break;
    }
    p->wants_operand = false;
    p->has_callee = p->has_method = false;
    zc_parser_advance(p);
    return zc_parser_emit(p, instruction);
}

static bool take_sign(zc_parser *p)
{
    zc_operator op;
    if (!zc_operator_find(p->token.text, p->token.length, true, &op)) /* none of two characters begins like one */
        return zc_parser_expected(p, "a value");
    if (!zc_parser_push(p, ZC_FRAME_OPERATOR, op))
        return false;
    zc_parser_advance(p);
    return true;
}

/* Takes tokens that may stand where an operand is wanted but none has begun: after (, [ or a comma, not after an
 * operator. */
static bool take_edge(zc_parser *p)
{
    zc_frame *top = zc_parser_top(p);
    bool is_closing = p->token.kind == ZC_TOKEN_CLOSE_PAREN || p->token.kind == ZC_TOKEN_CLOSE_BRACKET;
    bool is_end = p->token.kind == ZC_TOKEN_SEPARATOR || p->token.kind == ZC_TOKEN_END;
    bool is_statement = top->kind == ZC_FRAME_STATEMENT;
    if (top->kind == ZC_FRAME_OPERATOR || top->edge == ZC_EDGE_ASSIGN)
        return zc_parser_expected(p, "a value");
    if (p->token.kind == ZC_TOKEN_COLON && !is_statement)
        return take_colon(p);
    if (is_closing && !is_statement)
        return close_bracket(p);
    if (p->token.kind == ZC_TOKEN_COMMA && top->edge == ZC_EDGE_COLON)
        return take_comma(p);
    if (is_end && (!is_statement || top->edge == ZC_EDGE_COMMA))
        return end_statement(p);
    return zc_parser_expected(p, "a value");
}

static bool take_operand(zc_parser *p)
{
    switch (p->token.kind) {
    case ZC_TOKEN_INTEGER:
    case ZC_TOKEN_FLOAT:
    case ZC_TOKEN_IMAGINARY:
    case ZC_TOKEN_STRING:
    case ZC_TOKEN_ELLIPSIS:
        return take_literal(p);
    case ZC_TOKEN_NAME:
        return take_name(p);
    case ZC_TOKEN_OPERATOR:
        return take_sign(p);
    case ZC_TOKEN_OPEN_PAREN:
        return open_bracket(p, ZC_FRAME_GROUP);
    case ZC_TOKEN_OPEN_BRACKET:
        return open_bracket(p, ZC_FRAME_LIST);
    default:
        return take_edge(p);
    }
}

/* ---- Operators ---- */

static bool take_binary(zc_parser *p)
{
    zc_operator op;
    if (!zc_operator_find(p->token.text, p->token.length, false, &op))
        return zc_parser_expected(p, "an operator");
    const zc_operator_info *info = zc_operator_describe(op);
    /* Operators on the left that bind equally tightly go first; ** groups to the right, and comparisons do not
     * group. */
    bool groups_left = op != ZC_OPERATOR_POWER && info->kind != ZC_OPERATOR_IS_COMPARISON;
    if (!zc_parser_reduce(p, groups_left ? info->binds : info->binds + 1))
        return false;
    /* Nothing binds less tightly than a comparison, so an operator still open before one is another comparison. */
    if (info->kind == ZC_OPERATOR_IS_COMPARISON && zc_parser_top(p)->kind == ZC_FRAME_OPERATOR)
        return zc_parser_refuse(p, &p->token, "comparisons do not chain; write (a < b) & (b < c)");
    if (!zc_parser_push(p, ZC_FRAME_OPERATOR, op))
        return false;
    zc_parser_advance(p);
    p->wants_operand = true;
    p->has_callee = p->has_method = false;
    return true;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* The name that a callee begins with. */
static const char *first_name(const zc_parser *p)
{
    return p->program->names.texts[p->program->code[p->callee].name];
}

/* Tells a callee that is NumPy's module, and nothing behind it yet. */
static bool is_numpy(const zc_parser *p)
{
    return p->has_callee && p->callee + 1 == p->program->count &&
           is_one_of(first_name(p), (const char *const[]){"np", "numpy"}, 2);
}

/* Tells a callee whose dots are those of a name, as in xla.broadcast, and not of attributes. */
static bool is_dotted_name(const zc_parser *p)
{
    static const char *const modules[] = {"linalg",    "mindspore", "ngraph", "onnx", "openvino",
                                          "stablehlo", "tf",        "torch",  "xla"};
    return p->callee + 1 == p->program->count || is_one_of(first_name(p), modules, sizeof modules / sizeof modules[0]);
}

static bool take_attribute(zc_parser *p)
{
    zc_parser_advance(p);
    if (p->token.kind != ZC_TOKEN_NAME)
        return zc_parser_expected(p, "a name after the dot");
    zc_instruction attribute = {.code = ZC_CODE_ATTRIBUTE};
    if (!zc_parser_intern(p, &p->token, &attribute.name))
        return false;
    zc_parser_advance(p);
    if (is_numpy(p)) { /* np.pi, np.sum(x), np.linalg.norm(x): the name that follows */
        p->program->code[p->callee].name = attribute.name;
        return true;
    }
    p->has_method = true;
    return zc_parser_emit(p, attribute);
}

/* "xla.broadcast" out of the instructions LOAD xla, ATTRIBUTE broadcast. */
static bool intern_callee(zc_parser *p, uint32_t *name)
{
    zc_program *program = p->program;
    size_t length = 0;
    for (size_t i = p->callee; i < program->count; i++)
        length += strlen(program->names.texts[program->code[i].name]) + 1;
    char *text = zc_memory_take(p->fault, length + 1);
    if (text == NULL)
        return false;
    char *end = text;
    for (size_t i = p->callee; i < program->count; i++) {
        for (const char *part = program->names.texts[program->code[i].name]; *part != '\0'; part++)
            *end++ = *part;
        *end++ = '.';
    }
    const bool ok = zc_names_intern(&program->names, text, length - 1, name, p->fault);
    zc_memory_give(text);
    return ok;
}

/* x.sum(): what stands before the last dot is the first argument. */
static bool take_method(zc_parser *p)
{
    const uint32_t name = p->program->code[--p->program->count].name;
    if (!open_bracket(p, ZC_FRAME_CALL))
        return false;
    zc_frame *top = zc_parser_top(p);
    top->name = name;
    top->items = 1;
    top->is_method = true;
    return true;
}

static bool take_call(zc_parser *p)
{
    uint32_t name;
    if (p->has_method && !(p->has_callee && is_dotted_name(p)))
        return take_method(p);
    if (!p->has_callee)
        return zc_parser_refuse(p, &p->token, "only names are called, as in sum(x) and x.sum()");
    if (!intern_callee(p, &name))
        return false;
    p->program->count = p->callee;
    if (!open_bracket(p, ZC_FRAME_CALL))
        return false;
    zc_parser_top(p)->name = name;
    return true;
}

static bool take_operator(zc_parser *p)
{
    switch (p->token.kind) {
    case ZC_TOKEN_OPERATOR:
        return take_binary(p);
    case ZC_TOKEN_DOT:
        return take_attribute(p);
    case ZC_TOKEN_OPEN_PAREN:
        return take_call(p);
    case ZC_TOKEN_OPEN_BRACKET:
        return open_bracket(p, ZC_FRAME_SUBSCRIPT);
    default:
        break;
    }
    p->has_callee = p->has_method = false;
    if (p->token.kind == ZC_TOKEN_NAME && advice_for(&p->token) != NULL)
        return zc_parser_refuse(p, &p->token, advice_for(&p->token));
    if (!zc_parser_reduce(p, 0))
        return false;
    switch (p->token.kind) {
    case ZC_TOKEN_COMMA:
        return take_comma(p);
    case ZC_TOKEN_COLON:
        return take_colon(p);
    case ZC_TOKEN_CLOSE_PAREN:
    case ZC_TOKEN_CLOSE_BRACKET:
        return close_bracket(p);
    case ZC_TOKEN_SEPARATOR:
    case ZC_TOKEN_END:
        return end_statement(p);
    case ZC_TOKEN_ASSIGN:
        return zc_parser_refuse(p, &p->token, "only one name is bound, at the beginning of a statement: NAME = EXPR");
    default:
        return zc_parser_expected(p, "an operator");
    }
}

/* ---- The whole ---- */

static bool parse_statement(zc_parser *p)
{
    bool ok = begin_statement(p);
    while (ok && p->depth > 0)
        ok = p->wants_operand ? take_operand(p) : take_operator(p);
    return ok;
}

bool zc_parse(const char *source, size_t length, zc_program *program, zc_fault *fault)
{
    if (length > ZC_MAX_SOURCE_BYTES)
        return zc_fault_usage(fault, "the expression is longer than %d bytes", ZC_MAX_SOURCE_BYTES);
    const char *nul = length > 0 ? memchr(source, '\0', length) : NULL;
    if (nul != NULL) /* names and strings end at a NUL byte from here on, so none may stand in them */
        return zc_syntax_error(fault, source, length, nul, "a NUL byte");
    zc_parser parser = {.source = source,
                        .length = length,
                        .lexer = zc_lexer_begin(source, length),
                        .program = program,
                        .fault = fault};
    zc_parser_advance(&parser);
    zc_parser_advance(&parser);
    bool ok = true;
    while (ok && parser.token.kind != ZC_TOKEN_END) {
        if (parser.token.kind == ZC_TOKEN_SEPARATOR)
            zc_parser_advance(&parser);
        else
            ok = parse_statement(&parser);
    }
    zc_memory_give(parser.frames);
    if (ok && program->count == 0)
        return zc_fault_usage(fault, "the expression is empty");
    return ok;
}
