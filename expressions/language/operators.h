/*
 * The operators of the expression language: spelling, precedence, and the library function behind each.
 *
 * Invariant: one row in operators.def says everything the lexer, the parser and the evaluator know about an operator.
 * All binary operators group to the left but **, and ** binds tighter than a sign on its left.
 */
#ifndef ZC_EXPRESSIONS_LANGUAGE_OPERATORS_H
#define ZC_EXPRESSIONS_LANGUAGE_OPERATORS_H

#include "zerocast.h"

typedef enum zc_operator {
#define ZC_UNARY(NAME, text, binds, name, function)      ZC_OPERATOR_##NAME,
#define ZC_BINARY(NAME, text, binds, name, function)     ZC_OPERATOR_##NAME,
#define ZC_COMPARISON(NAME, text, binds, name, function) ZC_OPERATOR_##NAME,
#include "expressions/language/operators.def"
#undef ZC_UNARY
#undef ZC_BINARY
#undef ZC_COMPARISON
    ZC_OPERATOR_COUNT
} zc_operator;

typedef enum zc_operator_kind {
    ZC_OPERATOR_IS_UNARY,
    ZC_OPERATOR_IS_BINARY,
    ZC_OPERATOR_IS_COMPARISON
} zc_operator_kind;

typedef struct zc_operator_info {
    zc_operator_kind kind;
    const char *text;
    int binds;        /* the higher, the tighter */
    const char *name; /* of the array API function that does the same */
    zc_tensor *(*unary)(const zc_tensor *x);
    zc_tensor *(*binary)(const zc_tensor *a, const zc_tensor *b);
} zc_operator_info;

const zc_operator_info *zc_operator_describe(zc_operator op);

/* The longest operator that the `length` characters at `text` begin with, unary ones (is_unary) or the others. False
 * when there is none. */
bool zc_operator_find(const char *text, size_t length, bool is_unary, zc_operator *op);

#endif
