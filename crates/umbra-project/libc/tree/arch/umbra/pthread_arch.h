uintptr_t __umbra_get_tp(void);

static inline uintptr_t __get_tp(void)
{
	return __umbra_get_tp();
}

#define MC_PC gregs[REG_RIP]
