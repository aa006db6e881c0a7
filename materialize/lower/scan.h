/*
 * Scans: what is demanded of one, from the beginning of its axis on, is a stage that stores along its last axis what
 * the scan makes of the elements before.
 */
#ifndef ZC_MATERIALIZE_LOWER_SCAN_H
#define ZC_MATERIALIZE_LOWER_SCAN_H

#include "materialize/lower/lower.h"

/* Stores what is demanded of a scan. False when memory is out. */
bool zc_store_scan(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

#endif
