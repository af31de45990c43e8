// Loads a file by the kind that its name indicates.
#pragma once

#include "config/campaign.hpp"
#include "config/document.hpp"
#include "config/node.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace kevolve::testing {

inline std::filesystem::path source_folder() {
  const auto* folder = std::getenv("KEVOLVE_SOURCE");
  return std::filesystem::absolute(folder ? folder : ".").lexically_normal();
}

// Returns the words after "# <mark>: " in the file's comments, one list per line.
inline std::vector<std::string> marked_lines(const std::string& path, const std::string& mark) {
  std::vector<std::string> out;
  std::istringstream in{read_text_file(path).value_or("")};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("# " + mark + ": "))
      out.push_back(line.substr(mark.size() + 4));
  return out;
}

inline std::vector<std::string> words(const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  for (const auto& line : lines) {
    std::istringstream in{line};
    for (std::string word; in >> word;)
      out.push_back(word);
  }
  return out;
}

template <class T>
std::vector<diagnostic> errors_of(const result_or_errors<T>& x) {
  return x ? std::vector<diagnostic>{} : x.error();
}

// Loads "*.task.toml", "*.node.toml", or else a campaign with the overrides and known names in its comments.
inline std::vector<diagnostic> load_any(const std::string& path) {
  if (path.ends_with(".task.toml"))
    return errors_of(load_task(path));
  if (path.ends_with(".node.toml") || path.ends_with("kevolved.toml"))
    return errors_of(load_node(path, marked_lines(path, "set")));
  known_names known;
  known.targets = words(marked_lines(path, "known targets"));
  return errors_of(load_campaign(path, marked_lines(path, "set"), known));
}

inline std::vector<std::filesystem::path> toml_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    if (entry.path().extension() == ".toml")
      out.push_back(entry.path());
  return out;
}

} // namespace kevolve::testing
