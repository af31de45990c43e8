#include "backends/helper_words.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kevolve {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return std::string{value == nullptr ? "" : value};
}

std::string named_python() {
  const auto named = environment("KEVOLVE_PYTHON");
  if (named.find('/') == std::string::npos) // looked up in PATH
    return named;
  std::error_code ec;
  const auto whole = std::filesystem::absolute(named, ec);
  return ec ? named : whole.lexically_normal().string();
}

std::map<std::string, std::string> helper_environment() {
  std::map<std::string, std::string> out{{"LC_ALL", "C"}};
  auto path = environment("PATH");
  out["PATH"] = path.empty() ? "/usr/local/bin:/usr/bin:/bin" : path;
  if (auto temporary = environment("TMPDIR"); !temporary.empty())
    out["TMPDIR"] = temporary;
  return out;
}

std::string core_list(const std::vector<int>& cores) {
  std::string out;
  for (auto c : cores)
    out += (out.empty() ? "" : ",") + std::to_string(c);
  return out;
}

std::string file_bytes(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

void accept_weakness(std::vector<std::string>& argv, const target_options& options) {
  for (const auto& layer : options.allow_weak_sandbox) {
    argv.emplace_back("--allow-weak-sandbox");
    argv.push_back(layer);
  }
}

} // namespace kevolve
