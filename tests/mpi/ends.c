/* SPDX-License-Identifier: BSD-3-Clause */
/* ends END one|all: ranks send to each other, and then the last of them, or all, end by END; the
 * others by MPI_Finalize. Each says so before. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static int rank, ranks;

static void by_finalize(void)
{
    MPI_Finalize();
}

static void by_exit(void)
{
    exit(0);
}

static void by_exit_3(void)
{
    exit(3);
}

static void by__exit(void)
{
    _exit(0);
}

static void by_quick_exit(void)
{
    quick_exit(0);
}

static void by_abort(void)
{
    abort();
}

static void by_signal(void)
{
    raise(SIGTERM);
}

static void by_kill(void)
{
    raise(SIGKILL);
}

static void by_exec(void)
{
    execl("/bin/sh", "sh", "-c", "echo executed", (char *)NULL);
}

static void finalize_now(void)
{
    MPI_Finalize();
}

static void by_atexit(void)
{
    atexit(finalize_now);
    exit(0);
}

static void by_pmpi(void)
{
    PMPI_Finalize();
}

static void by_mpi_abort(void)
{
    MPI_Abort(MPI_COMM_WORLD, 5);
}

static void *wait_for_ever(void *nothing)
{
    int number;

    MPI_Recv(&number, 1, MPI_INT, 0, 99, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return nothing;
}

static void by_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, wait_for_ever, NULL);
    usleep(50000);
    exit(0);
}

/* What a rank starts is none, however it ends. */
static void by_fork(void)
{
    pid_t child = fork();

    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
    PMPI_Finalize();
    child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
}

/* No file may grow: where the system's signal for that is not ignored, a write is the end. */
static void by_no_files(void)
{
    const struct rlimit none = {0, 0};

    fflush(stdout);
    setrlimit(RLIMIT_FSIZE, &none);
    MPI_Finalize();
}

static void by_closing(void)
{
    for (int fd = 60; fd < 100; fd++)
        close(fd);
    MPI_Finalize();
}

/* A sandbox that kills whoever calls what the program has no need of. */
static void by_sandbox(void)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof rows / sizeof *rows, rows};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        puts("no sandbox");
    MPI_Finalize();
}

/* The heap has small pieces alone, and the system gives no more. Only MPICH ends well then. */
static void by_no_memory(void)
{
    const struct rlimit none = {1 << 20, 1 << 20};
    void *block;

    fflush(stdout);
    setrlimit(RLIMIT_AS, &none);
    while ((block = malloc(1 << 20)) != NULL || (block = malloc(64)) != NULL)
        memset(block, 1, 64);
    MPI_Finalize();
}

#if defined __x86_64__ && defined PR_SET_SYSCALL_USER_DISPATCH
static volatile char selector = SYSCALL_DISPATCH_FILTER_ALLOW;
static volatile int first; /* system call of this thread while the selector blocks, and 1 */

static void on_call(int number, siginfo_t *about, void *context)
{
    greg_t *at = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)number;
    if (!first)
        first = about->si_syscall + 1;
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
    at[REG_RAX] = about->si_syscall; /* once more, and it is made */
    at[REG_RIP] -= 2;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first. */
static int on_finalize(MPI_Comm comm, int key, void *value, void *state)
{
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
    return MPI_SUCCESS;
}

/* Between the program's call and what MPI does first there is no system call. */
static void by_watching(void)
{
    const struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
    int key;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    sigaction(SIGSYS, &action, NULL);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector))
        puts("unwatched");
    selector = SYSCALL_DISPATCH_FILTER_BLOCK;
    MPI_Finalize();
    printf("rank %d of %d got %d\n", rank, ranks, first);
}
#else
static void by_watching(void)
{
    puts("unwatched");
    MPI_Finalize();
}
#endif

static void by_never(void)
{
    for (;;)
        pause();
}

static const struct {
    const char *name;
    void (*end)(void);
} rows[] = {
    {"finalize", by_finalize},
    {"exit", by_exit},
    {"exit-3", by_exit_3},
    {"_exit", by__exit},
    {"quick_exit", by_quick_exit},
    {"abort", by_abort},
    {"signal", by_signal},
    {"kill", by_kill},
    {"exec", by_exec},
    {"atexit", by_atexit},
    {"pmpi", by_pmpi},
    {"mpi-abort", by_mpi_abort},
    {"thread", by_thread},
    {"fork", by_fork},
    {"no-files", by_no_files},
    {"closing", by_closing},
    {"sandbox", by_sandbox},
    {"no-memory", by_no_memory},
    {"watching", by_watching},
    {"never", by_never},
};

/* MPI 4's other beginning and end. */
static int by_session(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;

    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS) {
        puts("a session");
        MPI_Session_finalize(&session);
    }
#endif
    return 0;
}

int main(int argc, char **argv)
{
    int all = argc > 2 && !strcmp(argv[2], "all"), got = -1, provided, i = 0;

    if (argc > 1 && !strcmp(argv[1], "session"))
        return by_session();
    while (argc > 1 && strcmp(rows[i].name, argv[1]) != 0)
        i++;
    setvbuf(stdout, NULL, _IOLBF, 0);
    MPI_Init_thread(&argc, &argv,
                    strcmp(argv[1], "thread") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d of %d got %d\n", rank, ranks, got);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (all || rank == ranks - 1)
        rows[i].end();
    else
        MPI_Finalize();
    return 0;
}
