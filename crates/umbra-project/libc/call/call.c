/* Calls of functions whose arguments are inputs: what `--from FUNCTION` adds to a program.
 *
 * Every call of such a function goes through here. UMBRA_CALL=FUNCTION:N chooses the N-th of one: what
 * its pointers lead to gets other bytes there, and what it returns is written to standard error.
 * Under the analysis __umbra_call_pointer is the machine's own (it knows how long an object
 * is, and which are constant); natively the bytes come from the test case that KTEST_FILE
 * names, by the names of its objects. UMBRA_CALL=list writes what each call is made with.
 *
 * Nothing of libc is used: the program has been linked, and may not have it. */
#include <stddef.h>

/* What is known of a pointer from its type. */
#define IS_CONSTANT 1
#define IS_TEXT 2
#define IS_COUNTED 4

/* What a call is to us: one of many, the chosen one, one of a list. */
#define CHOSEN 1
#define LISTED 2

/* In lists: calls, and bytes of what one pointer leads to. */
#define MOST_CALLS 1000
#define MOST_SHOWN 256

#define PAGE 4096ul
#define READ 1
#define READ_WRITE 3
#define PRIVATE 2
#define PRIVATE_ANONYMOUS 0x22

extern char **__environ;
long __umbra_syscall(long, long, long, long, long, long, long);

/* The number that is chosen, counted from 1; its function; -1 if calls are listed. */
static long chosen, listed;
static const char *chosen_function;
static char line[8192];
static size_t used;

static const char *variable(const char *name)
{
	for (char **next = __environ; next && *next; next++) {
		const char *text = *next, *rest = name;
		while (*rest && *text == *rest) text++, rest++;
		if (!*rest && *text == '=') return text + 1;
	}
	return 0;
}

/* Where the text goes on behind what it begins with. */
static const char *behind(const char *text, const char *beginning)
{
	while (*beginning && *text == *beginning) text++, beginning++;
	return *beginning ? 0 : text;
}

/* Reads UMBRA_CALL, once. */
static void read_choice(void)
{
	const char *text = variable("UMBRA_CALL");
	chosen = -2;
	if (!text) return;
	const char *rest = behind(text, "list");
	if (rest && !*rest) {
		chosen = -1;
		return;
	}
	for (rest = text; *rest && *rest != ':'; rest++);
	if (!*rest) return;
	long number = 0;
	while (*++rest >= '0' && *rest <= '9' && number < 1000000000)
		number = 10 * number + (*rest - '0');
	if (*rest) return;
	chosen_function = text;
	chosen = number;
}

static void put(char byte)
{
	if (used < sizeof line) line[used++] = byte;
}

static void put_text(const char *text)
{
	while (*text) put(*text++);
}

static void put_number(unsigned long number)
{
	char digits[20];
	int count = 0;
	do digits[count++] = '0' + number % 10;
	while (number /= 10);
	while (count) put(digits[--count]);
}

static void put_bytes(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		put("0123456789abcdef"[bytes[i] >> 4]);
		put("0123456789abcdef"[bytes[i] & 15]);
	}
}

static void write_line(long descriptor)
{
	__umbra_syscall(1, descriptor, (long)line, (long)used, 0, 0, 0);
	used = 0;
}

/* The object of this name in the test case; its size, or none. The format is told in
 * libc's input.c. */
static const unsigned char *object_of(const char *prefix, const char *name, size_t *size)
{
	static const unsigned char *start, *end;
	if (!start) {
		const char *file = variable("KTEST_FILE");
		if (!file) return 0;
		long descriptor = __umbra_syscall(2, (long)file, 02000000, 0, 0, 0, 0);
		if (descriptor < 0) return 0;
		long length = __umbra_syscall(8, descriptor, 0, 2, 0, 0, 0);
		if (length > 0) {
			long at = __umbra_syscall(9, 0, length, READ, PRIVATE, descriptor, 0);
			if (at > 0) start = (void *)at, end = start + length;
		}
		__umbra_syscall(3, descriptor, 0, 0, 0, 0, 0);
		if (!start) return 0;
	}
	const unsigned char *next = start + 5;
#define NUMBER(into) do { \
	if (end - next < 4) return 0; \
	into = (size_t)next[0] << 24 | next[1] << 16 | next[2] << 8 | next[3]; \
	next += 4; \
} while (0)
#define SKIP(count) do { \
	if ((size_t)(end - next) < (count)) return 0; \
	next += (count); \
} while (0)
	size_t version, count, length;
	if (end - start < 5) return 0;
	NUMBER(version);
	NUMBER(count);
	while (count--) { NUMBER(length); SKIP(length); }
	if (version >= 2) SKIP(8ul);
	NUMBER(count);
	while (count--) {
		NUMBER(length);
		const unsigned char *text = next;
		SKIP(length);
		NUMBER(*size);
		const unsigned char *bytes = next;
		SKIP(*size);
		const unsigned char *text_end = text + length;
		const char *rest = prefix;
		while (text < text_end && *rest && *text == *rest) text++, rest++;
		if (*rest) continue;
		rest = name;
		while (text < text_end && *rest && *text == *rest) text++, rest++;
		if (!*rest && text == text_end) return bytes;
	}
	return 0;
}

/* Room for bytes that nothing follows: an access behind them is a fault. */
static unsigned char *room_for(size_t size)
{
	size_t pages = (size + PAGE - 1) / PAGE * PAGE;
	long whole = __umbra_syscall(9, 0, pages + PAGE, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
	if (whole < 0 && whole > -4096) return 0;
	__umbra_syscall(10, whole + pages, PAGE, 0, 0, 0, 0);
	return (unsigned char *)whole + pages - size;
}

/* A call of a function begins, which counts its calls. */
int __umbra_call(const char *function, long *calls)
{
	if (!chosen) read_choice();
	++*calls;
	if (chosen == -1 && listed < MOST_CALLS) {
		listed++;
		put_text("\numbra-call ");
		put_text(function);
		put(' ');
		put_number(*calls);
		return LISTED;
	}
	if (chosen != *calls) return 0;
	const char *rest = behind(chosen_function, function);
	return rest && *rest == ':' ? CHOSEN : 0;
}

/* A pointer among its arguments; `length` is the number that follows, if one counts. */
void *__umbra_call_pointer(int call, void *pointer, long length, int flags, const char *name)
{
	unsigned char *bytes = pointer;
	if (call == CHOSEN) {
		size_t size;
		const unsigned char *given = object_of("copy of ", name, &size);
		if (given) {
			/* Texts keep their end, and so do counted ones, which mostly have one. */
			size_t end = flags & IS_TEXT ? 1 : 0;
			unsigned char *copy = room_for(size + end);
			if (!copy) return pointer;
			for (size_t i = 0; i < size; i++) copy[i] = given[i];
			if (end) copy[size] = 0;
			return copy;
		}
		given = object_of("", name, &size);
		for (size_t i = 0; given && i < size; i++) bytes[i] = given[i];
	} else if (call == LISTED) {
		size_t size = 0;
		int is_open = 1;
		if (!bytes) {
			put_text(" null");
			return pointer;
		}
		if (!(flags & (IS_TEXT | IS_COUNTED))) {
			put_text(" pointer");
			return pointer;
		}
		if (flags & IS_COUNTED && length > 0)
			while (size < (size_t)length && !(flags & IS_TEXT && !bytes[size])) size++;
		else if (flags & IS_TEXT)
			while (bytes[size]) size++;
		else is_open = 0;
		put_text(is_open ? " bytes:" : " pointer");
		if (is_open) {
			put_number(size);
			put(':');
			put_bytes(bytes, size < MOST_SHOWN ? size : MOST_SHOWN);
		}
	}
	return pointer;
}

/* Another argument. */
void __umbra_call_number(int call, long value)
{
	if (call != LISTED) return;
	put_text(value < 0 ? " number:-" : " number:");
	put_number(value < 0 ? -(unsigned long)value : (unsigned long)value);
}

/* These were all. */
void __umbra_call_made(int call)
{
	if (call != LISTED) return;
	put('\n');
	write_line(1);
}

/* The function returns a number of so many bits, or, where that is 0, a pointer. No branch
 * depends on the value, and the lines for all values have the same length. */
void __umbra_call_returned(int call, unsigned long value, int bits, const char *function)
{
	static const char null[] = "NULL      ", address[] = "an address";
	if (call != CHOSEN) return;
	used = 0;
	put_text("umbra: ");
	put_text(function);
	put_text(" returned ");
	if (!bits) {
		unsigned long is_address = -(unsigned long)(value != 0);
		for (int i = 0; null[i]; i++)
			put((null[i] & ~is_address) | (address[i] & is_address));
	} else {
		put('0');
		put('x');
		for (int shift = (bits + 3) / 4 * 4 - 4; shift >= 0; shift -= 4) {
			unsigned long digit = value >> shift & 15;
			put('0' + digit + ((9 - digit) >> 63) * ('a' - '0' - 10));
		}
	}
	put('\n');
	write_line(2);
}
