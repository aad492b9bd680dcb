/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/carry.h"
#include "plan/bindings.h"
#include "plugin/environment.h"
#include "plugin/spool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

long plugin_carry_room(void)
{
    long room = sysconf(_SC_ARG_MAX) - (64 << 10);

    for (char **variable = environ; *variable; variable++)
        room -= (long)(strlen(*variable) + 1 + sizeof *variable);
    return room;
}

static int carry_in_order(const char *text, long room)
{
    topomap_bindings bindings;
    topomap_error err;
    char *short_text;
    int fits;

    if (topomap_bindings_decode(text, &bindings, &err))
        return -1;
    short_text = topomap_bindings_in_order(&bindings, &err);
    topomap_bindings_clear(&bindings);
    fits = short_text && strlen(short_text) <= PLUGIN_ENV_MOST && (long)strlen(short_text) <= room;
    if (fits)
        setenv(PLUGIN_ENV_CARRIED_IN_ORDER, short_text, 1);
    free(short_text);
    return fits ? 0 : -1;
}

/* Whole bindings are there twice, ours and the tasks'. */
enum plugin_carried plugin_carry_bindings(const char *text, long room, const char *folder,
                                          uint32_t job, uint32_t step, char **note,
                                          topomap_error *err)
{
    int in_order;

    *note = NULL;
    if (strlen(text) <= PLUGIN_ENV_MOST && 2 * (long)strlen(text) <= room) {
        setenv(PLUGIN_ENV_CARRIED_BINDINGS, text, 1);
        return PLUGIN_CARRIED_WHOLE;
    }
    in_order = carry_in_order(text, room) == 0;
    if (!folder) {
        topomap_error_set(err, TOPOMAP_EUSAGE, "plugstack.conf names no folder, spool=");
    } else if (plugin_spool_write(folder, job, step, text, note, err) == 0) {
        setenv(PLUGIN_ENV_CARRIED_SPOOL, *note, 1);
        return PLUGIN_CARRIED_SPOOLED;
    }
    return in_order ? PLUGIN_CARRIED_IN_ORDER : PLUGIN_CARRIED_NOT;
}
