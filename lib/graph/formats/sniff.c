/* SPDX-License-Identifier: BSD-3-Clause */
/* METIS or an edge list? Both may be lines of numbers alone. In a METIS file the first line counts
 * the lines and numbers that follow, and every line lists lines that list it back; that is very
 * unlikely to hold by chance for an edge list. */
#include "graph/formats/io.h"

#include <string.h>

#define LINES 256 /* looked at */

struct span {
    const char *begin, *end;
};

struct window {
    struct span line[LINES];
    size_t lines, all_lines; /* kept, and counted */
    int whole;               /* the file ends inside the window */
};

/* The window's lines without comments; a last line that the window may cut is left out. */
static void window_fill(struct window *window, const char *bytes, size_t size, char comment)
{
    const char *at = bytes, *end = bytes + size;

    memset(window, 0, sizeof *window);
    window->whole = size < TOPOMAP_SNIFF_SIZE;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;

        if (!newline && !window->whole)
            break;
        if (*at != comment) {
            struct span *line = &window->line[window->lines];
            const char *cut = memchr(at, comment, (size_t)(stop - at));

            stop = cut ? cut : stop;

            window->all_lines++;
            if (window->lines < LINES) {
                line->begin = at;
                line->end = stop > at && stop[-1] == '\r' ? stop - 1 : stop;
                window->lines++;
            }
        }
        at = newline ? newline + 1 : end;
    }
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct span *at)
{
    while (at->begin < at->end && is_blank(*at->begin))
        at->begin++;
}

/* To the end of the word, which is made of what numbers are made of; else -1. */
static int skip_number(struct span *at)
{
    while (at->begin < at->end && !is_blank(*at->begin))
        if (!memchr("0123456789.eE+-", *at->begin++, 15))
            return -1;
    return 0;
}

/* The next number of a line, at most 18 digits: 1, 0 at its end, -1 where it is something else. */
static int next_number(struct span *at, uint64_t *value, size_t *digits)
{
    const char *begin;

    skip_blanks(at);
    begin = at->begin;
    if (begin == at->end)
        return 0;
    for (*value = 0; at->begin < at->end && *at->begin >= '0' && *at->begin <= '9'; at->begin++)
        *value = *value * 10 + (uint64_t)(*at->begin - '0');
    *digits = (size_t)(at->begin - begin);
    if (!*digits || *digits > 18 || (at->begin < at->end && !is_blank(*at->begin)))
        return -1;
    return 1;
}

/* How many numbers a line has; -1 where it has anything else. */
static int count_numbers(struct span line)
{
    uint64_t value;
    size_t digits;
    int count = 0, got;

    while ((got = next_number(&line, &value, &digits)) == 1)
        count++;
    return got < 0 ? -1 : count;
}

/* The same where numbers from the third on may have fractions and exponents. */
static int count_fields(struct span line)
{
    uint64_t value;
    size_t digits;
    int count = 0, got;

    while ((got = next_number(&line, &value, &digits))) {
        if (got < 0 && (count < 2 || !digits || skip_number(&line)))
            return -1;
        count++;
    }
    return count;
}

/* A line of a matrix. */
struct row {
    size_t columns;
    int zero; /* its entry on the diagonal */
};

static int row_look(struct span line, size_t diagonal, struct row *row)
{
    *row = (struct row){0, 0};
    for (;;) {
        const char *begin;

        skip_blanks(&line);
        if (line.begin == line.end)
            return 0;
        begin = line.begin;
        if (*begin < '0' || *begin > '9' || skip_number(&line))
            return -1;
        if (row->columns++ == diagonal)
            row->zero = *begin == '0' && line.begin - begin == 1;
    }
}

struct header {
    uint64_t n, m, fmt, ncon;
    size_t fmt_digits;
};

static int header_read(struct span line, struct header *header)
{
    uint64_t *field[] = {&header->n, &header->m, &header->fmt, &header->ncon};
    size_t digits;
    int got = 1, count;

    memset(header, 0, sizeof *header);
    header->ncon = 1;
    for (count = 0; count < 4 && (got = next_number(&line, field[count], &digits)) == 1; count++)
        if (count == 2)
            header->fmt_digits = digits;
    if (got < 0 || count < 2 || count_numbers(line) != 0)
        return -1;
    if (header->n < 1 || header->fmt_digits > 3 || header->fmt % 10 > 1 ||
        header->fmt / 10 % 10 > 1 || header->fmt / 100 > 1)
        return -1;
    return 0;
}

/* Goes over the neighbours in a vertex's line. Returns 1 if `sought` is one of them (or sought is
 * 0), 0 if not, -1 where the line cannot be a vertex's. */
static int vertex_lists(const struct header *header, struct span line, uint64_t sought)
{
    uint64_t skip = header->fmt / 100 + (header->fmt / 10 % 10 ? header->ncon : 0), v, weight;
    size_t digits;
    int found = !sought, got;

    while (skip-- && next_number(&line, &v, &digits) == 1)
        ;
    while ((got = next_number(&line, &v, &digits)) == 1) {
        if (v < 1 || v > header->n)
            return -1;
        if (header->fmt % 10 && next_number(&line, &weight, &digits) != 1)
            return -1;
        found |= v == sought;
    }
    return got < 0 ? -1 : found;
}

/* Whether the vertices of the window list each other back: number of pairs that do, or -1. */
static int check_mutual(const struct window *window, const struct header *header)
{
    int pairs = 0;
    size_t vertices = window->lines - 1;

    for (size_t u = 1; u <= vertices && u <= 64; u++) {
        struct span line = window->line[u];

        if (vertex_lists(header, line, 0) < 0)
            return -1;
        for (size_t v = 1; v <= vertices && v <= 64; v++) {
            int there = vertex_lists(header, line, v);

            if (there > 0 && vertex_lists(header, window->line[v], u) <= 0)
                return -1;
            pairs += there > 0;
        }
    }
    return pairs;
}

int topomap_metis_sniff(const char *bytes, size_t size)
{
    struct window window;
    struct header header;
    int pairs;

    window_fill(&window, bytes, size, '%');
    if (!window.lines || header_read(window.line[0], &header))
        return window.lines && count_numbers(window.line[0]) > 0 ? TOPOMAP_SURE_BROKEN
                                                                 : TOPOMAP_SURE_NOT;
    if (size && *bytes == '%')
        return TOPOMAP_SURE_CHECKED;
    if (!window.whole && window.lines < 2) /* no edge list has a line longer than the window */
        return TOPOMAP_SURE_CHECKED;
    if (window.whole && window.all_lines < header.n + 1) /* truncated, or no METIS file */
        return header.fmt_digits == 3 ? TOPOMAP_SURE_CHECKED : TOPOMAP_SURE_HARDLY;
    pairs = check_mutual(&window, &header);
    if (pairs < 0)
        return header.fmt_digits == 3 ? TOPOMAP_SURE_CHECKED : TOPOMAP_SURE_HARDLY;
    return pairs || header.fmt_digits == 3 ? TOPOMAP_SURE_CHECKED : TOPOMAP_SURE_MAYBE;
}

/* A line that only an edge list has: separators that are not blanks, or a header of known words. */
static int is_listed(struct span line)
{
    size_t length = 0;

    skip_blanks(&line);
    while (line.begin + length < line.end && !memchr(" \t,;", line.begin[length], 4))
        length++;
    if (topomap_lines_column(line.begin, length) >= 0)
        return 1;
    if (!length || *line.begin < '0' || *line.begin > '9')
        return 0;
    return memchr(line.begin, ',', (size_t)(line.end - line.begin)) ||
           memchr(line.begin, ';', (size_t)(line.end - line.begin));
}

/* Fields of a list of edges between names: two names and one or two numbers at the end, 3 or 4;
 * two fields without a number, 2; else 0. */
static int count_named(struct span line)
{
    int fields = 0, numbers = 0;

    while (line.begin < line.end && fields < 5) {
        const char *begin;
        int number = 1;

        skip_blanks(&line);
        begin = line.begin;
        if (begin < line.end && *begin == '"')
            for (line.begin++; line.begin < line.end && *line.begin != '"'; line.begin++)
                ;
        while (line.begin < line.end && !memchr(" \t,;", *line.begin, 4))
            number &= memchr("0123456789.eE+-", *line.begin++, 15) != NULL;
        if (line.begin == begin)
            return 0;
        numbers += number && *begin != '"' && fields >= 2;
        fields++;
        skip_blanks(&line);
        if (line.begin < line.end && (*line.begin == ',' || *line.begin == ';'))
            line.begin++;
    }
    return fields >= 2 && fields <= 4 && numbers == fields - 2 ? fields : 0;
}

/* Whether all lines are edges between names. */
static int sniff_named(const struct window *window)
{
    int fields = 0;

    for (size_t i = 0; i < window->lines; i++) {
        int count = count_named(window->line[i]);

        if (window->line[i].begin == window->line[i].end)
            continue;
        if (!count || (fields && count != fields))
            return TOPOMAP_SURE_NOT;
        fields = count;
    }
    return fields > 2 ? TOPOMAP_SURE_MAYBE : fields ? TOPOMAP_SURE_BROKEN : TOPOMAP_SURE_NOT;
}

int topomap_edges_sniff(const char *bytes, size_t size)
{
    struct window window;
    int fields = 0;

    window_fill(&window, bytes, size, '#');
    for (size_t i = 0; i < window.lines; i++) {
        int count = count_fields(window.line[i]);

        if (count == 0)
            continue;
        if (count < 0)
            return is_listed(window.line[i]) ? TOPOMAP_SURE_LIKELY * 2 : sniff_named(&window);
        if (count < 2 || count > 4)
            return TOPOMAP_SURE_BROKEN;
        if (fields && fields != count)
            return TOPOMAP_SURE_HARDLY;
        fields = count;
    }
    if (size && *bytes == '#')
        return TOPOMAP_SURE_LIKELY * 2;
    return fields ? TOPOMAP_SURE_LIKELY : TOPOMAP_SURE_NOT;
}

/* A square of numbers. Up to 4 columns it could be a list of edges, and is none where its diagonal
 * is 0 and its lines end in blanks, as TreeMatch's do. */
int topomap_treematch_sniff(const char *bytes, size_t size)
{
    struct window window;
    size_t columns = 0, rows = 0;
    int zeros = 1, blanks = 1;

    window_fill(&window, bytes, size, '\0');
    for (size_t i = 0; i < window.lines; i++) {
        struct span line = window.line[i];
        struct row row;

        if (row_look(line, rows, &row) < 0)
            return TOPOMAP_SURE_NOT;
        if (!row.columns)
            continue;
        if (columns && row.columns != columns)
            return TOPOMAP_SURE_NOT;
        columns = row.columns;
        zeros &= row.zero;
        blanks &= is_blank(line.end[-1]);
        rows++;
    }
    if (!columns && size)
        return window.whole ? TOPOMAP_SURE_NOT : TOPOMAP_SURE_MAYBE;
    if (window.whole && window.all_lines <= LINES && rows != columns)
        return columns > 4 ? TOPOMAP_SURE_BROKEN : TOPOMAP_SURE_HARDLY;
    if (columns > 4)
        return TOPOMAP_SURE_CHECKED + TOPOMAP_SURE_HARDLY;
    return zeros && blanks && columns > 1 ? TOPOMAP_SURE_CHECKED : TOPOMAP_SURE_HARDLY;
}
