/*
 * NumPy's .npy as a row of the table of formats: mapped and viewed in place. What cannot be viewed in place, because
 * its bytes are in the other order or its elements are not aligned, is converted once into a buffer.
 */
#ifndef ZC_MATERIALIZE_FILES_NPY_H
#define ZC_MATERIALIZE_FILES_NPY_H

#include "materialize/files/formats.h"

extern const zc_file_format zc_npy_format;

/* Reads and checks the header, and that the data it promises is there. */
zc_status zc_npy_describe(zc_heap *heap, const zc_mapped_file *file, zc_npy_info *info, zc_reason *why);

#endif
