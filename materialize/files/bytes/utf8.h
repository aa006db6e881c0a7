/*
 * Text of a file or for one: is it UTF-8, and what a character is in it.
 */
#ifndef ZC_MATERIALIZE_FILES_BYTES_UTF8_H
#define ZC_MATERIALIZE_FILES_BYTES_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Checks that all bytes are UTF-8: shortest forms, no surrogates, nothing above U+10FFFF. */
bool zc_utf8_is_valid(const char *text, size_t count);

/* Writes a character that is no surrogate; returns its bytes, 1 to 4. */
size_t zc_utf8_write(char *to, uint32_t character);

#endif
