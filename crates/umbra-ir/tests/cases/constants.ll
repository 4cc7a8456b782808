; Constants of every format and width, and their bits.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@i65 = global i65 -3
@i128 = global i128 1267650600228229401496703205383
@i200 = global i200 -1
@half = global half 0xH3C00
@x87 = global x86_fp80 0xK3FFF8000000000000000
@nan = global double 0x7FF8000000001234
@signalling = global float 0x7FF0000020000000
@negative_zero = global double -0.0
@i1 = global i1 true
@i24 = global [2 x i24] [i24 -1, i24 1]

define i65 @add(i65 %a) {
  %r = add i65 %a, 36893488147419103231
  %s = xor i65 %r, -2
  ret i65 %s
}

define i128 @choose(i128 %a) {
  switch i128 %a, label %other [
    i128 -1, label %minus
    i128 18446744073709551616, label %large
  ]
minus:
  ret i128 5
large:
  ret i128 -18446744073709551616
other:
  ret i128 0
}

define half @half_add(half %a) {
  %r = fadd half %a, 0xH4248
  ret half %r
}

define x86_fp80 @ld(x86_fp80 %a, i80 %b) {
  %c = bitcast i80 %b to x86_fp80
  %d = fmul x86_fp80 %a, 0xKFFFF8000000000000001
  %e = fsub x86_fp80 %c, %d
  ret x86_fp80 %e
}

define i1 @on_byte(i8 %b) {
  switch i8 %b, label %no [ i8 -1, label %yes
                            i8 127, label %yes ]
yes:
  %r = phi i1 [ true, %0 ], [ true, %0 ]
  ret i1 %r
no:
  ret i1 undef
}
