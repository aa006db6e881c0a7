/*
 * Hugging Face's .safetensors as a row of the table of formats: tensors by name, mapped and viewed in place. One that
 * is not aligned, as nothing in the format demands, is copied. Metadata are read over, and none are written.
 */
#ifndef ZC_MATERIALIZE_FILES_SAFETENSORS_H
#define ZC_MATERIALIZE_FILES_SAFETENSORS_H

#include "materialize/files/formats.h"

extern const zc_file_format zc_safetensors_format;

#endif
