; What cannot be expressed ends the path that meets it, and nothing else.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@resolver_target = ifunc i32 (), ptr @resolver
@vector = global <2 x i64> <i64 1, i64 2>

define ptr @resolver() { ret ptr null }
define i32 @call_ifunc() {
  %r = call i32 @resolver_target()
  ret i32 %r
}
define ptr @edge(i1 %c) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi ptr [ @resolver_target, %0 ], [ null, %a ]
  ret ptr %x
}
define i32 @vectors(i1 %c, <4 x i32> %v) { ret i32 0 }
define i32 @vector_phi(i1 %c, i32 %n) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi i32 [ 1, %0 ], [ 2, %a ]
  %v = phi <2 x i32> [ zeroinitializer, %0 ], [ undef, %a ]
  %e = extractelement <2 x i32> %v, i32 0
  %r = add i32 %e, %x
  ret i32 %r
}
define fp128 @quad(fp128 %a) { ret fp128 %a }
define float @brain(bfloat %a) {
  %r = fpext bfloat %a to float
  ret float %r
}
define i32 @segment() {
  %v = load i32, ptr addrspace(257) null
  ret i32 %v
}
define void @throws() personality ptr null {
  invoke void @may_throw() to label %fine unwind label %bad
fine:
  ret void
bad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
declare void @may_throw()
define i32 @jumps(i32 %x) {
  callbr void asm sideeffect "jmp ${0:l}", "!i"() to label %on [label %off]
on:
  ret i32 1
off:
  ret i32 0
}
define double @unknown(double %a) {
  %r = call double @llvm.maximum.f64(double %a, double 0.0)
  ret double %r
}
declare double @llvm.maximum.f64(double, double)
define double @library(double %a, float %b) {
  %s = call double @llvm.sin.f64(double %a)
  %e = call float @llvm.exp.f32(float %b)
  ret double %s
}
declare double @sin(double)
declare double @llvm.sin.f64(double)
declare float @llvm.exp.f32(float)
define i32 @after(i32 %x) {
  %v = call i32 @dead(i32 %x)
  br label %next
next:
  %u = va_arg ptr null, i32
  %w = add i32 %v, %u
  br label %last
last:
  ret i32 %w
}
declare i32 @dead(i32)
