#include "tests/support/named_shapes.h"

#include <stdlib.h>
#include <string.h>

/* Text behind the list at `text`, which begins with a bracket; NULL when it is another list, or none. */
static const char *behind_list(const char *text, int rank, const int64_t *shape)
{
    const char close = *text == '(' ? ')' : *text == '[' ? ']' : '}';
    const char *at = text + 1;
    for (int a = 0; a < rank; a++) {
        char *end;
        if (a > 0 && *at++ != ',')
            return NULL;
        if (strtoll(at, &end, 10) != shape[a] || end == at)
            return NULL;
        at = end;
    }
    if (rank == 1 && *at == ',') /* a tuple of one */
        at++;
    return *at == close ? at + 1 : NULL;
}

/* Text behind the first place that writes the shape; NULL when none does. */
static const char *behind_first(const char *text, int rank, const int64_t *shape)
{
    for (const char *at = strpbrk(text, "([{"); at != NULL; at = strpbrk(at + 1, "([{")) {
        const char *end = behind_list(at, rank, shape);
        if (end != NULL)
            return end;
    }
    return NULL;
}

bool zc_names_shape(const char *text, int rank, const int64_t *shape)
{
    return behind_first(text, rank, shape) != NULL;
}

bool zc_names_shapes(const char *text, int rank_a, const int64_t *a, int rank_b, const int64_t *b)
{
    const char *rest = behind_first(text, rank_a, a);
    bool equal = rank_a == rank_b && (rank_a == 0 || memcmp(a, b, (size_t)rank_a * sizeof *a) == 0);
    return rest != NULL && zc_names_shape(equal ? rest : text, rank_b, b);
}
