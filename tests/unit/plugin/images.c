/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs as the linker makes them, and broken ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/plugin/images.h"

char folder[] = "/tmp/topomap-program-XXXXXX";
char path[64];

#define BASE 0x400000

static void set_segment(struct image *image, int i, uint32_t type, size_t at, size_t size)
{
    image->segment[i] = (ElfW(Phdr)){.p_type = type,
                                     .p_offset = at,
                                     .p_vaddr = BASE + at,
                                     .p_filesz = size,
                                     .p_memsz = size,
                                     .p_align = 4};
}

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

struct image image_with(const char *const *needed, int tag, const char *folders)
{
    struct image image = {.header = __ehdr_start};
    size_t used = 1;
    int rows = 0;

    image.header.e_type = ET_DYN;
    image.header.e_phoff = offsetof(struct image, segment);
    image.header.e_phentsize = sizeof(ElfW(Phdr));
    image.header.e_phnum = 4;
    set_segment(&image, 0, PT_LOAD, 0, sizeof image);
    set_segment(&image, 1, PT_DYNAMIC, offsetof(struct image, dynamic), sizeof image.dynamic);
    set_segment(&image, 2, PT_NOTE, offsetof(struct image, note),
                sizeof image.note + sizeof image.note_name + sizeof image.id);
    set_segment(&image, 3, PT_INTERP, offsetof(struct image, interpreter), 32);
    for (; *needed; needed++) {
        image.dynamic[rows].d_tag = DT_NEEDED;
        image.dynamic[rows++].d_un.d_val = used;
        strcpy(image.names + used, *needed);
        used += strlen(*needed) + 1;
    }
    if (tag) {
        image.dynamic[rows].d_tag = tag;
        image.dynamic[rows++].d_un.d_val = used;
        strcpy(image.names + used, folders);
        used += strlen(folders) + 1;
    }
    image.dynamic[rows].d_tag = DT_STRTAB;
    image.dynamic[rows++].d_un.d_ptr = BASE + offsetof(struct image, names);
    image.dynamic[rows].d_tag = DT_STRSZ;
    image.dynamic[rows].d_un.d_val = used;
    image.note = (ElfW(Nhdr)){.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID};
    memcpy(image.note_name, "GNU", 4);
    memset(image.id, 0x5a, sizeof image.id);
    strcpy(image.interpreter, "/lib64/ld-linux-x86-64.so.2");
    return image;
}

struct image image_of(const char *const *needed)
{
    return image_with(needed, 0, NULL);
}

void write_to(const char *file, const void *bytes, size_t size)
{
    FILE *out = fopen(file, "w");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    chmod(file, 0755);
}

void write_bytes(const void *bytes, size_t size)
{
    write_to(path, bytes, size);
}

store_program read_image(const struct image *image)
{
    store_program program;
    topomap_error err;

    write_bytes(image, sizeof *image);
    assert_int_equal(store_program_read(NULL, path, &program, &err), 0);
    return program;
}

store_program read_text(const char *text)
{
    store_program program;
    topomap_error err;

    write_bytes(text, strlen(text));
    assert_int_equal(store_program_read(NULL, path, &program, &err), 0);
    return program;
}

int images_setup(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/program", folder);
    return 0;
}

int images_teardown(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}
