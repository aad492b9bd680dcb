/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cli/db/refresh.h"
#include "topology-db/db.h"
#include "util/alloc.h"
#include "util/input.h"

static int number_of(const char *text, double most, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return end == text || *end || !(*number >= 0 && *number <= most) ? -1 : 0;
}

static int is_format(const char *name)
{
    const topomap_db_importer_row *row;

    for (size_t i = 0; (row = topomap_db_importers(i)) != NULL; i++)
        if (!strcmp(row->name, name))
            return 1;
    return 0;
}

/* The word at *at, which moves behind it; NULL: the line ends. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    size_t length = strcspn(word, " \t");

    *at = word + length;
    if (!length)
        return NULL;
    if (**at)
        *(*at)++ = '\0';
    return word;
}

/* \return -1: it is none, or says too much */
static int take_word(refresh_source *s, char *word)
{
    char *value = strchr(word, '=');

    if (!value)
        return -1;
    *value++ = '\0';
    if (!strcmp(word, "seconds"))
        return number_of(value, 86400, &s->seconds) || s->seconds < 0.001 ? -1 : 0;
    if (!strcmp(word, "file"))
        s->file = value;
    else if (!strcmp(word, "nodes"))
        s->nodes = value;
    else if (!strcmp(word, "option") && s->options < REFRESH_WORDS)
        s->option[s->options++] = value;
    else
        return -1;
    return *value ? 0 : -1;
}

/* "source FORMAT nodes=.. option=.. seconds=.. file=PATH", or command= to the end of the line. */
static int take_source(topomap_input *input, refresh_conf *conf, const char *text,
                       topomap_error *err)
{
    static const char command[] = "command=";
    refresh_source *s = &conf->source[conf->sources];
    char *at, *word;

    if (conf->sources == REFRESH_SOURCES)
        return topomap_input_fail(input, err, "more than %d sources", REFRESH_SOURCES);
    *s = (refresh_source){
        .line = topomap_strdup(text, err), .seconds = 60, .lineno = topomap_input_lineno(input)};
    if (!s->line)
        return -1;
    conf->sources++;
    at = s->line;
    s->format = next_word(&at);
    if (!s->format || !is_format(s->format))
        return topomap_input_fail(input, err,
                                  "expected a format of `topomap formats` behind source, found "
                                  "'%.40s'",
                                  s->format ? s->format : "");
    while (at += strspn(at, " \t"), *at) {
        if (!strncmp(at, command, sizeof command - 1)) {
            s->command = at + sizeof command - 1;
            break;
        }
        word = next_word(&at);
        if (take_word(s, word))
            return topomap_input_fail(input, err,
                                      "expected file=PATH, nodes=HOSTLIST, option=K=V, "
                                      "seconds=NUMBER or command=..., found '%.40s'",
                                      word);
    }
    if (!s->file == !s->command || (s->command && !*s->command))
        return topomap_input_fail(input, err, "a source is a file=PATH or a command=...");
    return 0;
}

static int take_text(topomap_input *input, char **to, const char *text, topomap_error *err)
{
    if (!*text || *to)
        return topomap_input_fail(input, err, "expected one path, named once");
    *to = topomap_strdup(text, err);
    return *to ? 0 : -1;
}

/* A comment behind a path or a number. A source's command may have a # of its own. */
static void cut_comment(char *text)
{
    char *at = text;

    while ((at = strchr(at, '#')) != NULL && at > text && !strchr(" \t", at[-1]))
        at++;
    if (!at)
        return;
    while (at > text && strchr(" \t", at[-1]))
        at--;
    *at = '\0';
}

static int take_line(topomap_input *input, refresh_conf *conf, char *line, topomap_error *err)
{
    char *at = line, *word;
    size_t length = strlen(line);

    while (length && strchr(" \t", line[length - 1]))
        line[--length] = '\0';
    word = next_word(&at);
    if (!word || *word == '#')
        return 0;
    at += strspn(at, " \t");
    if (!strcmp(word, "source"))
        return take_source(input, conf, at, err);
    cut_comment(at);
    if (!strcmp(word, "db"))
        return take_text(input, &conf->db, at, err);
    if (!strcmp(word, "topology"))
        return take_text(input, &conf->topology, at, err);
    if (strcmp(word, "lose") != 0)
        return topomap_input_fail(input, err,
                                  "expected db, source, lose or topology, found '%.40s'", word);
    if (number_of(at, 100, &conf->lose))
        return topomap_input_fail(input, err, "expected lose PERCENT, 0 to 100");
    return 0;
}

int refresh_conf_read(const char *path, refresh_conf *conf, topomap_error *err)
{
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;
    char *line;
    size_t length;
    int got;

    *conf = (refresh_conf){.lose = 5};
    if (topomap_input_open(path, &input, err))
        return -1;
    while ((got = topomap_input_line(input, 65536, &line, &length, err)) > 0)
        if (take_line(input, conf, line, err))
            return -1;
    return got == 0 && !conf->sources ? topomap_input_fail(input, err, "no line has a source")
                                      : got;
}

void refresh_conf_clear(refresh_conf *conf)
{
    for (int i = 0; i < conf->sources; i++)
        free(conf->source[i].line);
    free(conf->db);
    free(conf->topology);
}
