// Each global `x` has its size in `size_x`, as the compiler computes it.
#define CHECK(name, ...) __VA_ARGS__ name; unsigned long size_##name = sizeof(name)
#define OFFSET(name, type, field) \
  char *at_##name = (char *)&name.field; unsigned long offset_##name = __builtin_offsetof(type, field)
struct __attribute__((packed)) packed { char c; long l; short s; };
struct padded { char c; long double l; char d; };
struct bits { unsigned a : 3, b : 17; long c : 40; char e; };
struct nested { struct padded p[2]; _BitInt(65) odd; short s; };
struct flexible { int n; char tail[]; };
struct empty {};
union either { char c[13]; double d; };
typedef int four __attribute__((vector_size(12)));
CHECK(packed, struct packed);
CHECK(padded, struct padded);
CHECK(bits, struct bits);
CHECK(nested, struct nested);
CHECK(flexible, struct flexible);
CHECK(empty, struct empty);
CHECK(either, union either);
CHECK(small, _BitInt(24));
CHECK(large, _BitInt(200));
CHECK(vector, four);
CHECK(x87, long double);
CHECK(wide, __int128);
OFFSET(packed, struct packed, s);
OFFSET(padded, struct padded, d);
OFFSET(bits, struct bits, e);
OFFSET(nested, struct nested, s);
