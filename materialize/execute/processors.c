/* Linux lets threads choose; nothing is done elsewhere. */
#include "materialize/execute/processors.h"

#if defined(__linux__)
#include <sched.h>
#include <string.h>

_Static_assert(sizeof(cpu_set_t) == sizeof(zc_processors), "a set of processors");

int zc_processor(void)
{
    return sched_getcpu();
}

/* The thread's share of its processors without one; false: there are not enough. */
static bool find_share(const cpu_set_t *allowed, int without, int number, int count, cpu_set_t *share)
{
    int others = 0;
    CPU_ZERO(share);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        /* LCOV_EXCL_BR_START: up to the processors that there are */
        if (i != without && CPU_ISSET((size_t)i, allowed) && others++ % count == number)
            CPU_SET((size_t)i, share);
        /* LCOV_EXCL_BR_STOP */
    }
    return others >= count;
}

void zc_processor_avoid(int processor, pthread_t thread, zc_place *place, int number, int count)
{
    cpu_set_t now, allowed, share;
    if (pthread_getaffinity_np(thread, sizeof now, &now) != 0) /* LCOV_EXCL_BR_LINE: more processors than a set has */
        return;                                                /* LCOV_EXCL_LINE: likewise */
    if (!place->is_kept || memcmp(&place->kept, &now, sizeof now) != 0)
        memcpy(&place->allowed, &now, sizeof now);
    memcpy(&allowed, &place->allowed, sizeof allowed);
    place->is_kept = find_share(&allowed, processor, number, count, &share);
    if (!place->is_kept)
        share = allowed;
    memcpy(&place->kept, &share, sizeof share);
    (void)pthread_setaffinity_np(thread, sizeof share, &share);
}

#else

int zc_processor(void)
{
    return -1;
}

void zc_processor_avoid(int processor, pthread_t thread, zc_place *place, int number, int count)
{
    (void)processor, (void)thread, (void)place, (void)number, (void)count;
}

#endif
