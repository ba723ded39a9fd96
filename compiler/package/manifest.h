// Names and sizes that the writer and the readers of manifests share. Private to compiler/package.
#pragma once

#include <string>

namespace tilec {

/// The constant that holds the manifest in a PTX or cubin; in an object file the symbols of the
/// images' manifests are this and ".NUMBER.KIND" (KIND: cubin, ptx, host).
inline constexpr const char *kManifestSymbol = "__tilec_manifest";
/// The same for the images' bytes in an object file.
inline constexpr const char *kImageSymbol = "__tilec_image";

/// Room for a register count or spill size in a manifest that is patched: ten digits hold any int.
inline constexpr size_t kResourceWidth = 11;
/// `value` followed by blanks up to that width.
std::string padResource(int value);

} // namespace tilec
