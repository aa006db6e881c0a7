/*
 * The parser's stack: what is open (statement, brackets) and which operators wait for their right operand.
 *
 * Invariant: the lowest frame is the statement's; operator frames lie above the bracket they stand in. An operator's
 * instruction is emitted when its frame is popped, which is when both operands have been emitted.
 */
#ifndef ZC_EXPRESSIONS_LANGUAGE_PARSER_STACK_H
#define ZC_EXPRESSIONS_LANGUAGE_PARSER_STACK_H

#include "expressions/base/fault.h"
#include "expressions/language/lexer.h"
#include "expressions/language/operators.h"
#include "expressions/language/program.h"

typedef enum zc_frame_kind {
    ZC_FRAME_STATEMENT,
    ZC_FRAME_GROUP,
    ZC_FRAME_LIST,
    ZC_FRAME_CALL,
    ZC_FRAME_SUBSCRIPT,
    ZC_FRAME_OPERATOR
} zc_frame_kind;

/* Last token in a bracket before the operand that is to come. */
typedef enum zc_frame_edge { ZC_EDGE_OPEN, ZC_EDGE_COMMA, ZC_EDGE_COLON, ZC_EDGE_ASSIGN } zc_frame_edge;

typedef struct zc_frame {
    zc_frame_kind kind;
    zc_operator op;     /* OPERATOR */
    zc_token token;     /* token that opened it */
    size_t code;        /* instructions before it */
    zc_frame_edge edge; /* brackets and statements, from here on */
    bool is_binding;    /* STATEMENT: NAME = ... */
    bool has_comma;
    bool is_method;    /* CALL: the first item stood before the dot */
    uint32_t name;     /* CALL: the function; STATEMENT: what is bound */
    uint32_t items;    /* finished ones; of a call, the positional ones */
    uint32_t keywords; /* CALL */
    int colons;        /* SUBSCRIPT: of the item that is being read */
} zc_frame;

typedef struct zc_parser {
    const char *source;
    size_t length;
    zc_lexer lexer;
    zc_token token; /* the current one */
    zc_token ahead; /* the one after */
    bool wants_operand;
    bool has_callee; /* what was just read is a name, with dots perhaps, so a call may follow; */
    bool has_method; /* or an attribute of something else, likewise */
    size_t callee;   /* its first instruction */
    zc_frame *frames;
    size_t depth;
    size_t capacity;
    zc_program *program;
    zc_fault *fault;
} zc_parser;

/* ---- Tokens ---- */

void zc_parser_advance(zc_parser *parser);

/* A syntax error at the token. Returns false. */
bool zc_parser_refuse(zc_parser *parser, const zc_token *at, const char *sentence);

/* "expected X, found Y" at the current token, or why that is no token at all. Returns false. */
bool zc_parser_expected(zc_parser *parser, const char *what);

/* ---- Instructions ---- */

bool zc_parser_emit(zc_parser *parser, zc_instruction instruction);
bool zc_parser_intern(zc_parser *parser, const zc_token *token, uint32_t *name);

/* ---- Frames ---- */

/* A frame of that kind, opened by the current token. */
bool zc_parser_push(zc_parser *parser, zc_frame_kind kind, zc_operator op);
zc_frame *zc_parser_top(zc_parser *parser);

/* Pops the operators that bind at least as tightly as `binds` and emits them. */
bool zc_parser_reduce(zc_parser *parser, int binds);

#endif
