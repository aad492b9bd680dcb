/* SPDX-License-Identifier: BSD-3-Clause */
/* What only the command line reads: refresh.conf, and the records of a site's launches for its
 * report. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/db/refresh.h"
#include "cli/page/page_site.h"
#include "fuzz/fuzz.h"
#include "plan/bindings.h"

int fuzz_refresh(const void *what, const uint8_t *bytes, size_t size)
{
    refresh_conf conf;
    topomap_error err;
    int taken;

    (void)what;
    taken = refresh_conf_read(fuzz_file(bytes, size), &conf, &err) == 0;
    if (taken && (!conf.sources || !(conf.lose >= 0 && conf.lose <= 100)))
        abort();
    for (int i = 0; taken && i < conf.sources; i++)
        if (!conf.source[i].file == !conf.source[i].command || !(conf.source[i].seconds > 0))
            abort();
    refresh_conf_clear(&conf);
    return taken;
}

static char folder[] = "/tmp/topomap-fuzz.XXXXXX";
static const char name[] = "1.0.plan";

static void remove_folder(void)
{
    rmdir(folder);
}

static int open_folder(void)
{
    static int opened = -1;

    if (opened < 0 && mkdtemp(folder)) {
        atexit(remove_folder);
        opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (opened < 0)
        abort();
    return opened;
}

/* The bytes are a record without its last line, whose checksum is put right: "end CRC". */
int fuzz_site(const void *what, const uint8_t *bytes, size_t size)
{
    static const char reply[] = "\ntopomap-reply";
    char *text = fuzz_text(bytes, size), *at = strstr(text, reply);
    page_site site = {0};
    int in = open_folder(), out = openat(in, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    (void)what;
    if (out < 0 || write(out, text, strlen(text)) != (ssize_t)strlen(text) ||
        (at && dprintf(out, "end %08x\n", topomap_crc32(0, at + 1, strlen(at + 1))) < 0) ||
        close(out))
        abort();
    lseek(in, 0, SEEK_SET); /* the reader's descriptor shares the place in the folder */
    page_site_read_user(in, NULL, 1780000000, &site);
    if (site.records + site.bad != 1 || !isfinite(site.gain) || !isfinite(site.searched))
        abort();
    unlinkat(in, name, 0);
    free(text);
    return site.records != 0;
}
