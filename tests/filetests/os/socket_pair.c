// Pairs of sockets: streams, datagrams, their ends, and how they are closed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(const char *what, long result) {
  printf("%s: %ld %s\n", what, result, result == -1 ? strerror(errno) : "");
}

static int ready(int fd) {
  struct pollfd p = { fd, POLLIN | POLLOUT | POLLRDHUP, 0 };
  poll(&p, 1, 0);
  return p.revents;
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  int s[2];
  char text[16] = { 0 };
  show("pair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s));
  struct stat st;
  fstat(s[0], &st);
  printf("%o %o\n", st.st_mode, fcntl(s[1], F_GETFL));
  show("empty", read(s[0], text, 4));
  show("write", write(s[0], "abc", 3));
  show("send", send(s[0], "defg", 4, MSG_NOSIGNAL));
  printf("%x %x\n", ready(s[0]), ready(s[1]));
  show("read", read(s[1], text, 5));
  printf("%s\n", text);
  memset(text, 0, sizeof text);
  show("recv", recv(s[1], text, 16, 0));
  printf("%s\n", text);
  struct iovec parts[2] = { { "12", 2 }, { "345", 3 } };
  show("writev", writev(s[1], parts, 2));
  struct iovec places[2] = { { text, 1 }, { text + 8, 7 } };
  show("readv", readv(s[0], places, 2));
  printf("%c %.4s\n", text[0], text + 8);
  show("seek", lseek(s[0], 0, SEEK_SET));
  show("pread", pread(s[0], text, 1, 0));
  int type = 0;
  socklen_t length = sizeof type;
  show("type", getsockopt(s[0], SOL_SOCKET, SO_TYPE, &type, &length));
  printf("%d\n", type);
  struct sockaddr address;
  length = sizeof address;
  show("peer", getpeername(s[0], &address, &length));
  printf("%d %d\n", (int)length, address.sa_family);
  show("shutdown", shutdown(s[0], SHUT_WR));
  show("write", write(s[0], "x", 1));
  show("end", read(s[1], text, 1));
  printf("%x %x\n", ready(s[0]), ready(s[1]));
  show("other way", write(s[1], "back", 4));
  show("read", read(s[0], text, 16));
  close(s[1]);
  printf("%x\n", ready(s[0]));
  show("closed", read(s[0], text, 1));

  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  write(s[0], "unread", 6);
  write(s[1], "last", 4);
  close(s[1]);
  printf("%x\n", ready(s[0]));
  show("left", read(s[0], text, 16));
  show("reset", read(s[0], text, 16));
  show("after", read(s[0], text, 16));
  show("write", write(s[0], "x", 1));

  socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, s);
  write(s[0], "first", 5);
  write(s[0], "second", 6);
  show("part", read(s[1], text, 3));
  show("next", read(s[1], text, 16));
  show("none", read(s[1], text, 16));
  close(s[1]);
  show("nobody", write(s[0], "x", 1));

  socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s);
  write(s[0], "one", 3);
  write(s[0], "two", 3);
  show("packet", read(s[1], text, 16));
  close(s[0]);
  show("packet", read(s[1], text, 16));
  show("end", read(s[1], text, 16));

  show("type", socketpair(AF_UNIX, 7, 0, s));
  show("type", socketpair(AF_UNIX, 12, 0, s));
  show("protocol", socketpair(AF_UNIX, SOCK_STREAM, 9, s));
  show("no socket", send(1, "x", 1, 0));
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    close(s[0]);
    write(s[1], "child", 5);
    _exit(0);
  }
  close(s[1]);
  waitpid(child, 0, 0);
  memset(text, 0, sizeof text);
  show("from the child", read(s[0], text, 16));
  printf("%s\n", text);
  show("its end", read(s[0], text, 16));
  return 0;
}
