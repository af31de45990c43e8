// kevolve-cuda-facts N: prints the driver's facts about device N, one a line. It is a separate program, so that the
// daemon's process never starts the driver.
#include "backends/nvidia/driver.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

struct attribute {
  const char* name; // the name for generators
  int number;       // a CUdevice_attribute
};

constexpr attribute attributes[]{
    {"multiprocessors", 16},        {"cache.l2", 38},
    {"shared.block", 97}, // includes the opt-in that the runner requests
    {"shared.multiprocessor", 81},  {"registers.multiprocessor", 82},
    {"threads.multiprocessor", 39},
};

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: kevolve-cuda-facts DEVICE\n", stderr);
    return 2;
  }
  const auto device = std::atoi(argv[1]);
  const auto driver = kevolve::cuda::load_driver();
  if (!driver) {
    std::fprintf(stderr, "%s\n", driver.error().detail.c_str());
    return 1;
  }
  const auto& call = **driver;
  if (const auto s = call.init(0); s != kevolve::cuda::success) {
    std::fprintf(stderr, "the driver does not start: %s\n", kevolve::cuda::name_of(call, s).c_str());
    return 1;
  }
  const auto ask = [&](int number) {
    int out = 0;
    return call.device_attribute(&out, number, device) == kevolve::cuda::success ? static_cast<long long>(out) : 0;
  };
  for (const auto& a : attributes)
    std::printf("%s %lld\n", a.name, ask(a.number));
  std::printf("compute_capability %lld\n", ask(75) * 10 + ask(76));
  std::printf("clock.sm_hz %lld\n", ask(13) * 1000);
  // Two transfers per cycle of the memory's clock (kHz), times the width of its bus (bits).
  std::printf("memory.bytes_per_s %lld\n", 2 * ask(36) * 1000 * ask(37) / 8);
  return 0;
}
