/* uintptr_t __umbra_get_tp(void) */
	.text
	.globl	__umbra_get_tp
	.type	__umbra_get_tp, @function
__umbra_get_tp:
	movq	%fs:0, %rax
	ret
	.size	__umbra_get_tp, .-__umbra_get_tp
	.section .note.GNU-stack, "", @progbits
