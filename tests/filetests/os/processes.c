// A child runs with a copy of the memory and the same open files.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(const char *what, int status) {
  if (WIFEXITED(status)) printf("%s exited %d\n", what, WEXITSTATUS(status));
  else if (WIFSIGNALED(status)) printf("%s killed %d\n", what, WTERMSIG(status));
}

static int wait_for(pid_t child) {
  int status = -1;
  pid_t found = waitpid(child, &status, 0);
  printf("waited %d\n", found == child);
  return status;
}

static int global = 1;

int main(void) {
  // What was not flushed before is written by both.
  printf("before ");
  int *heap = malloc(sizeof *heap);
  *heap = 10;
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    global = 2;
    *heap = 20;
    printf("child %d %d %d\n", global, *heap, getppid() == parent && getpid() != parent);
    exit(3);
  }
  show("first", wait_for(child));
  printf("parent %d %d %d\n", global, *heap, getpid() == parent);
  fflush(stdout);

  // Offsets are shared, numbers are not; folder and mask are the child's own.
  int file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
  write(file, "0123456789", 10);
  lseek(file, 2, SEEK_SET);
  umask(022);
  child = fork();
  if (child == 0) {
    char byte;
    read(file, &byte, 1);
    close(file);
    mkdir("sub", 0700);
    chdir("sub");
    umask(077);
    close(open("made", O_WRONLY | O_CREAT, 0666));
    _exit(byte);
  }
  show("second", wait_for(child));
  char byte = 0;
  read(file, &byte, 1);
  struct stat status;
  printf("next %c, mode %o\n", byte, stat("sub/made", &status) ? 0 : status.st_mode & 0777);
  printf("mask %o\n", umask(022));

  // An error of exec goes back through a pipe, as in xargs.
  int ends[2];
  pipe(ends);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    close(ends[0]);
    char *words[] = {"nothing", 0};
    execv("./nothing", words);
    int error = errno;
    write(ends[1], &error, sizeof error);
    _exit(127);
  }
  close(ends[1]);
  int error = 0;
  ssize_t count = read(ends[0], &error, sizeof error);
  printf("%zd %s, then %zd\n", count, strerror(error), read(ends[0], &error, sizeof error));
  show("third", wait_for(child));
  printf("no more %d %d\n", wait(NULL), errno == ECHILD);

  // Grandchildren, and children that nobody has waited for yet.
  fflush(stdout);
  for (int number = 0; number < 3; number++)
    if (fork() == 0) {
      if (number == 1) {
        if (fork() == 0) _exit(50);
        int inner;
        wait(&inner);
        _exit(WEXITSTATUS(inner) + 1);
      }
      _exit(number);
    }
  int sum = 0, reaped;
  while (wait(&reaped) > 0) sum += WEXITSTATUS(reaped);
  printf("sum %d\n", sum);
  unlink("sub/made");
  rmdir("sub");
  unlink("data");
  return 0;
}
