/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/common/reply.h"

static void write_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127 || *text == '%')
            fprintf(out, "%%%02X", (unsigned char)*text);
        else
            putc(*text, out);
}

void plugin_percent_line(FILE *out, const char *key, const char *text)
{
    if (!text)
        return;
    fprintf(out, "%s ", key);
    write_text(out, text);
    putc('\n', out);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int plugin_percent_read(char *text)
{
    char *to = text;

    for (; *text; text++, to++) {
        int high = *text == '%' ? digit(text[1]) : 0,
            low = *text == '%' && high >= 0 ? digit(text[2]) : 0;

        if (high < 0 || low < 0 || (*text == '%' && !high && !low))
            return -1;
        if (*text == '%') {
            *to = (char)(high << 4 | low);
            text += 2;
        } else {
            *to = *text;
        }
    }
    *to = 0;
    return 0;
}
