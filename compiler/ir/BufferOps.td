// Explicit shared memory: a ring of slots, copies that run beside the program, and their waits.
//
// Passes create these; the language has no names for them. A buffer is written by copy_async or
// local_store, a whole slot at a time, and read by local_load, a slot or a part of one. Copies belong to the next
// commit_group; wait_group P returns when all but the last P groups of this thread have landed; a
// barrier then makes them visible to the other threads. Nothing else orders a copy.
// Included by TileOps.td.

def Tile_Buffer : TypeDef<TileDialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A ring of slots in the program's shared memory, each holding one tile";
  let description = [{
    `slots` tiles of `shape` and `element`. `memory`, once assigned, says where the elements of a
    slot lie: column i is the element number (row-major) at offset bit i (a bijection; the algebra
    is compiler/layout/conversion.h, MemoryLayout). Empty: not assigned yet. i1 takes a byte.

    `!tile.buffer<3, [128, 32], f16>`
  }];
  let parameters = (ins "int64_t":$slots, ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$element, OptionalArrayRefParameter<"uint32_t">:$memory);
  let assemblyFormat = [{
    `<` $slots `,` `[` custom<Columns>($shape) `]` `,` $element
    (`,` `memory` `=` `[` custom<Columns>($memory)^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Elements of a slot.
    int64_t elements() const;
    /// Bytes of a slot; of the whole ring.
    int64_t slotBytes() const;
    int64_t bytes() const { return getSlots() * slotBytes(); }
    /// The same ring with its elements laid out by `columns`.
    BufferType withMemory(::llvm::ArrayRef<uint32_t> columns) const;
  }];
}

/// Shared memory, apart from the global memory that load and store touch.
def Tile_SharedMemory : Resource<"::tilec::tile::SharedMemoryResource">;
/// The queue of a thread's asynchronous copies: copy, commit and wait stay in order.
def Tile_CopyQueue : Resource<"::tilec::tile::CopyQueueResource">;

def AllocOp : TileOp<"alloc", [MemoryEffects<[MemAlloc<Tile_SharedMemory>]>]> {
  let summary = "Shared memory for a buffer, not initialised; lives from here to the last use";
  let description = "`offset` (bytes) is set by placement.";
  let arguments = (ins OptionalAttr<I32Attr>:$offset);
  let results = (outs Tile_Buffer:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}
def CopyAsyncOp : TileOp<"copy_async", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite<Tile_SharedMemory>, MemWrite<Tile_CopyQueue>]>]> {
  let summary = "Starts copying a tile from global memory into a slot";
  let description = [{
    Elements whose mask is false are not read, and zero in the buffer. `active`, a scalar: when it is
    false nothing is read (the copy of an iteration that will not run), and what the slot holds then
    is not specified. Cannot be observed before a wait_group that covers its group, and a barrier.
  }];
  let arguments = (ins Tile_Tensor:$ptr, Optional<Tile_Tensor>:$mask, Tile_Buffer:$buffer, I32:$slot,
                       Optional<I1>:$active,
                       DefaultValuedAttr<Tile_CacheModifier, "::tilec::tile::CacheModifier::none">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict);
  let assemblyFormat = [{
    $ptr (`mask` $mask^ `:` type($mask))? `,` $buffer `[` $slot `]` (`active` $active^)? attr-dict
    `:` type($ptr) `,` type($buffer)
  }];
  let hasVerifier = 1;
}
def CommitGroupOp : TileOp<"commit_group", [MemoryEffects<[MemWrite<Tile_CopyQueue>]>]> {
  let summary = "Closes the group of the copies since the last one; a group may be empty";
  let assemblyFormat = "attr-dict";
}
def WaitGroupOp : TileOp<"wait_group", [
    MemoryEffects<[MemWrite<Tile_SharedMemory>, MemWrite<Tile_CopyQueue>]>]> {
  let summary = "Waits until at most `pending` groups of this thread's copies are still under way";
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}
def LocalLoadOp : TileOp<"local_load", [MemoryEffects<[MemRead<Tile_SharedMemory>]>]> {
  let summary = "Reads a slot, in any layout, or an aligned part of one (analysis/slot_part.h)";
  let arguments = (ins Tile_Buffer:$buffer, I32:$slot);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$buffer `[` $slot `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}
def LocalStoreOp : TileOp<"local_store", [MemoryEffects<[MemWrite<Tile_SharedMemory>]>]> {
  let summary = "Writes a slot, by the owner of each element";
  let arguments = (ins Tile_Tensor:$value, Tile_Buffer:$buffer, I32:$slot, Optional<I1>:$active);
  let assemblyFormat = [{
    $value `,` $buffer `[` $slot `]` (`active` $active^)? attr-dict `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}
