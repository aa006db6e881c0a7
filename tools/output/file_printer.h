/*
 * Arrays as text into a stream, up to a signal that stops the command or a write that fails.
 */
#ifndef ZC_TOOLS_OUTPUT_FILE_PRINTER_H
#define ZC_TOOLS_OUTPUT_FILE_PRINTER_H

#include <stdio.h>

#include "expressions/print/print.h"

zc_printer zc_file_printer(FILE *out, const zc_print_style *style);

/* The errno of the last write that failed; 0: none did. */
int zc_file_printer_error(void);

#endif
