// Windows that the tensor-copy engine copies: which are kept for it, what staging makes of them, and
// what reading ahead does to their wait.
// DEFINE: %{keep} = tile-expand-windows{keep-tensor-copies=true}
// DEFINE: %{stage} = %{keep},tile-stage-loads,tile-expand-windows
// DEFINE: %{opt} = tilec-opt %s -split-input-file --pass-pipeline
// RUN: %{opt}='builtin.module(func.func(%{keep},canonicalize))' | FileCheck %s --check-prefix=KEEP
// RUN: %{opt}='builtin.module(func.func(canonicalize,%{stage},canonicalize,cse))' | FileCheck %s --check-prefix=STAGE
// RUN: %{opt}='builtin.module(func.func(canonicalize,%{stage},tile-prefetch-operands,canonicalize,cse))' | FileCheck %s --check-prefix=AHEAD

// In a specialised variant, loads for dots in loops that the engine can do stay windows; of those it
// cannot do, the reason is kept. What feeds no dot, and stores, have none.
// KEEP-LABEL: func.func @chosen
// KEEP: scf.for
// KEEP-NEXT: %[[X:.*]] = tile.window_load %arg0
// KEEP: %[[PADDED:.*]] = tile.load {{.*}}tile.not_by_tensor_copy = "what it reads outside the view is not 0"
// KEEP: %[[SPREAD:.*]] = tile.load {{.*}}tile.not_by_tensor_copy = "no stride of it is known to be 1"
// KEEP: %[[SHIFTED:.*]] = tile.load {{.*}}tile.not_by_tensor_copy = "`shifted` is not known to be a multiple of 16 bytes"
// KEEP: %[[ODD:.*]] = tile.load {{.*}}tile.not_by_tensor_copy = "`odd.stride(0)` is not known to be a multiple of 16 bytes"
// KEEP: %[[CACHED:.*]] = tile.load {{.*}}tile.not_by_tensor_copy = "it has no cache operators"
// KEEP: %[[BETWEEN:.*]] = tile.load {{.*}}tile.not_by_tensor_copy = "where it starts along the axis of stride 1 is not known to be a multiple of 16 bytes"
// KEEP: %[[NARROW:.*]] = tile.load {{.*}}tile.not_by_tensor_copy = "the window is too narrow, or too large"
// KEEP-NOT: tile.not_by_tensor_copy
// KEEP-NOT: window_load
// KEEP: %[[ALONE:.*]] = tile.load
// KEEP: tile.dot %[[X]]
// KEEP-NOT: tile.window_store
// KEEP: return
func.func @chosen(%x: !tile.ptr<f16> {tile.name = "x", tile.view = 0 : i32},
                  %spread: !tile.ptr<f16> {tile.name = "spread", tile.view = 1 : i32},
                  %shifted: !tile.ptr<f16> {tile.name = "shifted", tile.view = 2 : i32},
                  %odd: !tile.ptr<f16> {tile.name = "odd", tile.view = 3 : i32},
                  %step: i64, %oddstep: i64, %n: i64, %y: tensor<16x16xf16>) -> (tensor<16x16xf32>, tensor<16x16xf16>) attributes {tile.specialized} {
  tile.assume_aligned %x, 16 : !tile.ptr<f16>
  tile.assume_aligned %spread, 16 : !tile.ptr<f16>
  tile.assume_aligned %shifted, 8 : !tile.ptr<f16>
  tile.assume_aligned %odd, 16 : !tile.ptr<f16>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %c16 = arith.constant 16 : i64
  %one = arith.constant 1.0 : f16
  %sums = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0.0> : tensor<16x16xf16>
  %rest = arith.remsi %step, %c8 : i64
  %divides = arith.cmpi eq, %rest, %c0 : i64
  tile.assume %divides
  %r:2 = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %sums, %other = %none) -> (tensor<16x16xf32>, tensor<16x16xf16>) : i64 {
    %u0 = tile.window_load %x extents (%n, %n) strides (%step, %c1) starts (%c0, %k) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %u1 = tile.window_load %x extents (%n, %n) strides (%step, %c1) starts (%c0, %k) lengths [16, 16] pad %one : f16 {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %u2 = tile.window_load %spread extents (%n, %n) strides (%step, %step) starts (%c0, %k) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %u3 = tile.window_load %shifted extents (%n, %n) strides (%step, %c1) starts (%c0, %k) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %u4 = tile.window_load %odd extents (%n, %n) strides (%oddstep, %c1) starts (%c0, %k) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %u5 = tile.window_load %x extents (%n, %n) strides (%step, %c1) starts (%c0, %k) lengths [16, 16] {cache = 2 : i32, read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %between = arith.addi %k, %c4 : i64
    %u7 = tile.window_load %x extents (%n, %n) strides (%step, %c1) starts (%c0, %between) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %u6 = tile.window_load %x extents (%n, %n) strides (%step, %c1) starts (%c0, %k) lengths [16, 4] {read_only} : !tile.ptr<f16> -> tensor<16x4xf16>
    %alone = tile.window_load %x extents (%n, %n) strides (%step, %c1) starts (%c0, %k) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %b = tile.reshape %u6 : tensor<16x4xf16> -> tensor<4x16xf16>
    %d0 = tile.dot %u0, %u1, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %d1 = tile.dot %u2, %u3, %d0 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %d2 = tile.dot %u4, %u5, %d1 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %d3 = tile.dot %u6, %b, %d2 : tensor<16x4xf16>, tensor<4x16xf16> -> tensor<16x16xf32>
    %d4 = tile.dot %u7, %y, %d3 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %t = arith.addf %other, %alone : tensor<16x16xf16>
    tile.window_store %x extents (%n, %n) strides (%step, %c1) starts (%c0, %k) lengths [16, 16], %alone : !tile.ptr<f16>, tensor<16x16xf16>
    scf.yield %d4, %t : tensor<16x16xf32>, tensor<16x16xf16>
  }
  return %r#0, %r#1 : tensor<16x16xf32>, tensor<16x16xf16>
}

// -----

// Outside of loops none are kept, nor where a loop is not counted, nor of what is no parameter.
// KEEP-LABEL: func.func @no_loop
// KEEP-NOT: tile.window_load
// KEEP: "its base is not a view's"
// KEEP: return
func.func @no_loop(%x: !tile.ptr<f16> {tile.name = "x", tile.view = 0 : i32}, %n: i64, %y: tensor<16x16xf16>, %go: i1) -> tensor<16x16xf32> attributes {tile.specialized} {
  tile.assume_aligned %x, 16 : !tile.ptr<f16>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %sums = arith.constant dense<0.0> : tensor<16x16xf32>
  %u = tile.window_load %x extents (%n, %n) strides (%c16, %c1) starts (%c0, %c0) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
  %d = tile.dot %u, %y, %sums : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %w = scf.while (%acc = %d) : (tensor<16x16xf32>) -> tensor<16x16xf32> {
    scf.condition(%go) %acc : tensor<16x16xf32>
  } do {
  ^bb0(%acc: tensor<16x16xf32>):
    %v = tile.window_load %x extents (%n, %n) strides (%c16, %c1) starts (%c0, %c0) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %e = tile.dot %v, %y, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %e : tensor<16x16xf32>
  }
  %p = tile.addptr %x, %c16 : !tile.ptr<f16>, i64
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %w) -> tensor<16x16xf32> : i64 {
    %v = tile.window_load %p extents (%n, %n) strides (%c16, %c1) starts (%c0, %k) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %e = tile.dot %v, %y, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %e : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// -----

// In a general variant none are.
// KEEP-LABEL: func.func @general
// KEEP-NOT: tile.window_load
// KEEP-NOT: tile.not_by_tensor_copy
// KEEP: return
func.func @general(%x: !tile.ptr<f16> {tile.name = "x", tile.view = 0 : i32}, %n: i64, %y: tensor<16x16xf16>) -> tensor<16x16xf32> {
  tile.assume_aligned %x, 16 : !tile.ptr<f16>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %sums = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %sums) -> tensor<16x16xf32> : i64 {
    %v = tile.window_load %x extents (%n, %n) strides (%c16, %c1) starts (%c0, %k) lengths [16, 16] {read_only} : !tile.ptr<f16> -> tensor<16x16xf16>
    %e = tile.dot %v, %y, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %e : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// -----

// A map of each view behind the parameters; of the starts only the row's, of which nothing is known,
// is clamped to i32. The loop carries slot and phase; barriers are made before it and end behind it.
// STAGE-LABEL: func.func @matmul
// STAGE-SAME: %arg6: !tile.tensor_map, %arg7: !tile.tensor_map)
// STAGE-DAG: %[[A:.*]] = tile.alloc : <3, [64, 32], f16>
// STAGE-DAG: %[[B:.*]] = tile.alloc : <3, [32, 64], f16>
// STAGE: %[[BARS:.*]] = tile.alloc : <3, [1], i64>
// STAGE-NEXT: tile.init_mbarriers %[[BARS]] arrivals 2
// STAGE: %[[LOW:.*]] = arith.maxsi %arg5, %c-2147483648_i64
// STAGE: %[[ROW64:.*]] = arith.minsi %[[LOW]], %c2147483392_i64
// STAGE: %[[ROW:.*]] = arith.trunci %[[ROW64]]
// STAGE-NOT: arith.maxsi
// STAGE-NOT: arith.minsi
// STAGE: tile.tensor_copy %arg6 is <0, order = [1, 0], box = [32, 64], swizzle = 0> starts(%[[ROW]], %{{.*}}) lengths [64, 32], %[[A]][%c0_i32], %[[BARS]] active
// STAGE: tile.tensor_copy %arg7 is <1, order = [1, 0], box = [64, 32], swizzle = 0> starts(%{{.*}}, %c0_i32) lengths [32, 64], %[[B]][%c0_i32], %[[BARS]] active
// STAGE: tile.tensor_copy %arg6 {{.*}} %[[A]][%c1_i32]
// STAGE: tile.tensor_copy %arg7 {{.*}} %[[B]][%c1_i32]
// STAGE-NOT: tile.tensor_copy
// STAGE: scf.for %[[K:.*]] = {{.*}} iter_args(%{{.*}}, %[[SLOT:.*]] = %c0_i32, %[[PHASE:.*]] = %c0_i32)
// STAGE-NEXT: tile.wait_mbarrier %[[BARS]][%[[SLOT]]] phase %[[PHASE]]
// STAGE: %[[RUNS:.*]] = arith.cmpi slt, %[[K]]
// STAGE: tile.tensor_copy %arg6 {{.*}} %[[A]][%[[FILL:.*]]], %[[BARS]] active %[[RUNS]]
// STAGE: tile.tensor_copy %arg7 {{.*}} %[[B]][%[[FILL]]], %[[BARS]] active %[[RUNS]]
// STAGE: %[[X:.*]] = tile.local_load %[[A]][%[[SLOT]]]
// STAGE: %[[Y:.*]] = tile.local_load %[[B]][%[[SLOT]]]
// STAGE: %[[SUM:.*]] = tile.dot %[[X]], %[[Y]]
// STAGE: %[[NEXT:.*]] = arith.select
// STAGE: %[[ROUND:.*]] = arith.cmpi eq, %[[NEXT]], %c0_i32
// STAGE: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1_i32
// STAGE: %[[PARITY:.*]] = arith.select %[[ROUND]], %[[OTHER]], %[[PHASE]]
// STAGE: scf.yield %[[SUM]], %[[NEXT]], %[[PARITY]]
// STAGE: tile.invalidate_mbarriers %[[BARS]]
// STAGE-NOT: tile.wait_group

// Operands read ahead: the wait in the loop is for the next slot and its phase, behind the copies.
// AHEAD-LABEL: func.func @matmul
// AHEAD: tile.tensor_copy
// AHEAD: tile.wait_mbarrier %[[BARS:.*]][%c0_i32] phase %c0_i32
// AHEAD: scf.for {{.*}} iter_args(%{{.*}}, %[[SLOT:.*]] = %c0_i32, %[[PHASE:.*]] = %c0_i32, %[[A0:.*]] = %{{.*}}, %[[B0:.*]] = %{{.*}})
// AHEAD-NOT: tile.wait_mbarrier
// AHEAD: %[[HALF:.*]] = tile.dot %[[A0]], %[[B0]]
// AHEAD: tile.tensor_copy
// AHEAD: tile.tensor_copy
// AHEAD: %[[ROUND:.*]] = arith.cmpi eq, %[[NEXT:.*]], %c0_i32
// AHEAD: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1_i32
// AHEAD: %[[PARITY:.*]] = arith.select %[[ROUND]], %[[OTHER]], %[[PHASE]]
// AHEAD: tile.wait_mbarrier %[[BARS]][%[[NEXT]]] phase %[[PARITY]]
// AHEAD-NEXT: tile.local_load %{{.*}}[%[[NEXT]]]
// AHEAD: %[[WHOLE:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[HALF]]
// AHEAD: scf.yield %[[WHOLE]], %[[NEXT]], %[[PARITY]]
func.func @matmul(%a: !tile.ptr<f16> {tile.name = "a", tile.view = 0 : i32},
                  %b: !tile.ptr<f16> {tile.name = "b", tile.view = 1 : i32},
                  %m: i64, %k: i32, %n: i64, %row: i64) -> tensor<64x64xf32> attributes {tile.specialized} {
  tile.assume_aligned %a, 16 : !tile.ptr<f16>
  tile.assume_aligned %b, 16 : !tile.ptr<f16>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %sums = arith.constant dense<0.0> : tensor<64x64xf32>
  %depth = arith.extsi %k : i32 to i64
  %r = scf.for %i = %c0 to %depth step %c32 iter_args(%acc = %sums) -> tensor<64x64xf32> : i64 {
    %x = tile.window_load %a extents (%m, %depth) strides (%c64, %c1) starts (%row, %i) lengths [64, 32] {read_only} : !tile.ptr<f16> -> tensor<64x32xf16>
    %y = tile.window_load %b extents (%depth, %n) strides (%c64, %c1) starts (%i, %c0) lengths [32, 64] {read_only} : !tile.ptr<f16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.stages = 3 : i32}
  return %r : tensor<64x64xf32>
}
