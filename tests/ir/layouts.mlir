// RUN: tilec-opt %s --pass-pipeline='builtin.module(func.func(tile-assign-layouts))' | FileCheck %s

// 16 bytes a lane when the contract allows them; a row of 1024 f32 over 4 warps.
// CHECK: #[[WIDE:.*]] = #tile.layout<[1024], reg = [1, 2, 512], lane = [4, 8, 16, 32, 64], warp = [128, 256]>
// CHECK-LABEL: func.func @aligned
// CHECK: tile.load {{.*}} -> tensor<1024xf32, #[[WIDE]]>
func.func @aligned(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.warps = 4 : i32} {
  tile.assume_aligned %x, 16 : !tile.ptr<f32>
  tile.assume_aligned %out, 16 : !tile.ptr<f32>
  %cols = tile.arange 0 : tensor<1024xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %base, %cols : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %p : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %to, %cols : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %q, %v : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// A transposing copy reads along rows and writes along columns: one conversion, two good accesses.
// CHECK-LABEL: func.func @transpose
// CHECK: tile.load
// CHECK: tile.convert_layout
// CHECK: tile.store
func.func @transpose(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.warps = 4 : i32} {
  tile.assume_aligned %x, 16 : !tile.ptr<f32>
  tile.assume_aligned %out, 16 : !tile.ptr<f32>
  %i = tile.arange 0 : tensor<64xi32>
  %row = tile.expand_dims %i, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %col = tile.expand_dims %i, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %c64 = arith.constant dense<64> : tensor<64x64xi32>
  %r = arith.muli %rows, %c64 : tensor<64x64xi32>
  %from = arith.addi %r, %cols : tensor<64x64xi32>
  %c = arith.muli %cols, %c64 : tensor<64x64xi32>
  %into = arith.addi %c, %rows : tensor<64x64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %p = tile.addptr %base, %from : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %v = tile.load %p : tensor<64x64x!tile.ptr<f32>> -> tensor<64x64xf32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %q = tile.addptr %to, %into : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %q, %v : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// A row reduction keeps each row within one warp: no scratch.
// CHECK-LABEL: func.func @rows
// CHECK: tile.load {{.*}} -> tensor<4x256xf32, #{{.*}}>
// CHECK: tile.reduce
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @rows(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.warps = 4 : i32} {
  tile.assume_aligned %x, 16 : !tile.ptr<f32>
  %i = tile.arange 0 : tensor<4xi32>
  %j = tile.arange 0 : tensor<256xi32>
  %row = tile.expand_dims %i, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %rows = tile.broadcast %row : tensor<4x1xi32> -> tensor<4x256xi32>
  %col = tile.expand_dims %j, 0 : tensor<256xi32> -> tensor<1x256xi32>
  %cols = tile.broadcast %col : tensor<1x256xi32> -> tensor<4x256xi32>
  %width = arith.constant dense<256> : tensor<4x256xi32>
  %r = arith.muli %rows, %width : tensor<4x256xi32>
  %from = arith.addi %r, %cols : tensor<4x256xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<4x256x!tile.ptr<f32>>
  %p = tile.addptr %base, %from : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xi32>
  %v = tile.load %p : tensor<4x256x!tile.ptr<f32>> -> tensor<4x256xf32>
  %sum = "tile.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<4x256xf32>) -> tensor<4xf32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %q = tile.addptr %to, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  tile.store %q, %sum : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
