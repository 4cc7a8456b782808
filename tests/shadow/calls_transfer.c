//@ domain: x=1
//@ undone: 79
// Calls that move bytes, refused at each of their buffers: nothing is taken or given twice.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "calls.h"

static int tube[2], sockets[2], file, other, folder, event;

/* What each of the calls finds. */
static void set_up(void)
{
	file = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	other = open("other", O_RDWR | O_CREAT | O_TRUNC, 0600);
	mkdir("folder", 0700);
	folder = open("folder", O_RDONLY | O_DIRECTORY);
	close(open("folder/one", O_CREAT | O_WRONLY, 0600));
	if (pipe2(tube, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets)) exit(8);
	if (write(tube[1], "abcdefgh", 8) != 8 || write(sockets[1], "message", 7) != 7) exit(7);
	if (write(file, "0123456789", 10) != 10 || lseek(file, 3, SEEK_SET) != 3) exit(6);
	event = eventfd(5, EFD_NONBLOCK);
}

static void rest_of(const char *name, int fd)
{
	char bytes[64] = { 0 };
	long got = read(fd, bytes, sizeof bytes - 1);
	printf("%s %ld %s\n", name, got, got > 0 ? bytes : "");
}

/* What each of the calls leaves. */
static void show_rest(void)
{
	printf("at %ld and %ld\n", (long)lseek(file, 0, SEEK_CUR), (long)lseek(other, 0, SEEK_CUR));
	lseek(file, 0, SEEK_SET);
	lseek(other, 0, SEEK_SET);
	rest_of("file", file);
	rest_of("other", other);
	rest_of("pipe", tube[0]);
	rest_of("socket", sockets[0]);
	rest_of("its peer", sockets[1]);
	uint64_t count = 0;
	long got = read(event, &count, 8);
	printf("event %ld %d\n", got, (int)count);
	printf("folder at %ld\n", (long)lseek(folder, 0, SEEK_CUR) != 0);
	printf("free is %d\n", dup(0));
}

/* Three buffers as a vector in a fourth. */
static struct iovec *vector(unsigned own, unsigned a, unsigned b)
{
	return WITH(own, struct iovec[2], { { room(a), 2 }, { room(b), 3 } });
}

static struct iovec *filled(unsigned own, unsigned a, unsigned b)
{
	with(a, "AB", 2);
	with(b, "CDE", 3);
	return vector(own, a, b);
}

static struct msghdr *message(struct iovec *parts)
{
	return WITH(3, struct msghdr, { .msg_iov = parts, .msg_iovlen = 2 });
}

static void show_vector(void)
{
	show(1, 2);
	show(2, 3);
}

static void show_sets(void)
{
	for (unsigned number = 0; number < 3; number++) show(number, 4);
}

int main(void)
{
	unsigned call = choose();
	set_up();
	switch (call) {
	case 0: CALL(read, tube[0], room(0), 4); show(0, 4); break;
	case 1: CALL(read, file, room(0), 4); show(0, 4); break;
	case 2: CALL(read, sockets[0], room(0), 4); show(0, 4); break;
	case 3: CALL(read, event, room(0), 8); show(0, 8); break;
	case 4: CALL(readv, tube[0], vector(0, 1, 2), 2); show_vector(); break;
	case 5: CALL(readv, file, vector(0, 1, 2), 2); show_vector(); break;
	case 6: CALL(readv, sockets[0], vector(0, 1, 2), 2); show_vector(); break;
	case 7: CALL(pread64, file, room(0), 4, 1); show(0, 4); break;
	case 8: CALL(preadv, file, vector(0, 1, 2), 2, 1, 0); show_vector(); break;
	case 9: CALL(preadv2, file, vector(0, 1, 2), 2, -1, -1, 0); show_vector(); break;
	case 10: CALL(write, tube[1], with(0, "WXYZ", 4), 4); break;
	case 11: CALL(write, file, with(0, "WXYZ", 4), 4); break;
	case 12: CALL(write, 1, with(0, "WXYZ", 4), 4); break;
	case 13: CALL(write, event, with(0, "\2\0\0\0\0\0\0", 8), 8); break;
	case 14: CALL(writev, tube[1], filled(0, 1, 2), 2); break;
	case 15: CALL(writev, file, filled(0, 1, 2), 2); break;
	case 16: CALL(writev, 1, filled(0, 1, 2), 2); break;
	case 17: CALL(writev, sockets[0], filled(0, 1, 2), 2); break;
	case 18: CALL(pwrite64, file, with(0, "WXYZ", 4), 4, 8); break;
	case 19: CALL(pwritev, file, filled(0, 1, 2), 2, 9, 0); break;
	case 20: CALL(pwritev2, file, filled(0, 1, 2), 2, -1, -1, 0); break;
	case 21: CALL(sendfile, tube[1], file, WITH(0, long, { 2 }), 4); show(0, 8); break;
	case 22: CALL(copy_file_range, file, WITH(0, long, { 2 }), other, WITH(1, long, { 1 }), 4, 0); show(0, 8); show(1, 8); break;
	case 23: CALL(pipe, room(0)); show(0, 8); break;
	case 24: CALL(pipe2, room(0), O_CLOEXEC); show(0, 8); break;
	case 25: CALL(socketpair, AF_UNIX, SOCK_DGRAM, 0, room(0)); show(0, 8); break;
	case 26: CALL(poll, WITH(0, struct pollfd[2], { { tube[0], POLLIN, 0 }, { tube[1], POLLIN | POLLOUT, 0 } }), 2, 0); show(0, 16); break;
	case 27: CALL(ppoll, WITH(0, struct pollfd, { tube[0], POLLIN, 0 }), 1, WITH(1, struct timespec, { 0 }), WITH(2, long, { 0 }), 8); show(0, 8); break;
	case 28: CALL(select, 8, WITH(0, long, { 0xf8 }), WITH(1, long, { 0xf8 }), WITH(2, long, { 0xf8 }), WITH(3, struct timeval, { 0 })); show_sets(); break;
	case 29: CALL(pselect6, 8, WITH(0, long, { 0xf8 }), WITH(1, long, { 0xf8 }), WITH(2, long, { 0xf8 }), WITH(3, struct timespec, { 0 }), 0); show_sets(); break;
	case 30: CALL(recvfrom, sockets[0], room(0), 4, 0, 0, 0); show(0, 4); break;
	case 31: CALL(recvmsg, sockets[0], message(vector(0, 1, 2)), 0); show_vector(); break;
	case 32: CALL(sendmsg, sockets[0], message(filled(0, 1, 2)), 0); break;
	case 33: CALL(sendto, sockets[0], with(0, "WXYZ", 4), 4, 0, 0, 0); break;
	case 34: CALL(getsockname, sockets[0], room(0), WITH(1, int, { 16 })); show(0, 2); show(1, 4); break;
	case 35: CALL(getpeername, sockets[0], room(0), WITH(1, int, { 16 })); show(0, 2); show(1, 4); break;
	case 36: CALL(getsockopt, sockets[0], SOL_SOCKET, SO_TYPE, room(0), WITH(1, int, { 4 })); show(0, 4); show(1, 4); break;
	case 37: CALL(ioctl, tube[0], FIONREAD, room(0)); show(0, 4); break;
	case 38: CALL(ioctl, tube[0], FIONBIO, WITH(0, int, { 1 })); break;
	case 39: CALL(fcntl, file, F_GETLK, WITH(0, struct flock, { F_WRLCK, SEEK_SET, 0, 1, 0 })); show(0, 2); break;
	case 40: CALL(getdents64, folder, room(0), 1024); break;
	case 41: CALL(memfd_create, with(0, "name", 5), 0); break;
	default: return 0;
	}
	show_rest();
	return 0;
}
