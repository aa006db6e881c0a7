/* The end of a process that a test forked. */
#ifndef ZC_TESTS_SUPPORT_CHILD_H
#define ZC_TESTS_SUPPORT_CHILD_H

#include <stdlib.h>
#include <unistd.h>

/* exit(), so that coverage keeps what was counted in the child; the sanitizers would take what its parent holds for a
 * leak. */
static inline _Noreturn void zc_leave_child(int code)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    _exit(code);
#else
    exit(code);
#endif
}

#endif
