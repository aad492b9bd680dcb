/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of an entry: a name and a value each. */
#include "config.h"
#include "plugin/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kind of a text, or of a number of 4 or 8 bytes. */
enum kind { TEXT, HEX, NUMBER, STOP };

#define AT(member) offsetof(store_entry, member)
#define OF(kind, member) kind, AT(member), sizeof((store_entry *)0)->member

/* Whose it is stands before what became of it, which store_entry_forget() takes away. */
static const struct row {
    const char *name;
    enum kind kind;
    size_t at, size;
    int lasts;
} rows[] = {
    {"program", OF(TEXT, program), 1},
    {"words", OF(TEXT, words), 1},
    {"id", OF(HEX, id), 1},
    {"family", OF(HEX, family), 1},
    {"place", OF(HEX, place), 1},
    {"folder", OF(TEXT, folder), 1},
    {"input", OF(TEXT, input), 1},
    {"ranks", OF(NUMBER, ranks), 1},
    {"workers", OF(NUMBER, workers), 0},
    {"made", OF(NUMBER, made), 0},
    {"launches", OF(NUMBER, launches), 0},
    {"refused", OF(NUMBER, refused), 0},
    {"profiles", OF(NUMBER, profiles), 0},
    {"tries", OF(NUMBER, tries), 0},
    {"last", OF(TEXT, last), 0},
    {"number", OF(NUMBER, number), 0},
    {"agrees", OF(NUMBER, agrees), 0},
    {"differs", OF(NUMBER, differs), 0},
    {"changed", OF(NUMBER, changed), 0},
    {"worse", OF(NUMBER, worse), 0},
    {"stopped", OF(STOP, stopped), 0},
    {"mpi", OF(NUMBER, mpi), 0},
};

static const char time_name[] = "time";

/* ---- Reading ----------------------------------------------------------------------------- */

static void read_value(const struct row *row, const char *value, store_entry *entry)
{
    void *to = (char *)entry + row->at;
    uint64_t number = strtoull(value, NULL, row->kind == HEX ? 16 : 10);

    if (row->kind == TEXT)
        snprintf(to, row->size, "%s", value);
    else if (row->size == sizeof number)
        memcpy(to, &number, sizeof number);
    else
        *(uint32_t *)to =
            row->kind == STOP && number > STORE_WORSE ? STORE_GOES_ON : (uint32_t)number;
}

void store_entry_time(store_entry *entry, const store_time *time)
{
    if (entry->times == STORE_TIMES)
        memmove(entry->time, entry->time + 1, --entry->times * sizeof *time);
    entry->time[entry->times++] = *time;
}

static void read_time(const char *value, store_entry *entry)
{
    unsigned long long messages;
    long long when;
    store_time read;
    char layout;

    if (sscanf(value, "%c %u %llu %lf %lf %lld", &layout, &read.nodes, &messages, &read.wall,
               &read.mpi, &when) != 6 ||
        !(read.wall > 0 && read.wall < 1e9 && read.mpi >= 0))
        return;
    read.placed = layout == 'p';
    read.messages = messages;
    read.when = when;
    store_entry_time(entry, &read);
}

static void read_line(const char *name, const char *value, store_entry *entry)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            read_value(&rows[i], value, entry);
    if (!strcmp(time_name, name))
        read_time(value, entry);
}

void store_entry_parse(char *text, store_entry *entry)
{
    char *rest = NULL;

    entry->times = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *space = strchr(line, ' ');

        for (char *c = line; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                *c = '?';
        if (space) {
            *space = 0;
            read_line(line, space + 1, entry);
        }
    }
}

void store_entry_forget(store_entry *entry)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!rows[i].lasts)
            memset((char *)entry + rows[i].at, 0, rows[i].size);
    entry->times = 0;
}

/* ---- Writing ----------------------------------------------------------------------------- */

static int print_row(const struct row *row, const store_entry *entry, char *to, size_t room)
{
    const void *at = (const char *)entry + row->at;
    uint64_t number = 0;

    if (row->kind == TEXT)
        return snprintf(to, room, "%s %s\n", row->name, (const char *)at);
    if (row->size == sizeof number)
        memcpy(&number, at, sizeof number);
    else
        number = *(const uint32_t *)at;
    if (row->kind == HEX)
        return snprintf(to, room, "%s %016llx\n", row->name, (unsigned long long)number);
    return snprintf(to, room, "%s %lld\n", row->name, (long long)number);
}

size_t store_entry_print(const store_entry *entry, char text[STORE_ENTRY_TEXT])
{
    size_t used = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        used += (size_t)print_row(&rows[i], entry, text + used, STORE_ENTRY_TEXT - used);
    for (unsigned i = 0; i < entry->times; i++) {
        const store_time *time = &entry->time[i];

        used += (size_t)snprintf(
            text + used, STORE_ENTRY_TEXT - used, "%s %c %u %llu %.6f %.6f %lld\n", time_name,
            time->placed ? 'p' : 's', time->nodes, (unsigned long long)time->messages, time->wall,
            time->mpi, (long long)time->when);
    }
    return used;
}
