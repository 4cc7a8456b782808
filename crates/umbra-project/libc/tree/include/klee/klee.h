/* The interface that harnesses written for KLEE use, so that they need no changes.
 * umbra.h says where the values come from. What has no meaning in a native run
 * (preferences, messages to the analysis, merging) does nothing there.
 */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs. A null `name` stands for "unnamed". */

/* Gives the `nbytes` bytes at `addr` any value. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);
/* Any int with begin <= value < end. */
int klee_range(int begin, int end, const char *name);
/* Any int. */
int klee_int(const char *name);
/* Any number below n. */
uintptr_t klee_choose(uintptr_t n);

/* What is known of them. */

/* Leaves out inputs for which the condition is zero (native: exit status 99). */
void klee_assume(uintptr_t condition);
/* Asks for test cases in which the condition holds, if there are any. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
/* Whether the value depends on a symbolic input (native: no). */
unsigned klee_is_symbolic(uintptr_t value);
/* Whether this is a native run. */
unsigned klee_is_replay(void);

/* One possible value, to which the path is then bound (native: the value). */
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

/* Ends of a path. */

/* Without a test case. No exit handlers run, no streams are flushed. */
__attribute__((__noreturn__)) void klee_silent_exit(int status);
/* With an error; natively both print it and call abort. */
__attribute__((__noreturn__)) void klee_abort(void);
__attribute__((__noreturn__))
void klee_report_error(const char *file, int line, const char *message,
	const char *suffix);

/* With a failed assertion. */
__attribute__((__noreturn__))
void klee_assert_fail(const char *assertion, const char *file, unsigned line,
	const char *function);

/* An assertion that NDEBUG does not switch off. */
#define klee_assert(expr) \
	((expr) ? (void)0 : __assert_fail(#expr, __FILE__, __LINE__, __func__))

#ifdef __GLIBC__
__attribute__((__noreturn__)) void __assert_fail(const char *, const char *, unsigned, const char *);
#else
__attribute__((__noreturn__)) void __assert_fail(const char *, const char *, int, const char *);
#endif

/* The analysis itself. */

/* Paths that part between the two are joined again at the second. */
void klee_open_merge(void);
void klee_close_merge(void);
/* Whether paths may part at branches; if not, a path stays on one side. */
void klee_set_forking(unsigned enable);
/* Claims that the bytes can be accessed (native: does nothing). */
void klee_check_memory_access(const void *address, size_t size);
/* Bytes of the object that a pointer leads to (native: 0, nobody knows). */
size_t klee_get_obj_size(void *pointer);
/* Declares that memory exists at a fixed address. */
void klee_define_fixed_object(void *addr, size_t nbytes);
/* Declares an object as shared by everything. */
void klee_mark_global(void *object);

/* Messages. */
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *message, ...);
void klee_print_range(const char *name, int value);
void klee_stack_trace(void);

#ifdef __cplusplus
}
#endif

#endif
