/*
 * "did you mean": the candidate nearest to a misspelt name.
 */
#ifndef ZC_EXPRESSIONS_BASE_SUGGEST_H
#define ZC_EXPRESSIONS_BASE_SUGGEST_H

#include "zerocast.h"

typedef struct zc_suggestion {
    const char *wanted;
    const char *best; /* NULL while nothing is near */
    int distance;
} zc_suggestion;

zc_suggestion zc_suggestion_begin(const char *wanted);

/* Keeps the candidate when it is nearer than the best so far, and near at all. */
void zc_suggestion_offer(zc_suggestion *suggestion, const char *candidate);

enum { ZC_SUGGESTION_TEXT = 96 };

/* "; did you mean 'sqrt'?" or "" into buffer, which has room for ZC_SUGGESTION_TEXT. Returns buffer. */
const char *zc_suggestion_text(const zc_suggestion *suggestion, char *buffer);

#endif
