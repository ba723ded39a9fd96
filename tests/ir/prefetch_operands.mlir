// RUN: tilec-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(tile-stage-loads,tile-prefetch-operands,canonicalize,cse))' | FileCheck %s

// K = 32 of f16 are two parts. The loop carries part 0 of this iteration; part 0 of the next one is
// read behind the wait, while part 1 is multiplied.
// CHECK-LABEL: func.func @matmul
// CHECK-DAG: %[[A:.*]] = tile.alloc : <3, [16, 32], f16>
// CHECK-DAG: %[[B:.*]] = tile.alloc : <3, [32, 16], f16>
// CHECK: tile.wait_group 1
// CHECK: %[[FIRSTA:.*]] = tile.local_load %[[A]][%c0_i32] {tile.part_of_slot = array<i64: 0, 0>} : <3, [16, 32], f16> -> tensor<16x16xf16>
// CHECK: %[[FIRSTB:.*]] = tile.local_load %[[B]][%c0_i32] {tile.part_of_slot = array<i64: 0, 0>}
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[SLOT:.*]] = %c0_i32, %[[A0:.*]] = %[[FIRSTA]], %[[B0:.*]] = %[[FIRSTB]])
// CHECK: %[[A1:.*]] = tile.local_load %[[A]][%[[SLOT]]] {tile.part_of_slot = array<i64: 0, 16>}
// CHECK: %[[B1:.*]] = tile.local_load %[[B]][%[[SLOT]]] {tile.part_of_slot = array<i64: 16, 0>}
// CHECK: %[[HALF:.*]] = tile.dot %[[A0]], %[[B0]], %[[SUM]]
// CHECK: tile.copy_async
// CHECK: tile.copy_async
// CHECK: tile.commit_group
// CHECK: tile.wait_group 1
// CHECK: %[[NEXTA:.*]] = tile.local_load %[[A]][%[[NEXT:.*]]] {tile.part_of_slot = array<i64: 0, 0>}
// CHECK: %[[NEXTB:.*]] = tile.local_load %[[B]][%[[NEXT]]] {tile.part_of_slot = array<i64: 0, 0>}
// CHECK: %[[WHOLE:.*]] = tile.dot %[[A1]], %[[B1]], %[[HALF]]
// CHECK: scf.yield %[[WHOLE]], %[[NEXT]], %[[NEXTA]], %[[NEXTB]]

func.func @matmul(%a: tensor<16x32x!tile.ptr<f16>>, %b: tensor<32x16x!tile.ptr<f16>>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %wide = arith.constant 512 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %aligned = tile.multiple_of %a, [1, 16] : tensor<16x32x!tile.ptr<f16>>
  %x = tile.max_contiguous %aligned, [1, 32] : tensor<16x32x!tile.ptr<f16>>
  %straight = tile.multiple_of %b, [1, 16] : tensor<32x16x!tile.ptr<f16>>
  %y = tile.max_contiguous %straight, [1, 16] : tensor<32x16x!tile.ptr<f16>>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (tensor<16x16xf32>) : i32 {
    %o = arith.muli %i, %wide : i32
    %oa = tile.splat %o : i32 -> tensor<16x32xi32>
    %p = tile.addptr %x, %oa : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
    %u = tile.load %p {read_only} : tensor<16x32x!tile.ptr<f16>> -> tensor<16x32xf16>
    %ob = tile.splat %o : i32 -> tensor<32x16xi32>
    %q = tile.addptr %y, %ob : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi32>
    %v = tile.load %q {read_only} : tensor<32x16x!tile.ptr<f16>> -> tensor<32x16xf16>
    %d = tile.dot %u, %v, %acc : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.stages = 3 : i32}
  return %sum : tensor<16x16xf32>
}

// -----

// Two slots: the copies waited for would start in the same iteration. Nothing changes.
// CHECK-LABEL: func.func @two_slots
// CHECK: scf.for
// CHECK-NEXT: tile.wait_group 0
// CHECK-NOT: tile.part_of_slot
// CHECK: scf.yield
func.func @two_slots(%a: tensor<16x32x!tile.ptr<f16>>, %b: tensor<32x16x!tile.ptr<f16>>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %wide = arith.constant 512 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %aligned = tile.multiple_of %a, [1, 16] : tensor<16x32x!tile.ptr<f16>>
  %x = tile.max_contiguous %aligned, [1, 32] : tensor<16x32x!tile.ptr<f16>>
  %straight = tile.multiple_of %b, [1, 16] : tensor<32x16x!tile.ptr<f16>>
  %y = tile.max_contiguous %straight, [1, 16] : tensor<32x16x!tile.ptr<f16>>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (tensor<16x16xf32>) : i32 {
    %o = arith.muli %i, %wide : i32
    %oa = tile.splat %o : i32 -> tensor<16x32xi32>
    %p = tile.addptr %x, %oa : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
    %u = tile.load %p {read_only} : tensor<16x32x!tile.ptr<f16>> -> tensor<16x32xf16>
    %ob = tile.splat %o : i32 -> tensor<32x16xi32>
    %q = tile.addptr %y, %ob : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi32>
    %v = tile.load %q {read_only} : tensor<32x16x!tile.ptr<f16>> -> tensor<32x16xf16>
    %d = tile.dot %u, %v, %acc : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.stages = 2 : i32}
  return %sum : tensor<16x16xf32>
}
