#include "runtime/base/log.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace kevolve;

TEST_CASE("a candidate's text cannot control the terminal that shows the log") {
  auto file = std::filesystem::temp_directory_path() / ("kevolve-test-log-" + std::to_string(std::rand()));
  log::configure({log::level::info, false, file.string()});
  log::warn("job", "failed: {}", "\x1b[2J\a\nred");
  log::configure({});
  std::stringstream text;
  text << std::ifstream{file}.rdbuf();
  std::filesystem::remove(file);
  CHECK(text.str().find("job: failed:  [2J  red\n") != std::string::npos);
}
