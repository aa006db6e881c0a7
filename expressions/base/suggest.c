#include "expressions/base/suggest.h"

#include <stdio.h>
#include <string.h>

/* Longer names are not compared: nobody misspells one so that help is needed. */
enum { MAX_NAME = 48 };

static int smallest(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

/* Insertions, deletions, replacements and exchanges of neighbours (optimal string alignment), row by row. */
static int edit_distance(const char *a, size_t size_a, const char *b, size_t size_b)
{
    int rows[3][MAX_NAME + 1];
    for (size_t j = 0; j <= size_b; j++)
        rows[0][j] = (int)j;
    for (size_t i = 1; i <= size_a; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= size_b; j++) {
            int replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = smallest(above[j] + 1, row[j - 1] + 1, replaced);
            bool is_exchange = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_exchange && above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
    }
    return rows[size_a % 3][size_b];
}

zc_suggestion zc_suggestion_begin(const char *wanted)
{
    size_t length = strlen(wanted);
    /* One slip in a short name, two in a longer one: further away is another word. */
    return (zc_suggestion){.wanted = wanted, .distance = length < 3 ? 1 : length < 6 ? 2 : length < 12 ? 3 : 4};
}

void zc_suggestion_offer(zc_suggestion *suggestion, const char *candidate)
{
    size_t size_a = strlen(suggestion->wanted), size_b = strlen(candidate);
    if (size_a > MAX_NAME || size_b > MAX_NAME)
        return;
    int distance = edit_distance(suggestion->wanted, size_a, candidate, size_b);
    if (distance < suggestion->distance) {
        suggestion->distance = distance;
        suggestion->best = candidate;
    }
}

const char *zc_suggestion_text(const zc_suggestion *suggestion, char *buffer)
{
    if (suggestion->best == NULL)
        buffer[0] = '\0';
    else
        (void)snprintf(buffer, ZC_SUGGESTION_TEXT, "; did you mean '%s'?", suggestion->best);
    return buffer;
}
