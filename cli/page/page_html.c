/* SPDX-License-Identifier: BSD-3-Clause */
/* The page around its data. */
#include <string.h>

#include "cli/cli.h"
#include "cli/page/page.h"
#include "xml/markup.h"

void page_put(FILE *out, const char *format, ...)
{
    va_list texts;

    va_start(texts, format);
    cli_put_escaped(out, topomap_markup_put, format, texts);
    va_end(texts);
}

void page_table(FILE *out, const char *id, const char *caption, const char *columns)
{
    page_put(out, "<table id=\"%s\">", id);
    if (caption)
        page_put(out, "<caption>%s</caption>", caption);
    fputs("<thead><tr>", out);
    for (size_t length; *columns; columns += length + (columns[length] == '|')) {
        length = strcspn(columns, "|");
        fprintf(out, "<th scope=\"col\">%.*s</th>", (int)length, columns);
    }
    fputs("</tr></thead><tbody>\n", out);
}

static void put_figure(FILE *out, const json_t *value)
{
    if (json_is_null(value))
        fputs("<td>\xe2\x80\x93</td>", out);
    else
        fprintf(out, "<td>%.6g</td>", json_number_value(value));
}

/* What can be read without scripts. */
static void put_figures(FILE *out, const json_t *data)
{
    const json_t *figures = json_object_get(data, "figures"), *row;
    size_t i;

    if (!figures)
        return;
    page_table(out, "figures", "Before and after", "figure|before|after|unit");
    json_array_foreach(figures, i, row)
    {
        page_put(out, "<tr><th scope=\"row\">%s</th>",
                 json_string_value(json_object_get(row, "name")));
        put_figure(out, json_object_get(row, "before"));
        put_figure(out, json_object_get(row, "after"));
        page_put(out, "<td>%s</td></tr>\n", json_string_value(json_object_get(row, "unit")));
    }
    fputs("</tbody></table>\n", out);
}

static void put_head(FILE *out, const char *title, const char *line, const char *scripts)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline';%s img-src data: blob:\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>",
            scripts);
    page_put(out, "%s</title>\n<style>\n", title);
    fputs(page_css, out);
    page_put(out,
             "</style></head><body>\n<header><h1>%s</h1>\n<p id=\"line\">%s</p></header>\n<main>\n",
             title, line);
}

void page_begin(FILE *out, const char *title, const char *line)
{
    put_head(out, title, line, "");
}

/* In a script element "<" could begin its end, or a comment (HTML, 13.2.5.4). */
int page_write(FILE *out, const char *title, json_t *data, topomap_error *err)
{
    int failed;

    if (!data)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    put_head(out, title, json_string_value(json_object_get(data, "line")),
             " script-src 'unsafe-inline';");
    put_figures(out, data);
    fputs("<noscript><p>The pictures and the other tables need scripts, which this page has in "
          "it.</p></noscript>\n</main>\n<script type=\"application/json\" id=\"data\">",
          out);
    failed = cli_json_write(out, data, "<\x7f", JSON_COMPACT | JSON_REAL_PRECISION(10));
    fputs("</script>\n<script>\n\"use strict\";\n(function () {\n", out);
    fputs(page_js, out);
    fputs("})();\n</script>\n</body></html>\n", out);
    json_decref(data);
    return failed ? topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory") : 0;
}
