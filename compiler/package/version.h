// The version of tilec as it stands in manifests, headers and --version.
#pragma once

namespace tilec {

const char *version(); ///< "0.1.0"

} // namespace tilec
