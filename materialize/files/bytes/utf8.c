#include "materialize/files/bytes/utf8.h"

enum { MOST_CHARACTER = 0x10ffff, FIRST_SURROGATE = 0xd800, LAST_SURROGATE = 0xdfff };

/* The bytes of the character that begins there; 0: none does. */
static size_t length_of(const unsigned char *at, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t count = *at < 0x80 ? 1 : *at < 0xc0 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf8 ? 4 : 0;
    if (count < 2 || count > left)
        return count < 2 ? count : 0;
    uint32_t character = *at & (0xffU >> (count + 1));
    for (size_t i = 1; i < count; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (at[i] & 0x3fU);
    }
    const bool is_surrogate = character >= FIRST_SURROGATE && character <= LAST_SURROGATE;
    return character < least[count] || character > MOST_CHARACTER || is_surrogate ? 0 : count;
}

bool zc_utf8_is_valid(const char *text, size_t count)
{
    size_t length = 1;
    for (size_t at = 0; at < count; at += length) {
        length = length_of((const unsigned char *)text + at, count - at);
        if (length == 0)
            return false;
    }
    return true;
}

size_t zc_utf8_write(char *to, uint32_t character)
{
    const size_t count = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = count; i-- > 1; character >>= 6)
        to[i] = (char)(0x80 | (character & 0x3f));
    to[0] = (char)(first[count] | character);
    return count;
}
