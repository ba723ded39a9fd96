// RUN: tilec-opt %s --pass-pipeline='builtin.module(func.func(tile-assign-layouts,loop-invariant-code-motion,tile-share-operands))' | FileCheck %s

// 128 x 128 sums, and as much of an operand that the loop keeps, are too many registers for 4 warps:
// the operand waits in shared memory.
// CHECK-LABEL: func.func @crowded
// CHECK: tile.alloc
// CHECK: %[[MEMORY:.*]] = tile.alloc : <1, [128, 128], f16>
// CHECK: tile.local_store %{{.*}}, %[[MEMORY]]
// CHECK: scf.for
// CHECK: tile.local_load %[[MEMORY]]
// CHECK: tile.dot
func.func @crowded(%n: i32, %from: !tile.ptr<f16>, %out: !tile.ptr<f32>) attributes {tile.warps = 4 : i32} {
  %b = tile.alloc : !tile.buffer<1, [128, 128], f16>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<128x128xf32>
  %p = tile.splat %from : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
  %x = tile.load %p : tensor<128x128x!tile.ptr<f16>> -> tensor<128x128xf16>
  %s = arith.addf %x, %x : tensor<128x128xf16>
  %sums:2 = scf.for %i = %zero to %n step %one iter_args(%c = %start, %e = %start) -> (tensor<128x128xf32>, tensor<128x128xf32>) : i32 {
    %y = tile.local_load %b[%zero] : !tile.buffer<1, [128, 128], f16> -> tensor<128x128xf16>
    %d = tile.dot %s, %y, %c : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %d, %e : tensor<128x128xf32>, tensor<128x128xf32>
  }
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %q, %sums#0 : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xf32>
  tile.store %q, %sums#1 : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xf32>
  return
}

// With small sums it stays in registers.
// CHECK-LABEL: func.func @roomy
// CHECK-NOT: tile.local_store
// CHECK: return
func.func @roomy(%n: i32, %from: !tile.ptr<f16>, %out: !tile.ptr<f32>) attributes {tile.warps = 4 : i32} {
  %b = tile.alloc : !tile.buffer<2, [64, 64], f16>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.splat %from : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  %sums = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (tensor<64x64xf32>) : i32 {
    %y = tile.local_load %b[%zero] : !tile.buffer<2, [64, 64], f16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %c : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %sums : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}
