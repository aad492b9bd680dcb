/* SPDX-License-Identifier: BSD-3-Clause */
/* nccl-host VERSION commN:ID:RANKS:RANK... N:FUNCTION:TYPE:COUNT:ROOT...: calls a profiler
 * (NCCL_PROFILER_PLUGIN) as NCCL does: opens it with the first communicator, and closes it with the
 * last. The declarations are this program's own, of all that NCCL passes, so that members which are
 * elsewhere than the plugin thinks are found. Without a plugin to load it does nothing, and says
 * so, as NCCL goes on. `fork` as the last word: a child ends first. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMS = 16, GROUP = 1, COLL = 2, P2P = 4, GROUP_API = 256, COLL_API = 512 };

struct event4 {
    uint8_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            uint64_t seqNumber;
            const char *func;
            void const *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t nChannels, nWarps;
            const char *algo, *proto;
        } coll;
        struct {
            const char *func;
            void *buff;
            const char *datatype;
            size_t count;
            int peer;
            uint8_t nChannels;
        } p2p;
    };
};

struct event5 {
    uint64_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            bool graphCaptured;
            int groupDepth;
        } groupApi;
        struct {
            const char *func;
            size_t count;
            const char *datatype;
            int root;
            void *stream;
            bool graphCaptured;
        } collApi;
        struct {
            uint64_t seqNumber;
            const char *func;
            void const *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t nChannels, nWarps;
            const char *algo, *proto;
            void *parentGroup;
        } coll;
        struct {
            const char *func;
            void *buff;
            const char *datatype;
            size_t count;
            int peer;
            uint8_t nChannels;
            void *parentGroup;
        } p2p;
    };
};

typedef void logger(int level, unsigned long flags, const char *file, int line, const char *text,
                    ...);

struct profiler4 {
    const char *name;
    int (*init)(void **context, int *mask, const char *comm, uint64_t hash, int nodes, int ranks,
                int rank, logger *log);
    int (*startEvent)(void *context, void **handle, struct event4 *event);
    int (*stopEvent)(void *handle);
    int (*recordEventState)(void *handle, int state, void *arguments);
    int (*finalize)(void *context);
};

struct profiler5 {
    const char *name;
    int (*init)(void **context, uint64_t id, int *mask, const char *comm, int nodes, int ranks,
                int rank, logger *log);
    int (*startEvent)(void *context, void **handle, struct event5 *event);
    int (*stopEvent)(void *handle);
    int (*recordEventState)(void *handle, int state, void *arguments);
    int (*finalize)(void *context);
};

static struct {
    void *library;
    struct profiler4 *four;
    struct profiler5 *five;
    void *context[COMMS];
    int rank[COMMS], mask;
} host;

static void quiet(int level, unsigned long flags, const char *file, int line, const char *text, ...)
{
    (void)level, (void)flags, (void)file, (void)line, (void)text;
}

static int open_plugin(int version)
{
    const char *name = getenv("NCCL_PROFILER_PLUGIN");

    host.library = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!host.library)
        return -1;
    if (version == 5)
        host.five = dlsym(host.library, "ncclProfiler_v5");
    else
        host.four = dlsym(host.library, "ncclProfiler_v4");
    return host.five || host.four ? 0 : -1;
}

static int join(int comm, uint64_t id, int ranks, int rank)
{
    host.rank[comm] = rank;
    return host.five
               ? host.five->init(&host.context[comm], id, &host.mask, NULL, 2, ranks, rank, quiet)
               : host.four->init(&host.context[comm], &host.mask, NULL, id, 2, ranks, rank, quiet);
}

/* What both versions say of a call, each in its own members. */
#define DESCRIBE(event, above)                                                                     \
    do {                                                                                           \
        event.type = message ? P2P : COLL;                                                         \
        event.parentObj = above;                                                                   \
        event.rank = host.rank[comm];                                                              \
        if (message) {                                                                             \
            event.p2p.func = func, event.p2p.datatype = type;                                      \
            event.p2p.count = count, event.p2p.peer = root;                                        \
        } else {                                                                                   \
            event.coll.func = func, event.coll.datatype = type;                                    \
            event.coll.count = count, event.coll.root = root;                                      \
        }                                                                                          \
    } while (0)

static void event4(int comm, int message, const char *func, const char *type, size_t count,
                   int root)
{
    struct event4 event;
    void *handle = NULL, *group = NULL;

    memset(&event, 0xee, sizeof event); /* NCCL leaves what a type does not have */
    event.type = GROUP;
    host.four->startEvent(host.context[comm], &group, &event);
    DESCRIBE(event, group);
    host.four->startEvent(host.context[comm], &handle, &event);
    if (handle)
        host.four->stopEvent(handle);
    if (group)
        host.four->stopEvent(group);
}

/* The calls of the API are told as well, whatever the mask says of them. */
static void event5(int comm, int message, const char *func, const char *type, size_t count,
                   int root)
{
    struct event5 event;
    void *handle = NULL, *api = NULL;

    memset(&event, 0xee, sizeof event);
    event.type = GROUP_API;
    host.five->startEvent(host.context[comm], &api, &event);
    event.type = COLL_API;
    event.collApi.func = func, event.collApi.datatype = type, event.collApi.count = count;
    host.five->startEvent(host.context[comm], &api, &event);
    memset(&event, 0xee, sizeof event);
    DESCRIBE(event, api);
    host.five->startEvent(host.context[comm], &handle, &event);
    if (handle)
        host.five->stopEvent(handle);
    if (api)
        host.five->stopEvent(api);
}

static void call(const char *text)
{
    char func[32], type[32];
    unsigned long long count;
    int comm, root, message;

    if (sscanf(text, "%d:%31[^:]:%31[^:]:%llu:%d", &comm, func, type, &count, &root) != 5 ||
        comm < 0 || comm >= COMMS)
        return;
    message = !strcmp(func, "Send") || !strcmp(func, "Recv");
    if (!(host.mask & (message ? P2P : COLL)))
        return;
    (host.five ? event5 : event4)(comm, message, func, type, (size_t)count, root);
}

static void leave(void)
{
    for (int i = 0; i < COMMS; i++)
        if (host.context[i] && host.five)
            host.five->finalize(host.context[i]);
        else if (host.context[i])
            host.four->finalize(host.context[i]);
    dlclose(host.library);
}

int main(int argc, char **argv)
{
    unsigned long long id;
    int comm, ranks, rank, child = argc > 2 && !strcmp(argv[argc - 1], "fork");

    if (argc < 3 || open_plugin(atoi(argv[1]))) {
        printf("no profiler\n");
        return argc < 3;
    }
    for (int i = 2; i < argc; i++)
        if (sscanf(argv[i], "comm%d:%llu:%d:%d", &comm, &id, &ranks, &rank) == 4 && comm < COMMS) {
            if (join(comm, id, ranks, rank))
                return 1;
        } else {
            call(argv[i]);
        }
    if (child && fork() == 0)
        exit(0); /* a loader of data: it has all that its parent has seen */
    if (child)
        wait(NULL);
    leave();
    return 0;
}
