// Does what a test asks for and prints what a program can know of itself. Only what is the same in
// every run is printed. With TRACING it is a debugger, too.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// What blocks would count: the first byte is set by main, the second by one command only.
__attribute__((section("umbra_counters"), used)) unsigned char counters[4];

static int copy(const char *path) {
    char buffer[4096];
    int file = open(path, O_RDONLY);
    if (file < 0) {
        printf("%s: %s\n", path, strerror(errno));
        return 1;
    }
    ssize_t count;
    while ((count = read(file, buffer, sizeof buffer)) > 0) fwrite(buffer, 1, count, stdout);
    close(file);
    return 0;
}

static void *copy_in_thread(void *path) { return (void *)(long)copy(path); }

static void on_signal(int number) {
    const char *text = number == SIGUSR1 ? "usr1\n" : "other\n";
    write(1, text, strlen(text));
}

static int show_status(int status) {
    if (WIFSTOPPED(status)) printf("stopped %d\n", WSTOPSIG(status));
    else if (WIFSIGNALED(status)) printf("killed %d\n", WTERMSIG(status));
    else printf("exited %d\n", WEXITSTATUS(status));
    fflush(stdout);
    return WIFSTOPPED(status);
}

static int spawn(char **arguments) {
    pid_t child;
    fflush(stdout);
    if (posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ)) return 1;
    int status;
    while (waitpid(child, &status, WUNTRACED) > 0 && show_status(status)) kill(child, SIGCONT);
    return 0;
}

#ifdef TRACING
// A debugger: the child is traced before it becomes the program.
static int trace(char **arguments) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(arguments[0], arguments);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) > 0 && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, child, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
    show_status(status);
    return 0;
}

// Another debugger: it seizes a child that has stopped itself.
static int seize(char **arguments) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        execv(arguments[0], arguments);
        _exit(127);
    }
    int status;
    waitpid(child, &status, WUNTRACED);
    show_status(status);
    printf("seized %ld\n", ptrace(PTRACE_SEIZE, child, 0, 0));
    fflush(stdout);
    kill(child, SIGCONT);
    while (waitpid(child, &status, 0) > 0 && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, child, 0, 0);
    show_status(status);
    return 0;
}
#endif

// Starts others; 1 if it was not asked to.
static int start(const char *what, char **words) {
    if (!strcmp(what, "exec")) execv(words[2], words + 2);
    else if (!strcmp(what, "spawn")) return spawn(words + 2);
#ifdef TRACING
    else if (!strcmp(what, "trace")) return trace(words + 2);
    else if (!strcmp(what, "seize")) return seize(words + 2);
#endif
    else if (!strcmp(what, "shell")) { fflush(stdout); return system(words[2]); }
    else if (!strcmp(what, "block")) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGCHLD);
        sigprocmask(SIG_BLOCK, &set, NULL);
        execv(words[2], words + 2);
    }
    return 1;
}

// What was on the stack before the program began.
static void show_stack(char **words) {
    volatile char *below = (volatile char *)(words - 1);
    int used = 0;
    // The start of the C library has used the nearest bytes.
    for (int distance = 8192; distance < 16384; distance++) used += below[-distance] != 0;
    printf("%d bytes below the stack\n", used);
}

static void show_file(void) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    printf("%.*s, executed as %s\n", (int)length, path, (char *)getauxval(AT_EXECFN));
}

static void show_signals(void) {
    sigset_t blocked, pending;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigpending(&pending);
    for (int number = 1; number < 32; number++) {
        struct sigaction action;
        sigaction(number, NULL, &action);
        if (action.sa_handler == SIG_IGN) printf("ignored %d\n", number);
        if (sigismember(&blocked, number)) printf("blocked %d\n", number);
        if (sigismember(&pending, number)) printf("pending %d\n", number);
    }
    printf("children %d\n", waitpid(-1, NULL, __WALL | WNOHANG) == -1 && errno == ECHILD ? 0 : 1);
}

static void show_descriptors(const char *path) {
    FILE *output = path ? fopen(path, "w") : stdout;
    for (int number = 0; number < 64; number++) {
        int flags = fcntl(number, F_GETFL);
        if (flags < 0 || (path && number == fileno(output))) continue;
        struct stat status;
        fstat(number, &status);
        int is_file = S_ISREG(status.st_mode);
        fprintf(output, "%d flags %o kind %o offset %ld cloexec %d\n", number, flags,
                status.st_mode & S_IFMT, is_file ? (long)lseek(number, 0, SEEK_CUR) : 0L,
                fcntl(number, F_GETFD));
    }
}

static void show_limits(void) {
    int resources[] = {RLIMIT_AS, RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_FSIZE};
    for (int index = 0; index < 4; index++) {
        struct rlimit limit;
        getrlimit(resources[index], &limit);
        printf("limit %d %ld %ld\n", index, (long)limit.rlim_cur, (long)limit.rlim_max);
    }
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "args";
    counters[0] = 1;
    if (!strcmp(what, "args"))
        for (int index = 0; index < count; index++) printf("[%s]\n", words[index]);
    else if (!strcmp(what, "count")) printf("%d\n", count);
    else if (!strcmp(what, "env"))
        for (char **variable = environ; *variable; variable++) puts(*variable);
    else if (!strcmp(what, "cat"))
        for (int index = 2; index < count; index++) copy(words[index]);
    else if (!strcmp(what, "line")) {
        char byte;
        while (read(0, &byte, 1) == 1 && putchar(byte) != '\n') {}
    } else if (!strcmp(what, "scatter")) {
        char one[3], two[5];
        struct iovec vector[] = {{one, sizeof one}, {two, sizeof two}};
        printf("%zd\n", readv(0, vector, 2));
    } else if (!strcmp(what, "dup")) {
        dup2(0, 9);
        char bytes[4];
        printf("%zd\n", read(9, bytes, sizeof bytes));
    } else if (!strcmp(what, "list")) {
        DIR *folder = opendir(words[2]);
        for (struct dirent *entry; (entry = readdir(folder));)
            if (entry->d_name[0] != '.') printf("%s/%s\n", words[2], entry->d_name);
    } else if (!strcmp(what, "stat")) {
        struct stat status;
        for (int index = 2; index < count; index++) {
            int failed = lstat(words[index], &status);
            printf("%d %ld\n", failed, failed ? 0L : (long)status.st_size);
        }
    } else if (!strcmp(what, "yes")) for (;;) puts("y");
    else if (!strcmp(what, "wait")) pause();
    else if (!strcmp(what, "handle")) {
        sigset_t set, old;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, &old);
        signal(SIGUSR1, on_signal);
        close(open(words[2], O_WRONLY));
        sigsuspend(&old);
    } else if (!strcmp(what, "umask")) printf("%o\n", umask(0));
    else if (!strcmp(what, "fds")) show_descriptors(count > 2 ? words[2] : NULL);
    else if (!strcmp(what, "signals")) show_signals();
    else if (!strcmp(what, "limits")) show_limits();
    else if (!strcmp(what, "parent")) printf("%d\n", getppid() == atoi(words[2]));
    else if (!strcmp(what, "pid")) printf("%d\n", getpid());
    else if (!strcmp(what, "group")) printf("%d\n", getpgrp() == atoi(words[2]));
    else if (!strcmp(what, "cwd")) puts(getcwd(NULL, 0) ? "there" : strerror(errno));
    else if (!strcmp(what, "exit")) return atoi(words[2]);
    else if (!strcmp(what, "abort")) abort();
    else if (!strcmp(what, "stop")) raise(SIGSTOP);
    else if (!strcmp(what, "stack")) show_stack(words);
    else if (!strcmp(what, "file")) show_file();
    else if (!strcmp(what, "truncate")) {
        int file = open(words[2], O_RDWR | O_TRUNC);
        write(file, "new", 3);
    } else if (!strcmp(what, "make")) {
        mkdir("made", 0700);
        chdir("made");
        close(open("inner", O_WRONLY | O_CREAT, 0600));
        rename("inner", "moved");
        printf("%d\n", copy("moved"));
    } else if (!strcmp(what, "thread")) {
        pthread_t thread;
        pthread_create(&thread, NULL, copy_in_thread, words[2]);
        pthread_join(thread, NULL);
    } else if (!strcmp(what, "say")) {
        struct iovec vector[] = {{"tw", 2}, {"o\n", 2}};
        write(1, "one\n", 4);
        write(2, "error\n", 6);
        writev(1, vector, 2);
    } else if (!strcmp(what, "say-elsewhere")) {
        write(1, "here\n", 5);
        dup2(open("elsewhere", O_WRONLY | O_CREAT, 0600), 1);
        write(1, "there\n", 6);
    } else if (!strcmp(what, "say-copied")) {
        write(dup(1), "copied\n", 7);
    } else if (!strcmp(what, "second")) counters[1] = 1;
    else return start(what, words);
    return 0;
}
