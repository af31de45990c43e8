// Tests reading machine code, and the messages on machines without a driver.
#include "backends/nvidia/cubin.hpp"
#include "backends/nvidia/cupti.hpp"
#include "backends/nvidia/driver.hpp"
#include "backends/nvidia/nvml.hpp"
#include "tests/cuda/cubin_builder.hpp"
#include "tests/cuda/runner_driver.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using kevolve::testing::cubin_builder;

namespace {

cubin_builder plain_code() {
  cubin_builder b;
  b.add(".text.softmax", SHT_PROGBITS, 0);
  b.add(".nv.shared.softmax", SHT_NOBITS, 1032);
  b.add(".nv.shared.reserved.0", SHT_NOBITS, 4);
  return b;
}

} // namespace

TEST_CASE("reads a cubin's processor, kernels, shared memory and globals") {
  auto b = plain_code();
  b.add(".nv.global", SHT_NOBITS, 64);
  b.add(".nv.global.init", SHT_NOBITS, 8);
  b.want("vprintf");
  b.want(".nv.reservedSmem.offset0");
  auto facts = read_cubin(b.bytes());
  REQUIRE_MESSAGE(facts.has_value(), (facts ? "" : to_string(facts.error())));
  CHECK(facts->capability == 90);
  CHECK(facts->static_shared == std::map<std::string, uint32_t>{{"softmax", 1032}});
  CHECK(facts->globals_bytes == 72);
  CHECK(facts->undefined == std::vector<std::string>{"vprintf"});
  CHECK_FALSE(refuse_cubin(*facts).has_value());
  // Before CUDA 13, the architecture was in other bits.
  CHECK(read_cubin(b.bytes(7, 0x5a055a))->capability == 0x5a);
}

TEST_CASE("modules that differ in line information alone are the same machine code") {
  const auto plain = plain_code().bytes();
  auto with_lines = plain_code();
  with_lines.add(".debug_line", SHT_PROGBITS, 0);
  CHECK(same_machine_code(plain, with_lines.bytes()));
  auto larger = plain_code();
  larger.add(".nv.constant0.softmax", SHT_PROGBITS, 8);
  CHECK_FALSE(same_machine_code(plain, larger.bytes()));
  CHECK_FALSE(same_machine_code("no code", "no code"));
}

TEST_CASE("reads the registers per thread of each kernel") {
  auto b = plain_code();
  b.registers("softmax", 40);
  b.registers("other", 255);
  const auto facts = read_cubin(b.bytes());
  REQUIRE(facts.has_value());
  CHECK(facts->registers == std::map<std::string, uint32_t>{{"softmax", 40}, {"other", 255}});
  CHECK(facts->undefined.empty());
  auto all = *facts;
  auto more = *read_cubin(plain_code().bytes());
  static_cast<void>(add_facts(all, std::move(more)));
  CHECK(all.registers.size() == 2);
}

TEST_CASE("reads each kernel's parameters, or nothing if the records are inconsistent") {
  auto b = plain_code();
  b.parameters("softmax", {8, 8, 4}, 20);
  const auto facts = read_cubin(b.bytes());
  REQUIRE(facts.has_value());
  CHECK(facts->parameters.at("softmax") == std::vector<uint32_t>{8, 8, 4});
  auto kernel = kernels_of(*facts).at("softmax");
  CHECK(kernel.parameters_known);
  CHECK(kernel.static_shared == 8); // the section includes the driver's own kilobyte
  auto other = plain_code();
  other.parameters("softmax", {8, 8, 4}, 28); // another record in another form contradicts the fourth
  CHECK(read_cubin(other.bytes())->parameters.empty());
  auto none = plain_code();
  none.parameters("softmax", {}, 0);
  CHECK(read_cubin(none.bytes())->parameters.at("softmax").empty());
  CHECK_FALSE(kernels_of(*read_cubin(plain_code().bytes())).at("softmax").parameters_known);
}

TEST_CASE("reads the launch bounds that kernels were compiled with") {
  auto b = plain_code();
  b.three("softmax", 0x05, {128, 2, 1});
  b.three("softmax", 0x3d, {2, 1, 1});
  b.three("softmax", 0x10, {64, 4, 1});
  const auto kernel = kernels_of(*read_cubin(b.bytes())).at("softmax");
  CHECK(kernel.most_threads == 256);
  CHECK(kernel.cluster == std::array<uint32_t, 3>{2, 1, 1});
  CHECK(kernel.block == std::array<uint32_t, 3>{64, 4, 1});
  auto huge = plain_code();
  huge.three("softmax", 0x05, {UINT32_MAX, UINT32_MAX, UINT32_MAX});
  CHECK(kernels_of(*read_cubin(huge.bytes())).at("softmax").most_threads == UINT32_MAX);
  // A parameter larger than the usual record allows: index, ordinal and offset, bytes.
  auto wide = plain_code();
  wide.three("softmax", 0x45, {0, 0x0008'0001, 20'000});
  wide.three("softmax", 0x45, {0, 0, 8});
  wide.parameters("softmax", {}, 20'008);
  CHECK(read_cubin(wide.bytes())->parameters.at("softmax") == std::vector<uint32_t>{8, 20'000});
  auto all = *read_cubin(plain_code().bytes());
  all.bounds.clear();
  static_cast<void>(add_facts(all, *read_cubin(b.bytes())));
  CHECK(all.bounds.at("softmax").most_threads == 256);
}

TEST_CASE("code with more than a table in globals is referred to scratch memory") {
  auto b = plain_code();
  b.add(".nv.global", SHT_NOBITS, uint64_t{200} << 30U);
  const auto why = refuse_cubin(*read_cubin(b.bytes()));
  REQUIRE(why.has_value());
  CHECK(why->find("[[scratch]]") != std::string::npos);
}

TEST_CASE("code that needs the device runtime is refused by name") {
  auto b = plain_code();
  b.want("cudaLaunchDeviceV2");
  const auto facts = read_cubin(b.bytes());
  REQUIRE(facts.has_value());
  const auto why = refuse_cubin(*facts);
  REQUIRE(why.has_value());
  CHECK(why->find("cudaLaunchDeviceV2") != std::string::npos);
}

TEST_CASE("hostile bytes are rejected and do no harm") {
  CHECK_FALSE(read_cubin("").has_value());
  CHECK_FALSE(read_cubin("\x7f"
                         "ELF")
                  .has_value());
  CHECK_FALSE(read_cubin(cubin_builder{}.bytes()).has_value()); // there is no kernel
  auto b = plain_code();
  b.want("vprintf");
  b.registers("softmax", 40);
  const auto good = b.bytes();
  for (size_t cut = 0; cut < good.size(); ++cut)
    CHECK_FALSE(read_cubin(good.substr(0, cut)).has_value());
  // Inverts every byte of the header and of the section table. Nothing may be read out of bounds.
  for (size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] = static_cast<char>(~bad[at]);
    if (auto facts = read_cubin(bad))
      CHECK(facts->static_shared.size() <= 16);
  }
}

TEST_CASE("a missing driver is reported with its remedy") {
  auto driver = cuda::load_driver();
  if (driver) {
    MESSAGE("skipped: this machine has a driver");
    CHECK(((*driver)->init != nullptr));
    return;
  }
  CHECK(driver.error().code == errc::unsupported);
  CHECK(driver.error().detail.find("libcuda.so.1") != std::string::npos);
  CHECK(driver.error().detail.find("install") != std::string::npos);
  auto watch = cuda::management::open("0000:00:00.0");
  REQUIRE_FALSE(watch.has_value());
  CHECK(watch.error().detail.find("libnvidia-ml.so.1") != std::string::npos);
}

TEST_CASE("without a device the runner exits with the reason") {
  if (const auto why = kevolve::testing::why_no_device(); why.empty()) {
    MESSAGE("skipped: this machine has a device");
    return;
  }
  kevolve::testing::runner_driver runner;
  CHECK_FALSE(runner.ready());
}

TEST_CASE("every status blames one party") {
  using cuda::blame;
  CHECK(cuda::blame_for(0) == blame::nobody);
  CHECK(cuda::blame_for(2) == blame::memory);
  CHECK(cuda::blame_for(700) == blame::candidate);
  CHECK(cuda::blame_for(719) == blame::candidate);
  CHECK(cuda::blame_for(100) == blame::machine); // there is no device
  CHECK(cuda::blame_for(214) == blame::machine); // an uncorrectable memory error
  CHECK(cuda::blame_for(999) == blame::machine);
  CHECK(cuda::blame_for(12345) == blame::machine); // unknown statuses
}
