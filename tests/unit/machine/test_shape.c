/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/shape.h"

#ifndef SHARED_DATA
#define SHARED_DATA "../shared/data"
#endif

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;

    *size = 0;
    assert_non_null(file);
    for (size_t room = 0, got = 1; got; *size += got) {
        if (room - *size < 65536)
            text = realloc(text, room = room * 2 + 65537);
        got = fread(text + *size, 1, room - *size - 1, file);
    }
    text[*size] = 0;
    fclose(file);
    return text;
}

static uint32_t occurrences(const char *text, const char *what)
{
    uint32_t n = 0;

    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static char *level_text(const topomap_shape *shape, const char *name)
{
    static char text[256];
    char *all = topomap_shape_format(shape, NULL), *at, key[32];

    snprintf(key, sizeof key, " %s=", name);
    at = strstr(all, key);
    if (!at) {
        snprintf(key, sizeof key, " %s*=", name); /* these groups are the NUMA nodes too */
        at = strstr(all, key);
    }
    text[0] = 0;
    if (at)
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at + strlen(key), " "), at + strlen(key));
    free(all);
    return text;
}

/* What every shape must be, and that its text gives the same shape back. */
static void check_consistent(const topomap_shape *shape)
{
    char *text = topomap_shape_format(shape, NULL), *again;
    topomap_shape back;
    topomap_error err;

    assert_int_equal(shape->pu_first[0], 0);
    assert_int_equal(shape->pu_first[shape->cores], shape->pus);
    for (uint32_t l = 0; l < shape->levels; l++) {
        const uint32_t *group = shape->level[l].group;

        assert_int_equal(group[0], 0);
        for (uint32_t c = 1; c < shape->cores; c++)
            assert_true(group[c] == group[c - 1] || group[c] == group[c - 1] + 1);
        assert_true(group[shape->cores - 1] > 0 && group[shape->cores - 1] < shape->cores - 1);
        for (uint32_t c = 1; l && c < shape->cores; c++) /* inner groups nest in outer ones */
            if (group[c] == group[c - 1])
                assert_int_equal(shape->level[l - 1].group[c], shape->level[l - 1].group[c - 1]);
    }
    if (topomap_shape_parse(text, &back, &err))
        fail_msg("%s", err.text);
    again = topomap_shape_format(&back, NULL);
    assert_string_equal(text, again);
    topomap_shape_clear(&back);
    free(text);
    free(again);
}

/* Every file of the data folder: PUs and cores as many as the text has objects; the one file with
 * PUs outside the allowed set is counted by its root's allowed_cpuset instead. */
static void real_files(void **state)
{
    DIR *dir = opendir(SHARED_DATA "/hwloc");
    struct dirent *entry;
    int files = 0;

    (void)state;
    if (!dir)
        skip();
    while ((entry = readdir(dir))) {
        char path[512];
        size_t size;
        char *xml, *allowed;
        topomap_shape shape;
        topomap_error err;
        uint32_t pus, cores;

        if (!strstr(entry->d_name, ".xml"))
            continue;
        snprintf(path, sizeof path, SHARED_DATA "/hwloc/%.300s", entry->d_name);
        xml = read_file(path, &size);
        pus = occurrences(xml, "<object type=\"PU\"");
        cores = occurrences(xml, "<object type=\"Core\"");
        if (topomap_shape_from_hwloc(path, xml, size, &shape, NULL, &err))
            fail_msg("%s", err.text);
        allowed = strstr(xml, "allowed_cpuset=\"");
        if (strstr(entry->d_name, "disallowed")) {
            hwloc_bitmap_t set = hwloc_bitmap_alloc();
            char hex[512];

            snprintf(hex, sizeof hex, "%.*s", (int)strcspn(allowed + 16, "\""), allowed + 16);
            hwloc_bitmap_sscanf(set, hex);
            assert_true((uint32_t)hwloc_bitmap_weight(set) < pus);
            pus = cores = (uint32_t)hwloc_bitmap_weight(set); /* one PU a core there */
            hwloc_bitmap_free(set);
        }
        if (shape.pus != pus || shape.cores != cores)
            fail_msg("%s: %u PUs and %u cores, but the text has %u and %u", path, shape.pus,
                     shape.cores, pus, cores);
        check_consistent(&shape);
        topomap_shape_clear(&shape);
        free(xml);
        files++;
    }
    closedir(dir);
    assert_true(files >= 24);
}

static void synthetic(const char *description, unsigned long export_flags, topomap_shape *shape)
{
    hwloc_topology_t topology;
    char *xml;
    int size;
    topomap_error err;

    hwloc_topology_init(&topology);
    assert_int_equal(hwloc_topology_set_synthetic(topology, description), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    assert_int_equal(hwloc_topology_export_xmlbuffer(topology, &xml, &size, export_flags), 0);
    if (topomap_shape_from_hwloc(description, xml, strlen(xml), shape, NULL, &err))
        fail_msg("%s", err.text);
    hwloc_free_xmlbuffer(topology, xml);
    hwloc_topology_destroy(topology);
}

static void made_trees(void **state)
{
    static const struct {
        const char *description;
        uint32_t cores, pus, levels;
        const char *name, *sizes;
        int numa; /* 1: that level is the NUMA nodes */
    } row[] = {
        {"pack:2 [numa] core:4 pu:2", 8, 16, 1, "numa", "4x2", 1},
        {"pack:2 l3:2 l2:3 core:1 pu:1", 12, 12, 2, "l3", "3x4", 0},
        {"pack:2 [numa] l3:1 core:8 pu:2", 16, 32, 1, "l3", "8x2", 1},
        {"pack:2 group:2 [numa] core:2 pu:1", 8, 8, 2, "numa", "2x4", 1},
        {"pack:1 core:6 pu:2", 6, 12, 0, "package", "", 0},
        {"pack:2 core:1 pu:1", 2, 2, 0, "package", "", 0},
        {"pack:2 l2:4 core:2 pu:1", 16, 16, 2, "l2", "2x8", 0},
        {"pack:2 pu:4", 8, 8, 1, "package", "4x2", 0}, /* no Core objects: one core a PU */
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int v1 = 0; v1 < 2; v1++) {
            topomap_shape shape;

            synthetic(row[i].description, v1 ? HWLOC_TOPOLOGY_EXPORT_XML_FLAG_V1 : 0, &shape);
            assert_int_equal(shape.cores, row[i].cores);
            assert_int_equal(shape.pus, row[i].pus);
            if (shape.levels != row[i].levels)
                fail_msg("'%s' has %u levels", row[i].description, shape.levels);
            assert_string_equal(level_text(&shape, row[i].name), row[i].sizes);
            assert_int_equal(shape.numa != 0, row[i].numa);
            if (row[i].levels)
                check_consistent(&shape);
            topomap_shape_clear(&shape);
        }
}

static void version_three_and_host(void **state)
{
    const char *xml = "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
                      "<topology version=\"3.0\">\n"
                      "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x3\" "
                      "complete_cpuset=\"0x3\" allowed_cpuset=\"0x3\" nodeset=\"0x1\" "
                      "complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\">\n"
                      "<info name=\"HostName\" value=\"node07\"/>\n"
                      "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3\" "
                      "complete_cpuset=\"0x3\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
                      "local_memory=\"1024\"/>\n"
                      "<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" "
                      "nodeset=\"0x1\" complete_nodeset=\"0x1\"/>\n"
                      "<object type=\"PU\" os_index=\"1\" cpuset=\"0x2\" complete_cpuset=\"0x2\" "
                      "nodeset=\"0x1\" complete_nodeset=\"0x1\"/>\n"
                      "</object>\n</topology>\n";
    topomap_shape shape;
    topomap_error err;
    char *host;

    (void)state;
    if (topomap_shape_from_hwloc("x.xml", xml, strlen(xml), &shape, &host, &err))
        fail_msg("%s", err.text);
    assert_int_equal(shape.cores, 2);
    assert_string_equal(host, "node07");
    free(host);
    topomap_shape_clear(&shape);
    /* Cut anywhere before the root's end tag it is refused, with the file's name. */
    for (size_t cut = 0; cut < strlen(xml) - 40; cut += 97) {
        char *part = strndup(xml, cut);

        assert_int_equal(topomap_shape_from_hwloc("x.xml", part, cut, &shape, &host, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EINPUT);
        assert_int_equal(strncmp(err.text, "x.xml:", 6), 0);
        free(part);
    }
}

static void refuses_text(void **state)
{
    static const char *const bad[] = {
        "",
        "2 cores=1 pus=0",
        "1 cores=0 pus=",
        "1 cores=2 pus=0",
        "1 cores=2 pus=0,1",
        "1 cores=2 pus=0;1;2",
        "1 cores=2 pus=;1",
        "1 cores=2 pus=0;1 l2",
        "1 cores=2 pus=0;1 l2=1x1",
        "1 cores=2 pus=0;1 l2=1x3",
        "1 cores=2 pus=0;1 l2=0x2",
        "1 cores=2 pus=0;1 l2=1x2,",
        "1 cores=2 pus=0;1 averyveryverylongname=1x2",
        "1 cores=2 pus=0;1  l2=1x2",
        "1 cores=4294967296 pus=0",
        "1 cores=60000 pus=0",
        "1 cores=2 pus=0;99999999999",
        "1 cores=2 pus=0;1\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        topomap_shape shape = {.cores = 77};
        topomap_error err;

        if (topomap_shape_parse(bad[i], &shape, &err) == 0)
            fail_msg("'%s' was accepted", bad[i]);
        assert_int_equal(err.code, TOPOMAP_EINPUT);
        assert_int_equal(shape.cores, 77);
    }
}

static void refuses_xml(void **state)
{
    static const struct {
        const char *xml;
        size_t size;
    } bad[] = {
        {"", 0},
        {"hello\n", 6},
        {"<topology\0>", 11},
        {"<topologydiff refname=\"x\">", 26},
        {"<topology version=\"2.0\">", 24},
        {"<topology version=\"2.0\"></topology>", 35},
        {"<topology", 9},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        topomap_shape shape;
        topomap_error err;

        assert_int_equal(
            topomap_shape_from_hwloc("f.xml", bad[i].xml, bad[i].size, &shape, NULL, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EINPUT);
        assert_int_equal(strncmp(err.text, "f.xml:", 6), 0);
    }
}

static void costs(void **state)
{
    (void)state;
    assert_true(topomap_shape_cost("core") == 1);
    assert_true(topomap_shape_cost("l3") == 2);
    assert_true(topomap_shape_cost("numa") == 3);
    assert_true(topomap_shape_cost("package") == 4);
    assert_true(topomap_shape_cost("node") == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_files),   cmocka_unit_test(made_trees),
        cmocka_unit_test(refuses_text), cmocka_unit_test(version_three_and_host),
        cmocka_unit_test(refuses_xml),  cmocka_unit_test(costs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
