/* Inputs of a native run: the objects of a .ktest file, in the order in which the
 * program asks for them.
 *
 * The format (all integers are big-endian, of 32 bits): "KTEST", version, number of
 * arguments, each as length and bytes, two numbers of no use here, number of objects,
 * each as length of the name, name, number of bytes, bytes. */
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <features.h>
#include <klee/klee.h>
#include <umbra.h>
#include "syscall.h"
#include "runtime.h"

#define OLDEST 1
#define NEWEST 4

static const char *file;
static const unsigned char *next, *end;
static unsigned left;

static _Noreturn void refuse(const char *what)
{
	say("umbra: ", file, ": ", what, "\n");
	__umbra_exit(STATUS_NO_FIT);
}

static const unsigned char *take(size_t size)
{
	const unsigned char *start = next;
	if (size > end - next) refuse("the test case ends early");
	next += size;
	return start;
}

static unsigned number(void)
{
	const unsigned char *bytes = take(4);
	return (unsigned)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/* Maps rather than keeps a descriptor open: the program may count its descriptors, or
 * close them all. */
static void open_file(void)
{
	int descriptor = __syscall(SYS_open, file, O_RDONLY|O_CLOEXEC|O_LARGEFILE);
	if (descriptor < 0) refuse("cannot be opened");
	long size = __syscall(SYS_lseek, descriptor, 0, SEEK_END);
	long start = size <= 0 ? -1 : __syscall(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE,
		descriptor, 0);
	__syscall(SYS_close, descriptor);
	if (start < 0 && start > -4096) refuse("cannot be read");
	next = (void *)start;
	end = next + size;
}

static void read_header(void)
{
	if (memcmp(take(5), "KTEST", 5)) refuse("is not a .ktest file");
	unsigned version = number();
	if (version < OLDEST || version > NEWEST) refuse("has a version that is not known");
	for (unsigned args = number(); args; args--) take(number());
	if (version >= 2) take(8);
	left = number();
}

struct object {
	const unsigned char *name, *bytes;
	unsigned name_length, size;
};

static struct object next_object(void)
{
	struct object object;
	object.name_length = number();
	object.name = take(object.name_length);
	object.size = number();
	object.bytes = take(object.size);
	left--;
	return object;
}

static int is_named(const struct object *object, const char *name)
{
	return strlen(name) == object->name_length
		&& !memcmp(object->name, name, object->name_length);
}

static int ends_with(const struct object *object, const char *text)
{
	size_t length = strlen(text);
	return object->name_length >= length
		&& !memcmp(object->name + object->name_length - length, text, length);
}

/* Whether an object is what the process is started with (arguments, files, standard
 * input), which whoever starts it has seen to. */
static int is_environment(const struct object *object)
{
	static const char exact[][14] = { "model_version", "n_args", "stdin", "stdout" };
	static const char suffix[][11] = { "-data", "_data", "-stat", "_stat", "-data-stat" };
	for (int i = 0; i < sizeof exact / sizeof *exact; i++)
		if (is_named(object, exact[i])) return 1;
	for (int i = 0; i < sizeof suffix / sizeof *suffix; i++)
		if (ends_with(object, suffix[i])) return 1;
	if (object->name_length < 4 || memcmp(object->name, "arg", 3)) return 0;
	for (unsigned i = 3; i < object->name_length; i++)
		if (object->name[i] - '0' > 9U) return 0;
	return 1;
}

/* For a message: the start of an object's name, as a string. */
static const char *printable(char *buffer, size_t size, const struct object *object)
{
	size_t length = object->name_length < size ? object->name_length : size - 1;
	memcpy(buffer, object->name, length);
	buffer[length] = 0;
	return buffer;
}

ENTRY void klee_make_symbolic(void *addr, size_t nbytes, const char *name)
{
	if (!name) name = "unnamed";
	if (!file) {
		file = getenv("KTEST_FILE");
		if (!file) file = "";
		if (*file) {
			open_file();
			read_header();
		}
	}
	if (!*file) {
		memset(addr, 0, nbytes);
		return;
	}
	struct object object;
	do {
		if (!left) {
			say("umbra: ", file, ": has no object left for `", name, "`\n");
			__umbra_exit(STATUS_NO_FIT);
		}
		object = next_object();
	} while (!is_named(&object, name) && is_environment(&object));
	char buffer[64];
	if (!is_named(&object, name)) {
		say("umbra: ", file, ": the next object is `",
			printable(buffer, sizeof buffer, &object),
			"`, but the program asks for `", name, "`\n");
		__umbra_exit(STATUS_NO_FIT);
	}
	if (object.size != nbytes) {
		say("umbra: ", file, ": object `", name, "` has another size in the program\n");
		__umbra_exit(STATUS_NO_FIT);
	}
	memcpy(addr, object.bytes, nbytes);
}

ENTRY void umbra_symbolic(void *object, size_t size, const char *name)
{
	klee_make_symbolic(object, size, name);
}
