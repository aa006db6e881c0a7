/*
 * The zerocast command: what a process has to set up before the subcommands run.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "tools/base/interrupt.h"
#include "tools/command/commands.h"

/* A closed standard stream would let the next file that is opened take its place, and be written to. */
static void fill_standard_streams(void)
{
    for (int i = 0; i < 3; i++) {
        if (fcntl(i, F_GETFD) == -1)
            (void)open("/dev/null", i == 0 ? O_WRONLY : O_RDONLY); /* the wrong way round: using it fails */
    }
}

int main(int argc, char **argv)
{
    fill_standard_streams();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file-size limit is an error of write() */
    zc_interrupt_install();
    return zc_run_command(argc > 0 ? argc - 1 : 0, argv + 1);
}
