// Attacks on resources: `resources NAME [COUNT]`. Each is bounded by COUNT and, whatever happens, by
// an alarm and by its own limits, so that without a sandbox it would end too. Ends with 0 when it has
// done what it could, 1 if it was allowed more than COUNT says is right.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { SECONDS = 20, MOST_PROCESSES = 300, MOST_BYTES = 1 << 30 };

static long count;
static char block[1 << 16];

// A process, and not none: where the kernel counts the processes of a user on the whole machine, an attack
// beside this one may have taken all of them for a moment.
static pid_t begets(void) {
  pid_t pid;
  while ((pid = fork()) < 0) usleep(1000);
  return pid;
}

// Children that pause; counts how many were allowed.
static int forks(int grandchildren) {
  int made = 0;
  for (int i = 0; i < MOST_PROCESSES; i++) {
    pid_t pid = fork();
    if (pid < 0) break;
    if (!pid) {
      alarm(SECONDS);
      if (grandchildren && fork()) _exit(0);
      for (;;) pause();
    }
    made++;
  }
  printf("%d processes\n", made);
  return made > count;
}

// Every process forks; a shared counter bounds all of them together.
static int bomb(int dies) {
  int *made = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int *live = made + 1;
  for (;;) {
    if (__atomic_add_fetch(made, 1, __ATOMIC_SEQ_CST) > MOST_PROCESSES) break;
    pid_t pid = fork();
    if (pid < 0) break;
    if (dies && pid > 0 && getpid() != 2) _exit(0);
    if (!pid) __atomic_add_fetch(live, 1, __ATOMIC_SEQ_CST);
  }
  if (!dies) usleep(200000);
  return 0;
}

static void *waits(void *nothing) {
  sleep(SECONDS);
  return nothing;
}

static int threads(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 65536);
  int made = 0;
  for (pthread_t thread; made < MOST_PROCESSES && !pthread_create(&thread, &attributes, waits, 0);) made++;
  printf("%d threads\n", made);
  fflush(stdout);
  _exit(made > count);
}

static int allocates(int touch) {
  long total = 0;
  while (total < 2L * MOST_BYTES) {
    char *at = mmap(0, 1 << 22, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) break;
    if (touch) memset(at, 1, 1 << 22);
    total += 1 << 22;
  }
  printf("%ld MiB\n", total >> 20);
  return total >> 20 > count;
}

// Many processes that take a little less each than one may.
static int allocates_together(void) {
  for (int i = 0; i < 8; i++) {
    if (!begets()) {
      alarm(SECONDS);
      for (int n = 0; n < 25; n++) memset(mmap(0, 1 << 22, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 1 << 22);
      for (;;) pause();
    }
  }
  while (wait(0) > 0) ;
  return 1;
}

static int shared_memory(void) {
  int fd = memfd_create("m", 0);
  long total = 0;
  while (total < MOST_BYTES && write(fd, block, sizeof block) == sizeof block) total += sizeof block;
  return total >> 20 > count;
}

// Shared memory, whose pages stay when nobody has them mapped or has touched them: after
// MADV_DONTNEED, where all but one page is unmapped, where children have touched them and ended, and
// by the device that makes such memory. Waits to be stopped.
static int shares(int how) {
  enum { STEP = 16, MOST = 512 };
  long total = 0;
  size_t size = STEP << 20;
  int zero = how == 3 ? open("/dev/zero", O_RDWR) : -1;
  while (total < MOST) {
    char *at = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | (zero < 0 ? MAP_ANONYMOUS : 0), zero, 0);
    if (at == MAP_FAILED) break;
    pid_t pid = how == 2 ? fork() : 0;
    if (!pid) memset(at, 1, size);
    if (how == 2 && !pid) _exit(0);
    if (how == 2) waitpid(pid, 0, 0);
    if (how == 0) madvise(at, size, MADV_DONTNEED);
    if (how == 1) munmap(at + 4096, size - 4096);
    total += STEP;
  }
  usleep(300000);
  printf("%ld MiB\n", total);
  return total > count;
}

// Fills a socket; says how many bytes it took.
static long fills_socket(int fd) {
  long total = 0;
  int most = 1 << 30;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &most, sizeof most);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  for (ssize_t n; (n = write(fd, block, 16384)) > 0;) total += n;
  return total;
}

// Sockets full of what nobody reads, in several processes; the senders may be closed, or the receivers
// be held by nothing but a message. Waits to be stopped.
static int sockets(int how) {
  enum { CHILDREN = 8, PAIRS = 110 };
  long *total = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int n = 0; n < CHILDREN && total != MAP_FAILED; n++) {
    if (fork()) continue;
    alarm(SECONDS);
    for (int i = 0; i < PAIRS; i++) {
      int ends[2];
      if (socketpair(AF_UNIX, how == 2 ? SOCK_SEQPACKET : SOCK_STREAM, 0, ends)) break;
      __atomic_add_fetch(total, fills_socket(ends[0]), __ATOMIC_SEQ_CST);
      if (how == 1) close(ends[0]);
      else __atomic_add_fetch(total, fills_socket(ends[1]), __ATOMIC_SEQ_CST);
    }
    usleep(600000);
    _exit(0);
  }
  while (wait(0) > 0) ;
  if (total == MAP_FAILED) return 0;
  printf("%ld MiB\n", *total >> 20);
  return *total >> 20 > count;
}

static int recurses(volatile char *above) {
  volatile char here[4096];
  here[0] = *above;
  return recurses(here) + here[0];
}

static long fills(const char *path) {
  long total = 0;
  int fd = open(path, O_CREAT | O_WRONLY, 0644);
  if (fd < 0) return 0;
  while (total < MOST_BYTES && write(fd, block, sizeof block) == sizeof block) total += sizeof block;
  return total;
}

static int fills_many(const char *folder) {
  long total = 0;
  signal(SIGXFSZ, SIG_IGN);
  for (int i = 0; i < 64 && total < MOST_BYTES; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", folder, i);
    total += fills(path);
  }
  printf("%ld MiB\n", total >> 20);
  return total >> 20 > count;
}

static int fills_unlinked(void) {
  long total = 0;
  signal(SIGXFSZ, SIG_IGN);
  for (int i = 0; i < 16; i++) {
    total += fills("gone");
    int fd = open("gone", O_RDONLY);
    unlink("gone");
    (void)fd;
  }
  printf("%ld MiB\n", total >> 20);
  return total >> 20 > count;
}

static int sparse(long gigabytes) {
  signal(SIGXFSZ, SIG_IGN);
  int fd = open("sparse", O_CREAT | O_RDWR, 0644);
  return ftruncate(fd, gigabytes << 30) == 0;
}

static int entries(int kind) {
  int made = 0;
  for (; made < 20000; made++) {
    char name[32];
    snprintf(name, sizeof name, "e%d", made);
    int result = kind == 0 ? open(name, O_CREAT | O_WRONLY, 0644) : kind == 1 ? mkdir(name, 0755)
               : kind == 2 ? symlink("x", name) : kind == 3 ? mkfifo(name, 0644) : link("e", name);
    if (result < 0) break;
    if (kind == 0) close(result);
  }
  printf("%d entries\n", made);
  return made > count;
}

static int deep(int unreadable) {
  int depth = 0;
  for (; depth < 3000; depth++) {
    if (mkdir("deeper", 0755) || chdir("deeper")) break;
    if (unreadable) chmod(".", 0300);
  }
  printf("%d deep\n", depth);
  return 0;
}

static int floods(int fd) {
  signal(SIGPIPE, SIG_IGN);
  memset(block, 'x', sizeof block);
  for (long total = 0; total < MOST_BYTES; total += sizeof block)
    if (write(fd, block, sizeof block) < 0) return 0;
  return 1;
}

static int survives(int how) {
  if (begets()) return 0;
  setsid();
  for (int i = 1; i < 65; i++) signal(i, SIG_IGN);
  if (how == 1) for (int fd = 0; fd < 1024; fd++) close(fd);
  if (begets()) _exit(0);
  alarm(0);
  for (int n = 0; n < SECONDS * 10; n++) {
    if (how == 2) write(1, "alive\n", 6);
    if (how == 3 && begets()) _exit(0);
    usleep(100000);
  }
  _exit(0);
}

static int stays(int how) {
  for (int i = 1; i < 65; i++) signal(i, SIG_IGN);
  if (how == 1) kill(getpid(), SIGSTOP);
  if (how == 2) for (int fd = 0; fd < 1024; fd++) close(fd);
  for (int n = 0; n < SECONDS * 10; n++) usleep(100000);
  return 1;
}

static int spins(void) {
  signal(SIGXCPU, SIG_IGN);
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do clock_gettime(CLOCK_MONOTONIC, &now); while (now.tv_sec - start.tv_sec < SECONDS);
  return 1;
}

static int descriptors(int how) {
  int made = 0, ends[2];
  while (made < 5000 && (how ? !pipe(ends) : open("/dev/null", O_RDONLY) >= 0)) made++;
  printf("%d descriptors\n", made);
  return made > count;
}

// Things that a reader of the tree might trip over.
static int traps(void) {
  char name[256];
  mkfifo("pipe", 0666);
  symlink("/dev/zero", "zero");
  symlink("/", "everything");
  symlink("loop", "loop");
  close(open("secret", O_CREAT | O_WRONLY, 0));
  mkdir("closed", 0);
  memset(name, 'n', 255);
  name[255] = 0;
  close(open(name, O_CREAT | O_WRONLY, 0644));
  close(open("new\nline\xff", O_CREAT | O_WRONLY, 0644));
  struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd >= 0) bind(fd, (struct sockaddr *)&at, sizeof at);
  return 0;
}

static int replaces_root(int how) {
  char path[4096];
  if (!getcwd(path, sizeof path) || chdir("/")) return 99;
  if (how == 0) return rmdir(path), 0;
  if (how == 1) return rename(path, "/tmp/moved"), symlink("/", path), 0;
  return rename(path, "/tmp/moved"), mkfifo(path, 0644), 0;
}

static int executes_itself(void) {
  char left[16];
  snprintf(left, sizeof left, "%ld", count - 1);
  if (count > 0) execl("/proc/self/exe", "resources", "exec", left, (char *)0);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 99;
  count = argc > 2 ? atol(argv[2]) : 0;
  alarm(SECONDS);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#define ON(name, expression) if (!strcmp(argv[1], name)) return (expression)
  ON("fork", forks(0));
  ON("fork-twice", forks(1));
  ON("bomb", bomb(0));
  ON("bomb-chain", bomb(1));
  ON("threads", threads());
  ON("exec", executes_itself());
  ON("reserve", allocates(0));
  ON("allocate", allocates(1));
  ON("allocate-together", allocates_together());
  ON("memfd", shared_memory());
  ON("share-forget", shares(0));
  ON("share-unmap", shares(1));
  ON("share-children", shares(2));
  ON("share-device", shares(3));
  ON("sockets", sockets(0));
  ON("sockets-closed", sockets(1));
  ON("sockets-packets", sockets(2));
  ON("recurse", recurses(block));
  ON("fill", fills("full") >> 20 > count);
  ON("fill-many", fills_many("."));
  ON("fill-tmp", fills_many("/tmp"));
  ON("fill-var", fills_many("/var/tmp"));
  ON("fill-dev", fills_many("/dev"));
  ON("fill-root", fills_many("/"));
  ON("fill-unlinked", fills_unlinked());
  ON("sparse", sparse(count));
  ON("files", entries(0));
  ON("folders", entries(1));
  ON("links", entries(2));
  ON("fifos", entries(3));
  ON("names", (close(open("e", O_CREAT | O_WRONLY, 0644)), entries(4)));
  ON("deep", deep(0));
  ON("deep-closed", deep(1));
  ON("flood-stdout", floods(1));
  ON("flood-stderr", floods(2));
  ON("flood-terminal", floods(3));
  ON("stop-terminal", (tcflow(3, TCOOFF), floods(3)));
  ON("flood-both", fork() ? floods(1) : floods(2));
  ON("survive", survives(0));
  ON("survive-closed", survives(1));
  ON("survive-writing", survives(2));
  ON("survive-forking", survives(3));
  ON("stay", stays(0));
  ON("stay-stopped", stays(1));
  ON("stay-closed", stays(2));
  ON("spin", spins());
  ON("descriptors", descriptors(0));
  ON("pipes", descriptors(1));
  ON("traps", traps());
  ON("remove-root", replaces_root(0));
  ON("link-root", replaces_root(1));
  ON("fifo-root", replaces_root(2));
  return 99;
}
