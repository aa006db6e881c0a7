/* Kernels of tiles of bytes that are written out in C, for machines that have none. */
#ifndef ZC_TESTS_MATERIALIZE_BYTE_TILES_H
#define ZC_TESTS_MATERIALIZE_BYTE_TILES_H

#include <stdbool.h>

/* They take the place of the machine's. */
extern bool zc_are_tiles_written_out;

#endif
