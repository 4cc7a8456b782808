/* long __umbra_syscall(long n, long a, long b, long c, long d, long e, long f) */
	.text
	.globl	__umbra_syscall
	.type	__umbra_syscall, @function
__umbra_syscall:
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	ret
	.size	__umbra_syscall, .-__umbra_syscall
	.section .note.GNU-stack, "", @progbits
