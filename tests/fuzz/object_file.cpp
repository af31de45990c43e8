// Fuzzes the reader of a shared object's requests to the loader.
#include "backends/judge/compared_numbers.hpp"
#include "backends/judge/library_allowance.hpp"
#include "tests/fuzz/input.hpp"

using namespace kevolve;
using namespace kevolve::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const contract strict;
  static const contract liberal = [] {
    contract task;
    task.threads = true;
    task.libraries = {"openblas"};
    return task;
  }();
  const auto bytes = view(data, size);
  for (const auto number : compared_numbers(bytes))
    require(number >= 66.0 && number <= 0x1.0p24);
  const auto refused = refuse_object(strict, bytes);
  // An object that a strict task accepts must be accepted by a permissive one.
  require(refused.has_value() || !refuse_object(liberal, bytes));
  if (refused)
    require(!refused->rule.empty() && !refused->detail.empty() && !refused->evidence.empty());
  return 0;
}
