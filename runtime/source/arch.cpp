#include "arch.h"

namespace tilert {

ImageArch parseArch(tilert_image_kind kind, std::string_view arch) {
  ImageArch result;
  result.kind = kind;
  if (arch.substr(0, 3) != "sm_")
    return result;
  arch.remove_prefix(3);
  while (!arch.empty() && arch[0] >= '0' && arch[0] <= '9' && result.compute < 10000) {
    result.compute = result.compute * 10 + static_cast<unsigned>(arch[0] - '0');
    arch.remove_prefix(1);
  }
  result.exactOnly = arch == "a";
  result.familyOnly = arch == "f";
  if (!arch.empty() && !result.exactOnly && !result.familyOnly)
    result.compute = 0;
  return result;
}

namespace {

/// 0 when the image does not run on the device; otherwise higher is better.
unsigned suitability(const ImageArch &image, unsigned compute) {
  if (image.compute == 0 || image.compute > compute)
    return 0;
  if (image.exactOnly && image.compute != compute)
    return 0;
  const bool sameMajor = image.compute / 10 == compute / 10;
  if (image.familyOnly && !sameMajor)
    return 0;
  // Per architecture: a generic image ranks below a family's, that below an exact one.
  const unsigned rank = image.compute * 4 + (image.exactOnly ? 2 : image.familyOnly ? 1 : 0) + 1;
  switch (image.kind) {
  case TILERT_IMAGE_CUBIN:
    return sameMajor ? rank + 100000 : 0;
  case TILERT_IMAGE_PTX:
    return rank;
  case TILERT_IMAGE_HOST:
    break;
  }
  return 0;
}

} // namespace

int chooseImage(const std::vector<ImageArch> &images, unsigned compute) {
  int best = -1;
  unsigned bestRank = 0;
  for (size_t i = 0; i < images.size(); ++i)
    if (const unsigned rank = suitability(images[i], compute); rank > bestRank) {
      best = static_cast<int>(i);
      bestRank = rank;
    }
  return best;
}

} // namespace tilert
