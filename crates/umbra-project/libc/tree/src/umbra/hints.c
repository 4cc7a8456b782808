/* Words to the analysis, without meaning in a native run. */
#include <features.h>
#include <klee/klee.h>
#include "runtime.h"

ENTRY void klee_prefer_cex(void *object, uintptr_t condition) {}
ENTRY void klee_posix_prefer_cex(void *object, uintptr_t condition) {}
ENTRY void klee_open_merge(void) {}
ENTRY void klee_close_merge(void) {}
ENTRY void klee_set_forking(unsigned enable) {}
ENTRY void klee_check_memory_access(const void *address, size_t size) {}
ENTRY size_t klee_get_obj_size(void *pointer) { return 0; }
ENTRY void klee_define_fixed_object(void *addr, size_t nbytes) {}
ENTRY void klee_mark_global(void *object) {}
ENTRY void klee_warning(const char *message) {}
ENTRY void klee_warning_once(const char *message) {}
ENTRY void klee_print_expr(const char *message, ...) {}
ENTRY void klee_print_range(const char *name, int value) {}
ENTRY void klee_stack_trace(void) {}
