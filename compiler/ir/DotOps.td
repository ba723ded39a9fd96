// Matrix products. Included by TileOps.td.

def Tile_Precision : I32EnumAttr<"Precision", "How f32 operands of a dot are multiplied", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"tf32", 1>, I32EnumAttrCase<"tf32x3", 2>,
    I32EnumAttrCase<"ieee", 3>]> {
  let cppNamespace = "::tilec::tile";
}

def DotOp : TileOp<"dot", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "a x b + c: [M, K] x [K, N] -> [M, N], or a batch [B, M, K] x [B, K, N] -> [B, M, N]";
  let description = [{
    Every size is a power of two, 1 included. Operands a and b have one element type; the result's:

      f16: f32 or f16 · bf16: f32 · f8E4M3FN, f8E5M2 (may be mixed): f32 or f16 ·
      f32 (precision tf32, tf32x3 or ieee): f32 · f64: f64 ·
      i8: i32 (both signed, or both unsigned with `is_unsigned`); sums wrap

    Products are exact (tf32: of operands rounded to tf32) and summed in the result's type in an
    order that is not specified. tf32x3 splits each operand in two tf32 parts and adds the three
    largest products. After layout assignment the operands' layouts fit the result's: see
    compiler/layout/fragments.h, which is the rule.
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$c,
                       DefaultValuedAttr<Tile_Precision, "::tilec::tile::Precision::none">:$precision,
                       UnitAttr:$is_unsigned);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let hasVerifier = 1;
}
