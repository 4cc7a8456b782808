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

/* Two versions of a program in one source text.
 *
 * `change(before, after)` is `before` in the old version and `after` in the new one, and each
 * version evaluates its own argument only. Its type is that of `condition ? after : before`.
 * `if (execute(OLD)) ...` and `if (execute(NEW)) ...` are for code that one version has and the
 * other has not; the call must stand in the condition itself.
 *
 * Under `umbra diff` both versions run. With -DUMBRA_OLD or -DUMBRA_NEW the compiler sees one of
 * them; a program that was compiled with neither and runs natively is the new one. */
enum { umbra_version_OLD = 0, umbra_version_NEW = 1 };

#if defined(UMBRA_OLD) && defined(UMBRA_NEW)
#error "UMBRA_OLD and UMBRA_NEW: a program is one version or the other"
#elif defined(UMBRA_OLD)
#define change(before, after) ((void)0, 0 ? (after) : (before))
#define execute(version) (umbra_version_##version == umbra_version_OLD)
#elif defined(UMBRA_NEW)
#define change(before, after) ((void)0, 1 ? (after) : (before))
#define execute(version) (umbra_version_##version == umbra_version_NEW)
#else
/* In a section of its own, so that `umbra diff` finds it in an executable: a copy in which it is
 * umbra_version_OLD is the old version, with the same code in the same places. */
extern const volatile int __umbra_native_version;
__attribute__((__weak__, __section__("umbra_version")))
const volatile int __umbra_native_version = umbra_version_NEW;
int __umbra_version(void);
__attribute__((__weak__, __noinline__)) int __umbra_version(void) { return __umbra_native_version; }
/* The comma keeps the compiler from turning `if (change(a, b))` into a branch on the version. */
#define change(before, after) ((void)0, __umbra_version() ? (after) : (before))
#define execute(version) (__umbra_version() == umbra_version_##version)
#endif

#ifdef __GLIBC__
__attribute__((__noreturn__)) void __assert_fail(const char *, const char *, unsigned, const char *);
#else
__attribute__((__noreturn__)) void __assert_fail(const char *, const char *, int, const char *);
#endif

#ifdef __cplusplus
}
#endif

#endif
