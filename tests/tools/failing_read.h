/*
 * Files that cannot be read where a test asks for it: read and fstat of the objects linked into the test program. The
 * linker's --wrap puts these in their place.
 */
#ifndef ZC_TESTS_TOOLS_FAILING_READ_H
#define ZC_TESTS_TOOLS_FAILING_READ_H

typedef enum zc_read_fault {
    ZC_READS,
    ZC_READ_INTERRUPTED, /* once */
    ZC_READ_BROKEN,      /* EIO */
    ZC_READ_SHORT,       /* nothing is left */
    ZC_STAT_BROKEN       /* fstat gives EIO */
} zc_read_fault;

/* Sets the fault that calls meet from now on. */
void zc_read_fail(zc_read_fault fault);

#endif
