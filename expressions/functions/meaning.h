/*
 * What the functions of the expression language mean, by topic: the rows of help.def, which tell also what computes
 * when it is called.
 */
#ifndef ZC_EXPRESSIONS_FUNCTIONS_MEANING_H
#define ZC_EXPRESSIONS_FUNCTIONS_MEANING_H

#include "expressions/functions/function.h"

typedef struct zc_meaning {
    const char *name; /* of a function; NULL: the text is a topic, and its functions follow */
    const char *text;
    bool computes; /* when it is called */
} zc_meaning;

/* The rows in their order, the first of which is a topic. */
const zc_meaning *zc_meanings(int *count);

/* The row of a function, or NULL: a test finds one for each. */
const zc_meaning *zc_meaning_find(const char *name);

#endif
