// The `tile` dialect: what `arith`, `math` and `scf` on tensors do not say.
//
// A tile is a ranked tensor of static power-of-two shape; before layout assignment it has no
// encoding, afterwards every tile carries a `#tile.layout`. A rank-0 tile of the language is a plain
// scalar here. Elementwise operations are `arith` and `math` operations on tensors or scalars.
// The element type of a pointer tile is `!tile.ptr<T>`.

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilec::tile";
  let summary = "Blocks of data spread over the threads of a GPU program";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

//===--- Types and attributes --------------------------------------------------------------===//

def Tile_Pointer : TypeDef<TileDialect, "Pointer"> {
  let mnemonic = "ptr";
  let summary = "A pointer into global memory to elements of one scalar type";
  let description = [{
    Opaque here; becomes `!llvm.ptr<1>`. `i1` elements are stored as one byte each.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
}

def Tile_Layout : AttrDef<TileDialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "A distributed linear layout: hardware bits to element bits over F2";
  let description = [{
    Hardware index (reg, lane, warp) holds the element whose bits are the XOR of the columns of its
    set bits. An element index is row-major over the tile's shape (last dimension lowest), so one
    integer is one column. A zero column is replication. See compiler/layout/linear_layout.h, which
    is the algebra; this attribute only stores it.

    `#tile.layout<[4, 16], reg = [1, 2], lane = [16, 32, 4, 8, 0], warp = []>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    ArrayRefParameter<"uint32_t">:$reg,
    ArrayRefParameter<"uint32_t">:$lane,
    ArrayRefParameter<"uint32_t">:$warp);
  let assemblyFormat = [{
    `<` `[` custom<Columns>($shape) `]` `,` `reg` `=` `[` custom<Columns>($reg) `]` `,`
    `lane` `=` `[` custom<Columns>($lane) `]` `,` `warp` `=` `[` custom<Columns>($warp) `]` `>`
  }];
  let genVerifyDecl = 1;
  let genMnemonicAlias = 1;
  let extraClassDeclaration = [{
    /// The algebra's value of this attribute.
    ::tilec::LinearLayout layout() const;
    static LayoutAttr get(::mlir::MLIRContext *context, const ::tilec::LinearLayout &layout);
  }];
}

def Tile_CacheModifier : I32EnumAttr<"CacheModifier", "PTX cache operator of a global access", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"ca", 1>, I32EnumAttrCase<"cg", 2>,
    I32EnumAttrCase<"cs", 3>, I32EnumAttrCase<"cv", 4>, I32EnumAttrCase<"wt", 5>]> {
  let cppNamespace = "::tilec::tile";
}
def Tile_EvictionPolicy : I32EnumAttr<"EvictionPolicy", "L1/L2 eviction priority", [
    I32EnumAttrCase<"normal", 0>, I32EnumAttrCase<"first", 1>, I32EnumAttrCase<"last", 2>]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Tensor : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, "tile",
                                 "::mlir::RankedTensorType">;
def Tile_PointerLike : Type<
  CPred<"::llvm::isa<::tilec::tile::PointerType>(::mlir::getElementTypeOrSelf($_self))">,
  "pointer or tile of pointers">;
def Tile_BoolLike : Type<
  CPred<"::mlir::getElementTypeOrSelf($_self).isInteger(1)">, "i1 or tile of i1">;
def Tile_IntLike : Type<
  CPred<"::llvm::isa<::mlir::IntegerType>(::mlir::getElementTypeOrSelf($_self))">,
  "integer or tile of integers">;
def Tile_FloatLike : Type<
  CPred<"::llvm::isa<::mlir::FloatType>(::mlir::getElementTypeOrSelf($_self))">,
  "float or tile of floats">;
def Tile_Value : Type<
  CPred<"::llvm::isa<::mlir::RankedTensorType, ::mlir::IntegerType, ::mlir::FloatType, "
        "::tilec::tile::PointerType>($_self)">, "scalar or tile">;

class TileOp<string mnemonic, list<Trait> traits = []> : Op<TileDialect, mnemonic, traits>;
// Operands and result agree in shape, element kind free.
class TileElementwiseOp<string mnemonic, list<Trait> traits = []>
  : TileOp<mnemonic, !listconcat(traits, [Pure, Elementwise, SameOperandsAndResultShape])>;

//===--- Program ---------------------------------------------------------------------------===//

def ProgramIdOp : TileOp<"program_id", [Pure]> {
  let summary = "Index of this program along an axis (0..2) of the grid, non-negative";
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}
def NumProgramsOp : TileOp<"num_programs", [Pure]> {
  let summary = "Number of programs along an axis (0..2) of the grid, at least 1";
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

//===--- Creation and shape ----------------------------------------------------------------===//

def ArangeOp : TileOp<"arange", [Pure]> {
  let summary = "The integers start, start+1, ... as a rank-1 tile of i32";
  let arguments = (ins I32Attr:$start);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
}
def SplatOp : TileOp<"splat", [Pure]> {
  let summary = "A tile with every element equal to one scalar";
  let arguments = (ins Tile_Value:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def ExpandDimsOp : TileOp<"expand_dims", [Pure]> {
  let summary = "Inserts a dimension of size 1 before dimension `axis`";
  let arguments = (ins Tile_Tensor:$source, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `,` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}
def BroadcastOp : TileOp<"broadcast", [Pure]> {
  let summary = "Stretches dimensions of size 1; the rank stays";
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def ReshapeOp : TileOp<"reshape", [Pure]> {
  let summary = "Another shape over the same elements in row-major order";
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def PermuteOp : TileOp<"permute", [Pure]> {
  let summary = "Reorders dimensions: result dimension i is source dimension order[i]";
  let arguments = (ins Tile_Tensor:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `,` $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def ConvertLayoutOp : TileOp<"convert_layout", [Pure]> {
  let summary = "The same elements in another layout; bits move unchanged";
  let description = [{
    Made by layout assignment. `scratch_offset` is set by shared-memory placement when the
    conversion goes through shared memory (bytes from the start of the program's shared memory).
  }];
  let arguments = (ins Tile_Tensor:$source, OptionalAttr<I32Attr>:$scratch_offset);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===--- Elementwise that arith and math do not have ---------------------------------------===//

def AddPtrOp : TileOp<"addptr", [Pure, Elementwise, SameOperandsAndResultShape,
                                 AllTypesMatch<["ptr", "result"]>]> {
  let summary = "pointer + offset, in elements of the pointee; the offset is i64 (or a narrower "
                "signed integer proven not to wrap)";
  let arguments = (ins Tile_PointerLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PointerLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
}
def FpToIntOp : TileElementwiseOp<"fp_to_int"> {
  let summary = "Float to integer, rounding toward zero, saturating, NaN -> 0";
  let arguments = (ins Tile_FloatLike:$source, UnitAttr:$is_unsigned);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$source (`unsigned` $is_unsigned^)? attr-dict `:` type($source) `->` type($result)";
}
def TruncFOp : TileElementwiseOp<"truncf"> {
  let summary = "Float to narrower float with a rounding mode: \"rtne\" or \"rtz\"";
  let arguments = (ins Tile_FloatLike:$source, StrAttr:$rounding);
  let results = (outs Tile_FloatLike:$result);
  let assemblyFormat = "$source `,` $rounding attr-dict `:` type($source) `->` type($result)";
}
def BitcastOp : TileElementwiseOp<"bitcast"> {
  let summary = "Reinterprets the bits of each element; equal widths (i1 counts as 8 bits nowhere)";
  let arguments = (ins Tile_Value:$source);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

//===--- Memory ----------------------------------------------------------------------------===//

def LoadOp : TileOp<"load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "Loads through a pointer or a tile of pointers";
  let description = [{
    Elements whose mask is false are not accessed and read `other` (0 when absent). `read_only`
    says that nothing writes this memory while the kernel runs (a `ptr<const T>` parameter).
  }];
  let arguments = (ins Tile_PointerLike:$ptr, Optional<Tile_BoolLike>:$mask,
                       Optional<Tile_Value>:$other,
                       DefaultValuedAttr<Tile_CacheModifier, "::tilec::tile::CacheModifier::none">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict,
                       UnitAttr:$read_only);
  let results = (outs Tile_Value:$result);
  let hasCanonicalizeMethod = 1;
  let assemblyFormat = [{
    $ptr (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))? attr-dict `:` type($ptr) `->` type($result)
  }];
  let hasVerifier = 1;
}
def StoreOp : TileOp<"store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Stores a scalar or a tile; elements whose mask is false are not written";
  let arguments = (ins Tile_PointerLike:$ptr, Tile_Value:$value, Optional<Tile_BoolLike>:$mask,
                       DefaultValuedAttr<Tile_CacheModifier, "::tilec::tile::CacheModifier::none">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicy, "::tilec::tile::EvictionPolicy::normal">:$evict);
  let hasCanonicalizeMethod = 1;
  let assemblyFormat = [{
    $ptr `,` $value (`mask` $mask^ `:` type($mask))? attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

//===--- Reduction -------------------------------------------------------------------------===//

def ReduceOp : TileOp<"reduce", [SingleBlock, RecursiveMemoryEffects,
                                 RecursivelySpeculatable]> {
  let summary = "Combines the elements along one axis of one or more tiles";
  let description = [{
    The sources have one shape and one layout. The region takes two elements of each source, first
    all of the left, then all of the right ((a0, a1, ..., b0, b1, ...)), where `a` precedes `b` along
    the axis, and yields the combined elements. The combine must be associative; it need not be
    commutative. The results have the shape without `axis`; they are scalars when the source has
    rank 1. `scratch_offset` as in convert_layout.
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources, I32Attr:$axis,
                       OptionalAttr<I32Attr>:$scratch_offset);
  let results = (outs Variadic<Tile_Value>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "`(` $sources `)` `axis` $axis attr-dict `:` functional-type($sources, $results) $combine";
  let hasVerifier = 1;
}
def YieldOp : TileOp<"yield", [Pure, ReturnLike, Terminator, ParentOneOf<["ReduceOp"]>]> {
  let summary = "Ends the combine region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

//===--- Facts -----------------------------------------------------------------------------===//

def AssumeOp : TileOp<"assume", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Promises that a scalar condition holds here; undefined otherwise";
  let description = [{
    Contracts (`requires`, `specialize`) become these at the start of the body. Fact analysis
    decodes the condition's defining operations: comparisons, `&&`, remainders.
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}
def AssumeAlignedOp : TileOp<"assume_aligned", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Promises that a scalar pointer is a multiple of `alignment` bytes";
  let arguments = (ins Tile_Pointer:$ptr, I64Attr:$alignment);
  let assemblyFormat = "$ptr `,` $alignment attr-dict `:` type($ptr)";
}
def MultipleOfOp : TileOp<"multiple_of", [Pure, Elementwise, AllTypesMatch<["source", "result"]>]> {
  let summary = "Its source, with a promise: per dimension, the first of each contiguous run is divisible by values[d]";
  let arguments = (ins Tile_Value:$source, DenseI64ArrayAttr:$values);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source `,` $values attr-dict `:` type($source)";
}
def MaxContiguousOp : TileOp<"max_contiguous", [Pure, Elementwise, AllTypesMatch<["source", "result"]>]> {
  let summary = "Its source, with a promise: runs of values[d] elements along dimension d are consecutive";
  let arguments = (ins Tile_Value:$source, DenseI64ArrayAttr:$values);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source `,` $values attr-dict `:` type($source)";
}

//===--- Program-wide synchronisation ------------------------------------------------------===//

def BarrierOp : TileOp<"barrier", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "All threads of the program meet; shared-memory writes before are seen after";
  let assemblyFormat = "attr-dict";
}

include "compiler/ir/WindowOps.td"
include "compiler/ir/DotOps.td"
include "compiler/ir/BufferOps.td"
include "compiler/ir/TensorCopyOps.td"
