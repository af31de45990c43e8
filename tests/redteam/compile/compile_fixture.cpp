#include "tests/redteam/compile/compile_fixture.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve::testing {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string part; std::getline(in, part, at);)
    if (!part.empty())
      out.push_back(part);
  return out;
}

void promise(const std::string& key, const std::string& value, compile_fixture& f) {
  if (key == "expect") {
    auto words = split(value, ' ');
    f.expected = split(words.at(0), '|');
    f.rule = words.size() > 1 ? words[1] : "";
  } else if (key == "says")
    f.says = value;
  else if (key == "evidence")
    f.evidence = value;
  else if (key == "holds")
    f.holds = value;
  else if (key == "near")
    f.near = value;
  else if (key == "flags")
    f.flags = split(value, ' ');
  else if (key == "limit")
    f.limit_ms = static_cast<uint32_t>(std::stoul(value));
  else if (key == "memory")
    f.memory_mib = static_cast<uint32_t>(std::stoul(value));
  else if (key == "largest")
    f.largest_log = std::stoul(value);
}

std::string expanded(std::string line, const std::string& secrets) {
  static const std::string repeat = "// repeat ";
  static const std::string place = "@SECRET@";
  if (line == "// zero")
    return std::string(1, '\0');
  if (line.starts_with(repeat)) {
    size_t digits = 0;
    const auto times = std::stoul(line.substr(repeat.size()), &digits);
    const auto text = line.substr(repeat.size() + digits + 1);
    line.clear();
    for (size_t i = 0; i < times; ++i)
      line += text;
  }
  for (auto at = line.find(place); at != std::string::npos; at = line.find(place, at + secrets.size()))
    line.replace(at, place.size(), secrets);
  return line;
}

compile_fixture load(const fs::path& file, const std::string& secrets) {
  compile_fixture out;
  out.name = file.filename().string();
  out.language = file.extension() == ".cpp" ? "cpp" : std::string(1, 'c');
  std::ifstream in{file};
  bool head = true;
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    head = head && line.starts_with("// ") && colon != std::string::npos;
    if (head)
      promise(line.substr(3, colon - 3), line.substr(colon + 2), out);
    else
      out.source += expanded(line, secrets) + '\n';
  }
  return out;
}

} // namespace

std::vector<compile_fixture> load_fixtures(const std::string& folder, const std::string& secrets) {
  std::vector<compile_fixture> out;
  for (const auto& entry : fs::directory_iterator{folder})
    out.push_back(load(entry.path(), secrets));
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

} // namespace kevolve::testing
