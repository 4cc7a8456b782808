// Numbers that belong to no system call are answered as by Linux.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  long numbers[] = { SYS_create_module, SYS_tuxcall, SYS_security, SYS_vserver, 400, 100000, -1 };
  for (int i = 0; i < 7; i++) {
    errno = 0;
    long result = syscall(numbers[i], 0, 0, 0, 0, 0, 0);
    printf("%ld %d\n", result, errno == ENOSYS);
  }
  return 0;
}
