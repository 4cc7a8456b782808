; Names that need quotes, aliases into objects, attributes of calls.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@"with space" = global i32 1, align 64
@0 = private unnamed_addr constant [3 x i8] c"\22\5C\FF"
@"\01odd" = external thread_local global i32
@inside = alias i32, getelementptr (i8, ptr @array, i64 4)
@again = alias i32, ptr @inside
@array = global [2 x i32] [i32 1, i32 2]
@opaque = external global %opaque
%opaque = type opaque
@function_alias = alias void (ptr), ptr @"f g"

define void @"f g"(ptr byval([5 x i32]) align 4 %x, ...) { ret void }
define ptr @g(ptr %p) {
  call void (ptr, ...) @"f g"(ptr byval([5 x i32]) align 32 %p, ptr byval(i8) %p, i32 3)
  call void @function_alias(ptr %p)
  %v = load i32, ptr @again
  %q = call ptr @llvm.ptrmask.p0.i64(ptr @opaque, i64 -8)
  %r = call ptr @llvm.threadlocal.address.p0(ptr @"\01odd")
  store ptr %q, ptr %r
  unreachable
unreached:
  %n = add i32 %v, 1
  br label %unreached
}
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare ptr @llvm.threadlocal.address.p0(ptr)
