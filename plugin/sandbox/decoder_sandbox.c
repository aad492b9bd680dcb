/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/sandbox/sandbox.h"
#include "plugin/sandbox/seccomp.h"

#include <sys/mman.h>
#include <sys/prctl.h>

#ifdef FILTER_POSSIBLE

/* What is not here fails with EPERM rather than ending the process: a libc that wants more of the
 * kernel for its memory has a way without. */
#define ALLOW FILTER_ALLOW_CALL

void plugin_decoder_sandbox(void)
{
    struct sock_filter rows[] = {
        FILTER_LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
        FILTER_LOAD(nr),
        ALLOW(read),
        ALLOW(write),
        ALLOW(exit_group),
        ALLOW(exit),
        ALLOW(rt_sigreturn),
        ALLOW(brk),
        ALLOW(munmap),
        ALLOW(mremap),
        /* Memory, but none that can be run. */
        FILTER_ALLOW_WITHOUT(PROT_EXEC, mmap, 2),
        FILTER_FAIL(EPERM),
    };
    struct sock_fprog program = {.len = sizeof rows / sizeof *rows, .filter = rows};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

#else

void plugin_decoder_sandbox(void)
{
}

#endif
