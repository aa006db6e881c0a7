/*
 * The header of a .safetensors file: parsing and writing, on bytes only.
 *
 * Source: huggingface/safetensors, README. Behind eight bytes with its little-endian length comes a JSON object: of
 * each tensor by its name {"dtype", "shape", "data_offsets"}, and "__metadata__" with strings, which are skipped. This
 * is the whole grammar, so nothing else is read. Everything in it is taken as hostile; the tensors fill the bytes
 * behind the header one after the other, without gaps.
 */
#ifndef ZC_MATERIALIZE_FILES_SAFETENSORS_HEADER_H
#define ZC_MATERIALIZE_FILES_SAFETENSORS_HEADER_H

#include "materialize/files/file_writer.h"
#include "runtime/memory/arena.h"

enum {
    ZC_SAFETENSORS_PREFIX = 8,
    ZC_SAFETENSORS_MOST = 100000000, /* bytes of a header; the format's own limit */
    ZC_SAFETENSORS_WORD = 16
};

typedef struct zc_safetensors_entry {
    const char *name;
    char code[ZC_SAFETENSORS_WORD]; /* the dtype's name in the format */
    bool is_known;                  /* it is a dtype of ours */
    zc_dtype dtype;
    int rank;
    const int64_t *shape;
    int64_t begin, end; /* of its bytes, from the header's end */
} zc_safetensors_entry;

typedef struct zc_safetensors_entries {
    zc_arena *arena; /* which they are in */
    int32_t count, room;
    zc_safetensors_entry *list;
} zc_safetensors_entries;

/* The format's name of a dtype; NULL when it has none. Static memory. */
const char *zc_safetensors_code(zc_dtype dtype);

/* Reads a whole header, behind its length, of a file with so many bytes of data. */
zc_status zc_safetensors_parse(zc_arena *arena, const char *text, size_t count, int64_t data_bytes,
                               zc_safetensors_entries *out, zc_reason *why);

/* Writes the header of arrays of accepted dtypes with its length in front: its bytes are a multiple of 8, in the arena.
 * NULL: memory is out. */
char *zc_safetensors_write(zc_arena *arena, int count, const zc_file_array *arrays, size_t *length);

#endif
