/*
 * Number literals, as Python writes them: 3, 1_000, 0x1f, 0b1, 0o7, 1e-3, .5, 5., 2j.
 */
#ifndef ZC_EXPRESSIONS_LANGUAGE_LEXER_NUMBER_H
#define ZC_EXPRESSIONS_LANGUAGE_LEXER_NUMBER_H

#include "expressions/language/lexer.h"

/* The number that the text begins with: an INTEGER, FLOAT, IMAGINARY or ERROR token. The text begins with a digit, or
 * with a dot and a digit. */
zc_token zc_number_scan(const char *text, size_t length);

#endif
