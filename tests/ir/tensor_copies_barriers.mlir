// Barriers round copies by the tensor-copy engine: one between the first moments of the mbarriers and
// their use, one an iteration, one before their last. Nothing is shared, so nothing else needs one.
// DEFINE: %{stage} = canonicalize,tile-expand-windows{keep-tensor-copies=true},tile-stage-loads,tile-expand-windows
// DEFINE: %{rest} = canonicalize,cse,tile-assign-layouts,tile-buffer-layouts,tile-place-shared,tile-insert-barriers
// DEFINE: %{opt} = tilec-opt %s --pass-pipeline
// RUN: %{opt}='builtin.module(func.func(%{stage},%{rest}))' | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %{opt}='builtin.module(func.func(%{stage},tile-prefetch-operands,%{rest}))' | FileCheck %s --check-prefixes=CHECK,AHEAD

// Slots lie at multiples of 1024 bytes, and copies and reads agree on the swizzle.
// CHECK-LABEL: func.func @matmul
// CHECK: tile.init_mbarriers
// CHECK-NOT: tile.barrier
// CHECK-NOT: tile.tensor_copy
// CHECK: tile.barrier
// CHECK-NEXT: tile.tensor_copy {{.*}} is <1, order = [1, 0], box = [32, 64], swizzle = 64>
// CHECK: tile.tensor_copy {{.*}} is <2, order = [1, 0], box = [64, 32], swizzle = 128>
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// PLAIN-NEXT: tile.wait_mbarrier
// PLAIN-NOT: tile.barrier
// PLAIN: tile.barrier
// PLAIN-NEXT: tile.tensor_copy {{.*}} is <1, order = [1, 0], box = [32, 64], swizzle = 64>
// PLAIN-NOT: tile.barrier
// AHEAD-NOT: tile.barrier
// AHEAD: tile.dot
// AHEAD-NOT: tile.barrier
// AHEAD: tile.barrier
// AHEAD-NEXT: tile.tensor_copy
// AHEAD-NOT: tile.barrier
// AHEAD: tile.wait_mbarrier
// AHEAD-NEXT: tile.local_load
// AHEAD-NOT: tile.barrier
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.invalidate_mbarriers
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @matmul(%out: !tile.ptr<f32>,
                  %a: !tile.ptr<f16> {tile.name = "a", tile.view = 1 : i32},
                  %b: !tile.ptr<f16> {tile.name = "b", tile.view = 2 : i32},
                  %m: i64, %depth: i64, %n: i64) attributes {tile.specialized, tile.warps = 4 : i32} {
  tile.assume_aligned %a, 16 : !tile.ptr<f16>
  tile.assume_aligned %b, 16 : !tile.ptr<f16>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %sums = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %i = %c0 to %depth step %c32 iter_args(%acc = %sums) -> tensor<64x64xf32> : i64 {
    %x = tile.window_load %a extents (%m, %depth) strides (%c64, %c1) starts (%c0, %i) lengths [64, 32] {read_only} : !tile.ptr<f16> -> tensor<64x32xf16>
    %y = tile.window_load %b extents (%depth, %n) strides (%c64, %c1) starts (%i, %c0) lengths [32, 64] {read_only} : !tile.ptr<f16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.stages = 3 : i32}
  tile.window_store %out extents (%m, %n) strides (%c64, %c1) starts (%c0, %c0) lengths [64, 64], %r : !tile.ptr<f32>, tensor<64x64xf32>
  return
}
