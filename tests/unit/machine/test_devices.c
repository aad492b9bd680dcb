/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "machine/devices.h"
#include "tests/unit/messages.h"

static topomap_devices parsed(const char *text)
{
    topomap_devices d;
    topomap_error err;

    if (topomap_devices_parse(text, &d, &err))
        fail_msg("%s", err.text);
    if (topomap_devices_finish(&d, &err))
        fail_msg("%s", err.text);
    return d;
}

static void merge(topomap_devices *d, const char *text)
{
    topomap_devices more = parsed(text);
    topomap_error err;

    if (topomap_devices_merge(d, &more, &err))
        fail_msg("%s", err.text);
    topomap_devices_clear(&more);
}

/* Two switches, two GPUs and two NICs on each; a third NIC on the second CPU's own bridge. */
static const char a100[] =
    "1\n"
    "gpu bus=0000:07:00.0 names=cuda0 numa=0 root=1 path=0000:01:00.0/0000:02:00.0 cpus=0-15\n"
    "gpu bus=0000:0f:00.0 names=cuda1 numa=0 root=1 path=0000:01:00.0/0000:02:08.0 cpus=0-15\n"
    "gpu bus=0000:87:00.0 names=cuda2 numa=1 root=8001 path=0000:81:00.0/0000:82:00.0\n"
    "gpu bus=0000:90:00.0 names=cuda3 numa=1 root=8001 path=0000:81:00.0/0000:82:08.0\n"
    "nic bus=0000:0b:00.0 name=mlx5_0 names=mlx5_0 numa=0 root=1 path=0000:01:00.0/0000:02:10.0\n"
    "nic bus=0000:12:00.0 name=mlx5_1 names=mlx5_1 numa=0 root=1 path=0000:01:00.0/0000:02:18.0\n"
    "nic bus=0000:8d:00.0 name=mlx5_2 names=mlx5_2 numa=1 root=8001 "
    "path=0000:81:00.0/0000:82:10.0\n"
    "nic bus=0000:94:00.0 name=mlx5_3 names=mlx5_3 numa=1 root=8001 "
    "path=0000:81:00.0/0000:82:18.0\n"
    "nic bus=0000:c1:00.0 name=mlx5_4 names=mlx5_4 numa=1 root=c001\n";

static void bus_ids(void **state)
{
    char text[20];

    (void)state;
    assert_string_equal(topomap_bus_format(topomap_bus_parse("0000:0f:1f.7"), text),
                        "0000:0f:1f.7");
    assert_string_equal(topomap_bus_format(topomap_bus_parse("00000009:01:00"), text),
                        "0009:01:00.0");
    assert_string_equal(topomap_bus_format(topomap_bus_parse("0F:00.0"), text), "0000:0f:00.0");
    assert_string_equal(topomap_bus_format(topomap_bus_parse("ffff:ff:01.0"), text),
                        "ffff:ff:01.0");
    assert_true(topomap_bus_parse("0000:0f:20.0") == 0);
    assert_true(topomap_bus_parse("0000:0f:00.8") == 0);
    assert_true(topomap_bus_parse("0f") == 0);
    assert_true(topomap_bus_parse("0000:0f:00.0x") == 0);
    assert_true(topomap_bus_parse("") == 0);
}

static void nearness_of_paths(void **state)
{
    topomap_devices d = parsed(a100);

    (void)state;
    assert_int_equal(d.gpus, 4);
    assert_int_equal(topomap_devices_near(&d, 0, 1), TOPOMAP_NEAR_SWITCH);
    assert_int_equal(topomap_devices_near(&d, 0, 4), TOPOMAP_NEAR_SWITCH);
    assert_int_equal(topomap_devices_near(&d, 2, 8), TOPOMAP_NEAR_NUMA);
    assert_int_equal(topomap_devices_near(&d, 8, 2), TOPOMAP_NEAR_NUMA);
    assert_int_equal(topomap_devices_near(&d, 1, 2), TOPOMAP_NEAR_NODE);
    assert_true(topomap_devices_cost(&d, 0, 1) == 4);
    assert_true(topomap_devices_cost(&d, 1, 2) == 8);
    topomap_devices_set_link(&d, 1, 2, 12, 240000);
    topomap_devices_set_link(&d, 0, 1, 4, 80000);
    assert_true(topomap_devices_cost(&d, 2, 1) == 1);
    assert_true(topomap_devices_cost(&d, 0, 1) == 3);
    topomap_devices_clear(&d);
}

static void text_and_back(void **state)
{
    topomap_devices d = parsed(a100), back;
    char *text, *again;

    (void)state;
    topomap_devices_set_link(&d, 1, 2, 12, 240000);
    strcpy(d.device[0].model, "NVIDIA A100-SXM4 = 40GB");
    text = topomap_devices_format(&d, NULL);
    back = parsed(text);
    again = topomap_devices_format(&back, NULL);
    assert_string_equal(text, again);
    assert_string_equal(back.device[0].model, "NVIDIA A100-SXM4 = 40GB");
    assert_string_equal(back.device[1].cpus, "0-15");
    assert_int_equal(back.device[2].bridge[1], topomap_bus_parse("0000:82:00.0"));
    free(text);
    free(again);
    topomap_devices_clear(&d);
    topomap_devices_clear(&back);
}

static void damaged_text(void **state)
{
    static const char *const bad[] = {
        "",
        "2\n",
        "1\ncpu\n",
        "1\ngpu bus=zz\n",
        "1\ngpu colour=red\n",
        "1\ngpu cpus=0-3 cpus=4\n",
        "1\ngpu cpus=a\n",
        "1\nnic\ngpu\n",
        "1\ngpu\ngpu\nnear 0 8\n",
        "1\ngpu\ngpu\nnear 0 22\n",
        "1\ngpu\ngpu\nnear 2 2\n",
        "1\ngpu\ngpu\nlink 0 2 1 1\n",
        "1\ngpu\ngpu\nlink 0 0 1 1\n",
        "1\ngpu\ngpu\nlink 0 1 1\n",
        "1\ngpu\nnear 0 \ngpu\n",
        "1\ngpu names=a",
    };

    (void)state;
    for (size_t i = 0; i + 1 < sizeof bad / sizeof *bad; i++) {
        topomap_devices d;
        topomap_error err;

        if (topomap_devices_parse(bad[i], &d, &err) == 0)
            fail_msg("'%s' was accepted", bad[i]);
        assert_int_equal(err.code, TOPOMAP_EINPUT);
        assert_message(err.text, "text");
    }
}

/* The NICs of a switch are shared evenly, in order; one that is down is passed over. */
static void nics_and_rails(void **state)
{
    topomap_devices d = parsed(a100);
    uint32_t nic[4], rail[4];

    (void)state;
    assert_int_equal(topomap_devices_nics(&d, nic, NULL), 0);
    for (uint32_t g = 0; g < 4; g++)
        assert_int_equal(nic[g], 4 + g);
    assert_int_equal(topomap_devices_rails(&d, rail, NULL), 4);
    for (uint32_t g = 0; g < 4; g++)
        assert_int_equal(rail[g], g);
    d.device[5].state = 0;
    assert_int_equal(topomap_devices_nics(&d, nic, NULL), 0);
    assert_int_equal(nic[0], 4);
    assert_int_equal(nic[1], 4);
    assert_int_equal(nic[2], 6);
    assert_int_equal(topomap_devices_rails(&d, rail, NULL), 3);
    assert_int_equal(rail[1], 0);
    assert_int_equal(rail[3], 2);
    topomap_devices_clear(&d);
    d = parsed("1\ngpu\ngpu\n");
    assert_int_equal(topomap_devices_nics(&d, nic, NULL), 0);
    assert_int_equal(nic[1], UINT32_MAX);
    assert_int_equal(topomap_devices_rails(&d, rail, NULL), 1);
    topomap_devices_clear(&d);
}

/* What one source has of a device the other adds; a matrix's GPUs are told by their order, its NICs
 * by name. */
static void sources_joined(void **state)
{
    topomap_devices d = parsed(a100);

    (void)state;
    merge(&d, "1\ngpu bus=0000:90:00.0 names=nvml3 vendor=nvidia numa=7 cpus=16-31\n"
              "gpu bus=0000:07:00.0 names=nvml0\nnic bus=0000:e1:00.0 names=mlx5_9\n"
              "link 0 1 12 240000\n");
    assert_int_equal(d.gpus, 4);
    assert_int_equal(d.count, 10);
    assert_string_equal(d.device[3].names, "cuda3,nvml3");
    assert_string_equal(d.device[3].cpus, "16-31");
    assert_int_equal(d.device[3].numa, 1);
    assert_int_equal(d.links[0 * 4 + 3], 12);
    assert_int_equal(d.links[3 * 4 + 0], 12);
    assert_int_equal(d.links[0 * 4 + 1], 0);
    assert_string_equal(d.device[9].names, "mlx5_9");
    merge(&d, "1\ngpu names=nvml0\ngpu names=nvml1\ngpu names=nvml2\ngpu names=nvml3\n"
              "nic names=mlx5_3\nnear 0 7777\nlink 1 2 4 0\n");
    assert_int_equal(d.count, 10);
    assert_string_equal(d.device[1].names, "cuda1,nvml1");
    assert_int_equal(d.links[1 * 4 + 2], 4);
    /* What the first source said of the way stays. */
    assert_int_equal(topomap_devices_near(&d, 0, 1), TOPOMAP_NEAR_SWITCH);
    /* Another number of GPUs without a bus id: nobody knows which they are. */
    merge(&d, "1\ngpu names=x\ngpu names=y\n");
    assert_int_equal(d.gpus, 4);
    topomap_devices_clear(&d);
}

static void levels_of_pairs(void **state)
{
    topomap_devices d = parsed(a100);
    topomap_device_levels levels;
    static const uint32_t some[] = {0, 2, 3};

    (void)state;
    assert_int_equal(topomap_devices_levels(&d, NULL, 0, &levels, NULL), 0);
    assert_int_equal(levels.levels, 2);
    assert_string_equal(levels.level[0].name, "switch");
    assert_true(levels.level[0].cost == 4);
    assert_string_equal(levels.level[1].name, "node");
    assert_true(levels.level[1].cost == 8);
    assert_int_equal(levels.level[0].group[1], 0);
    assert_int_equal(levels.level[0].group[2], 1);
    topomap_device_levels_clear(&levels);
    assert_int_equal(topomap_devices_levels(&d, some, 3, &levels, NULL), 0);
    assert_int_equal(levels.order[0], 0);
    assert_int_equal(levels.level[0].group[1], 1);
    assert_int_equal(levels.level[0].group[2], 1);
    topomap_device_levels_clear(&levels);
    /* Crossed pairs of links: 0 with 2, 1 with 3. */
    topomap_devices_set_link(&d, 0, 2, 4, 0);
    topomap_devices_set_link(&d, 1, 3, 4, 0);
    assert_int_equal(topomap_devices_levels(&d, NULL, 0, &levels, NULL), 0);
    assert_string_equal(levels.level[0].name, "nvlink");
    assert_true(levels.level[0].cost == 1);
    assert_int_equal(levels.order[0], 0);
    assert_int_equal(levels.order[1], 2);
    assert_int_equal(levels.order[2], 1);
    assert_int_equal(levels.order[3], 3);
    assert_true(levels.level[levels.levels - 1].cost > 4);
    topomap_device_levels_clear(&levels);
    topomap_devices_clear(&d);
    d = parsed("1\ngpu\n");
    assert_int_equal(topomap_devices_levels(&d, NULL, 0, &levels, NULL), 0);
    assert_int_equal(levels.levels, 1);
    topomap_device_levels_clear(&levels);
    topomap_devices_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bus_ids),         cmocka_unit_test(nearness_of_paths),
        cmocka_unit_test(text_and_back),   cmocka_unit_test(damaged_text),
        cmocka_unit_test(nics_and_rails),  cmocka_unit_test(sources_joined),
        cmocka_unit_test(levels_of_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
