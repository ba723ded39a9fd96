// RUN: tilec-opt %s --pass-pipeline='builtin.module(func.func(tile-prefetch))' | FileCheck %s

#one = #tile.layout<[128], reg = [], lane = [1, 2, 4, 8, 16], warp = [32, 64]>

// One load before the loop, one ahead inside it, both under the predicate that their iteration runs.
// CHECK-LABEL: func.func @staged
// CHECK: %[[RUNS:.*]] = arith.cmpi slt
// CHECK: tile.splat %[[RUNS]]
// CHECK: %[[FIRST:.*]] = tile.load {{.*}} mask
// CHECK: scf.for {{.*}} iter_args(%[[HELD:.*]] = %[[FIRST]])
// CHECK-NOT: tile.stages
// CHECK: arith.cmpi ugt
// CHECK: %[[NEXT:.*]] = tile.load {{.*}} mask
// CHECK: tile.store %{{.*}}, %[[HELD]]
// CHECK: scf.yield %[[NEXT]]
func.func @staged(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %cols = tile.arange 0 : tensor<128xi32, #one>
  scf.for %i = %zero to %n step %one : i32 {
    %from = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %base = tile.splat %from : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #one>
    %p = tile.addptr %base, %cols : tensor<128x!tile.ptr<f32>, #one>, tensor<128xi32, #one>
    %v = tile.load %p {read_only} : tensor<128x!tile.ptr<f32>, #one> -> tensor<128xf32, #one>
    %into = tile.addptr %out, %i : !tile.ptr<f32>, i32
    %to = tile.splat %into : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #one>
    %q = tile.addptr %to, %cols : tensor<128x!tile.ptr<f32>, #one>, tensor<128xi32, #one>
    tile.store %q, %v : tensor<128x!tile.ptr<f32>, #one>, tensor<128xf32, #one>
  } {tile.stages = 2 : i32}
  return
}

// What the loop may write is not read ahead.
// CHECK-LABEL: func.func @written
// CHECK-NOT: iter_args
// CHECK: return
func.func @written(%x: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %v = tile.load %p : !tile.ptr<f32> -> f32
    %q = tile.addptr %p, %one : !tile.ptr<f32>, i32
    tile.store %q, %v : !tile.ptr<f32>, f32
  } {tile.stages = 3 : i32}
  return
}

// The address of an iteration that may not run: its division is by 1 then.
// CHECK-LABEL: func.func @divided
// CHECK: %[[RUNS:.*]] = arith.cmpi slt
// CHECK: %[[DIVISOR:.*]] = arith.select %[[RUNS]], %{{.*}}, %{{.*}} : i32
// CHECK: arith.divsi %{{.*}}, %[[DIVISOR]] : i32
// CHECK: tile.load {{.*}} mask
// CHECK: scf.for
// CHECK: arith.cmpi ugt
// CHECK: %[[RUNS_NEXT:.*]] = arith.andi
// CHECK: %[[NEXT_DIVISOR:.*]] = arith.select %[[RUNS_NEXT]], %{{.*}}, %{{.*}} : i32
// CHECK: arith.divsi %{{.*}}, %[[NEXT_DIVISOR]] : i32
// CHECK: tile.load {{.*}} mask
func.func @divided(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %m: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %cols = tile.arange 0 : tensor<128xi32, #one>
  scf.for %i = %zero to %n step %one : i32 {
    %left = arith.subi %n, %i : i32
    %row = arith.divsi %m, %left : i32
    %from = tile.addptr %x, %row : !tile.ptr<f32>, i32
    %base = tile.splat %from : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #one>
    %p = tile.addptr %base, %cols : tensor<128x!tile.ptr<f32>, #one>, tensor<128xi32, #one>
    %v = tile.load %p {read_only} : tensor<128x!tile.ptr<f32>, #one> -> tensor<128xf32, #one>
    %into = tile.addptr %out, %i : !tile.ptr<f32>, i32
    %to = tile.splat %into : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #one>
    %q = tile.addptr %to, %cols : tensor<128x!tile.ptr<f32>, #one>, tensor<128xi32, #one>
    tile.store %q, %v : tensor<128x!tile.ptr<f32>, #one>, tensor<128xf32, #one>
  } {tile.stages = 2 : i32}
  return
}
