// RUN: tilec-opt %s --pass-pipeline='builtin.module(func.func(tile-assign-layouts))' | FileCheck %s

// A loop keeps its sums in one layout, and buffers are read in the operands' layouts.
// CHECK-LABEL: func.func @accumulates
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[SUMS:.*]]>)
// CHECK-NOT: convert_layout
// CHECK: %[[A:.*]] = tile.local_load {{.*}} -> tensor<64x32xf16
// CHECK: %[[B:.*]] = tile.local_load
// CHECK: %[[T:.*]] = tile.permute %[[B]]
// CHECK: tile.dot %[[A]], %[[T]], {{.*}} {tile.instruction = "mma.f32.f16.f16"} {{.*}} -> tensor<64x64xf32, #[[SUMS]]>
// CHECK: scf.yield
func.func @accumulates(%n: i32, %out: !tile.ptr<f32>) attributes {tile.warps = 4 : i32} {
  %a = tile.alloc : !tile.buffer<2, [64, 32], f16>
  %b = tile.alloc : !tile.buffer<2, [64, 32], f16>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<64x64xf32>
  %sums = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (tensor<64x64xf32>) : i32 {
    %x = tile.local_load %a[%zero] : !tile.buffer<2, [64, 32], f16> -> tensor<64x32xf16>
    %y = tile.local_load %b[%zero] : !tile.buffer<2, [64, 32], f16> -> tensor<64x32xf16>
    %t = tile.permute %y, [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
    %d = tile.dot %x, %t, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %p = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %sums : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// All warps stand along the rows, so that the result of the first dot is an operand of the second
// as it is, and its rows' maxima stay in one warp.
// CHECK-LABEL: func.func @chain
// CHECK: tile.dot
// CHECK-NOT: convert_layout
// CHECK: tile.dot
// CHECK: return
func.func @chain(%slot: i32, %out: !tile.ptr<f32>) attributes {tile.warps = 8 : i32} {
  %qs = tile.alloc : !tile.buffer<1, [128, 64], f16>
  %ks = tile.alloc : !tile.buffer<1, [64, 64], f16>
  %vs = tile.alloc : !tile.buffer<1, [64, 64], f16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %q = tile.local_load %qs[%slot] : !tile.buffer<1, [128, 64], f16> -> tensor<128x64xf16>
  %k = tile.local_load %ks[%slot] : !tile.buffer<1, [64, 64], f16> -> tensor<64x64xf16>
  %v = tile.local_load %vs[%slot] : !tile.buffer<1, [64, 64], f16> -> tensor<64x64xf16>
  %kt = tile.permute %k, [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  %s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
  %m = tile.reduce(%s) axis 1 : (tensor<128x64xf32>) -> tensor<128xf32> {
  ^bb0(%l: f32, %r: f32):
    %max = arith.maxnumf %l, %r : f32
    tile.yield %max : f32
  }
  %column = tile.expand_dims %m, 1 : tensor<128xf32> -> tensor<128x1xf32>
  %rows = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
  %p = arith.subf %s, %rows : tensor<128x64xf32>
  %h = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
  %o = tile.dot %h, %v, %zero : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  tile.store %to, %o : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xf32>
  return
}
