/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/keyring.h"

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LASTS = 7 * 24 * 3600 };

size_t plugin_keyring_read(const char *name, void *bytes, size_t room)
{
    long key = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", name, 0);
    long size = key > 0 ? syscall(SYS_keyctl, KEYCTL_READ, key, bytes, room) : 0;

    return size > 0 && (size_t)size <= room ? (size_t)size : 0;
}

void plugin_keyring_write(const char *name, const void *bytes, size_t size)
{
    const unsigned long may = 0x3f3f0000; /* whoever has it and its user: all (keyctl_setperm(3)) */
    long key = syscall(SYS_add_key, "user", name, bytes, size, KEY_SPEC_USER_KEYRING);

    if (key < 0)
        return;
    syscall(SYS_keyctl, KEYCTL_SETPERM, key, may);
    syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, LASTS);
}
