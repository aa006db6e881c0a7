/*
 * The lexer: cuts a source into tokens, in one pass and without allocating.
 *
 * Invariant: tokens point into the source, which outlives them, and `at` only moves forward. A newline is a token only
 * outside brackets. What cannot be a token becomes one of kind ZC_TOKEN_ERROR that says why, so a fault is reported
 * where the parser meets it.
 */
#ifndef ZC_EXPRESSIONS_LANGUAGE_LEXER_H
#define ZC_EXPRESSIONS_LANGUAGE_LEXER_H

#include "zerocast.h"

typedef enum zc_token_kind {
    ZC_TOKEN_END,
    ZC_TOKEN_SEPARATOR, /* a newline or ; */
    ZC_TOKEN_INTEGER,
    ZC_TOKEN_FLOAT,
    ZC_TOKEN_IMAGINARY, /* 2j */
    ZC_TOKEN_NAME,
    ZC_TOKEN_STRING,   /* the text excludes the quotes */
    ZC_TOKEN_OPERATOR, /* see zc_operator_find() */
    ZC_TOKEN_ELLIPSIS,
    ZC_TOKEN_DOT,
    ZC_TOKEN_COMMA,
    ZC_TOKEN_COLON,
    ZC_TOKEN_ASSIGN,
    ZC_TOKEN_OPEN_PAREN,
    ZC_TOKEN_CLOSE_PAREN,
    ZC_TOKEN_OPEN_BRACKET,
    ZC_TOKEN_CLOSE_BRACKET,
    ZC_TOKEN_ERROR
} zc_token_kind;

typedef struct zc_token {
    zc_token_kind kind;
    const char *text;
    size_t length;
    uint64_t integer;  /* ZC_TOKEN_INTEGER */
    double real;       /* ZC_TOKEN_FLOAT */
    const char *error; /* ZC_TOKEN_ERROR: the sentence */
} zc_token;

typedef struct zc_lexer {
    const char *at;
    const char *end;
    int64_t brackets; /* open ones */
} zc_lexer;

zc_lexer zc_lexer_begin(const char *source, size_t length);
zc_token zc_lexer_next(zc_lexer *lexer);

/* Tells whether the text is a name: a letter or _, then letters, digits and _. */
bool zc_is_name(const char *text, size_t length);

#endif
