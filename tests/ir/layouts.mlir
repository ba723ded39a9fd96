// RUN: tilec-opt %s --pass-pipeline='builtin.module(func.func(tile-assign-layouts))' | FileCheck %s

// 16 bytes a lane when the contract allows them; a row of 1024 f32 over 4 warps.
// CHECK: #[[WIDE:.*]] = #tile.layout<[1024], reg = [1, 2, 512], lane = [4, 8, 16, 32, 64], warp = [128, 256]>
// CHECK: #[[SHARED:.*]] = #tile.layout<[64, 256], reg = [1, 2, 4, 64, 128, 4096, 8192], lane = [8, 16, 32, 256, 512], warp = [1024, 2048]>
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

// Requests of a thread that lie in one row share an address: 128 bytes are enough for a line, so the
// rest of the row goes to registers before other rows do.
// CHECK-LABEL: func.func @one_address_a_row
// CHECK: tile.copy_async {{.*}} : tensor<64x256x!tile.ptr<f16>, #[[SHARED]]>
func.func @one_address_a_row(%x: !tile.ptr<f16>, %stride: i64) attributes {tile.warps = 4 : i32} {
  tile.assume_aligned %x, 16 : !tile.ptr<f16>
  %eight = arith.constant 8 : i64
  %none = arith.constant 0 : i64
  %rest = arith.remsi %stride, %eight : i64
  %whole = arith.cmpi eq, %rest, %none : i64
  tile.assume %whole
  %i = tile.arange 0 : tensor<64xi32>
  %n = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %by = tile.splat %stride : i64 -> tensor<64xi64>
  %o = arith.muli %n, %by : tensor<64xi64>
  %row = tile.expand_dims %o, 1 : tensor<64xi64> -> tensor<64x1xi64>
  %rows = tile.broadcast %row : tensor<64x1xi64> -> tensor<64x256xi64>
  %j = tile.arange 0 : tensor<256xi32>
  %m = arith.extsi %j : tensor<256xi32> to tensor<256xi64>
  %col = tile.expand_dims %m, 0 : tensor<256xi64> -> tensor<1x256xi64>
  %cols = tile.broadcast %col : tensor<1x256xi64> -> tensor<64x256xi64>
  %from = arith.addi %rows, %cols : tensor<64x256xi64>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x256x!tile.ptr<f16>>
  %p = tile.addptr %base, %from : tensor<64x256x!tile.ptr<f16>>, tensor<64x256xi64>
  %buffer = tile.alloc : !tile.buffer<1, [64, 256], f16>
  %zero = arith.constant 0 : i32
  tile.copy_async %p, %buffer[%zero] : tensor<64x256x!tile.ptr<f16>>, !tile.buffer<1, [64, 256], f16>
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
