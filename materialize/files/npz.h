/*
 * NumPy's .npz as a row of the table of formats: a zip archive of .npy files. A stored member is mapped and viewed in
 * place like a file of its own; a deflated one is inflated, to the size that its header says and no further. Members
 * are written as numpy.savez() writes them, stored.
 */
#ifndef ZC_MATERIALIZE_FILES_NPZ_H
#define ZC_MATERIALIZE_FILES_NPZ_H

#include "materialize/files/formats.h"

extern const zc_file_format zc_npz_format;

#endif
