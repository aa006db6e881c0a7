/*
 * The names of the library's file formats in the command's texts.
 */
#ifndef ZC_TOOLS_OUTPUT_FORMAT_NAMES_H
#define ZC_TOOLS_OUTPUT_FORMAT_NAMES_H

#include <stdio.h>

enum { ZC_FORMAT_NAMES_TEXT = 256 };

/* All of them as endings: ".tsv", ".tsv or .csv", ".tsv, .csv or .png". Returns text. */
const char *zc_format_names_text(char text[ZC_FORMAT_NAMES_TEXT]);

/* Writes a text in which {formats} stands for all of them and {ending} for the first one's name. A failure is the
 * stream's. */
void zc_format_names_print(FILE *out, const char *text);

#endif
