// Attacks by one call: system calls, other processes, the network, identities. `calls NAME [VALUE]`
// ends with 0 if it was refused, 1 if it succeeded.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const char *value = "";
static long number;

static int writes(const char *path, const char *text) {
  int fd = open(path, O_WRONLY);
  if (fd < 0) return -1;
  return write(fd, text, strlen(text)) > 0 ? 0 : -1;
}

static int reads(const char *path) {
  char byte;
  int fd = open(path, O_RDONLY);
  if (fd < 0) return -1;
  return read(fd, &byte, 1) == 1 ? 0 : -1;
}

static int of_process(const char *name, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/%s", number, name);
  return open(path, flags);
}

static int clones(unsigned long flags) {
  pid_t pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid(pid, 0, 0);
  return pid;
}

// The kernel's own way to say it, which filters cannot look into.
static int clones3(uint64_t flags) {
  uint64_t arguments[8] = {flags, 0, 0, 0, SIGCHLD};
  pid_t pid = syscall(SYS_clone3, arguments, sizeof arguments);
  if (pid == 0) _exit(0);
  return pid;
}

static int connects_to(struct sockaddr *to, socklen_t length, int type) {
  int fd = socket(to->sa_family, type | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (connect(fd, to, length)) return -1;
  return write(fd, "x", 1) == 1 ? 0 : -1;
}

static int inet(int type) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(number)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connects_to((void *)&to, sizeof to, type);
}

static int inet6(int type) {
  struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(number)};
  to.sin6_addr = in6addr_loopback;
  return connects_to((void *)&to, sizeof to, type);
}

static int unix_socket(const char *path, int abstract) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length + 1 >= sizeof to.sun_path) return -1;
  memcpy(to.sun_path + abstract, path, length);
  return connects_to((void *)&to, offsetof(struct sockaddr_un, sun_path) + abstract + length, SOCK_STREAM);
}

static int raises_limit(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NPROC, &limit);
  limit.rlim_max = limit.rlim_cur = limit.rlim_max + 1;
  return setrlimit(RLIMIT_NPROC, &limit);
}

static int limits_other(void) {
  struct rlimit limit = {0, 0};
  return prlimit(number, RLIMIT_CPU, &limit, 0);
}

static int pins_other(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  return sched_setaffinity(number, sizeof set, &set);
}

static int has_capability(void) {
  struct { uint32_t version; int pid; } header = {0x20080522, 0};
  struct { uint32_t effective, permitted, inheritable; } data[2];
  if (syscall(SYS_capget, &header, data)) return -1;
  errno = EPERM;
  return data[0].permitted | data[1].permitted | data[0].effective | data[1].effective ? 0 : -1;
}

static int gains_capability(void) {
  struct { uint32_t version; int pid; } header = {0x20080522, 0};
  struct { uint32_t effective, permitted, inheritable; } data[2] = {{1 << 21, 1 << 21, 1 << 21}};
  return syscall(SYS_capset, &header, data);
}

static int copies_itself(const char *to, mode_t mode) {
  static char buffer[1 << 22];
  int from = open("/proc/self/exe", O_RDONLY);
  ssize_t n = from < 0 ? -1 : read(from, buffer, sizeof buffer);
  int fd = open(to, O_CREAT | O_WRONLY | O_TRUNC, 0755);
  if (n < 0 || fd < 0 || write(fd, buffer, n) != n) return -1;
  close(fd);
  return chmod(to, mode);
}

// A set-user-id copy of itself must not make it more than it is.
static int set_user_id(void) {
  if (copies_itself("suid", 06755)) return -1;
  pid_t pid = fork();
  if (!pid) {
    execl("./suid", "suid", "has-capability", (char *)0);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  errno = EPERM;
  return WEXITSTATUS(status) == 1 ? 0 : -1;
}

static int overwrites_itself(void) {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n < 0) return -1;
  path[n] = 0;
  int fd = open(path, O_WRONLY);
  if (fd >= 0) return 0;
  int busy = errno;
  if (!unlink(path)) return 0;
  if (!rename("mine", path)) return 0;
  if (!chmod(path, 0777)) return 0;
  errno = busy;
  return -1;
}

// Somebody's process that is not in the sandbox, by number.
static int signals_range(void) {
  int reached = 0;
  for (pid_t pid = 3; pid < 400; pid++)
    if (pid != getpid() && !kill(pid, 0)) reached++;
  return reached ? 0 : -1;
}

static int sees_processes(void) {
  DIR *dir = opendir("/proc");
  int count = 0;
  if (!dir) return -1;
  for (struct dirent *entry; (entry = readdir(dir));) {
    int pid = atoi(entry->d_name);
    if (pid > 2 && pid != getpid()) count++;
  }
  return count ? 0 : -1;
}

static int escapes_root(void) {
  if (mkdir("hole", 0755) && errno != EEXIST) return -1;
  if (chroot("hole")) return -1;
  for (int i = 0; i < 64; i++) if (chdir("..")) return -1;
  return chroot(".");
}

static int x32(long call) { return syscall(0x40000000 + call, 0, 0, 0, 0, 0, 0); }

static int in_32_bits(void) {
  long result;
  // getpid by the 32-bit gate. The filter kills the process for it.
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");
  errno = EPERM;
  return result == getpid() ? 0 : -1;
}

static int queue(void) {
  union sigval payload = {0};
  return sigqueue(number, SIGTERM, payload);
}

static int by_pidfd(void) {
  int fd = syscall(SYS_pidfd_open, number, 0);
  if (fd < 0) return -1;
  return syscall(SYS_pidfd_send_signal, fd, SIGTERM, 0, 0);
}

static int takes_descriptor(void) {
  int fd = syscall(SYS_pidfd_open, number, 0);
  return syscall(SYS_pidfd_getfd, fd < 0 ? 0 : fd, 0, 0);
}

static int owns_io(void) {
  int ends[2];
  if (pipe(ends)) return -1;
  return fcntl(ends[0], F_SETOWN, (int)number) || fcntl(ends[0], F_SETSIG, SIGKILL) ||
         fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) || write(ends[1], "x", 1) != 1;
}

// The same by the requests that sockets have for it.
static int owns_socket(unsigned long request) {
  int ends[2], owner = number;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return -1;
  return ioctl(ends[0], request, &owner) || fcntl(ends[0], F_SETSIG, SIGKILL) ||
         fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) || write(ends[1], "x", 1) != 1;
}

// One of a pair of sockets sends to another by its name.
static int pair_sends(const char *path, int abstract, int type) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  int ends[2];
  if (length + 1 >= sizeof to.sun_path || socketpair(AF_UNIX, type, 0, ends)) return -1;
  memcpy(to.sun_path + abstract, path, length);
  length += offsetof(struct sockaddr_un, sun_path) + abstract;
  return sendto(ends[0], "x", 1, 0, (void *)&to, length) == 1 ? 0 : -1;
}

// Any kind of socket of a family.
static int of_family(int family) {
  static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW, SOCK_RDM};
  for (int i = 0; i < 5; i++) {
    int fd = socket(family, types[i] | SOCK_CLOEXEC, 0);
    if (fd >= 0) return 0;
    if (errno != EPERM) return -1;
  }
  return -1;
}

static int peeks(int write_too) {
  long word = 0;
  struct iovec local = {&word, sizeof word}, remote = {(void *)0x400000, sizeof word};
  return write_too ? process_vm_writev(number, &local, 1, &remote, 1, 0)
                   : process_vm_readv(number, &local, 1, &remote, 1, 0);
}

int main(int argc, char **argv) {
  if (argc < 2) return 99;
  const char *what = argv[1];
  if (argc > 2) value = argv[2], number = atol(value);
  long result = -2;
#define ON(name, expression) if (!strcmp(what, name)) result = (expression)
  ON("syscall", syscall(number, 0, 0, 0, 0, 0, 0));
  ON("x32", x32(number));
  ON("int80", in_32_bits());
  ON("unshare", unshare(number));
  ON("clone", clones(number));
  ON("clone3", clones3(number));
  ON("setns", setns(open(value, O_RDONLY), 0));
  ON("mount-tmpfs", mount("none", "/tmp", "tmpfs", 0, 0));
  ON("mount-bind", mount("/", "/tmp", 0, MS_BIND | MS_REC, 0));
  ON("mount-proc", mount("proc", "/tmp", "proc", 0, 0));
  ON("remount", mount(0, "/", 0, MS_REMOUNT | MS_BIND, 0));
  ON("remount-program", mount(0, "/bin/calls", 0, MS_REMOUNT | MS_BIND, 0));
  ON("umount", umount2(value, MNT_DETACH));
  ON("chroot", escapes_root());
  ON("tcp", inet(SOCK_STREAM));
  ON("udp", inet(SOCK_DGRAM));
  ON("tcp6", inet6(SOCK_STREAM));
  ON("udp6", inet6(SOCK_DGRAM));
  ON("unix", unix_socket(value, 0));
  ON("abstract", unix_socket(value, 1));
  ON("family", of_family(number));
  ON("netlink", socket(AF_NETLINK, SOCK_RAW, number));
  ON("protocol", socket(AF_INET, SOCK_STREAM, number));
  ON("protocol-datagram", socket(AF_INET, SOCK_DGRAM, number));
  ON("protocol6", socket(AF_INET6, SOCK_DGRAM, number));
  ON("pair-datagram", pair_sends(value, 0, SOCK_DGRAM));
  ON("pair-packet", pair_sends(value, 0, SOCK_SEQPACKET));
  ON("pair-abstract", pair_sends(value, 1, SOCK_DGRAM));
  ON("raw-socket", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  ON("packet-socket", socket(AF_PACKET, SOCK_RAW, 0));
  ON("kill", kill(number, SIGKILL));
  ON("terminate", kill(number, SIGTERM));
  ON("stop", kill(number, SIGSTOP));
  // Everybody, with a signal that does nothing unless this is process 2 of a pid namespace.
  ON("everybody", kill(-1, getpid() == 2 ? number : SIGWINCH));
  ON("exists", kill(number, 0));
  ON("kill-group", kill(-number, SIGKILL));
  ON("tgkill", syscall(SYS_tgkill, number, number, SIGKILL));
  ON("tkill", syscall(SYS_tkill, number, SIGKILL));
  ON("sigqueue", queue());
  ON("pidfd-signal", by_pidfd());
  ON("pidfd-getfd", takes_descriptor());
  ON("setown", owns_io() ? -1 : 0);
  ON("fiosetown", owns_socket(0x8901) ? -1 : 0);
  ON("siocspgrp", owns_socket(0x8902) ? -1 : 0);
  ON("ptrace", ptrace(PTRACE_ATTACH, number, 0, 0));
  ON("seize", ptrace(PTRACE_SEIZE, number, 0, 0));
  ON("vm-read", peeks(0));
  ON("vm-write", peeks(1));
  ON("mem-read", of_process("mem", O_RDONLY));
  ON("mem-write", of_process("mem", O_WRONLY));
  ON("environ", of_process("environ", O_RDONLY));
  ON("maps", of_process("maps", O_RDONLY));
  ON("fd-of", of_process("fd/0", O_RDONLY));
  ON("root-of", of_process("root/etc/hostname", O_RDONLY));
  ON("limit-other", limits_other());
  ON("pin-other", pins_other());
  ON("nice-other", setpriority(PRIO_PROCESS, number, 19));
  ON("nice-user", setpriority(PRIO_USER, number, 0));
  ON("nice-up", (errno = 0, nice(-5)) == -1 && errno ? -1 : 0);
  ON("signal-range", signals_range());
  ON("see-processes", sees_processes());
  ON("raise-limit", raises_limit());
  ON("has-capability", has_capability());
  ON("gain-capability", gains_capability());
  ON("ambient-capability", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0));
  ON("undo-no-new-privileges", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
  ON("setuid", setresuid(number, number, number));
  ON("setgid", setresgid(number, number, number));
  ON("setgroups", setgroups(1, &(gid_t){0}));
  ON("chown", (close(open("mine", O_CREAT | O_WRONLY, 0644)), chown("mine", 1, 1)));
  ON("set-user-id", set_user_id());
  ON("overwrite-itself", overwrites_itself());
  ON("mknod-disk", mknod("disk", S_IFBLK | 0666, makedev(8, 0)));
  ON("mknod-memory", mknod("memory", S_IFCHR | 0666, makedev(1, 1)));
  ON("mknod-null", mknod("null", S_IFCHR | 0666, makedev(1, 3)));
  ON("write", writes(value, argc > 3 ? argv[3] : "1"));
  ON("open-write", open(value, O_WRONLY));
  ON("read", reads(value));
  ON("type", ioctl(0, TIOCSTI, "x"));
  ON("terminal", open("/dev/tty", O_RDWR));
  ON("terminal-type", ioctl(3, TIOCSTI, "x"));
  ON("terminal-paste", ioctl(3, TIOCLINUX, "\3"));
  ON("terminal-console", ioctl(3, TIOCCONS, 0));
  ON("terminal-discipline", ioctl(3, TIOCSETD, &(int){1}));
  ON("terminal-lock", ioctl(3, TIOCSLCKTRMIOS, &(struct termios){0}));
  ON("terminal-other-end", open("/dev/ptmx", O_RDWR));
  ON("terminal-name", open("/dev/pts/0", O_RDWR));
  ON("terminal-peer", ioctl(3, TIOCGPTPEER, O_RDWR));
  ON("terminal-hang-up", vhangup());
  if (result == -2) return 99;
  if (result < 0) {
    printf("refused: %s\n", strerror(errno));
    return 0;
  }
  printf("succeeded\n");
  return 1;
}
