/* void *__umbra_memcpy(void *to, const void *from, size_t length) */
	.text
	.globl	__umbra_memcpy
	.type	__umbra_memcpy, @function
__umbra_memcpy:
	movq	%rdi, %rax
	movq	%rdx, %rcx
	rep movsb
	ret
	.size	__umbra_memcpy, .-__umbra_memcpy

/* void *__umbra_memmove(void *to, const void *from, size_t length) */
	.globl	__umbra_memmove
	.type	__umbra_memmove, @function
__umbra_memmove:
	movq	%rdi, %rax
	movq	%rdx, %rcx
	subq	%rsi, %rax
	cmpq	%rdx, %rax
	movq	%rdi, %rax
	jb	1f
	rep movsb
	ret
/* The target starts inside the source: backwards. */
1:	leaq	-1(%rdi,%rdx), %rdi
	leaq	-1(%rsi,%rdx), %rsi
	std
	rep movsb
	cld
	ret
	.size	__umbra_memmove, .-__umbra_memmove

/* void *__umbra_memset(void *to, int byte, size_t length) */
	.globl	__umbra_memset
	.type	__umbra_memset, @function
__umbra_memset:
	movq	%rdi, %r8
	movl	%esi, %eax
	movq	%rdx, %rcx
	rep stosb
	movq	%r8, %rax
	ret
	.size	__umbra_memset, .-__umbra_memset
	.section .note.GNU-stack, "", @progbits
