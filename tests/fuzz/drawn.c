/* Numbers from the input: as few of its bytes as the range needs, so that changing one byte changes one draw. */
#include "tests/fuzz/drawn.h"

#include <stdarg.h>
#include <stdio.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"

static const uint8_t *next, *end;

void drawn_begin(const uint8_t *data, size_t size)
{
    next = data;
    end = data + size;
}

bool drawn_is_spent(void)
{
    return next == end;
}

static uint64_t draw(int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes && next < end; i++)
        value |= (uint64_t)*next++ << 8 * i;
    return value;
}

uint64_t zc_random_u64(void)
{
    return draw(8);
}

int64_t zc_random_range(int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low + 1; /* 0 stands for 2^64 */
    uint64_t value = draw(span == 0 || span > 1 << 16 ? 8 : span > 1 << 8 ? 2 : span > 1 ? 1 : 0);
    return (int64_t)((uint64_t)low + (span != 0 ? value % span : value));
}

bool zc_random_bool(void)
{
    return (draw(1) & 1) != 0;
}

/* The assertions of what is shared with the tests. */
void zc_plain_check(bool holds, zc_plain_place place, const char *claimed, const char *format, ...)
{
    if (holds)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: does not hold: %s:", place.file, place.line, claimed);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    __builtin_trap();
}
