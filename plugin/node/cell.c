/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/node/cell.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifdef HAVE_LINUX_SECCOMP_H
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__ && defined __AARCH64EL__
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
#define MACHINE AUDIT_ARCH_PPC64LE
#elif defined __riscv && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#elif defined __loongarch64
#define MACHINE AUDIT_ARCH_LOONGARCH64
#endif

#if defined HAVE_LINUX_SECCOMP_H && defined MACHINE &&                                             \
    !defined TOPOMAP_SANITIZED /* AddressSanitizer's runtime needs more of the kernel */

/* What is not here fails with EPERM rather than ending the process: a libc that wants more of the
 * kernel for its memory has a way without. */
#define ALLOW(name)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* The low half of an argument. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (i) + 4)
#else
#define ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (i))
#endif

void node_cell_close(void)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(read),
        ALLOW(write),
        ALLOW(exit_group),
        ALLOW(exit),
        ALLOW(rt_sigreturn),
        ALLOW(brk),
        ALLOW(munmap),
        ALLOW(mremap),
        /* Memory, but none that can be run. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(2)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {.len = sizeof rows / sizeof *rows, .filter = rows};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

#else

void node_cell_close(void)
{
}

#endif
