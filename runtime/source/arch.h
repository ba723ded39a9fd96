// Which image runs on which device.
#pragma once

#include "tilert/tilert.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilert {

/// What dispatch needs to know of an image to rank it.
struct ImageArch {
  tilert_image_kind kind = TILERT_IMAGE_CUBIN;
  unsigned compute = 0;    ///< 90 for sm_90 and sm_90a; 0: not a GPU architecture
  bool exactOnly = false;  ///< the `a` architectures run on their own compute capability only
  bool familyOnly = false; ///< the `f` architectures run on their family: same major
};

ImageArch parseArch(tilert_image_kind kind, std::string_view arch);

/// Index of the image that suits a device of `compute` (major * 10 + minor) best, or -1. Cubins
/// before PTX, exact architectures first, then the highest that the device can run: cubins of the
/// same major and at most the same minor, PTX of any lower architecture.
int chooseImage(const std::vector<ImageArch> &images, unsigned compute);

} // namespace tilert
