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

/* The same in the words of the table of formats. */
void zc_npy_tell(const zc_npy_info *npy, zc_file_info *info);

/* Shows the elements of a buffer, which is taken over: they are copied where they are not aligned, or in the other
 * order. */
zc_status zc_npy_show(zc_context *ctx, const zc_npy_info *info, bool is_aligned, zc_buffer *buffer,
                      zc_file_elements *out, zc_reason *why);

/* Opens what was described. */
zc_status zc_npy_map(zc_context *ctx, const zc_mapped_file *file, const zc_npy_info *info, zc_file_elements *out,
                     zc_reason *why);

/* Refuses a dtype that NumPy has not got, for a format of that name. */
zc_status zc_npy_accept(const char *format, zc_dtype dtype, zc_reason *why);

#endif
