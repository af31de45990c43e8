#include "tools/bench/skills/call_pair.hpp"

#include "backends/cpu/compile_server/syntax_tree.hpp"
#include "backends/cpu/flags.hpp"
#include "backends/judge/call_data.hpp"
#include "runtime/base/ids.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

namespace kevolve::bench {

namespace {

constexpr double spread = 0.02; // of the fastest of many calls, from run to run

void write(const std::string& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
}

void put(std::string& to, uint64_t x) {
  to.append(reinterpret_cast<const char*>(&x), sizeof x);
}

// Returns the call as call_runner.cpp reads it.
std::string text_of(const contract& task, const call_data& data) {
  std::string out;
  put(out, task.arguments.size());
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& a = task.arguments[i];
    const bool takes_array = is_array(a);
    const bool is_output = is_written(a);
    const auto bytes = takes_array ? static_cast<uint64_t>(data.geometries[i].bytes()) : 0;
    put(out, takes_array ? 1 : 0);
    put(out, is_output ? 1 : 0);
    put(out, a.type == dtype::f32 ? 4 : a.type == dtype::f64 ? 8 : 0); // by value: how it is passed
    put(out, takes_array ? bytes : data.by_value[i]);
    if (!takes_array)
      continue;
    std::string values(bytes, '\0');
    const auto& drawn = data.inputs[i];
    std::copy_n(reinterpret_cast<const char*>(drawn.data()), std::min<size_t>(drawn.size(), values.size()),
                values.begin());
    out += values;
  }
  return out;
}

} // namespace

result<call_pair> call_pair::make(std::string runner, const synthesis_context& of, uint64_t seed) {
  const auto& task = of.task;
  const auto shape = std::find_if(task.shapes.begin(), task.shapes.end(), [](const auto& s) { return !s.held_out; });
  if (shape == task.shapes.end())
    return fail(errc::bad_input, task.name + " declares no shape");
  draw_options options;
  options.seed = seed;
  options.static_seed = seed;
  const auto data = draw_call(task, *shape, options);
  if (!data)
    return tl::unexpected(data.error());
  auto path = (std::filesystem::temp_directory_path() / ("kevolve-calls-" + to_string(random_id()))).string();
  std::filesystem::create_directories(path);
  std::shared_ptr<const std::string> folder{new std::string{path}, [](const std::string* p) {
                                              std::error_code ignored;
                                              std::filesystem::remove_all(*p, ignored);
                                              delete p;
                                            }};
  write(path + "/call", text_of(task, *data));
  call_pair out{std::move(runner), task.entry, std::move(folder)};
  const auto reference = out.compiled(of.reference_source, of.baseline_flags);
  if (!reference)
    return tl::unexpected(reference.error());
  write(path + "/reference.so", *reference);
  return out;
}

result<std::string> call_pair::syntax_tree(const std::string& source) const {
  const auto stem = *folder_ + "/" + to_string(random_id());
  write(stem + ".c", source);
  return entry_and_helpers(entry_, [&](const std::string& filter) -> result<std::string> {
    const auto command = "clang-19 -fsyntax-only -w -std=gnu17 -Xclang -ast-dump=json -Xclang -ast-dump-filter="
                         + filter + " " + stem + ".c > " + stem + ".json 2>/dev/null";
    if (std::system(command.c_str()) != 0)
      return fail(errc::unsupported, "the reference has no syntax tree");
    std::ifstream in{stem + ".json"};
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  });
}

result<std::string> call_pair::compiled(const std::string& source, const std::string& flags) const {
  const auto* entry = find_flags(flags);
  if (entry == nullptr)
    return fail(errc::internal, "no flags '" + flags + "'");
  const auto stem = *folder_ + "/" + to_string(random_id());
  write(stem + ".c", source);
  const bool is_gcc = entry->family == compiler_family::gcc;
  std::string command = is_gcc ? "gcc-12" : "clang-19";
  for (const auto& word : is_gcc ? entry->gcc : entry->clang)
    command += " " + word;
  command += " -std=gnu17 -w -fPIC -shared " + stem + ".c -o " + stem + ".so -lm >/dev/null 2>&1";
  const auto status = std::system(command.c_str());
  std::ifstream in{stem + ".so", std::ios::binary};
  std::ostringstream bytes;
  bytes << in.rdbuf();
  std::filesystem::remove(stem + ".c");
  std::filesystem::remove(stem + ".so");
  return status == 0 ? result<std::string>{bytes.str()} : fail(errc::bad_input, "it does not compile");
}

result<score> call_pair::measure(const std::string& object, uint32_t ms) const {
  const auto candidate = *folder_ + "/" + to_string(random_id()) + ".so";
  write(candidate, object);
  const auto command = "'" + runner_ + "' " + *folder_ + "/reference.so " + candidate + " " + entry_ + " " + *folder_
                       + "/call " + std::to_string(ms) + " 2>/dev/null";
  std::string told;
  int status = -1;
  if (auto* out = ::popen(command.c_str(), "r"); out != nullptr) {
    char line[200];
    while (std::fgets(line, sizeof line, out) != nullptr)
      told += line;
    status = ::pclose(out);
  }
  std::filesystem::remove(candidate);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
    return fail(errc::internal, "bench-call-runner could not call the candidate");
  score made;
  double reference_ns = 0.0;
  double candidate_ns = 0.0;
  if (told.starts_with("wrong"))
    made.result = verdict::wrong_result;
  else if (status != 0 || std::sscanf(told.c_str(), "%lf %lf", &reference_ns, &candidate_ns) != 2)
    made.result = verdict::crashed;
  else {
    const auto speedup = reference_ns / candidate_ns;
    made.result = verdict::pass;
    made.set_speedup({speedup, (1.0 - spread) * speedup, (1.0 + spread) * speedup});
  }
  return made;
}

} // namespace kevolve::bench
