/*
 * Names that -o takes: a file in a format that the library writes, standard output as - (.npy), or as FORMAT:-.
 *
 * Invariant: only the text is looked at; whether the file can be written is found out by writing it.
 */
#ifndef ZC_TOOLS_OUTPUT_OUTPUT_NAME_H
#define ZC_TOOLS_OUTPUT_OUTPUT_NAME_H

#include "expressions/base/fault.h"

/* False, with a fault, for a name whose ending stands for a format that is not written. */
bool zc_output_name_check(const char *path, zc_fault *fault);

#endif
