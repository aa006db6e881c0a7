#include "materialize/files/spans.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const zc_span *)a)->name, ((const zc_span *)b)->name);
}

static int compare_places(const void *a, const void *b)
{
    const zc_span *one = a, *two = b;
    if (one->begin != two->begin)
        return one->begin < two->begin ? -1 : 1;
    return (one->end > two->end) - (one->end < two->end);
}

zc_status zc_spans_check(int64_t count, zc_span *spans, zc_reason *why)
{
    if (count < 2)
        return ZC_OK;
    qsort(spans, (size_t)count, sizeof *spans, compare_names);
    for (int64_t i = 1; i < count; i++) {
        if (strcmp(spans[i - 1].name, spans[i].name) == 0)
            return zc_refuse(why, ZC_ERROR_FORMAT, "'%.64s' is the name of two arrays", spans[i].name);
    }
    qsort(spans, (size_t)count, sizeof *spans, compare_places);
    for (int64_t i = 1; i < count; i++) {
        if (spans[i].begin < spans[i - 1].end)
            return zc_refuse(why, ZC_ERROR_FORMAT, "'%.64s' and '%.64s' have bytes in common", spans[i - 1].name,
                             spans[i].name);
    }
    return ZC_OK;
}
