// Windows of strided arrays: what `load(x[i, k0 +: BK])` means before it becomes addresses.
//
// Kept as operations so that one pass can turn them into pointers and masks, and another, on
// architectures with a tensor-copy engine, into its descriptors, from the same source.
// Included by TileOps.td.

class WindowOp<string mnemonic, list<Trait> traits = []>
  : TileOp<mnemonic, !listconcat(traits, [AttrSizedOperandSegments,
      DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])>;

def WindowLoadOp : WindowOp<"window_load", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "Loads a window of a strided array; elements outside the array read `pad`";
  let description = [{
    The array has `rank` dimensions: `extents[d]` elements with distance `strides[d]` (in elements)
    from `base`, all i64. `lengths[d]` is a power of two, the window `starts[d] +: lengths[d]` of
    dimension d, or 0: the one index `starts[d]`, and the result has no such dimension. Elements
    with an index below 0 or not below its extent are not accessed and read `pad` (0 when absent),
    a scalar of the element type. A window of indices alone gives a scalar.
  }];
  let arguments = (ins Tile_Pointer:$base, Variadic<I64>:$extents, Variadic<I64>:$strides,
                       Variadic<I64>:$starts, Optional<Tile_Value>:$pad,
                       DenseI64ArrayAttr:$lengths,
                       DefaultValuedAttr<Tile_CacheModifier, "::tilec::tile::CacheModifier::none">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict,
                       UnitAttr:$read_only);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $base `extents` `(` $extents `)` `strides` `(` $strides `)` `starts` `(` $starts `)`
    `lengths` $lengths (`pad` $pad^ `:` type($pad))? attr-dict `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}
def WindowStoreOp : WindowOp<"window_store"> {
  let summary = "Stores a tile or scalar to a window; elements outside the array are not written";
  let description = "Operands as in window_load.";
  let arguments = (ins Tile_Pointer:$base, Variadic<I64>:$extents, Variadic<I64>:$strides,
                       Variadic<I64>:$starts, Tile_Value:$value, DenseI64ArrayAttr:$lengths,
                       DefaultValuedAttr<Tile_CacheModifier, "::tilec::tile::CacheModifier::none">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict);
  let assemblyFormat = [{
    $base `extents` `(` $extents `)` `strides` `(` $strides `)` `starts` `(` $starts `)`
    `lengths` $lengths `,` $value attr-dict `:` type($base) `,` type($value)
  }];
  let hasVerifier = 1;
}
