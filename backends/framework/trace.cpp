#include "backends/framework/trace.hpp"

#include "backends/compile/kept_builds.hpp"
#include "backends/compile/locked_command.hpp"
#include "backends/compile/workspace.hpp"
#include "backends/framework/framework_policy.hpp"
#include "backends/helper_words.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve::cuda {

namespace {

namespace fs = std::filesystem;

constexpr size_t most_document = 16U << 20U;
constexpr size_t most_told = 600;
constexpr const char* output_name = "output";
constexpr const char* error_name = "errors";

class no_listener final : public attention {
public:
  int descriptor() const override { return -1; }
  bool attend() override { return true; }
};

std::string last_words(const workspace& scratch) {
  auto out = scratch.read(error_name, size_t{1} << 16U, true).value_or("");
  while (!out.empty() && out.back() == '\n')
    out.pop_back();
  return out.size() > most_told ? out.substr(out.size() - most_told) : out;
}

std::vector<std::string> command_line(const trace_request& q, const std::string& folder, const std::string& name) {
  std::vector<std::string> out{"/usr/bin/env", "-i", "LC_ALL=C.UTF-8",
                               "PATH=" + fs::path{q.python}.parent_path().string() + ":/usr/bin:/bin"};
  for (const auto* variable : {"HOME", "TMPDIR", "XDG_CACHE_HOME", "TORCHINDUCTOR_CACHE_DIR"})
    out.push_back(std::string{variable} + "=" + folder);
  for (auto& word : std::vector<std::string>{q.python, "-I", "-B", "kevolve-torch.pyz", q.verb, folder + "/" + name,
                                             "--into", folder + "/made"})
    out.push_back(word);
  out.insert(out.end(), q.arguments.begin(), q.arguments.end());
  return out;
}

result<std::string> read_whole(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::stringstream text;
  text << in.rdbuf();
  if (!in)
    return fail(errc::not_found, "'" + path + "' cannot be read");
  return text.str();
}

} // namespace

std::string tracing_python() {
  if (auto named = named_python(); !named.empty())
    return named;
  const auto* path = std::getenv("PATH");
  std::istringstream folders{path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path};
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = folder + "/python3"; ::access(file.c_str(), X_OK) == 0)
      return file;
  return {};
}

result<trace_outcome> run_trace(const trace_request& request) {
  const auto* temporary = std::getenv("TMPDIR");
  auto scratch = workspace::make(temporary == nullptr ? "/tmp" : temporary);
  if (!scratch)
    return tl::unexpected(scratch.error());
  const auto name = fs::path{request.file}.filename().string();
  const auto text = read_whole(request.file);
  const auto package = text ? read_whole(request.package) : text;
  if (!package)
    return tl::unexpected(package.error());
  for (const auto& [file, content] : {std::pair{name, &*text}, {std::string{"kevolve-torch.pyz"}, &*package}})
    if (auto written = scratch->write(file, *content); !written)
      return tl::unexpected(written.error());
  for (const auto& [file, content] : request.beside)
    if (auto written = scratch->write(file, content); !written)
      return tl::unexpected(written.error());
  // run_locked() puts a descriptor of its own in place of 3, which must not be one of the sandbox's.
  const open_file place{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  auto policy = framework_policy(request.python, scratch->path());
  policy.parent_pid = ::getpid();
  policy.memory_bytes = request.memory_bytes;
  auto lock = sandbox::prepare(policy);
  if (!lock)
    return tl::unexpected(lock.error());
  if (const auto weak = refusal_of_level(lock->level(), {}); !weak.empty())
    return fail(errc::unsupported, weak);
  no_listener nobody;
  const auto step = run_locked({command_line(request, scratch->path(), name), scratch->path(), output_name, error_name,
                                std::chrono::steady_clock::now() + request.limit},
                               *lock, nobody);
  if (step.end == step_end::not_started)
    return tl::unexpected(step.trouble);
  if (step.end == step_end::over_time)
    return fail(errc::timed_out, "tracing did not end within " + std::to_string(request.limit.count()) + " s");
  trace_outcome out;
  auto document = scratch->read("made/result.json", most_document);
  if (!document)
    return fail(errc::unavailable, "the tracing process ended without an answer ("
                                       + std::string{step.end == step_end::signalled ? "signal " : "status "}
                                       + std::to_string(step.value) + "): " + last_words(*scratch));
  out.document = std::move(*document);
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{scratch->path() + "/made", ec}) {
    const auto file = entry.path().filename().string();
    if (!entry.is_regular_file(ec) || entry.is_symlink(ec) || file == "result.json")
      continue;
    if (auto made = scratch->read("made/" + file, most_document))
      out.files[file] = std::move(*made);
  }
  return out;
}

} // namespace kevolve::cuda
