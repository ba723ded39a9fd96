// Windows as pointers and masks: no check where the window is proven inside, one for all where the
// length divides start and extent, one an element else.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(func.func(tile-expand-windows,canonicalize))' | FileCheck %s

// A loop up to the extent, both multiples of the length; a stride that is 1.
// CHECK-LABEL: func.func @inside
// CHECK-NOT: mask
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %arg4 : i64
// CHECK: %[[OFFSET:.*]] = arith.addi %[[ROW]], %{{.*}} : i64
// CHECK: %[[BASE:.*]] = tile.addptr %arg0, %[[OFFSET]] : !tile.ptr<f32>, i64
// CHECK: %[[POINTERS:.*]] = tile.splat %[[BASE]]
// CHECK: %[[ADDRESS:.*]] = tile.addptr %[[POINTERS]], %{{.*}} : tensor<32x!tile.ptr<f32>>, tensor<32xi64>
// CHECK: tile.load %[[ADDRESS]] {read_only} : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
func.func @inside(%x: !tile.ptr<f32>, %rows: i32, %columns: i32, %out: !tile.ptr<f32>,
                  %stride0: i64, %stride1: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %r = arith.extsi %rows : i32 to i64
  %c = arith.extsi %columns : i32 to i64
  %rest = arith.remsi %c, %c32 : i64
  %divides = arith.cmpi eq, %rest, %c0 : i64
  tile.assume %divides
  %dense = arith.cmpi eq, %stride1, %c1 : i64
  tile.assume %dense
  scf.for %i = %c0 to %r step %c1 : i64 {
    scf.for %k = %c0 to %c step %c32 : i64 {
      %v = tile.window_load %x extents (%r, %c) strides (%stride0, %stride1) starts (%i, %k)
           lengths [0, 32] {read_only} : !tile.ptr<f32> -> tensor<32xf32>
      tile.window_store %out extents (%c) strides (%c1) starts (%k) lengths [32], %v
           : !tile.ptr<f32>, tensor<32xf32>
    }
  }
  return
}

// Blocks of 16 of an extent that is a multiple of 16: wholly inside or wholly outside.
// CHECK-LABEL: func.func @whole
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i64
// CHECK: %[[MASK:.*]] = tile.splat %[[INSIDE]] : i1 -> tensor<16xi1>
// CHECK: %[[PAD:.*]] = tile.splat %arg3 : f32 -> tensor<16xf32>
// CHECK: tile.load %{{.*}} mask %[[MASK]] : tensor<16xi1> other %[[PAD]] : tensor<16xf32>
func.func @whole(%x: !tile.ptr<f32>, %length: i64, %block: i64, %pad: f32) -> tensor<16xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %rest = arith.remsi %length, %c16 : i64
  %divides = arith.cmpi eq, %rest, %c0 : i64
  tile.assume %divides
  %start = arith.muli %block, %c16 : i64
  %v = tile.window_load %x extents (%length) strides (%c1) starts (%start) lengths [16]
       pad %pad : f32 : !tile.ptr<f32> -> tensor<16xf32>
  return %v : tensor<16xf32>
}

// An index is tested once, in the bound of the elements that are tested one by one.
// CHECK-LABEL: func.func @elements
// CHECK: %[[ROW:.*]] = arith.cmpi ult, %arg3, %arg1 : i64
// CHECK: %[[LEFT:.*]] = arith.subi %arg2, %arg4 : i64
// CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %{{.*}} : i64
// CHECK: %[[MOST:.*]] = arith.minsi %[[SOME]], %{{.*}} : i64
// CHECK: %[[END:.*]] = arith.trunci %[[MOST]] : i64 to i32
// CHECK: %[[COUNT:.*]] = arith.select %[[ROW]], %[[END]], %{{.*}} : i32
// CHECK: %[[BOUND:.*]] = tile.splat %[[COUNT]] : i32 -> tensor<8xi32>
// CHECK: %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %[[BOUND]] : tensor<8xi32>
// CHECK-NOT: arith.cmpi
// CHECK: tile.store %{{.*}}, %{{.*}} mask %[[MASK]]
func.func @elements(%x: !tile.ptr<f32>, %rows: i64, %columns: i64, %i: i64, %j: i64,
                    %v: tensor<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %positive = arith.cmpi sge, %j, %c0 : i64
  tile.assume %positive
  tile.window_store %x extents (%rows, %columns) strides (%columns, %c1) starts (%i, %j)
       lengths [0, 8], %v : !tile.ptr<f32>, tensor<8xf32>
  return
}

// A start that may be negative needs both ends.
// CHECK-LABEL: func.func @both_ends
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK: arith.andi
func.func @both_ends(%x: !tile.ptr<f32>, %length: i64, %i: i64) -> tensor<8xf32> {
  %c1 = arith.constant 1 : i64
  %v = tile.window_load %x extents (%length) strides (%c1) starts (%i) lengths [8]
       : !tile.ptr<f32> -> tensor<8xf32>
  return %v : tensor<8xf32>
}

// An element: a scalar access with scalar tests. What a branch has tested is not tested again.
// CHECK-LABEL: func.func @scalar
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %arg2, %arg1 : i64
// CHECK: tile.load %{{.*}} mask %[[FIRST]] : i1 : !tile.ptr<f32> -> f32
// CHECK: scf.if
// CHECK-NOT: mask
// CHECK: tile.load %{{.*}} : !tile.ptr<f32> -> f32
func.func @scalar(%x: !tile.ptr<f32>, %length: i64, %i: i64, %row: i32, %out: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %positive = arith.cmpi sge, %length, %c0 : i64
  tile.assume %positive
  %v = tile.window_load %x extents (%length) strides (%c1) starts (%i) lengths [0]
       : !tile.ptr<f32> -> f32
  tile.store %out, %v : !tile.ptr<f32>, f32
  %inside = arith.cmpi ult, %i, %length : i64
  scf.if %inside {
    %n = arith.maxsi %i, %c0 : i64
    %w = tile.window_load %x extents (%length) strides (%c1) starts (%n) lengths [0]
         : !tile.ptr<f32> -> f32
    tile.store %out, %w : !tile.ptr<f32>, f32
  }
  return
}

// Whole blocks of any extent need no test; what remains behind them does.
// CHECK-LABEL: func.func @whole_blocks
// CHECK: scf.for
// CHECK: tile.load %{{[0-9]+}} {read_only}
// CHECK: }
// CHECK: tile.load %{{[0-9]+}} mask
func.func @whole_blocks(%x: !tile.ptr<f32>, %length: i32, %out: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %n = arith.extsi %length : i32 to i64
  %positive = arith.cmpi sge, %n, %c0 : i64
  tile.assume %positive
  %blocks = arith.divsi %n, %c32 : i64
  %end = arith.muli %blocks, %c32 : i64
  scf.for %k = %c0 to %end step %c32 : i64 {
    %v = tile.window_load %x extents (%n) strides (%c1) starts (%k) lengths [32] {read_only}
         : !tile.ptr<f32> -> tensor<32xf32>
    tile.window_store %out extents (%n) strides (%c1) starts (%k) lengths [32], %v
         : !tile.ptr<f32>, tensor<32xf32>
  }
  %v = tile.window_load %x extents (%n) strides (%c1) starts (%end) lengths [32] {read_only}
       : !tile.ptr<f32> -> tensor<32xf32>
  tile.window_store %out extents (%n) strides (%c1) starts (%end) lengths [32], %v
       : !tile.ptr<f32>, tensor<32xf32>
  return
}
