// RUN: tilec-opt %s -verify-diagnostics --pass-pipeline='builtin.module(func.func(tile-stage-loads{remarks=true max-shared-bytes=6144}))'
// Loops that say no stages. Half of the shared memory is 3072 bytes.

func.func @three(%a: tensor<16x16x!tile.ptr<f32>>, %b: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    // expected-remark @below {{[pipeline] load: staged in shared memory by asynchronous copies, 2 iteration(s) ahead, 3 slots of 1024 bytes}}
    %u = tile.load %a {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %d = tile.dot %u, %b, %acc {precision = 3 : i32} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    // This one feeds no dot.
    %v = tile.load %a {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %e = arith.addf %d, %v : tensor<16x16xf32>
    scf.yield %e : tensor<16x16xf32>
  }
  return %sum : tensor<16x16xf32>
}

func.func @two(%a: tensor<16x16x!tile.ptr<f32>>, %c: tensor<16x8x!tile.ptr<f32>>, %n: i32) -> tensor<16x8xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x8xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x8xf32> : i32 {
    // expected-remark @below {{[pipeline] load: staged in shared memory by asynchronous copies, 1 iteration(s) ahead, 2 slots of 1024 bytes}}
    %u = tile.load %a {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    // expected-remark @below {{[pipeline] load: staged in shared memory by asynchronous copies, 1 iteration(s) ahead, 2 slots of 512 bytes}}
    %v = tile.load %c {read_only} : tensor<16x8x!tile.ptr<f32>> -> tensor<16x8xf32>
    %d = tile.dot %u, %v, %acc {precision = 3 : i32} : tensor<16x16xf32>, tensor<16x8xf32> -> tensor<16x8xf32>
    scf.yield %d : tensor<16x8xf32>
  }
  return %sum : tensor<16x8xf32>
}

func.func @none(%a: tensor<16x32x!tile.ptr<f32>>, %b: tensor<32x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    // expected-remark @below {{[pipeline] load: not staged: two slots of the loop's operands take more than half of the shared memory; `stages = 2` asks for them all the same}}
    %u = tile.load %a {read_only} : tensor<16x32x!tile.ptr<f32>> -> tensor<16x32xf32>
    %d = tile.dot %u, %b, %acc {precision = 3 : i32} : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  return %sum : tensor<16x16xf32>
}
