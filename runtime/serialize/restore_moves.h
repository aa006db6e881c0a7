/* Nodes that are made of their parts, with positions that move what they read or write: takes, scans and updates. */
#ifndef ZC_RUNTIME_SERIALIZE_RESTORE_MOVES_H
#define ZC_RUNTIME_SERIALIZE_RESTORE_MOVES_H

#include "runtime/serialize/restore.h"

/* As those of restore.h. */
zc_tensor *zc_restore_take(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_scan(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_scatter(zc_reader *r, const zc_described *n);

#endif
