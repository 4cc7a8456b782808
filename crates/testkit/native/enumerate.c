/* Runs a program on many inputs without starting it from scratch for each: the program's
 * main is called `program_main`, and every input gets a fork of this process.
 *
 *     enumerate FOLDER NAME <inputs >outcomes
 *
 * FOLDER is for the working directories, NAME is argv[0]. All numbers are little-endian words
 * of 32 bits, all texts a length and bytes. An input is: arguments (a count, texts), standard
 * input, files (a count; name and content), the objects as a .ktest file. An outcome is the
 * status of waitpid, standard output, standard error. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int program_main(int argc, char **argv);

/* SLOTS children run at a time, so that nobody waits for a busy machine's scheduler. */
enum { MOST = 16, SECONDS = 60, SLOTS = 16 };

struct text {
	unsigned length;
	char *bytes;
};

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

/* The inputs, mapped: stdio is the program's alone. */
static char *next, *end;

static int number(unsigned *value)
{
	if (end - next < (long)sizeof *value) return 0;
	memcpy(value, next, sizeof *value);
	next += sizeof *value;
	return 1;
}

static struct text text(void)
{
	struct text text;
	if (!number(&text.length) || end - next < (long)text.length) fail("an input ends early");
	text.bytes = next;
	next += text.length;
	return text;
}

/* The outcomes that were not written yet. */
static char outcomes[1 << 20];
static size_t filled;

static void flush(void)
{
	for (size_t at = 0; at < filled;) {
		ssize_t count = write(1, outcomes + at, filled - at);
		if (count < 0) fail("write");
		at += (size_t)count;
	}
	filled = 0;
}

static void put(const void *bytes, size_t length)
{
	if (filled + length > sizeof outcomes) flush();
	memcpy(outcomes + filled, bytes, length);
	filled += length;
}

static void store(const char *name, struct text content)
{
	int file = open(name, O_WRONLY|O_CREAT|O_TRUNC, 0644);
	if (file < 0 || write(file, content.bytes, content.length) != (ssize_t)content.length)
		fail(name);
	close(file);
}

/* A file without a name for each stream: a pipe could fill up while nobody reads. */
static int stream(void)
{
	int file = memfd_create("stream", MFD_CLOEXEC);
	if (file < 0) fail("memfd_create");
	return file;
}

static void reset(int file)
{
	if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET)) fail("ftruncate");
}

static void put_stream(int file)
{
	char buffer[4096];
	unsigned length = (unsigned)lseek(file, 0, SEEK_END);
	put(&length, sizeof length);
	for (unsigned at = 0; at < length;) {
		ssize_t count = pread(file, buffer, sizeof buffer, at);
		if (count <= 0) fail("pread");
		put(buffer, (size_t)count);
		at += (unsigned)count;
	}
}

struct input {
	struct text args[MOST], files[2 * MOST], in, ktest;
	unsigned count, file_count;
};

static int take(struct input *input)
{
	if (!number(&input->count)) return 0;
	if (input->count > MOST) fail("arguments");
	for (unsigned i = 0; i < input->count; i++) input->args[i] = text();
	input->in = text();
	if (!number(&input->file_count) || input->file_count > MOST) fail("files");
	for (unsigned i = 0; i < 2 * input->file_count; i++) input->files[i] = text();
	input->ktest = text();
	return 1;
}

struct slot {
	pid_t child;
	int out, err;
	char folder[256], ktest[256];
};

static char *copy(struct text text)
{
	char *string = strndup(text.bytes, text.length);
	if (!string) fail("memory");
	return string;
}

static _Noreturn void run(char *name, const struct input *input, const struct slot *slot)
{
	char *argv[MOST + 2] = {name};
	for (unsigned i = 0; i < input->count; i++) argv[i + 1] = copy(input->args[i]);
	if (chdir(slot->folder)) fail(slot->folder);
	for (unsigned i = 0; i < input->file_count; i++)
		store(copy(input->files[2 * i]), input->files[2 * i + 1]);
	store(slot->ktest, input->ktest);
	setenv("KTEST_FILE", slot->ktest, 1);
	int pipes[2];
	if (pipe(pipes)) fail("pipe");
	if (write(pipes[1], input->in.bytes, input->in.length) != (ssize_t)input->in.length)
		fail("pipe");
	/* What this process ignores or blocks, since whoever started it did (nohup), the program does not. */
	struct sigaction action;
	for (int number = 1; number < NSIG; number++)
		if (!sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN) signal(number, SIG_DFL);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(pipes[0], 0) < 0 || dup2(slot->out, 1) < 0 || dup2(slot->err, 2) < 0) fail("dup2");
	for (int descriptor = 3; descriptor <= pipes[1]; descriptor++) close(descriptor);
	alarm(SECONDS);
	exit(program_main((int)input->count + 1, argv));
}

int main(int argc, char **argv)
{
	static struct slot slots[SLOTS];
	static struct input input;
	if (argc != 3) return 2;
	off_t size = lseek(0, 0, SEEK_END);
	next = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, 0, 0);
	if (next == MAP_FAILED) fail("mmap");
	end = next + size;
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots[i];
		slot->out = stream();
		slot->err = stream();
		snprintf(slot->folder, sizeof slot->folder, "%s/%d", argv[1], i);
		snprintf(slot->ktest, sizeof slot->ktest, "%s/%d.ktest", argv[1], i);
		if (mkdir(slot->folder, 0755)) fail(slot->folder);
	}
	for (int used = SLOTS; used == SLOTS;) {
		for (used = 0; used < SLOTS && take(&input); used++) {
			struct slot *slot = &slots[used];
			reset(slot->out);
			reset(slot->err);
			slot->child = fork();
			if (slot->child < 0) fail("fork");
			if (!slot->child) run(argv[2], &input, slot);
		}
		for (int i = 0; i < used; i++) {
			int status;
			if (waitpid(slots[i].child, &status, 0) != slots[i].child) fail("waitpid");
			put(&status, sizeof status);
			put_stream(slots[i].out);
			put_stream(slots[i].err);
		}
	}
	flush();
	return 0;
}
