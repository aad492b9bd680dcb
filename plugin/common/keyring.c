/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LASTS = 7 * 24 * 3600 };

/* What is below the user's keyring is ours to read and to change only where that keyring hangs on
 * one of the process's own (keyrings(7), "Possession"). A login's session keyring has it; that of a
 * systemd service (KeyringMode=private), which batch scripts inherit from slurmd, has not. The
 * thread's keyring is of this thread alone and ends with it. */
static void take_hold(void)
{
    syscall(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_THREAD_KEYRING);
}

size_t plugin_keyring_read(const char *name, void *bytes, size_t room)
{
    long key, size;

    take_hold();
    key = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", name, 0);
    size = key > 0 ? syscall(SYS_keyctl, KEYCTL_READ, key, bytes, room) : 0;

    return size > 0 && (size_t)size <= room ? (size_t)size : 0;
}

void plugin_keyring_write(const char *name, const void *bytes, size_t size)
{
    const unsigned long may = 0x3f3f0000; /* whoever has it and its user: all (keyctl_setperm(3)) */
    long key;

    take_hold();
    key = syscall(SYS_add_key, "user", name, bytes, size, KEY_SPEC_USER_KEYRING);
    if (key < 0)
        return;
    syscall(SYS_keyctl, KEYCTL_SETPERM, key, may);
    syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, LASTS);
}
