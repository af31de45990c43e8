#include "store/current_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kevolve {

namespace {

std::vector<std::string> files_of(rocksdb::Env* env, const std::string& path) {
  std::vector<std::string> names;
  env->GetChildren(path, &names).PermitUncheckedError(); // empty if there is no directory
  return names;
}

bool holds_data(const std::string& name) {
  return name.ends_with(".sst") || name.ends_with(".log") || name.ends_with(".blob");
}

// Returns 5 for "MANIFEST-000005"; 0 for another name.
uint64_t manifest_number(const std::string& name) {
  constexpr std::string_view prefix = "MANIFEST-";
  uint64_t number = 0;
  if (!name.starts_with(prefix))
    return 0;
  const auto* end = name.data() + name.size();
  auto [at, error] = std::from_chars(name.data() + prefix.size(), end, number);
  return error == std::errc{} && at == end ? number : 0;
}

} // namespace

std::string lost_part(rocksdb::Env* env, const std::string& path) {
  auto names = files_of(env, path);
  if (env->FileExists(path + "/CURRENT").IsNotFound()) {
    // A crash while the first database was made leaves only its manifest.
    auto any =
        std::any_of(names.begin(), names.end(), [](const auto& n) { return holds_data(n) || manifest_number(n) > 1; });
    return any ? "CURRENT" : "";
  }
  std::string named;
  if (!rocksdb::ReadFileToString(env, path + "/CURRENT", &named).ok() || named.empty() || named.back() != '\n')
    return {}; // opening reports the error
  named.pop_back();
  auto there = std::find(names.begin(), names.end(), named) != names.end();
  return manifest_number(named) == 0 || there ? "" : named;
}

rocksdb::Status point_at_newest_manifest(rocksdb::Env* env, const std::string& path, std::string& newest) {
  newest.clear();
  if (!env->FileExists(path + "/CURRENT").IsNotFound())
    return {};
  for (const auto& name : files_of(env, path))
    if (manifest_number(name) > manifest_number(newest))
      newest = name;
  if (newest.empty())
    return {};
  auto s = rocksdb::WriteStringToFile(env, newest + "\n", path + "/CURRENT.new", true);
  return s.ok() ? env->RenameFile(path + "/CURRENT.new", path + "/CURRENT") : s;
}

} // namespace kevolve
