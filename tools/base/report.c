#include "tools/base/report.h"

#include <stdio.h>

int zc_exit_code(const zc_fault *fault)
{
    if (fault->signal != 0)
        return ZC_EXIT_SIGNAL + fault->signal;
    return fault->status == ZC_OK ? ZC_EXIT_DONE : fault->is_usage ? ZC_EXIT_USAGE : ZC_EXIT_REFUSED;
}

int zc_report(const zc_fault *fault)
{
    if (fault->status != ZC_OK && !fault->is_quiet)
        fprintf(stderr, "zerocast: %s\n", fault->text);
    return zc_exit_code(fault);
}

void zc_report_part(zc_fault *all, const zc_fault *one)
{
    (void)fflush(stdout); /* which may be the same terminal; whether it could be written is asked for at the end */
    (void)zc_report(one);
    all->status = one->status;
    all->is_usage = one->is_usage;
    all->is_quiet = true;
}
