// RUN: tilec-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(canonicalize,tile-stage-loads{all=true},canonicalize,cse,tile-assign-layouts,tile-buffer-layouts,tile-place-shared,tile-insert-barriers))' | FileCheck %s
// RUN: tilec-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(canonicalize,tile-stage-loads{all=true},tile-prefetch-operands,canonicalize,cse,tile-assign-layouts,tile-buffer-layouts,tile-place-shared,tile-insert-barriers))' | FileCheck %s --check-prefix=AHEAD

// Two staged loads, one barrier an iteration: after the wait, in front of the copies.
// CHECK-LABEL: func.func @two
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// CHECK-NEXT: tile.wait_group 2
// CHECK: tile.barrier
// CHECK-NEXT: tile.copy_async
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @two(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %row = arith.constant 1024 : i32
  %start = arith.constant dense<0.0> : tensor<1024xf32>
  %cols = tile.arange 0 : tensor<1024xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<1024xf32> : i32 {
    %o = arith.muli %i, %row : i32
    %xi = tile.addptr %x, %o : !tile.ptr<f32>, i32
    %xs = tile.splat %xi : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
    %p = tile.addptr %xs, %cols : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %u = tile.load %p {read_only} : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
    %yi = tile.addptr %y, %o : !tile.ptr<f32>, i32
    %ys = tile.splat %yi : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
    %q = tile.addptr %ys, %cols : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %v = tile.load %q {read_only} : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
    %a = arith.addf %u, %v : tensor<1024xf32>
    %s = arith.addf %acc, %a : tensor<1024xf32>
    scf.yield %s : tensor<1024xf32>
  } {tile.stages = 4 : i32}
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %r = tile.addptr %os, %cols : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %r, %sum : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// -----

// A loop that is run again meets its own last reads: one barrier in front of its prologue, one an
// iteration.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK: tile.barrier
// CHECK: tile.copy_async
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// CHECK-NEXT: tile.wait_group 0
// CHECK: tile.barrier
// CHECK-NEXT: tile.copy_async
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @nested(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %row = arith.constant 1024 : i32
  %start = arith.constant dense<0.0> : tensor<1024xf32>
  %cols = tile.arange 0 : tensor<1024xi32>
  %total = scf.for %j = %zero to %n step %one iter_args(%before = %start) -> tensor<1024xf32> : i32 {
    %sum = scf.for %i = %zero to %j step %one iter_args(%acc = %before) -> tensor<1024xf32> : i32 {
      %o = arith.muli %i, %row : i32
      %xi = tile.addptr %x, %o : !tile.ptr<f32>, i32
      %xs = tile.splat %xi : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
      %p = tile.addptr %xs, %cols : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
      %u = tile.load %p {read_only} : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
      %s = arith.addf %acc, %u : tensor<1024xf32>
      scf.yield %s : tensor<1024xf32>
    } {tile.stages = 2 : i32}
    scf.yield %sum : tensor<1024xf32>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %r = tile.addptr %os, %cols : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %r, %total : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// -----

// The steady state of a matrix multiply: wait, one barrier, copies, reads, product.
// CHECK-LABEL: func.func @matmul
// CHECK: scf.for
// CHECK-NEXT: tile.wait_group 1
// CHECK-NOT: tile.barrier
// CHECK: tile.barrier
// CHECK-NEXT: tile.copy_async
// CHECK-NOT: tile.barrier
// CHECK: tile.local_load
// CHECK-NOT: tile.barrier
// CHECK: tile.dot
// CHECK-NOT: tile.barrier
// CHECK: scf.yield

// With operands read ahead the one barrier follows the wait, between the last two products.
// AHEAD-LABEL: func.func @matmul
// AHEAD: scf.for
// AHEAD-NOT: tile.barrier
// AHEAD: tile.commit_group
// AHEAD-NOT: tile.barrier
// AHEAD: tile.dot
// AHEAD-NOT: tile.barrier
// AHEAD: tile.wait_group 1
// AHEAD: tile.barrier
// AHEAD-NEXT: tile.local_load
// AHEAD-NOT: tile.barrier
// AHEAD: tile.dot
// AHEAD-NOT: tile.barrier
// AHEAD: scf.yield
func.func @matmul(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.warps = 4 : i32} {
  tile.assume_aligned %a, 16 : !tile.ptr<f16>
  tile.assume_aligned %b, 16 : !tile.ptr<f16>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %start = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.arange 0 : tensor<4096xi32>
  %at = tile.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<64x64xf32> : i32 {
    %o = arith.muli %i, %size : i32
    %os = tile.splat %o : i32 -> tensor<64x64xi32>
    %here = arith.addi %at, %os : tensor<64x64xi32>
    %p = tile.addptr %as, %here : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %q = tile.addptr %bs, %here : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %u = tile.load %p {read_only} : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %v = tile.load %q {read_only} : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %d = tile.dot %u, %v, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.stages = 3 : i32}
  %ds = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %to = tile.addptr %ds, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %to, %sum : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}
