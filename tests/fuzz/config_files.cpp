// Fuzzes tasks, campaigns and nodes as files from an operator or a third party. Every input gives settings, or errors
// that name a place.
#include "config/campaign.hpp"
#include "config/node.hpp"
#include "config/task.hpp"
#include "tests/fuzz/input.hpp"

#include <sys/mman.h>
#include <unistd.h>

using namespace kevolve;
using namespace kevolve::fuzzing;

namespace {

template <class T>
void check(const result_or_errors<T>& loaded) {
  if (loaded)
    return;
  require(!loaded.error().empty());
  for (const auto& d : loaded.error())
    require(!d.message.empty());
  require(!to_string(loaded.error()).empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  const auto file = ::memfd_create("settings", MFD_CLOEXEC);
  require(file >= 0);
  require(::write(file, data + 1, size - 1) == static_cast<ssize_t>(size - 1));
  const auto path = "/proc/self/fd/" + std::to_string(file);
  switch (data[0] % 3) {
    case 0:
      check(load_task(path));
      break;
    case 1:
      check(load_campaign(path, {}, {{"cpu"}, {{"cpu", {"c", "cpp"}}}}));
      break;
    default:
      check(load_node(path, {}, {"cpu"}));
  }
  ::close(file);
  return 0;
}
