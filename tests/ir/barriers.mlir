// RUN: tilec-opt %s --pass-pipeline='builtin.module(func.func(tile-place-shared,tile-insert-barriers))' | FileCheck %s

#row = #tile.layout<[128], reg = [], lane = [1, 2, 4, 8, 16], warp = [32, 64]>

// Two reductions after another lie at different places: the barrier inside the second is enough.
// CHECK-LABEL: func.func @two
// CHECK: tile.reduce{{.*}}scratch_offset = 0
// CHECK-NOT: tile.barrier
// CHECK: tile.reduce{{.*}}scratch_offset = 16
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @two(%x: tensor<128xf32, #row>) -> (f32, f32) attributes {tile.warps = 4 : i32} {
  %a = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }) : (tensor<128xf32, #row>) -> f32
  %b = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.maxnumf %l, %r : f32
    tile.yield %s : f32
  }) : (tensor<128xf32, #row>) -> f32
  return %a, %b : f32, f32
}

// One reduction in a loop meets itself across the back edge.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: tile.barrier
// CHECK-NEXT: tile.reduce
func.func @loop(%x: tensor<128xf32, #row>, %n: i32) -> f32 attributes {tile.warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> f32 : i32 {
    %a = "tile.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    }) : (tensor<128xf32, #row>) -> f32
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  return %sum : f32
}
