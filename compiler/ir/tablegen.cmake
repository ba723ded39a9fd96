# What mlir-tblgen makes of the dialect.
tilec_tablegen(TileOps.td
  TileDialect.h.inc "-gen-dialect-decls -dialect=tile"
  TileDialect.cpp.inc "-gen-dialect-defs -dialect=tile"
  TileTypes.h.inc "-gen-typedef-decls -typedefs-dialect=tile"
  TileTypes.cpp.inc "-gen-typedef-defs -typedefs-dialect=tile"
  TileAttrs.h.inc "-gen-attrdef-decls -attrdefs-dialect=tile"
  TileAttrs.cpp.inc "-gen-attrdef-defs -attrdefs-dialect=tile"
  TileEnums.h.inc "-gen-enum-decls"
  TileEnums.cpp.inc "-gen-enum-defs"
  TileOps.h.inc "-gen-op-decls -dialect=tile"
  TileOps.cpp.inc "-gen-op-defs -dialect=tile")
