/*
 * Arrays as text into a stream. Whether it could be written is asked of the stream at the end.
 */
#ifndef ZC_TOOLS_OUTPUT_FILE_PRINTER_H
#define ZC_TOOLS_OUTPUT_FILE_PRINTER_H

#include <stdio.h>

#include "expressions/print/print.h"

zc_printer zc_file_printer(FILE *out, const zc_print_style *style);

#endif
