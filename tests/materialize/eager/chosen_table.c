#include "tests/materialize/eager/chosen_table.h"

#include <stddef.h>

const zc_kernels *zc_chosen_table;

const zc_kernels *__real_zc_kernels_best(void);
const zc_kernels *__wrap_zc_kernels_best(void);
const zc_kernels *__wrap_zc_kernels_best(void)
{
    return zc_chosen_table != NULL ? zc_chosen_table : __real_zc_kernels_best();
}
