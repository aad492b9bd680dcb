/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/lists/geometry.h"

#include <string.h>

/* Index of a dimension by its letter, -1 where it is none. */
static int axis_of(char letter)
{
    static const char *const names[] = {"xyzt", "abcdefgh"};

    for (int i = 0; i < 2; i++) {
        const char *at = strchr(names[i], letter);

        if (at)
            return (int)(at - names[i]);
    }
    return -1;
}

/* The option as table geometry has it; "" where it is not that. \param digits [TOPOMAP_DIMS + 1] */
static void read_wrap(const char *text, uint32_t dims, char *digits)
{
    static const struct {
        const char *word, *digits;
    } words[] = {{"yes", "1"}, {"all", "1"}, {"no", "0"}, {"none", "0"}};

    memset(digits, 0, TOPOMAP_DIMS + 1);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].word) == 0) {
            strcpy(digits, words[i].digits);
            return;
        }
    memset(digits, '0', dims ? dims : TOPOMAP_DIMS);
    for (; *text; text++) {
        int axis = axis_of(*text);

        if (axis < 0 || axis >= (int)(dims ? dims : TOPOMAP_DIMS)) {
            *digits = 0;
            return;
        }
        digits[axis] = '1';
    }
}

int db_geometry_check(const struct db_import *import, uint32_t dims)
{
    const char *size = db_option(import, "dims"), *wrap = db_option(import, "wrap");
    const char *shape = db_option(import, "shape");
    uint32_t given, dim[TOPOMAP_DIMS];
    struct cray_shape read;
    char digits[TOPOMAP_DIMS + 1];

    if (size && (topomap_dims_parse(size, &given, dim) || (dims && given != dims)))
        return topomap_error_set(
            import->err, TOPOMAP_EUSAGE,
            "option dims takes a size a dimension, such as 8x8x16, not '%.40s'", size);
    if (wrap) {
        read_wrap(wrap, dims, digits);
        if (!*digits)
            return topomap_error_set(import->err, TOPOMAP_EUSAGE,
                                     "option wrap takes yes, no, or the letters of dimensions, "
                                     "such as xz, not '%.40s'",
                                     wrap);
    }
    return shape ? cray_shape_parse(shape, &read, import->err) : 0;
}

int db_geometry_begin(struct db_import *import, void *content)
{
    (void)content;
    return db_geometry_check(import, 3);
}

const topomap_graph_option db_geometry_options[] = {
    GEOMETRY_WRAP,
    GEOMETRY_SHAPE,
    {NULL, NULL, NULL},
};

int db_geometry_write(struct db_import *import, uint32_t dims, const char *wrap)
{
    const char *size = db_option(import, "dims"), *given = db_option(import, "wrap");
    const char *shape = db_option(import, "shape");
    char digits[TOPOMAP_DIMS + 1];

    if (!size && !given && !shape && !wrap)
        return 0;
    if (given)
        read_wrap(given, dims, digits);
    return DB_ADD(import, "INSERT INTO geometry", DB_INT(import->source), DB_TEXT(size),
                  DB_TEXT(given ? digits : wrap), DB_TEXT(shape));
}
