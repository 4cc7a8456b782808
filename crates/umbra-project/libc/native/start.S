/* Program entry: hands the initial stack to _start_c, which is bitcode. */
	.text
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	_start_c
	ud2
	.size	_start, .-_start
	.section .note.GNU-stack, "", @progbits
