/* Umbra's interface for C programs: inputs that may have any value, and what is
 * known or claimed about them.
 *
 * Under `umbra run` these calls are the analysis's own. A native executable made by
 * `umbra cc` has them too: there the values come from the test case that the
 * environment variable KTEST_FILE names (a .ktest file), or are zero without it.
 *
 * Nothing of this is linked into a program that does not call it.
 */
#ifndef UMBRA_H
#define UMBRA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the `size` bytes at `object` any value. `name` is what reports and test
 * cases call them; one name may be used more than once. */
void umbra_symbolic(void *object, size_t size, const char *name);

/* Any int. */
int umbra_int(const char *name);

/* Any int from `begin` up to, but without, `end`. */
int umbra_range(int begin, int end, const char *name);

/* Leaves out all inputs for which `condition` is zero. A native run with such an
 * input says so and exits with status 99 at once. */
void umbra_assume(int condition);

/* Whether `value` depends on a symbolic input here; zero in a native run. */
int umbra_is_symbolic(uintptr_t value);

/* Ends the path as an error with this message; aborts a native run. */
__attribute__((__noreturn__)) void umbra_fail(const char *message);

/* An assertion that NDEBUG does not switch off. */
#define umbra_assert(condition) \
	((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))

#ifdef __GLIBC__
__attribute__((__noreturn__)) void __assert_fail(const char *, const char *, unsigned, const char *);
#else
__attribute__((__noreturn__)) void __assert_fail(const char *, const char *, int, const char *);
#endif

#ifdef __cplusplus
}
#endif

#endif
