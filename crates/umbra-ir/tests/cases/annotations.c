//@ flags: -O1 -Xclang -disable-llvm-passes -g
// What `umbra.h` makes of two versions in one text.
int __umbra_version(void);
__attribute__((__weak__, __noinline__)) int __umbra_version(void) { return 1; }
#define change(before, after) ((void)0, __umbra_version() ? (after) : (before))
#define execute(version) (__umbra_version() == (version))
int effect(int);
int selected(void) { return change(3, 4); }
int evaluated(int n) { return change(effect(n), n + 1); }
int only_new(int n) {
	if (execute(1))
		n = effect(n);
	return n;
}
int only_old(int n) {
	if (execute(0) && n > 3)
		n = effect(n);
	return n;
}
/* Kept in a variable it is a value that differs. */
int kept(int n) {
	int version = __umbra_version();
	effect(n);
	return version;
}
void unread(void) { __umbra_version(); }
