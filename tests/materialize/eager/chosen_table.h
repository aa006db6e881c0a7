/*
 * The table of kernels that the machine is told to have, for tests that compare what is made of the tables. The linker
 * puts what is defined in chosen_table.c in the place of zc_kernels_best().
 */
#ifndef ZC_TESTS_MATERIALIZE_CHOSEN_TABLE_H
#define ZC_TESTS_MATERIALIZE_CHOSEN_TABLE_H

#include "tests/materialize/kernels/tables.h"

/* NULL, as it begins: the best one. */
extern const zc_kernels *zc_chosen_table;

#endif
