// Replaces the fuzzer: runs a target once on every given file and every file below a given folder. So seeds and
// regressions are tests of any build.
#include "tests/fuzz/input.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

namespace fs = std::filesystem;

size_t run(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  std::fprintf(stderr, "%s\n", file.c_str()); // the last file printed is the one that crashed
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      if (fs::exists(argv[i]))
        count += run(argv[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator{argv[i]})
      if (entry.is_regular_file())
        count += run(entry.path());
  }
  std::printf("%zu inputs\n", count);
  return count == 0 ? 1 : 0;
}
