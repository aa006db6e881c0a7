#include "expressions/language/parser_stack.h"

#include <stdio.h>

#include "expressions/base/memory.h"
#include "expressions/language/syntax_error.h"

enum { FIRST_CAPACITY = 16, SHOWN_TOKEN = 24, SENTENCE_BYTES = 160 };

void zc_parser_advance(zc_parser *parser)
{
    parser->token = parser->ahead;
    parser->ahead = zc_lexer_next(&parser->lexer);
}

bool zc_parser_refuse(zc_parser *parser, const zc_token *at, const char *sentence)
{
    return zc_syntax_error(parser->fault, parser->source, parser->length, at->text, sentence);
}

static void describe(const zc_token *token, char *text, size_t bytes)
{
    bool is_line_end = token->kind == ZC_TOKEN_SEPARATOR && token->text[0] == '\n';
    if (token->kind == ZC_TOKEN_END)
        (void)snprintf(text, bytes, "the end");
    else if (is_line_end)
        (void)snprintf(text, bytes, "the end of the line");
    else if (token->length > SHOWN_TOKEN)
        (void)snprintf(text, bytes, "'%.*s...'", SHOWN_TOKEN, token->text);
    else
        (void)snprintf(text, bytes, "'%.*s'", (int)token->length, token->text);
}

bool zc_parser_expected(zc_parser *parser, const char *what)
{
    char found[SHOWN_TOKEN + 8], sentence[SENTENCE_BYTES];
    if (parser->token.kind == ZC_TOKEN_ERROR)
        return zc_parser_refuse(parser, &parser->token, parser->token.error);
    describe(&parser->token, found, sizeof found);
    (void)snprintf(sentence, sizeof sentence, "expected %s, found %s", what, found);
    return zc_parser_refuse(parser, &parser->token, sentence);
}

bool zc_parser_emit(zc_parser *parser, zc_instruction instruction)
{
    return zc_program_add(parser->program, instruction, parser->fault);
}

bool zc_parser_intern(zc_parser *parser, const zc_token *token, uint32_t *name)
{
    return zc_names_intern(&parser->program->names, token->text, token->length, name, parser->fault);
}

bool zc_parser_push(zc_parser *parser, zc_frame_kind kind, zc_operator op)
{
    if (parser->depth == parser->capacity) {
        size_t capacity = parser->capacity == 0 ? FIRST_CAPACITY : parser->capacity * 2;
        zc_frame *frames = zc_memory_grow(parser->fault, parser->frames, capacity * sizeof *frames);
        if (frames == NULL)
            return false;
        parser->frames = frames;
        parser->capacity = capacity;
    }
    parser->frames[parser->depth++] =
        (zc_frame){.kind = kind, .op = op, .token = parser->token, .code = parser->program->count};
    return true;
}

zc_frame *zc_parser_top(zc_parser *parser)
{
    return &parser->frames[parser->depth - 1];
}

/* A sign before a literal belongs to it, so that the lowest int64 can be written. */
static bool negate_literal(zc_program *program, size_t operand)
{
    zc_instruction *last = &program->code[program->count - 1];
    if (program->count != operand + 1 || last->code != ZC_CODE_INTEGER)
        return false;
    last->is_negative = !last->is_negative;
    return true;
}

bool zc_parser_reduce(zc_parser *parser, int binds)
{
    for (;;) {
        zc_frame frame = *zc_parser_top(parser);
        if (frame.kind != ZC_FRAME_OPERATOR || zc_operator_describe(frame.op)->binds < binds)
            return true;
        parser->depth--;
        if (frame.op == ZC_OPERATOR_NEGATIVE && negate_literal(parser->program, frame.code))
            continue;
        bool is_unary = zc_operator_describe(frame.op)->kind == ZC_OPERATOR_IS_UNARY;
        zc_code code = is_unary ? ZC_CODE_UNARY : ZC_CODE_BINARY;
        if (!zc_parser_emit(parser, (zc_instruction){.code = (uint8_t)code, .op = (uint8_t)frame.op}))
            return false;
    }
}
