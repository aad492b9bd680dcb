/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph formats, and reading and writing through it. */
#include "graph/formats/io.h"

#include <string.h>

#include "util/output.h"
#include "util/alloc.h"
#include "util/text.h"

#define ADDRESS(format) &(format),
static const topomap_graph_io *const formats[] = {TOPOMAP_GRAPH_FORMATS(ADDRESS)};
#undef ADDRESS

enum { FORMATS = sizeof formats / sizeof *formats };

const topomap_graph_format *topomap_graph_format_row(size_t i)
{
    return i < FORMATS ? &formats[i]->row : NULL;
}

/* Names for messages: of all that can be read, or written. */
static void list_names(int to_write, char *text, size_t room)
{
    *text = '\0';
    for (int i = 0; i < FORMATS; i++)
        if (to_write ? formats[i]->row.can_write : formats[i]->row.can_read)
            topomap_text_append(text, room, "%s%s", *text ? ", " : "", formats[i]->row.name);
}

const char *topomap_graph_option_text(const topomap_source *source, const char *name)
{
    size_t length = strlen(name);
    const char *value = NULL;

    for (const char *const *at = source->option; at && *at; at++)
        if (!strncmp(*at, name, length) && (*at)[length] == '=')
            value = *at + length + 1;
    return value;
}

int topomap_graph_option_number(const topomap_source *source, const char *name, uint64_t least,
                                uint64_t most, uint64_t fallback, uint64_t *value,
                                topomap_error *err)
{
    const char *text = topomap_graph_option_text(source, name), *at = text;

    *value = fallback;
    if (!text)
        return 0;
    if (topomap_text_number(&at, value) || *at || *value < least || *value > most)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the option %s takes an integer from %llu to %llu, not `%.60s`",
                                 name, (unsigned long long)least, (unsigned long long)most, text);
    return 0;
}

/* Every option is one that the format has. */
static int check_options(const topomap_graph_format *row, const char *const *option,
                         topomap_error *err)
{
    for (; option && *option; option++) {
        size_t length = strcspn(*option, "=");
        const topomap_graph_option *known = row->options;

        if (topomap_input_is_option(*option))
            continue;
        while (known && known->name &&
               (strlen(known->name) != length || strncmp(known->name, *option, length) != 0))
            known++;
        if (!known || !known->name)
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "the format %s has no option `%.*s`; `topomap formats` lists "
                                     "what each has",
                                     row->name, (int)(length % 64), *option);
        if (!(*option)[length])
            return topomap_error_set(err, TOPOMAP_EUSAGE, "the option %s takes a value: %s=%s",
                                     known->name, known->name, known->values);
    }
    return 0;
}

/* Index of a format by name, or -1. \param to_write  which ones are named where it is none */
static int by_name(const char *name, int to_write, topomap_error *err)
{
    char names[400];

    for (int i = 0; i < FORMATS; i++)
        if (!strcmp(formats[i]->row.name, name))
            return i;
    list_names(to_write, names, sizeof names);
    return topomap_error_set(err, TOPOMAP_EUSAGE, "`%s` is no graph format; there are %s", name,
                             names);
}

/* Length of the name without .xz or .zst. */
static size_t unpacked_length(const char *path)
{
    static const char *const endings[] = {".xz", ".zst", ".zstd"};
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);

        if (length > ending && !strcmp(path + length - ending, endings[i]))
            return length - ending;
    }
    return length;
}

static int has_suffix(const char *path, size_t length, const topomap_graph_format *row)
{
    const char *word = row->suffix;

    while (word && *word) {
        size_t size = strcspn(word, ",");

        if (length > size + 1 && path[length - size - 1] == '.' &&
            !strncmp(path + length - size, word, size))
            return 1;
        word += size + (word[size] == ',');
    }
    return 0;
}

static int sniff_one(const topomap_graph_io *format, const char *bytes, size_t size)
{
    size_t length = format->magic ? strlen(format->magic) : 0;

    if (format->sniff)
        return format->sniff(bytes, size);
    return size >= length && !memcmp(bytes, format->magic, length) ? TOPOMAP_SURE
                                                                   : TOPOMAP_SURE_NOT;
}

/* What stands behind `--topomap` where that has no value of its own: a binary, or a script. */
static int is_program(const char *bytes, size_t size)
{
    return (size >= 4 && !memcmp(bytes, "\177ELF", 4)) || (size >= 3 && !memcmp(bytes, "#!/", 3));
}

static int sniff(topomap_input *input, topomap_error *err)
{
    const char *path = topomap_input_path(input), *bytes;
    size_t length = unpacked_length(path), size;
    int best = -1, best_score = TOPOMAP_SURE_BROKEN;
    char names[400];

    if (topomap_input_peek(input, TOPOMAP_SNIFF_SIZE, &bytes, &size, err))
        return -1;
    if (!size)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: the file is empty", path);
    if (is_program(bytes, size))
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: is a program, no graph: was the value of --topomap (auto, a "
                                 "graph's file, a pattern) forgotten before it?",
                                 path);
    for (int i = 0; i < FORMATS; i++) {
        int score = sniff_one(formats[i], bytes, size);

        if (score && has_suffix(path, length, &formats[i]->row))
            score += TOPOMAP_SURE_NAME;
        if (score > best_score) {
            best = i;
            best_score = score;
        }
    }
    for (int i = 0; best < 0 && i < FORMATS; i++)
        if (has_suffix(path, length, &formats[i]->row))
            best = i;
    if (best >= 0)
        return best;
    list_names(0, names, sizeof names);
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%s: not recognised as a graph file; where it is one, name its "
                             "format: %s",
                             path, names);
}

int topomap_graph_file_read(const char *path, const char *format, const char *const *option,
                            topomap_watch *watch, topomap_graph **graph, topomap_error *err)
{
    topomap_source source = {.option = option};
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;
    int row;

    if ((format && by_name(format, 0, err) < 0) || topomap_input_open(path, &input, err))
        return -1;
    topomap_input_watch(input, watch);
    row = topomap_input_unpacked(input, option, err) ? -1
          : format                                   ? by_name(format, 0, err)
                                                     : sniff(input, err);
    if (row < 0 || check_options(&formats[row]->row, option, err))
        return -1;
    source.input = input;
    return formats[row]->read(&source, graph, err);
}

static int format_for(const char *path, const char *format, topomap_error *err)
{
    size_t length = unpacked_length(path);
    char names[400];

    if (format)
        return by_name(format, 1, err);
    if (!strcmp(path, "-"))
        return by_name("edges", 1, err);
    if (path[length])
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: packed files are read but not written; leave out `%s` and "
                                 "pack it afterwards",
                                 path, path + length);
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->row.can_write && has_suffix(path, length, &formats[i]->row))
            return i;
    list_names(1, names, sizeof names);
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "%s: the name says no graph format; name one of %s", path, names);
}

int topomap_graph_write(const topomap_graph *graph, const char *path, const char *format,
                        topomap_error *err)
{
    int row = format_for(path, format, err);
    topomap_output *output;
    TOPOMAP_FREED topomap_text_out *text = NULL;

    if (row < 0)
        return -1;
    if (!formats[row]->row.can_write)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "the format %s can only be read",
                                 formats[row]->row.name);
    if (topomap_output_open(path, &output, err))
        return -1;
    text = topomap_alloc(1, sizeof *text, err);
    if (text) {
        text->path = path;
        text->file = strcmp(formats[row]->row.name, "tmg") == 0 ? topomap_output_bytes(output)
                                                                : topomap_output_file(output);
    }
    if (!text || formats[row]->write(graph, text, err)) {
        topomap_output_abandon(output);
        return -1;
    }
    topomap_text_flush(text);
    return topomap_output_commit(output, err);
}
