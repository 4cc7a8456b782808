; First-class aggregates are split into their scalars.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%s = type { i8, { i64, [2 x float] } }
@g = constant %s { i8 1, { i64, [2 x float] } { i64 2, [2 x float] [float 1.0, float 2.0] } }

declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare %s @external(%s, {})

define %s @phi(i1 %c, ptr %p) {
  br i1 %c, label %a, label %b
a:
  %l = load %s, ptr %p
  br label %b
b:
  %x = phi %s [ %l, %a ], [ zeroinitializer, %0 ]
  %y = insertvalue %s %x, i64 9, 1, 0
  %z = select i1 %c, %s %y, %s { i8 3, { i64, [2 x float] } undef }
  store %s %z, ptr %p
  %r = call %s @external(%s %z, {} undef)
  %i = extractvalue %s %r, 1, 1
  %w = insertvalue %s poison, [2 x float] %i, 1, 1
  %f = freeze %s %w
  ret %s %f
}

define i32 @checked(i32 %a) {
  %r = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 1)
  %o = extractvalue { i32, i1 } %r, 1
  %v = extractvalue { i32, i1 } %r, 0
  %s = select i1 %o, i32 -1, i32 %v
  ret i32 %s
}

define void @huge(ptr %p) {
  %l = load [5000 x i8], ptr %p
  store [5000 x i8] %l, ptr %p
  ret void
}
