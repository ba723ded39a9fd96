// RUN: tilec-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(tile-stage-loads,cse))' | FileCheck %s

// Both operands of the dot run two iterations ahead: a through a pointer that the loop carries, b
// through one computed from the induction variable.
// CHECK-LABEL: func.func @matmul
// CHECK-DAG: %[[A:.*]] = tile.alloc : <3, [16, 32], f16>
// CHECK-DAG: %[[B:.*]] = tile.alloc : <3, [32, 16], f16>
// CHECK: tile.copy_async %{{.*}}, %[[A]][%c0_i32] active
// CHECK: tile.copy_async %{{.*}}, %[[B]][%c0_i32] active
// CHECK: tile.commit_group
// CHECK: tile.copy_async %{{.*}}, %[[A]][%c1_i32] active
// CHECK: tile.copy_async %{{.*}}, %[[B]][%c1_i32] active
// CHECK: tile.commit_group
// CHECK-NOT: tile.commit_group
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%{{.*}}, %{{.*}}, %[[SLOT:.*]] = %c0_i32, %[[AHEAD:.*]] = %{{.*}})
// CHECK-NEXT: tile.wait_group 1
// CHECK-NEXT: %[[RUNS:.*]] = arith.cmpi slt, %[[I]]
// CHECK: arith.addi %[[I]],
// CHECK: tile.copy_async %[[AHEAD]], %[[A]][%[[NEXT:.*]]] active %[[RUNS]]
// CHECK: tile.copy_async %{{.*}}, %[[B]][%[[NEXT]]] active %[[RUNS]]
// CHECK: tile.commit_group
// CHECK: %[[X:.*]] = tile.local_load %[[A]][%[[SLOT]]]
// CHECK: %[[Y:.*]] = tile.local_load %[[B]][%[[SLOT]]]
// CHECK: tile.dot %[[X]], %[[Y]]
// CHECK-NOT: tile.wait_group
// CHECK: scf.yield
// CHECK: tile.wait_group 0
func.func @matmul(%a: tensor<16x32x!tile.ptr<f16>>, %b: tensor<32x16x!tile.ptr<f16>>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %step = arith.constant dense<32> : tensor<16x32xi32>
  %aligned = tile.multiple_of %a, [1, 16] : tensor<16x32x!tile.ptr<f16>>
  %x = tile.max_contiguous %aligned, [1, 32] : tensor<16x32x!tile.ptr<f16>>
  %straight = tile.multiple_of %b, [1, 16] : tensor<32x16x!tile.ptr<f16>>
  %y = tile.max_contiguous %straight, [1, 16] : tensor<32x16x!tile.ptr<f16>>
  %wide = arith.constant 512 : i32
  %sum:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %start, %p = %x) -> (tensor<16x16xf32>, tensor<16x32x!tile.ptr<f16>>) : i32 {
    %u = tile.load %p {read_only} : tensor<16x32x!tile.ptr<f16>> -> tensor<16x32xf16>
    %row = arith.muli %i, %wide : i32
    %rows = tile.splat %row : i32 -> tensor<32x16xi32>
    %q = tile.addptr %y, %rows : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi32>
    %v = tile.load %q {read_only} : tensor<32x16x!tile.ptr<f16>> -> tensor<32x16xf16>
    %d = tile.dot %u, %v, %acc : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
    %next = tile.addptr %p, %step : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
    scf.yield %d, %next : tensor<16x16xf32>, tensor<16x32x!tile.ptr<f16>>
  } {tile.stages = 3 : i32}
  return %sum#0 : tensor<16x16xf32>
}

// -----

// Nothing is known of the addresses: registers, one iteration ahead, stored at the end.
// CHECK-LABEL: func.func @registers
// CHECK: %[[A:.*]] = tile.alloc : <2, [16, 16], f16>
// CHECK: tile.load %{{.*}} mask
// CHECK: tile.local_store %{{.*}}, %[[A]][%c0_i32] active
// CHECK: scf.for
// CHECK-NOT: wait_group
// CHECK: %[[EARLY:.*]] = tile.load %{{.*}} mask
// CHECK: tile.local_load %[[A]]
// CHECK: tile.dot
// CHECK: tile.local_store %[[EARLY]], %[[A]][%{{.*}}] active
// CHECK: scf.yield
func.func @registers(%a: tensor<16x16x!tile.ptr<f16>>, %b: tensor<16x16xf16>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    %row = tile.splat %i : i32 -> tensor<16x16xi32>
    %p = tile.addptr %a, %row : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    %u = tile.load %p {read_only} : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
    %d = tile.dot %u, %b, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.stages = 4 : i32}
  return %sum : tensor<16x16xf32>
}

// -----

// A load under a condition is copied where that will hold.
// CHECK-LABEL: func.func @conditional
// CHECK: scf.for
// CHECK: tile.wait_group 0
// CHECK: %[[RUNS:.*]] = arith.cmpi slt
// CHECK: %[[ODD:.*]] = arith.cmpi eq
// CHECK: %[[TAKEN:.*]] = arith.andi %[[RUNS]], %[[ODD]]
// CHECK: tile.copy_async {{.*}} active %[[TAKEN]]
// CHECK: scf.if
// CHECK: tile.local_load
func.func @conditional(%a: tensor<16x16x!tile.ptr<f32>>, %b: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    %bit = arith.andi %i, %one : i32
    %odd = arith.cmpi eq, %bit, %one : i32
    %r = scf.if %odd -> tensor<16x16xf32> {
      %row = tile.splat %i : i32 -> tensor<16x16xi32>
      %p = tile.addptr %a, %row : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
      %u = tile.load %p {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
      %d = tile.dot %u, %b, %acc {precision = 1 : i32} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    } else {
      scf.yield %acc : tensor<16x16xf32>
    }
    scf.yield %r : tensor<16x16xf32>
  } {tile.stages = 2 : i32}
  return %sum : tensor<16x16xf32>
}
