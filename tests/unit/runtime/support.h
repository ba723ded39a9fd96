// What the runtime's tests share: manifests, images made of them, host kernels, the fake driver.
#pragma once

#include "runtime/include/tilert/tilert.hpp"
#include "tests/unit/runtime/fake_cuda/fake_cuda.h"
#include "tests/unit/text.h"

#include <string>
#include <vector>

namespace tilert::test {

/// softmax of the language reference: BLOCK in 128, 512, 2048, each specialised and general.
std::string softmaxManifest(const std::string &arch);
/// fill<T, N>(dst: ptr<T>, n: i32): T and N selected; grid cdiv(n, N).
std::string fillManifest(const std::string &arch);
/// scale(x: view<f32, 2>, factor: f32): one variant with the given members ("\"cluster\": 2").
std::string scaleManifest(const std::string &arch, const std::string &extra = "");
/// load(y: f32, x: view<f32, 2>): load__map with the given tensor maps ("[{\"view\": 1, ...}]"),
/// and behind it, unless `general` is false, load__plain without.
std::string mapsManifest(const std::string &arch, const std::string &maps, bool general = true);
/// One kernel `k(a: i64, b: i64, x: f64, p: ptr<f32>, q: ptr<const f32>)` with one variant, which
/// requires `condition` (an expression as JSON) and launches `grid` programs.
std::string conditionManifest(const std::string &condition, const std::string &grid = "1");

/// A minimal cubin (ELF) or PTX that carries `manifest`.
std::string makeCubin(const std::string &manifest);
std::string makePtx(const std::string &manifest);

/// A library over static images; one kernel reference into it.
class TestLibrary {
public:
  TestLibrary &cubin(const char *arch, std::string manifest);
  TestLibrary &ptx(const char *arch, std::string manifest);
  TestLibrary &host(std::string manifest, std::vector<tilert_host_symbol> symbols);
  tilert_kernel_ref ref(const char *kernel);
  const tilert_library *get();

private:
  struct Held {
    std::string arch, bytes, manifest;
    std::vector<tilert_host_symbol> symbols;
    uint32_t kind;
  };
  struct Storage {
    std::vector<Held> held;
    std::vector<tilert_image> images;
    tilert_library library{};
  };
  /// Kept for the process's life, as tilert keeps a library's module.
  static Storage &newStorage();
  Storage &storage_ = newStorage();
};

/// Runs one host function as a kernel without parameters; `shared` bytes of shared memory.
Status runHost(tilert_host_function function, unsigned warps, unsigned programs,
               unsigned shared = 0);

/// Every check of the host device.
constexpr uint32_t kAllChecks = TILERT_HOST_CHECK_RACE | TILERT_HOST_CHECK_ASYNC |
                                TILERT_HOST_CHECK_ORDER | TILERT_HOST_CHECK_POISON;

/// Checks of the host device in force while it lives.
struct HostChecksGuard {
  explicit HostChecksGuard(uint32_t flags, uint64_t seed = 1) {
    tilert_host_set_checks(flags, seed);
  }
  ~HostChecksGuard() { tilert_host_set_checks(0, 1); }
};

/// The state of the driver that tilert opened, reset; device 0's context is current.
FakeCuda &fakeCuda();

} // namespace tilert::test
