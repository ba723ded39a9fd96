// A stand-in for the CUDA driver: what tests set and what it saw. fake_cuda.cpp implements the
// entry points that tilert opens; tests reach the same state through fakeCuda().
#pragma once

#include "runtime/source/driver.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

struct FakeLaunch {
  std::string symbol;
  tilert::CUlaunchConfig config;
  unsigned cluster = 1;
  bool dependent = false; ///< may start while the kernel before it ends
  void *context = nullptr;
};

/// A call of cuTensorMapEncodeTiled; arrays as long as `rank` says.
struct FakeTensorMap {
  void *map;
  int type;
  void *base;
  std::vector<uint64_t> extents, strides; ///< one stride less than extents
  std::vector<uint32_t> box, steps;
  int interleave, swizzle, l2Promotion, fill;
};

struct FakeCuda {
  std::mutex mutex;
  // What tests set.
  int devices = 2;
  std::map<int, int> compute = {{0, 90}, {1, 80}}; ///< by device
  int sms = 132;
  int occupancy = 3;
  int maxShared = 232448;
  std::map<std::string, int> failures; ///< entry point -> error of every call
  std::string jitLog;
  bool capturing = false; ///< loading fails unless the thread's mode is relaxed
  void (*onLaunch)(const FakeLaunch &launch, void **parameters) = nullptr;
  // What it saw.
  std::vector<const void *> loadedImages;
  int unloads = 0, functionLookups = 0, attributesSet = 0;
  std::vector<FakeLaunch> launches;
  std::vector<FakeTensorMap> tensorMaps;

  /// Everything as at the start, for one test.
  void reset() {
    devices = 2;
    compute = {{0, 90}, {1, 80}};
    sms = 132;
    occupancy = 3;
    maxShared = 232448;
    failures.clear();
    jitLog.clear();
    capturing = false;
    onLaunch = nullptr;
    loadedImages.clear();
    unloads = functionLookups = attributesSet = 0;
    launches.clear();
    tensorMaps.clear();
  }
};

/// The library's own state. In tests: a handle to the one that tilert opened.
extern "C" FakeCuda *fake_cuda_state();
