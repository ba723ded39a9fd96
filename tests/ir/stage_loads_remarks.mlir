// RUN: tilec-opt %s -verify-diagnostics --pass-pipeline='builtin.module(func.func(tile-stage-loads{remarks=true}))'

func.func @written(%a: tensor<16x16x!tile.ptr<f32>>, %b: tensor<16x16xf32>, %out: !tile.ptr<f32>, %v: f32, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    // expected-remark @below {{[pipeline] load: not staged: the loop stores, and the pointer is not `ptr<const T>`}}
    %u = tile.load %a : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    tile.store %out, %v : !tile.ptr<f32>, f32
    %d = tile.dot %u, %b, %acc {precision = 3 : i32} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.stages = 3 : i32}
  return %sum : tensor<16x16xf32>
}

func.func @masked(%a: tensor<16x16x!tile.ptr<f32>>, %mask: tensor<16x16xi1>, %b: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    // expected-remark @below {{[pipeline] load: staged in shared memory through registers, 1 iteration(s) ahead, 2 slots of 1024 bytes; not copied: masked elements are not 0}}
    %u = tile.load %a mask %mask : tensor<16x16xi1> other %ones : tensor<16x16xf32> {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    // expected-remark @below {{[pipeline] load: staged in shared memory by asynchronous copies, 2 iteration(s) ahead, 3 slots of 1024 bytes}}
    %v = tile.load %a mask %mask : tensor<16x16xi1> {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %d = tile.dot %u, %v, %acc {precision = 3 : i32} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.stages = 3 : i32}
  return %sum : tensor<16x16xf32>
}

func.func @chased(%a: tensor<16x16x!tile.ptr<f32>>, %b: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    // expected-remark @below {{[pipeline] load: staged in shared memory by asynchronous copies, 1 iteration(s) ahead}}
    %u = tile.load %a {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %j = arith.fptosi %u : tensor<16x16xf32> to tensor<16x16xi32>
    %p = tile.addptr %a, %j : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    // expected-remark @below {{[pipeline] load: not staged: its address depends on this iteration's data}}
    %v = tile.load %p {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %d = tile.dot %u, %v, %acc {precision = 3 : i32} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.stages = 2 : i32}
  return %sum : tensor<16x16xf32>
}

func.func @single(%a: tensor<16x16x!tile.ptr<f32>>, %b: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    // expected-remark @below {{[pipeline] load: not staged: stages = 1 runs nothing ahead}}
    %u = tile.load %a {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %d = tile.dot %u, %b, %acc {precision = 3 : i32} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.stages = 1 : i32}
  return %sum : tensor<16x16xf32>
}

func.func @indexed(%table: !tile.ptr<i32>, %a: tensor<16x16x!tile.ptr<f32>>, %b: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    %t = tile.addptr %table, %i : !tile.ptr<i32>, i32
    // expected-remark @below {{[pipeline] load: read 2 iteration(s) ahead, for the address of a staged load}}
    %page = tile.load %t {read_only} : !tile.ptr<i32> -> i32
    %pages = tile.splat %page : i32 -> tensor<16x16xi32>
    %p = tile.addptr %a, %pages : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    // expected-remark @below {{[pipeline] load: staged in shared memory by asynchronous copies, 2 iteration(s) ahead}}
    %u = tile.load %p {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %d = tile.dot %u, %b, %acc {precision = 3 : i32} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.stages = 3 : i32}
  return %sum : tensor<16x16xf32>
}

// Through registers, 64 a thread of one warp each: the second is one too many.
func.func @crowded(%a: tensor<32x32x!tile.ptr<i8>>, %c: tensor<32x64x!tile.ptr<i8>>, %n: i32) -> tensor<32x64xi32> attributes {tile.warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0> : tensor<32x64xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<32x64xi32> : i32 {
    // expected-remark @below {{[pipeline] load: staged in shared memory through registers, 1 iteration(s) ahead}}
    %u = tile.load %a {read_only} : tensor<32x32x!tile.ptr<i8>> -> tensor<32x32xi8>
    // expected-remark @below {{[pipeline] load: not staged: through registers, 96 of a thread would be taken during the whole iteration; }}
    %v = tile.load %c {read_only} : tensor<32x64x!tile.ptr<i8>> -> tensor<32x64xi8>
    %d = tile.dot %u, %v, %acc : tensor<32x32xi8>, tensor<32x64xi8> -> tensor<32x64xi32>
    scf.yield %d : tensor<32x64xi32>
  } {tile.stages = 2 : i32}
  return %sum : tensor<32x64xi32>
}

// A divisor that may be 0 in an iteration that does not run keeps nothing from running ahead.
func.func @divided(%a: tensor<16x16x!tile.ptr<f32>>, %b: tensor<16x16xf32>, %m: i32, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<16x16xf32> : i32 {
    %left = arith.subi %n, %i : i32
    %row = arith.divsi %m, %left : i32
    %rows = tile.splat %row : i32 -> tensor<16x16xi32>
    %p = tile.addptr %a, %rows : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    // expected-remark @below {{[pipeline] load: staged in shared memory by asynchronous copies, 2 iteration(s) ahead}}
    %u = tile.load %p {read_only} : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %d = tile.dot %u, %b, %acc {precision = 3 : i32} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.stages = 3 : i32}
  return %sum : tensor<16x16xf32>
}
