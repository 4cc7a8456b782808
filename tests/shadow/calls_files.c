//@ domain: x=1
//@ undone: 64
// Calls on names and attributes of files, refused at each of their buffers.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include "calls.h"

static int file;

static void set_up(void)
{
	/* Natively another input may have been here before. */
	unlink("file");
	unlink("link");
	unlink("new");
	rmdir("new");
	unlink("folder/file");
	rmdir("folder");
	file = open("file", O_RDWR | O_CREAT | O_TRUNC, 0640);
	if (write(file, "0123456789", 10) != 10 || symlink("file", "link") || mkdir("folder", 0700)) exit(8);
}

/* What there is then. */
static void show_rest(void)
{
	static const char *const names[] = { "file", "link", "folder", "new", "folder/file" };
	for (unsigned at = 0; at < sizeof names / sizeof *names; at++) {
		struct stat stat;
		if (lstat(names[at], &stat)) printf("%s: %s\n", names[at], strerror(errno));
		else printf("%s: %o %d %d\n", names[at], stat.st_mode, (int)stat.st_nlink, S_ISDIR(stat.st_mode) ? 0 : (int)stat.st_size);
	}
	char target[64] = { 0 };
	if (readlink("new", target, sizeof target - 1) > 0) puts(target);
	printf("free is %d\n", dup(0));
}

static void *name(unsigned number, const char *text)
{
	return with(number, text, strlen(text) + 1);
}

static void show_stat(unsigned number)
{
	const struct stat *stat = room(number);
	printf("%o %d %d\n", stat->st_mode, (int)stat->st_nlink, (int)stat->st_size);
}

int main(void)
{
	unsigned call = choose();
	set_up();
	switch (call) {
	case 0: CALL(stat, name(0, "link"), room(1)); show_stat(1); break;
	case 1: CALL(lstat, name(0, "link"), room(1)); show_stat(1); break;
	case 2: CALL(fstat, file, room(0)); show_stat(0); break;
	case 3: CALL(newfstatat, AT_FDCWD, name(0, "file"), room(1), 0); show_stat(1); break;
	case 4: CALL(statx, AT_FDCWD, name(0, "file"), 0, 0x7ff, room(1)); printf("%d\n", (int)((uint64_t *)room(1))[5]); break;
	case 5: CALL(statfs, name(0, "file"), room(1)); break;
	case 6: CALL(fstatfs, file, room(0)); break;
	case 7: say(syscall(SYS_getcwd, room(0), 512) == (long)strlen(room(0)) + 1); break;
	case 8: CALL(readlink, name(0, "link"), room(1), 8); show(1, 4); break;
	case 9: CALL(readlinkat, AT_FDCWD, name(0, "link"), room(1), 2); show(1, 4); break;
	case 10: CALL(open, name(0, "new"), O_CREAT | O_RDWR, 0600); break;
	case 11: CALL(openat, AT_FDCWD, name(0, "new"), O_CREAT | O_RDWR, 0600); break;
	case 12: CALL(openat2, AT_FDCWD, name(0, "new"), WITH(1, struct open_how, { .flags = O_CREAT | O_RDWR, .mode = 0600 }), sizeof(struct open_how)); break;
	case 13: CALL(creat, name(0, "file"), 0600); break;
	case 14: CALL(mkdir, name(0, "new"), 0700); break;
	case 15: CALL(mkdirat, AT_FDCWD, name(0, "new"), 0700); break;
	case 16: CALL(rmdir, name(0, "folder")); break;
	case 17: CALL(unlink, name(0, "file")); break;
	case 18: CALL(unlinkat, AT_FDCWD, name(0, "link"), 0); break;
	case 19: CALL(link, name(0, "file"), name(1, "new")); break;
	case 20: CALL(linkat, AT_FDCWD, name(0, "file"), AT_FDCWD, name(1, "new"), 0); break;
	case 21: CALL(symlink, name(0, "folder"), name(1, "new")); break;
	case 22: CALL(symlinkat, name(0, "folder"), AT_FDCWD, name(1, "new")); break;
	case 23: CALL(mknod, name(0, "new"), S_IFIFO | 0600, 0); break;
	case 24: CALL(mknodat, AT_FDCWD, name(0, "new"), S_IFREG | 0600, 0); break;
	case 25: CALL(rename, name(0, "file"), name(1, "new")); break;
	case 26: CALL(renameat, AT_FDCWD, name(0, "file"), AT_FDCWD, name(1, "folder/file")); break;
	case 27: CALL(renameat2, AT_FDCWD, name(0, "file"), AT_FDCWD, name(1, "link"), 2); break;
	case 28: CALL(chdir, name(0, "folder")); break;
	case 29: CALL(access, name(0, "file"), F_OK); break;
	case 30: CALL(faccessat, AT_FDCWD, name(0, "file"), F_OK); break;
	case 31: CALL(faccessat2, AT_FDCWD, name(0, "file"), F_OK, 0); break;
	case 32: CALL(chmod, name(0, "file"), 0600); break;
	case 33: CALL(fchmodat, AT_FDCWD, name(0, "file"), 0600); break;
	case 34: CALL(chown, name(0, "file"), -1, -1); break;
	case 35: CALL(lchown, name(0, "link"), -1, -1); break;
	case 36: CALL(fchownat, AT_FDCWD, name(0, "file"), -1, -1, 0); break;
	case 37: CALL(utimensat, AT_FDCWD, name(0, "file"), WITH(1, struct timespec[2], { { 1, 0 }, { 2, 0 } }), 0); break;
	case 38: CALL(utime, name(0, "file"), WITH(1, long[2], { 1, 2 })); break;
	case 39: CALL(utimes, name(0, "file"), WITH(1, struct timeval[2], { { 1, 0 }, { 2, 0 } })); break;
	case 40: CALL(futimesat, AT_FDCWD, name(0, "file"), WITH(1, struct timeval[2], { { 1, 0 }, { 2, 0 } })); break;
	case 41: CALL(truncate, name(0, "file"), 4); break;
	case 42: CALL(getxattr, name(0, "file"), name(1, "user.none"), room(2), 8); break;
	case 43: CALL(listxattr, name(0, "file"), room(1), 8); break;
	default: return 0;
	}
	show_rest();
	return 0;
}
