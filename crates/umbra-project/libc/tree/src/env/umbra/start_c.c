/* The entry point of the bitcode: sp points to argc, argv, 0, envp, 0, auxv as
 * the kernel lays them out. It is musl's crt1.c, but a member of libc.a, so that
 * it is part of the module that a link yields. */
#include <features.h>

int main();
int __libc_start_main(int (*)(), int, char **, void (*)(), void (*)(), void (*)());

void _start_c(long *sp)
{
	__libc_start_main(main, sp[0], (void *)(sp + 1), 0, 0, 0);
}
