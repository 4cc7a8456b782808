// Shows what a process sees of where it is. Each argument is a question.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(const char *path) {
  char *names[4096];
  int count = 0;
  DIR *dir = opendir(path);
  if (!dir) {
    printf("ls %s: %s\n", path, strerror(errno));
    return;
  }
  for (struct dirent *entry; (entry = readdir(dir)) && count < 4096;)
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) names[count++] = strdup(entry->d_name);
  closedir(dir);
  qsort(names, count, sizeof *names, by_name);
  printf("ls %s:", path);
  for (int i = 0; i < count; i++) printf(" %s", names[i]);
  printf("\n");
}

static void stat_path(const char *path) {
  struct stat s;
  if (lstat(path, &s)) {
    printf("stat %s: %s\n", path, strerror(errno));
    return;
  }
  printf("stat %s: %o %d:%d %lld %lld.%09ld\n", path, s.st_mode, s.st_uid, s.st_gid,
         S_ISREG(s.st_mode) || S_ISLNK(s.st_mode) ? (long long)s.st_size : 0,
         (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

static void descriptors(void) {
  for (int fd = 0; fd < 256; fd++) {
    struct stat s;
    if (fstat(fd, &s)) continue;
    int flags = fcntl(fd, F_GETFL);
    const char *kind = S_ISFIFO(s.st_mode) ? "pipe" : S_ISREG(s.st_mode) ? "file" : S_ISCHR(s.st_mode) ? "char" : "other";
    printf("fd %d: %s %s%s %lld\n", fd, kind,
           (flags & O_ACCMODE) == O_RDONLY ? "r" : (flags & O_ACCMODE) == O_WRONLY ? "w" : "rw",
           flags & O_APPEND ? "a" : "", (long long)lseek(fd, 0, SEEK_CUR));
  }
}

static void limits(void) {
  struct { const char *name; int number; } all[] = {{"as", RLIMIT_AS}, {"core", RLIMIT_CORE}, {"cpu", RLIMIT_CPU},
    {"fsize", RLIMIT_FSIZE}, {"nofile", RLIMIT_NOFILE}, {"stack", RLIMIT_STACK}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    struct rlimit limit;
    getrlimit(all[i].number, &limit);
    printf("limit %s: %lld\n", all[i].name, (long long)limit.rlim_cur);
  }
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    char *word = argv[i], *value = strchr(word, '=');
    if (value) *value++ = 0;
    fflush(stdout);
    if (!strcmp(word, "argv0")) printf("argv0: %s\n", argv[0]);
    else if (!strcmp(word, "ids")) printf("ids: %d %d %d %d\n", getuid(), geteuid(), getgid(), getegid());
    else if (!strcmp(word, "pid")) printf("pid: %d %d sid %d\n", getpid(), getppid(), getsid(0));
    else if (!strcmp(word, "host")) { char name[100]; gethostname(name, 100); printf("host: %s\n", name); }
    else if (!strcmp(word, "cwd")) { char path[PATH_MAX]; printf("cwd: %s\n", getcwd(path, PATH_MAX)); }
    else if (!strcmp(word, "env")) for (char **e = environ; *e; e++) printf("env: %s\n", *e);
    else if (!strcmp(word, "umask")) printf("umask: %03o\n", umask(0));
    else if (!strcmp(word, "ls")) list(value);
    else if (!strcmp(word, "stat")) stat_path(value);
    else if (!strcmp(word, "link")) { char t[PATH_MAX] = ""; readlink(value, t, PATH_MAX - 1); printf("link: %s\n", t); }
    else if (!strcmp(word, "fds")) descriptors();
    else if (!strcmp(word, "limits")) limits();
    else if (!strcmp(word, "cat")) {
      int fd = strcmp(value, "-") ? open(value, O_RDONLY) : 0;
      char buffer[65536];
      ssize_t n;
      while ((n = read(fd, buffer, sizeof buffer)) > 0) write(1, buffer, n);
      if (n < 0) printf("cat: %s\n", strerror(errno));
    }
    else if (!strcmp(word, "ignored")) for (int s = 1; s < 65; s++) {
      struct sigaction action;
      if (!sigaction(s, 0, &action) && action.sa_handler == SIG_IGN) printf("ignored: %d\n", s);
    }
    else if (!strcmp(word, "err")) { fprintf(stderr, "%s\n", value); fflush(stderr); }
    else if (!strcmp(word, "out")) { printf("%s\n", value); fflush(stdout); }
    else if (!strcmp(word, "write")) { int fd = open(value, O_CREAT | O_WRONLY | O_TRUNC, 0666); if (write(fd, "new\n", 4) != 4) printf("write: %s\n", strerror(errno)); close(fd); }
    else if (!strcmp(word, "put")) { int fd = atoi(value); if (write(fd, "put\n", 4) != 4) printf("put: %s\n", strerror(errno)); }
    else if (!strcmp(word, "mkdir")) mkdir(value, 0777);
    else if (!strcmp(word, "symlink")) symlink("target", value);
    else if (!strcmp(word, "mkfifo")) mkfifo(value, 0666);
    else if (!strcmp(word, "chmod0")) { int fd = open(value, O_RDONLY); if (fchmod(fd, 0)) printf("chmod0: %s\n", strerror(errno)); }
    else if (!strcmp(word, "rm")) { if (remove(value)) printf("rm: %s\n", strerror(errno)); }
    else if (!strcmp(word, "hardlink")) link("a", value);
    else if (!strcmp(word, "big")) { char *block = calloc(1, 1 << 20); int fd = open("big", O_CREAT | O_WRONLY, 0644); for (int n = atoi(value); n--;) write(fd, block, 1 << 20); close(fd); }
    else if (!strcmp(word, "raise")) raise(atoi(value));
    else if (!strcmp(word, "sleep")) usleep(atoi(value) * 1000);
    else if (!strcmp(word, "spin")) for (;;) ;
    else if (!strcmp(word, "spin-deaf")) { signal(SIGXCPU, SIG_IGN); for (;;) ; }
    else if (!strcmp(word, "background")) { if (!fork()) { setsid(); if (!fork()) { usleep(atoi(value) * 1000); printf("late\n"); exit(0); } exit(0); } }
    else if (!strcmp(word, "child")) { pid_t pid = fork(); if (!pid) { execl("/proc/self/exe", "child", value, (char *)0); _exit(9); } int status; waitpid(pid, &status, 0); printf("child: %x\n", status); }
    else if (!strcmp(word, "exit")) { fflush(stdout); _exit(atoi(value)); }
    else { printf("unknown: %s\n", word); return 99; }
  }
  return 0;
}
