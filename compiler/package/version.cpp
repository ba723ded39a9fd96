#include "compiler/package/version.h"

const char *tilec::version() {
  return TILEC_VERSION;
}
