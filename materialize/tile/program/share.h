/* Running a tile program: its units, or the groups that they are divided into, shared among threads. */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_SHARE_H
#define ZC_MATERIALIZE_TILE_PROGRAM_SHARE_H

#include "materialize/tile/program/program.h"

/* Lets a program of one thread that takes little memory keep a worker: making one takes as long as computing some
 * hundred elements. All memory is the arena's; false when that is out. */
bool zc_tile_keep_worker(zc_tile_program *program, zc_arena *arena);

/* Bytes of the workers' own memory and of the results of groups, where they are data memory; else 0. */
int64_t zc_tile_data_bytes(const zc_tile_program *program);

/* Runs all units with the context's threads, in as many bytes of data memory. ZC_ERROR_MEMORY before anything is
 * written, ZC_CANCELLED, or, *bad_index set, ZC_ERROR_INDEX. */
zc_status zc_tile_run_program(zc_context *ctx, const zc_tile_program *program, char *data, zc_bad_index *bad_index);

#endif
