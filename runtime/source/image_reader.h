// Finds the manifest in an image's bytes: a cubin (ELF) or PTX text. Every offset is checked
// against the size before it is followed, and a cubin is checked to be whole, since the driver
// takes no size with it and would read past the end.
#pragma once

#include "tilert/tilert.h"

#include <string>
#include <string_view>

namespace tilert {

struct ReadImage {
  tilert_image_kind kind;
  std::string manifest; ///< JSON
};

/// Throws Failure with TILERT_ERROR_BAD_IMAGE that says what the bytes are instead.
ReadImage readImage(std::string_view bytes, const std::string &source);

} // namespace tilert
