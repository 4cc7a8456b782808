/* What the files of the native runtime share.
 *
 * The functions that programs call are weak: a program that brings its own keeps it. They
 * leave the program alone: no stdio, no malloc, errno untouched. What only
 * combines others goes through klee_make_symbolic and klee_assume, so that an
 * analysis that knows these two knows all. */
#ifndef UMBRA_RUNTIME_H
#define UMBRA_RUNTIME_H

#include <stddef.h>

#define ENTRY __attribute__((__weak__))

/* Exit statuses of runs that say nothing about the program: the test case does
 * not fit it, or is one that an assumption leaves out. */
#define STATUS_NO_FIT 98
#define STATUS_ASSUMED_AWAY 99

/* Writes the strings, up to the first null one, to standard error. */
hidden void __umbra_say(const char *const *texts);
#define say(...) __umbra_say((const char *const[]){__VA_ARGS__, 0})

hidden _Noreturn void __umbra_exit(int status);

#endif
