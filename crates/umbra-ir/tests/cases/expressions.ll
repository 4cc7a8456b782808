; Constant expressions: folded where they are numbers or addresses, else computed at their use.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, [4 x i16] }
@g = global %pair zeroinitializer
@h = global [3 x i64] zeroinitializer
@field = global ptr getelementptr (%pair, ptr @g, i64 1, i32 1, i64 2)
@back = global ptr getelementptr inbounds (i8, ptr @h, i64 -8)
@number = global i64 ptrtoint (ptr getelementptr (%pair, ptr null, i64 3) to i64)
@address = global i64 add (i64 ptrtoint (ptr @g to i64), i64 7)
@same = global i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @h, i64 20) to i64), i64 ptrtoint (ptr @h to i64))
@apart = global i64 sub (i64 ptrtoint (ptr @h to i64), i64 ptrtoint (ptr @g to i64))
@cut = global i32 trunc (i64 ptrtoint (ptr @h to i64) to i32)
@fixed = global ptr inttoptr (i64 4096 to ptr)

define i64 @phi(i1 %c) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi i64 [ sub (i64 ptrtoint (ptr @h to i64), i64 ptrtoint (ptr @g to i64)), %0 ], [ ptrtoint (ptr @g to i64), %a ]
  ret i64 %x
}

define i32 @use(ptr %p) {
  store i32 trunc (i64 ptrtoint (ptr @h to i64) to i32), ptr getelementptr (i8, ptr @g, i64 4)
  %v = load i32, ptr getelementptr (%pair, ptr @g, i32 0, i32 1, i32 3)
  %a = xor i64 ptrtoint (ptr @g to i64), 1
  %b = trunc i64 %a to i32
  %c = add i32 %v, %b
  ret i32 %c
}

define ptr @gep(ptr %p, i32 %i, i128 %j) {
  %a = getelementptr %pair, ptr %p, i32 %i, i32 1, i128 %j
  %b = getelementptr i8, ptr %a, i64 0
  %c = getelementptr { i32, { i8, i64 } }, ptr %b, i64 -1, i32 1, i32 1
  ret ptr %c
}
