// Uses up time or memory in the way that the argument names; nothing is symbolic.
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1 << 20)

static char block[MIB];
static volatile unsigned sink;

static void small_objects(void) {
  struct list { struct list *next; } *head = 0;
  for (;;) {
    struct list *more = malloc(sizeof *more);
    if (!more) exit(1);
    more->next = head;
    head = more;
  }
}

static void large_objects(void) {
  for (;;) {
    char *more = malloc(8 * MIB);
    if (!more) exit(1);
    memset(more, 1, 8 * MIB);
  }
}

static void one_object(void) {
  char *all = malloc(280 * MIB);
  memset(all, 1, 280 * MIB);
  sink = all[MIB];
  for (;;) sink++;
}

static void copied_object(void) {
  char *one = calloc(1, 140 * MIB), *other = malloc(140 * MIB);
  memcpy(other, one, 140 * MIB);
  memcpy(one, other, 140 * MIB);
  for (;;) sink++;
}

static void zeroed_objects(void) {
  for (;;) {
    char *more = calloc(64, 64 << 10);
    if (more) memset(more, 1, MIB);
  }
}

static void mappings(void) {
  for (;;) {
    char *more = mmap(0, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) exit(1);
    memset(more, 1, 4 * MIB);
  }
}

static void growing_object(void) {
  char *all = 0;
  for (size_t size = 1; (all = realloc(all, size)); size += size / 8 + 1) memset(all, 1, size);
}

static void output(void) {
  block[sizeof block - 1] = '\n';
  for (;;) write(1, block, sizeof block);
}

static void one_write(void) {
  char *all = calloc(1, 250 * MIB);
  all[250 * MIB - 1] = '\n';
  for (;;) write(1, all, 250 * MIB);
}

static void one_file(void) {
  int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (;;)
    if (write(fd, block, sizeof block) < 0) sink++;
}

static void many_files(void) {
  for (unsigned number = 0;; number++) {
    char name[32];
    snprintf(name, sizeof name, "file%u", number);
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    if (fd < 0) continue;
    write(fd, block, 64 << 10);
    close(fd);
  }
}

static void copied_file(void) {
  int from = open("from", O_RDWR | O_CREAT, 0600), to = open("to", O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < 32; i++) write(from, block, sizeof block);
  for (;;) {
    off_t start = 0;
    sendfile(to, from, &start, 32 * MIB);
  }
}

static void zeros(void) {
  int fd = open("/dev/zero", O_RDONLY);
  char *all = malloc(100 * MIB);
  for (;;) read(fd, all, 100 * MIB);
}

static void loop(void) {
  for (;;) sink++;
}

static void sleeps(void) {
  for (;;) sleep(1000);
}

static void children(void) {
  for (;;) {
    if (fork() == 0) _exit(0);
    wait(0);
  }
}

// Each child has a child, and all wait.
static void descendants(void) {
  for (;;) {
    memset(block, ++sink, sizeof block);
    if (fork() != 0) break;
  }
  wait(0);
}

static void wide_number(void) {
  FILE *null = fopen("/dev/null", "w");
  for (;;) fprintf(null, "%*d", 2000000000, 1);
}

static void jumps(void) {
  static jmp_buf place;
  setjmp(place);
  longjmp(place, 1);
}

static void names(void) {
  for (unsigned number = 0;; number++) {
    char name[250];
    snprintf(name, sizeof name, "%0200u", number);
    mkdir(name, 0700);
    symlink(name, name + 1);
  }
}

static void pipes(void) {
  for (;;) {
    int ends[2];
    if (pipe(ends)) {
      for (int fd = 3; fd < 1000; fd++) close(fd);
      continue;
    }
    write(ends[1], block, 64 << 10);
  }
}

static void environment(void) {
  for (unsigned number = 0;; number++) {
    char name[32];
    snprintf(name, sizeof name, "NAME%u", number);
    block[1000] = 0;
    memset(block, 'a', 1000);
    setenv(name, block, 1);
  }
}

#define WAY(name) { #name, name }

int main(int argc, char **argv) {
  static const struct { const char *name; void (*run)(void); } ways[] = {
    WAY(small_objects), WAY(large_objects), WAY(one_object), WAY(copied_object),
    WAY(zeroed_objects), WAY(mappings), WAY(growing_object), WAY(output), WAY(one_write),
    WAY(one_file), WAY(many_files), WAY(copied_file), WAY(zeros), WAY(loop), WAY(sleeps),
    WAY(children), WAY(descendants), WAY(wide_number), WAY(jumps), WAY(names), WAY(pipes),
    WAY(environment),
  };
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
    if (!strcmp(argv[1], ways[i].name)) ways[i].run();
  return 99;
}
