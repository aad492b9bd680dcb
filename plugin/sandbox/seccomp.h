/* SPDX-License-Identifier: BSD-3-Clause */
/* What a filter of system calls is written with (seccomp(2)); nothing where the kernel's headers
 * have none, or where this machine's number of its own is not known here. */
#pragma once

#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

#ifdef HAVE_LINUX_SECCOMP_H
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

#if defined __x86_64__
#define FILTER_MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__ && defined __AARCH64EL__
#define FILTER_MACHINE AUDIT_ARCH_AARCH64
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
#define FILTER_MACHINE AUDIT_ARCH_PPC64LE
#elif defined __riscv && __riscv_xlen == 64
#define FILTER_MACHINE AUDIT_ARCH_RISCV64
#elif defined __loongarch64
#define FILTER_MACHINE AUDIT_ARCH_LOONGARCH64
#endif

#if defined HAVE_LINUX_SECCOMP_H && defined FILTER_MACHINE &&                                      \
    !defined TOPOMAP_SANITIZED /* AddressSanitizer's runtime needs more of the kernel */
#define FILTER_POSSIBLE 1
#endif

#define FILTER_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

/* The low half of an argument. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FILTER_LOAD_ARGUMENT(i)                                                                    \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i) + 4)
#else
#define FILTER_LOAD_ARGUMENT(i)                                                                    \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i))
#endif

/* How many rows follow that are passed over. */
#define FILTER_UNLESS(value, rows) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, rows)
#define FILTER_UNLESS_BITS(bits, rows) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, rows)

#define FILTER_FROM(value, rows) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, rows)

#define FILTER_ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FILTER_FAIL(number) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (number))

/* A system call that is allowed; and one that fails where an argument has one of these bits. */
#define FILTER_ALLOW_CALL(name) FILTER_UNLESS(SYS_##name, 1), FILTER_ALLOW
#define FILTER_ALLOW_WITHOUT(bits, name, i)                                                        \
    FILTER_UNLESS(SYS_##name, 4), FILTER_LOAD_ARGUMENT(i), FILTER_UNLESS_BITS(bits, 1),            \
        FILTER_FAIL(EPERM), FILTER_ALLOW
