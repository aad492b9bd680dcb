/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/node_plan.h"
#include "util/alloc.h"

enum { GROUP_BITS = 5, NUMBER_GROUPS = 8 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static int sextet_of(char character)
{
    if (character >= 'A' && character <= 'Z')
        return character - 'A';
    if (character >= 'a' && character <= 'z')
        return character - 'a' + 26;
    if (character >= '0' && character <= '9')
        return character - '0' + 52;
    return character == '-' ? 62 : character == '_' ? 63 : -1;
}

static void put_character(topomap_sextet_writer *writer, unsigned sextet)
{
    if (writer->failed)
        return;
    if (topomap_grow(&writer->text, &writer->capacity, writer->size + 1, 1, NULL)) {
        writer->failed = 1;
        return;
    }
    writer->text[writer->size++] = alphabet[sextet & 63];
}

void topomap_sextet_put(topomap_sextet_writer *writer, uint32_t value, unsigned width)
{
    while (width--) {
        writer->held = writer->held << 1 | (value >> width & 1);
        if (++writer->held_bits == 6) {
            put_character(writer, writer->held);
            writer->held = writer->held_bits = 0;
        }
    }
}

void topomap_sextet_align(topomap_sextet_writer *writer)
{
    while (writer->held_bits)
        topomap_sextet_put(writer, 0, 1);
}

uint32_t topomap_sextet_get(topomap_sextet_reader *reader, unsigned width)
{
    uint32_t value = 0;

    if (reader->failed || width > reader->size * 6 - reader->bit) {
        reader->failed = 1;
        return 0;
    }
    while (width) {
        int sextet = sextet_of(reader->text[reader->bit / 6]);
        unsigned left = 6 - (unsigned)(reader->bit % 6);
        unsigned take = width < left ? width : left;

        if (sextet < 0) {
            reader->failed = 1;
            return 0;
        }
        value = value << take | ((unsigned)sextet >> (left - take) & ((1u << take) - 1));
        reader->bit += take;
        width -= take;
    }
    return value;
}

void topomap_sextet_put_number(topomap_sextet_writer *writer, uint64_t value)
{
    unsigned groups = 1;

    while (groups < NUMBER_GROUPS && value >> (groups * GROUP_BITS))
        groups++;
    while (groups--)
        topomap_sextet_put(writer,
                           (groups ? 32u : 0u) | (uint32_t)(value >> (groups * GROUP_BITS) & 31),
                           GROUP_BITS + 1);
}

uint64_t topomap_sextet_get_number(topomap_sextet_reader *reader)
{
    uint64_t value = 0;

    for (int i = 0; i < NUMBER_GROUPS; i++) {
        uint32_t group = topomap_sextet_get(reader, GROUP_BITS + 1);

        value = value << GROUP_BITS | (group & 31);
        if (!(group & 32))
            return reader->failed ? 0 : value;
    }
    reader->failed = 1;
    return 0;
}

static uint64_t zigzag(int64_t value)
{
    return value < 0 ? (uint64_t)-value * 2 - 1 : (uint64_t)value * 2;
}

static int64_t unzigzag(uint64_t code)
{
    return code & 1 ? -(int64_t)(code / 2) - 1 : (int64_t)(code / 2);
}

void topomap_sextet_put_runs(topomap_sextet_writer *writer, const uint32_t *list, size_t count)
{
    int64_t before = -1;

    for (size_t i = 0, next; i < count; i = next) {
        int64_t step = i + 1 < count ? (int64_t)list[i + 1] - list[i] : 0;

        for (next = i + 1; next < count && (int64_t)list[next] - list[next - 1] == step; next++)
            ;
        if (next == i + 2 && next < count) { /* two alone: rather the start of what follows */
            next = i + 1;
            step = 0;
        }
        topomap_sextet_put_number(writer, zigzag((int64_t)list[i] - before - 1));
        topomap_sextet_put_number(writer, next - i - 1);
        if (next - i > 1)
            topomap_sextet_put_number(writer, zigzag(step - 1));
        before = list[next - 1];
    }
}

int topomap_sextet_get_run(topomap_sextet_reader *reader, size_t left, uint32_t limit,
                           topomap_sextet_run *run)
{
    int64_t start = run->last + 1 + unzigzag(topomap_sextet_get_number(reader));
    uint64_t more = topomap_sextet_get_number(reader);
    int64_t step = more ? unzigzag(topomap_sextet_get_number(reader)) + 1 : 0;
    int64_t last;

    /* Numbers are below 2^40 and lists below 2^20, so that nothing here overflows. */
    if (reader->failed || !left || more > left - 1 || left > 1u << 20) {
        reader->failed = 1;
        return -1;
    }
    last = start + step * (int64_t)more;
    if (start < 0 || start >= limit || last < 0 || last >= limit) {
        reader->failed = 1;
        return -1;
    }
    *run = (topomap_sextet_run){start, step, last, (uint32_t)more + 1};
    return 0;
}

unsigned topomap_sextet_width(uint32_t count)
{
    unsigned width = 1;

    while (width < 32 && count > 1u << width)
        width++;
    return width;
}
