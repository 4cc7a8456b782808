/* long __umbra_syscall_cp(long n, long a, long b, long c, long d, long e, long f)
 *
 * A system call at which a thread may be cancelled. The handler of the signal that pthread_cancel
 * sends looks for a program counter between __cp_begin and __cp_end and goes on at __cp_cancel: so
 * a thread that waits in the call, or is about to, is cancelled, and one whose call has had its
 * effect is not. A thread that may be cancelled anywhere goes on there from anywhere, with whatever
 * alignment its stack has. */

/* The offset of `cancel` in struct pthread; syscall_cp.c checks it. */
#define CANCEL 60

	.text
	.hidden	__cancel
	.globl	__cp_begin
	.hidden	__cp_begin
	.globl	__cp_end
	.hidden	__cp_end
	.globl	__cp_cancel
	.hidden	__cp_cancel
	.globl	__umbra_syscall_cp
	.type	__umbra_syscall_cp, @function
__umbra_syscall_cp:
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
__cp_begin:
	movq	%fs:0, %r11
	cmpl	$0, CANCEL(%r11)
	jne	__cp_cancel
	syscall
__cp_end:
	ret
__cp_cancel:
	pushq	%rbp
	movq	%rsp, %rbp
	andq	$-16, %rsp
	call	__cancel
	leave
	ret
	.size	__umbra_syscall_cp, .-__umbra_syscall_cp
	.section .note.GNU-stack, "", @progbits
