/*
 * Arrays as text into a stream, up to a signal that stops the command. The stream tells at the end if all of it could
 * be written.
 */
#ifndef ZC_TOOLS_OUTPUT_FILE_PRINTER_H
#define ZC_TOOLS_OUTPUT_FILE_PRINTER_H

#include <stdio.h>

#include "expressions/print/print.h"

zc_printer zc_file_printer(FILE *out, const zc_print_style *style);

#endif
