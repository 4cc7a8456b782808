#include <features.h>
#include <klee/klee.h>
#include <umbra.h>
#include "runtime.h"

ENTRY void klee_assume(uintptr_t condition)
{
	if (condition) return;
	say("umbra: an assumption does not hold for this input\n");
	__umbra_exit(STATUS_ASSUMED_AWAY);
}

ENTRY void umbra_assume(int condition)
{
	klee_assume(condition != 0);
}
