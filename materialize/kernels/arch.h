/* The arch_*.h of this machine, for files that are not compiled once per instruction set. */
#if defined(__x86_64__) || defined(__i386__)
#include "materialize/kernels/arch_x86.h"
#else
#include "materialize/kernels/arch_none.h"
#endif
