/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cli/picture/picture.h"
#include "util/output.h"

static int svg(const topomap_drawing *drawing, FILE *out, topomap_error *err)
{
    (void)err;
    topomap_draw_svg(drawing, "picture", out);
    return 0;
}

static const struct {
    const char *ending;
    int (*put)(const topomap_drawing *drawing, FILE *out, topomap_error *err);
} formats[] = {{".svg", svg}, {".png", picture_png}, {".pdf", picture_pdf}};
enum { FORMATS = sizeof formats / sizeof *formats };

const char picture_formats[] = "FILE.svg, FILE.png or FILE.pdf";

static size_t format_of(const char *path)
{
    size_t length = path ? strlen(path) : 0, i = 0;

    while (i < FORMATS && (length <= strlen(formats[i].ending) ||
                           strcmp(path + length - strlen(formats[i].ending), formats[i].ending)))
        i++;
    return i;
}

int picture_is_format(const char *path)
{
    return format_of(path) < FORMATS;
}

int picture_write(const topomap_drawing *drawing, const char *path, topomap_error *err)
{
    topomap_output *output;
    size_t format = format_of(path);

    if (format == FORMATS)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%s: a picture is %s", path, picture_formats);
    if (topomap_output_open(path, &output, err) != 0)
        return -1;
    if (formats[format].put(drawing, topomap_output_bytes(output), err) != 0) {
        topomap_output_abandon(output);
        return -1;
    }
    return topomap_output_commit(output, err);
}
