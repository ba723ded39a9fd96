// RUN: tilec-opt %s --pass-pipeline='builtin.module(func.func(tile-uniform,cse))' | FileCheck %s

// The row's offset moves into the scalar base; only the columns stay a tile.
// CHECK-LABEL: func.func @row_offset
// CHECK: %[[OFFSET:.*]] = arith.muli %arg1, %arg2 : i64
// CHECK: %[[BASE:.*]] = tile.addptr %arg0, %[[OFFSET]] : !tile.ptr<f32>, i64
// CHECK: %[[SPLAT:.*]] = tile.splat %[[BASE]]
// CHECK: tile.addptr %[[SPLAT]], %{{.*}} : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
// CHECK-NOT: tensor<128xi64>
func.func @row_offset(%x: !tile.ptr<f32>, %row: i64, %stride: i64) -> tensor<128xf32> {
  %cols = tile.arange 0 : tensor<128xi32>
  %rows = tile.splat %row : i64 -> tensor<128xi64>
  %strides = tile.splat %stride : i64 -> tensor<128xi64>
  %offset = arith.muli %rows, %strides : tensor<128xi64>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %moved = tile.addptr %base, %offset : tensor<128x!tile.ptr<f32>>, tensor<128xi64>
  %p = tile.addptr %moved, %cols : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  return %v : tensor<128xf32>
}
