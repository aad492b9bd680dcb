/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/store.h"
#include "util/alloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AGES = 80, TEXT = 8192, DAY = 86400 };

#define SECONDS ((intmax_t)1 << 40) /* more is no time */

static const char state_name[] = ".tidy";

/* By age: how much there is, and how much of it is to go. Four ages an octave of hours, the last
 * one without an end. */
typedef struct amount {
    uint64_t bytes, count;
} amount;

typedef struct state {
    store_folder_time time;
    int64_t at;    /* where the next call begins: telldir(3) of it */
    int64_t begun; /* the folder's time at this round's beginning, which ages are counted from */
    amount seen[AGES];
    int64_t before;  /* of the round before: what is older than this goes, */
    int64_t limit;   /* of what is older than this so much */
    amount too_much; /* goes too */
} state;

/* ---- Its file ---------------------------------------------------------------------------- */

static void read_boot(store_folder_time *time, const char *line)
{
    store_boot boot = {.now = time->now}; /* which an earlier version did not say */

    if (time->boots < STORE_BOOTS &&
        sscanf(line, "boot %39[0-9a-f-] %" SCNd64 " %" SCNd64, boot.id, &boot.up, &boot.now) >= 2 &&
        imaxabs(boot.up) < SECONDS && imaxabs(boot.now) < SECONDS)
        time->boot[time->boots++] = boot;
}

static void read_line(state *s, const char *line)
{
    unsigned age;
    amount a;

    read_boot(&s->time, line);
    if (sscanf(line, "now %" SCNd64, &s->time.now) == 1 ||
        sscanf(line, "at %" SCNd64 " %" SCNd64, &s->at, &s->begun) >= 1 ||
        sscanf(line, "limit %" SCNd64 " %" SCNd64 " %" SCNu64 " %" SCNu64, &s->before, &s->limit,
               &s->too_much.bytes, &s->too_much.count) >= 1)
        return;
    if (sscanf(line, "age %u %" SCNu64 " %" SCNu64, &age, &a.bytes, &a.count) == 3 && age < AGES)
        s->seen[age] = a;
}

static void read_state(int folder, state *s)
{
    char text[TEXT], *rest = NULL;

    *s = (state){0};
    if (!store_file_read(folder, state_name, text, sizeof text) ||
        strncmp(text, "topomap-tidy 1\n", 15) != 0)
        return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(s, line);
}

static void write_state(int folder, const state *s)
{
    char text[TEXT];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "topomap-tidy 1\nnow %" PRId64 "\nat %" PRId64 " %" PRId64
                                   "\nlimit %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64 "\n",
                                   s->time.now, s->at, s->begun, s->before, s->limit,
                                   s->too_much.bytes, s->too_much.count);

    for (unsigned i = 0; i < s->time.boots; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "boot %s %" PRId64 " %" PRId64 "\n",
                             s->time.boot[i].id, s->time.boot[i].up, s->time.boot[i].now);
    for (unsigned age = 0; age < AGES; age++)
        if (s->seen[age].count)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "age %u %" PRIu64 " %" PRIu64 "\n", age, s->seen[age].bytes,
                                     s->seen[age].count);
    store_file_write(folder, state_name, text, used, 0);
}

int64_t store_sweep_now(int folder)
{
    state s;

    read_state(folder, &s);
    return s.time.now;
}

/* What the file system says of a file that is made just now; 0: none can be made. */
static int64_t time_there(int folder)
{
    char name[STORE_BESIDE];
    struct stat status;
    int fd = store_file_make(folder, state_name, name);
    int64_t found = 0;

    if (fd < 0)
        return 0;
    if (!fstat(fd, &status))
        found = (int64_t)status.st_mtime;
    close(fd);
    unlinkat(folder, name, 0);
    return found;
}

/* ---- A part of the folder ---------------------------------------------------------------- */

typedef struct part {
    store_item *item;
    size_t items, room;
    int is_all, ended;
    int is_shared;
} part;

/* What somebody who was killed has left beside a file. */
static void look_at_remains(int folder, const char *name, int64_t now)
{
    struct stat status;

    if (store_file_is_beside(name) && now && !fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) &&
        S_ISREG(status.st_mode) && (int64_t)status.st_mtime < now - DAY)
        unlinkat(folder, name, 0);
}

static void look_at(int folder, const store_broom *broom, const char *name, const state *s, part *p)
{
    store_item item = {0};

    if (*name == '.') {
        if (!p->is_shared)
            look_at_remains(folder, name, s->time.now);
        return;
    }
    if (strlen(name) >= sizeof item.name)
        return;
    strcpy(item.name, name);
    if (broom->look(folder, &item, broom->context) &&
        !topomap_grow(&p->item, &p->room, p->items + 1, sizeof *p->item, NULL))
        p->item[p->items++] = item;
}

static void read_part(int folder, DIR *list, const store_broom *broom, state *s, part *p)
{
    const struct dirent *row = NULL;
    unsigned names = 0;

    p->is_all = s->at == 0;
    seekdir(list, (long)s->at);
    while (names < broom->most && (row = readdir(list)) != NULL) {
        names++;
        look_at(folder, broom, row->d_name, s, p);
    }
    p->ended = names < broom->most;
    s->at = p->ended ? 0 : (int64_t)telldir(list);
    p->is_all = p->is_all && p->ended;
}

/* ---- What goes --------------------------------------------------------------------------- */

/* Where an age begins, in seconds. */
static int64_t age_begin(unsigned age)
{
    return age < 4 ? (int64_t)age * 900 : ((int64_t)3600 << (age / 4 - 1)) / 4 * (4 + age % 4);
}

static unsigned age_of(const state *s, int64_t seconds)
{
    unsigned age = 0;

    while (age + 1 < AGES && s->begun - seconds >= age_begin(age + 1))
        age++;
    return age;
}

int store_sweep_file(int folder, store_item *item, void *context)
{
    struct stat status;

    (void)context;
    if (fstatat(folder, item->name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
        return 0;
    item->seconds = (int64_t)status.st_mtime;
    item->bytes = (uint64_t)status.st_size;
    return 1;
}

static void drop(int folder, const store_broom *broom, store_item *item)
{
    if (broom->remove)
        broom->remove(folder, item->name);
    else
        unlinkat(folder, item->name, 0);
    item->bytes = 0;
    *item->name = 0;
}

static int is_kept(const store_broom *broom, const store_item *item)
{
    return broom->keep && !strcmp(broom->keep, item->name);
}

static void drop_old(int folder, const store_broom *broom, int64_t before, part *p)
{
    for (size_t i = 0; broom->days && i < p->items; i++)
        if (p->item[i].seconds < before && !is_kept(broom, &p->item[i]))
            drop(folder, broom, &p->item[i]);
}

/* The newest first. */
static int by_time(const void *a, const void *b)
{
    const store_item *x = a, *y = b;

    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* All were looked at: the oldest go, until the rest fits. */
static void drop_most(int folder, const store_broom *broom, part *p)
{
    amount sum = {0};

    for (size_t i = 0; i < p->items; i++) {
        store_item *item = &p->item[i];

        if (!*item->name)
            continue;
        sum.bytes += item->bytes;
        sum.count++;
        if (is_kept(broom, item) || !((broom->bytes && sum.bytes > broom->bytes) ||
                                      (broom->count && sum.count > broom->count)))
            continue;
        sum.bytes -= item->bytes;
        sum.count--;
        drop(folder, broom, item);
    }
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* What the round before has found to be too much goes where it is met. */
static void drop_some(int folder, const store_broom *broom, state *s, part *p)
{
    for (size_t i = p->items; i-- > 0;) {
        store_item *item = &p->item[i];

        if (!*item->name || is_kept(broom, item))
            continue;
        if (item->seconds > s->before) {
            if (item->seconds > s->limit || (!s->too_much.bytes && !s->too_much.count))
                continue;
            s->too_much.bytes = less(s->too_much.bytes, item->bytes);
            s->too_much.count = less(s->too_much.count, 1);
        }
        drop(folder, broom, item);
    }
}

static void count_part(state *s, const part *p)
{
    for (size_t i = 0; i < p->items; i++)
        if (*p->item[i].name) {
            amount *of = &s->seen[age_of(s, p->item[i].seconds)];

            of->bytes += p->item[i].bytes;
            of->count++;
        }
}

/* The end of a round: where the limits are, and how much of that age goes in the next one. */
static void end_round(const store_broom *broom, state *s)
{
    amount sum = {0}, over;
    unsigned age = AGES;

    for (unsigned i = 0; i < AGES; i++) {
        sum.bytes += s->seen[i].bytes;
        sum.count += s->seen[i].count;
    }
    over.bytes = broom->bytes ? less(sum.bytes, broom->bytes) : 0;
    over.count = broom->count ? less(sum.count, broom->count) : 0;
    while (age > 0 && (over.bytes >= s->seen[age - 1].bytes && over.bytes) |
                          (over.count >= s->seen[age - 1].count && over.count)) {
        age--;
        over.bytes = less(over.bytes, s->seen[age].bytes);
        over.count = less(over.count, s->seen[age].count);
    }
    s->before = age < AGES ? s->begun - age_begin(age) : INT64_MIN;
    s->limit = age > 0 && (over.bytes || over.count) ? s->begun - age_begin(age - 1) : INT64_MIN;
    s->too_much = over;
    memset(s->seen, 0, sizeof s->seen);
}

/* A folder that nobody has looked at before: its time is what most of what is in it says, since
 * the clock may be wrong just now. */
static void begin_time(state *s, const part *p)
{
    if (p->items && p->item[p->items / 2].seconds < s->time.now)
        s->time.now = p->item[p->items / 2].seconds;
    if (s->time.boots)
        s->time.boot[0].now = s->time.now;
}

static void sort_out(int folder, const store_broom *broom, state *s, part *p, int is_first)
{
    if (p->items)
        qsort(p->item, p->items, sizeof *p->item, by_time);
    if (is_first)
        begin_time(s, p);
    if (!s->begun)
        s->begun = s->time.now;
    if (!is_first)
        drop_old(folder, broom, s->time.now - (int64_t)broom->days * DAY, p);
    if (p->is_all) {
        drop_most(folder, broom, p);
        *s = (state){.time = s->time, .before = INT64_MIN, .limit = INT64_MIN};
        return;
    }
    drop_some(folder, broom, s, p);
    count_part(s, p);
    if (!p->ended)
        return;
    end_round(broom, s);
    s->begun = 0;
}

void store_sweep_shared(int folder, int notes, int64_t there, const store_broom *broom)
{
    TOPOMAP_CLOSED_DIR DIR *list = store_folder_list(folder);
    part p = {.is_shared = notes != folder};
    int is_first;
    state s;

    if (!list)
        return;
    read_state(notes, &s);
    is_first = !s.time.now;
    store_folder_time_advance(&s.time, there);
    read_part(folder, list, broom, &s, &p);
    sort_out(folder, broom, &s, &p, is_first);
    write_state(notes, &s);
    free(p.item);
}

void store_sweep(int folder, const store_broom *broom)
{
    store_sweep_shared(folder, folder, time_there(folder), broom);
}
