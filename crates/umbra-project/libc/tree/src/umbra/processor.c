/* What programs ask of the processor (__builtin_cpu_supports): it has no extensions. The engine has
   none, and so a program goes the same way natively. The compiler's library, which would look at the
   processor, is not asked for these names then. */

struct {
	unsigned vendor, type, subtype, features[1];
} __cpu_model;

unsigned __cpu_features2[8];

int __cpu_indicator_init(void)
{
	return 0;
}
