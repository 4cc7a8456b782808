# Settings of the build of musl, read by musl's own Makefile (as config.mak).
# FLAVOUR is `bitcode` (what is analysed) or `native` (for configure's probes).
# CLANG, LLVM_AR and LLVM_RANLIB are given on make's command line.

ARCH = umbra
CC = $(CLANG) --target=x86_64-linux-musl
AR = $(LLVM_AR)
RANLIB = $(LLVM_RANLIB)
SHARED_LIBS =
ALL_TOOLS =
LIBCC =

# The engine supplies the allocator, so it stays out of the bitcode: these
# members of libc.a are native in both flavours.
ALLOCATOR = obj/src/malloc/mallocng/%.o $(patsubst %,obj/src/malloc/%.o, \
	lite_malloc free realloc calloc libc_calloc replaced)

# With __GNUC__ these read whole words, past the end of the object.
BYTEWISE = obj/src/string/%.o obj/src/multibyte/mbsrtowcs.o

COMMON_FLAGS = -w -fno-pie -ffp-contract=off -fno-strict-aliasing \
	-fno-stack-protector -fno-unwind-tables -fno-asynchronous-unwind-tables \
	-fno-vectorize -fno-slp-vectorize -ffile-prefix-map=$(abspath $(srcdir))=musl \
	-fdebug-compilation-dir=.
BITCODE_FLAGS = -flto=full -gmlt -gdwarf-4 -O1 -Xclang -disable-llvm-passes
NATIVE_FLAGS = -O2

CFLAGS_AUTO = $(COMMON_FLAGS) \
	$(if $(filter $(BYTEWISE),$@),-U__GNUC__) \
	$(if $(filter native,$(FLAVOUR))$(filter $(ALLOCATOR),$@),$(NATIVE_FLAGS),$(BITCODE_FLAGS))
