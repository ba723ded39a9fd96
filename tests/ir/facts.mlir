// What is known of a row of softmax under its contracts, and the widest vectors that follow.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(func.func(test-print-facts))' -o /dev/null 2>&1 | FileCheck %s

func.func @row(%src: !tile.ptr<f32> {tile.name = "src"},
               %stride: i32 {tile.name = "src_stride"},
               %cols: i32 {tile.name = "n_cols"}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %rest = arith.remsi %stride, %c4 : i32
  %divides = arith.cmpi eq, %rest, %c0 : i32
  tile.assume %divides
  tile.assume_aligned %src, 16 : !tile.ptr<f32>
  // CHECK: argument 1: {{.*}}divisibility = [4]

  %row = tile.program_id 0
  // CHECK: result 0: {{.*}}range = [0, 2147483646]
  %row64 = arith.extsi %row : i32 to i64
  %stride64 = arith.extsi %stride : i32 to i64
  %offset = arith.muli %row64, %stride64 : i64
  %base = tile.addptr %src, %offset : !tile.ptr<f32>, i64
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %index = tile.arange 0 : tensor<128xi32>
  %ptr = tile.addptr %bases, %index : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  // CHECK: contiguity = [128], divisibility = [16], constancy = [1]

  %bound = tile.splat %cols : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %index, %bound : tensor<128xi32>
  %x = tile.load %ptr mask %mask : tensor<128xi1> : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  // CHECK: dimension 0: vector of 1, as the mask may change at every element along dimension 0:
  // CHECK-SAME: `n_cols` is not known to be a multiple of 4: add `specialize n_cols % 4 == 0`
  tile.store %ptr, %x : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  // CHECK: dimension 0: vector of 4
  return
}
