// Copies by the tensor-copy engine (TMA), and the barriers in shared memory that say when they
// have landed.
//
// Passes create these; the language has no names for them. One thread of the program starts the
// copy of a whole window; it lands at any time between its issue and the end of a phase of an
// mbarrier (PTX ISA, "mbarrier"). A barrier is an element of a buffer of i64, one a slot of the ring
// that it watches. Each copy arrives once and promises its bytes; a phase ends when as many copies
// as `arrivals` says have arrived and all their bytes are there, and the next begins. Phases of a
// barrier count from 0; a wait names the lowest bit of a phase's number.
// Included by TileOps.td.

def Tile_TensorMap : TypeDef<TileDialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "A description of a view for the tensor-copy engine, made at launch";
  let description = "A kernel's parameter; the copies that use it say what a launch has to describe.";
}

def Tile_Map : AttrDef<TileDialect, "Map"> {
  let mnemonic = "map";
  let summary = "What a tensor map describes";
  let description = [{
    The view that is parameter `view` of the source; its axes in `order`, innermost first; `box`
    elements along each of them are copied at a time, with `swizzle` (0, 32, 64, 128 bytes). Until
    tile-buffer-layouts decides them, the box is the whole window and the swizzle 0.

    `#tile.map<1, order = [2, 1, 0], box = [64, 128, 1], swizzle = 128>`
  }];
  let parameters = (ins "int64_t":$view, ArrayRefParameter<"int64_t">:$order,
                        ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` $view `,` `order` `=` `[` custom<Columns>($order) `]` `,` `box` `=` `[` custom<Columns>($box)
    `]` `,` `swizzle` `=` $swizzle `>`
  }];
}

def InitMbarriersOp : TileOp<"init_mbarriers", [MemoryEffects<[MemWrite<Tile_SharedMemory>]>]> {
  let summary = "Makes barriers of the elements of a buffer, in phase 0";
  let description = "What the program has written to shared memory before is ordered before later copies.";
  let arguments = (ins Tile_Buffer:$barriers, I32Attr:$arrivals);
  let assemblyFormat = "$barriers `arrivals` $arrivals attr-dict `:` type($barriers)";
}
def InvalidateMbarriersOp : TileOp<"invalidate_mbarriers", [
    MemoryEffects<[MemWrite<Tile_SharedMemory>]>]> {
  let summary = "Ends the barriers: their memory may have another use";
  let arguments = (ins Tile_Buffer:$barriers);
  let assemblyFormat = "$barriers attr-dict `:` type($barriers)";
}
def TensorCopyOp : TileOp<"tensor_copy", [
    MemoryEffects<[MemRead, MemWrite<Tile_SharedMemory>, MemWrite<Tile_CopyQueue>]>]> {
  let summary = "Starts copying a window of a view into a slot, by one thread";
  let description = [{
    `starts` (i32) and `lengths` are the window's, by axis of the view, as in window_load; elements
    outside the view are zero. All copies that use one `map` have one `description`. Arrives at
    barrier `slot` with the bytes of the window; when not `active` it arrives with none, and copies
    nothing.
  }];
  let arguments = (ins Tile_TensorMap:$map, Variadic<I32>:$starts, Tile_Buffer:$buffer, I32:$slot,
                       Tile_Buffer:$barriers, I1:$active, DenseI64ArrayAttr:$lengths,
                       Tile_Map:$description,
                       DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict);
  let assemblyFormat = [{
    $map `is` $description `starts` `(` $starts `)` `lengths` $lengths `,` $buffer `[` $slot `]` `,`
    $barriers `active` $active attr-dict `:` type($buffer) `,` type($barriers)
  }];
  let hasVerifier = 1;
}
def WaitMbarrierOp : TileOp<"wait_mbarrier", [
    MemoryEffects<[MemWrite<Tile_SharedMemory>, MemWrite<Tile_CopyQueue>]>]> {
  let summary = "Waits until a phase of a slot's barrier has ended";
  let description = "The copies of that phase are visible to the thread then.";
  let arguments = (ins Tile_Buffer:$barriers, I32:$slot, I32:$phase);
  let assemblyFormat = "$barriers `[` $slot `]` `phase` $phase attr-dict `:` type($barriers)";
}
