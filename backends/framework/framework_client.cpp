#include "backends/framework/framework_client.hpp"

#include "backends/framework/framework_policy.hpp"
#include "backends/framework/framework_program.hpp"
#include "runtime/base/confinement.hpp"
#include "runtime/base/helper_process.hpp"
#include "runtime/base/sandbox.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace kevolve::cuda {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds start_limit{180'000}; // the first import on a machine reads gigabytes
constexpr milliseconds order_limit{60'000};
constexpr milliseconds ending_itself{3'000};     // that a process has for ending a call whose time is over
constexpr const char* last_words = "last_words"; // file with the process's standard error
constexpr size_t most_told = 500;

std::string find_program(const std::string& name) {
  if (name.starts_with('/'))
    return name;
  const auto* path = std::getenv("PATH");
  std::istringstream folders{path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path};
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = folder + "/" + name; ::access(file.c_str(), X_OK) == 0)
      return file;
  return {};
}

// Runs in the child. The channel is the only descriptor that it keeps.
[[noreturn]] void become(const std::string& python, const sandbox_policy& wanted, int link, pid_t parent,
                         char* const* environment) {
  static std::string program{framework_program()};
  auto policy = wanted;
  policy.parent_pid = parent;
  const auto null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 0);
  ::dup2(null, 1);
  ::dup2(::open((policy.writable.front() + "/" + last_words).c_str(), O_WRONLY | O_CREAT, 0600), 2);
  if (link == helper_socket_fd)
    ::fcntl(link, F_SETFD, 0);
  else
    ::dup2(link, helper_socket_fd);
  confine(compiler_confinement);
  auto lock = sandbox::prepare(policy); // prepared in the child, since the readable part of /proc is its own
  const auto locked = lock ? lock->lock() : result<void>{tl::unexpected(lock.error())};
  if (!locked || ::chdir(policy.writable.front().c_str()) != 0) {
    ::dprintf(2, "%s\n", locked ? "its folder is gone" : to_string(locked.error()).c_str());
    ::_exit(127);
  }
  std::string path = python;
  char isolated[] = "-I";
  char command[] = "-c";
  char* argv[]{path.data(), isolated, command, program.data(), nullptr};
  ::execve(argv[0], argv, environment);
  ::dprintf(2, "%s: %s\n", python.c_str(), std::strerror(errno));
  ::_exit(127);
}

// Returns the entry of CUDA_VISIBLE_DEVICES for the device of that number.
std::string visible_device(int device) {
  const auto* among = std::getenv("CUDA_VISIBLE_DEVICES");
  std::istringstream names{among == nullptr ? "" : among};
  std::string name;
  for (int i = 0; std::getline(names, name, ','); ++i)
    if (i == device)
      return name;
  return std::to_string(device);
}

rejection refuse(verdict v, std::string rule, std::string detail) {
  return {v, std::move(rule), std::move(detail), {}};
}

std::string describe(const argument& a, const array_geometry& g, const arena_place& place, uint64_t from) {
  std::string out = "array " + a.name + " " + to_string(a.role) + " " + to_string(g.type) + " "
                    + std::to_string(from + place.offset) + " " + std::to_string(g.count == 0 ? 0 : g.bytes()) + " "
                    + std::to_string(g.dims.size()) + (a.extent.empty() ? " whole" : " extent");
  for (const auto n : g.dims)
    out += " " + std::to_string(n);
  for (const auto n : g.strides)
    out += " " + std::to_string(n);
  return out + "\n";
}

// Describes a scalar's bits in the way the C call would pass them.
std::string describe(const argument& a, uint64_t bits) {
  if (!is_floating(a.type) || a.role == argument_role::size)
    return "value " + a.name + " integer " + std::to_string(static_cast<int64_t>(bits)) + "\n";
  double x = 0.0;
  if (a.type == dtype::f64)
    std::memcpy(&x, &bits, sizeof(x));
  else {
    float narrow = 0.0F;
    std::memcpy(&narrow, &bits, sizeof(narrow));
    x = narrow;
  }
  std::ostringstream text;
  text.precision(17);
  text << x;
  return "value " + a.name + " float " + text.str() + "\n";
}

const char* to_word(tf32_use x) {
  return x == tf32_use::on ? ":on" : x == tf32_use::off ? ":off" : "";
}

verdict verdict_for(const std::string& rule) {
  const auto* known = find_verdict_rule(rule);
  const bool refuses = known != nullptr && known->result != verdict::none && known->result != verdict::pass;
  return refuses ? known->result : verdict::crashed;
}

} // namespace

result<void> framework_client::start(const framework_options& options) {
  end();
  const auto python = find_program(options.python);
  if (python.empty())
    return fail(errc::not_found, "there is no " + options.python + ": install Python 3 with PyTorch");
  const auto* temporary = std::getenv("TMPDIR");
  auto scratch = workspace::make(temporary == nullptr ? "/tmp" : temporary);
  if (!scratch)
    return tl::unexpected(scratch.error());
  scratch_.emplace(std::move(*scratch));
  const auto policy = framework_policy(python, scratch_->path());
  auto level = sandbox::prepare(policy);
  if (!level)
    return tl::unexpected(level.error());
  if (const auto weak = refusal_of_level(level->level(), options.done_without); !weak.empty())
    return fail(errc::unsupported, weak);
  level_ = level->level();
  auto pair = make_channel_pair();
  if (!pair)
    return tl::unexpected(pair.error());
  auto environment = options.environment;
  const auto& at = scratch_->path();
  for (const auto* name : {"HOME", "TMPDIR", "XDG_CACHE_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"})
    environment.push_back(std::string{name} + "=" + at);
  environment.emplace_back("TORCHINDUCTOR_COMPILE_THREADS=1"); // a pool of compile processes would disturb timed calls
  environment.emplace_back("PATH=" + fs::path{python}.parent_path().string() + ":/usr/local/cuda/bin:/usr/bin:/bin");
  environment.emplace_back("CUDA_VISIBLE_DEVICES=" + visible_device(options.device));
  std::vector<char*> variables;
  for (auto& v : environment)
    variables.push_back(v.data());
  variables.push_back(nullptr);
  const auto parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0)
    become(python, policy, pair->second.fd(), parent, variables.data());
  if (pid_ < 0)
    return tl::unexpected(from_errno(errno, "the reference's process does not start"));
  ++starts_;
  link_ = std::move(pair->first);
  pair->second.close();
  auto greeted = greet();
  if (!greeted)
    end();
  return greeted;
}

result<void> framework_client::greet() {
  auto said = link_.receive(start_limit);
  if (!said) {
    auto words = scratch_->read(last_words, size_t{1} << 16U, true).value_or("");
    if (words.size() > most_told)
      words.erase(0, words.size() - most_told);
    return fail(errc::unavailable, "the reference's process does not start: " + to_string(said.error()) + "; " + words);
  }
  std::istringstream lines{said->payload};
  std::string first;
  std::getline(lines, first);
  if (first != "ready")
    return fail(errc::not_found, "python3 has no PyTorch (" + first.substr(0, most_told)
                                     + "): install it, or name an interpreter that has it");
  facts_.clear();
  for (std::string line; std::getline(lines, line);)
    if (const auto space = line.find(' '); space != std::string::npos)
      facts_[line.substr(0, space)] = line.substr(space + 1);
  return {};
}

void framework_client::end() {
  link_.close();
  loaded_.clear();
  device_arena_ = 0;
  device_pool_ = 0;
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  scratch_.reset();
}

std::optional<rejection> framework_client::ask(word kind, const std::string& text, nanoseconds limit, double* ns,
                                               int fd) {
  auto sent = link_.send(static_cast<uint8_t>(kind), text);
  if (sent && fd >= 0)
    sent = link_.send_fds({fd});
  const auto patience = std::max(std::chrono::ceil<milliseconds>(limit), milliseconds{1});
  auto reply = sent ? link_.receive(patience) : result<frame>{tl::unexpected(sent.error())};
  if (!reply) {
    end();
    if (reply.error().code == errc::timed_out)
      return refuse(verdict::timeout, rule_name::call_limit,
                    "did not end within " + std::to_string(patience.count()) + " ms");
    return refuse(verdict::crashed, rule_name::died, "its process died (" + to_string(reply.error()) + ")");
  }
  const auto& said = reply->payload;
  if (reply->kind == static_cast<uint8_t>(word::answer) && said.starts_with("ok ")) {
    double took = 0.0;
    std::from_chars(said.data() + 3, said.data() + said.size(), took);
    if (ns != nullptr)
      *ns = took;
    return std::nullopt;
  }
  const auto space = said.find(' ');
  const auto line = said.find('\n');
  const auto how = said.substr(0, space);
  if (reply->kind != static_cast<uint8_t>(word::answer) || (how != "refused" && how != "spoilt")
      || line == std::string::npos || line < space) {
    end();
    return refuse(verdict::none, rule_name::protocol, "the reference's process answered out of turn");
  }
  if (how == "spoilt") // by a call that was ended within an import
    end();
  const auto rule = said.substr(space + 1, line - space - 1);
  return refuse(verdict_for(rule), rule, said.substr(line + 1));
}

std::optional<rejection> framework_client::load(program which, const framework_source& source) {
  const auto text = std::to_string(static_cast<int>(which)) + "\n" + source.entry + "\n" + source.source;
  if (loaded_[which] == text)
    return std::nullopt;
  loaded_[which].clear();
  auto refused = ask(word::load, text, order_limit, nullptr);
  if (!refused)
    loaded_[which] = text;
  return refused;
}

std::optional<rejection> framework_client::map(arena which, int fd, size_t bytes) {
  return ask(word::map, std::to_string(static_cast<int>(which)) + " " + std::to_string(bytes), order_limit, nullptr,
             fd);
}

std::optional<rejection> framework_client::map_device(int fd, size_t bytes, uint64_t number) {
  if (device_arena_ == number)
    return std::nullopt;
  device_arena_ = 0;
  auto refused = map(arena::device, fd, bytes);
  if (!refused)
    device_arena_ = number;
  return refused;
}

std::optional<rejection> framework_client::map_device_pool(int fd, size_t bytes, uint64_t number) {
  if (device_pool_ == number)
    return std::nullopt;
  device_pool_ = 0;
  auto refused = map(arena::device_pool, fd, bytes);
  if (!refused)
    device_pool_ = number;
  return refused;
}

std::optional<rejection> framework_client::call_in_pool(program what, framework_mode mode, const contract& task,
                                                        const call_data& data, const pool_places& places,
                                                        nanoseconds limit, nanoseconds& took) {
  auto text = "call " + std::to_string(static_cast<int>(what)) + " "
              + std::to_string(static_cast<int>(arena::device_pool)) + " "
              + (mode == framework_mode::plain ? std::string{what == program::oracle ? "wide" : "plain"}
                                               : std::string{to_word(mode)} + to_word(task.timing.tf32))
              + (mode == framework_mode::plain || task.timing.cold_cache ? " cold" : " warm");
  if (mode != framework_mode::plain) // the process ends a call that compiles itself
    text += " " + std::to_string(std::max(std::chrono::ceil<milliseconds>(limit), milliseconds{1}).count());
  text += "\n";
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    auto a = task.arguments[i];
    if (!is_array(a)) {
      text += describe(a, data.by_value[i]);
      continue;
    }
    const bool written = is_written(a);
    auto g = data.geometries[i];
    if (is_read(a)) {
      a.role = argument_role::input;
      text += describe(a, g, {i, places.inputs[i], g.bytes()}, 0);
    }
    if (!written)
      continue;
    a.role = argument_role::output;
    g.type = places.types[i];
    g.contiguous = true;
    g.span = g.count;
    int64_t stride = 1;
    for (size_t d = g.dims.size(); d-- > 0; stride *= g.dims[d])
      g.strides[d] = stride;
    text += describe(a, g, {i, places.outputs[i], g.bytes()}, 0);
  }
  double ns = 0.0;
  auto refused = ask(word::call, text, mode == framework_mode::plain ? limit : limit + ending_itself, &ns);
  took = nanoseconds{static_cast<int64_t>(ns)};
  return refused;
}

std::optional<rejection> framework_client::call(program what, arena where, framework_mode mode, const contract& task,
                                                const call_data& data, const arena_layout& layout, nanoseconds limit,
                                                nanoseconds& took, uint64_t from) {
  auto text = "call " + std::to_string(static_cast<int>(what)) + " " + std::to_string(static_cast<int>(where)) + " "
              + std::string{to_word(mode)} + to_word(task.timing.tf32) + (task.timing.cold_cache ? " cold" : " warm");
  // The process ends a call that compiles itself, and lives on with what it has loaded. If it does not, it is killed.
  const bool ends_itself = mode != framework_mode::plain;
  text += ends_itself
              ? " " + std::to_string(std::max(std::chrono::ceil<milliseconds>(limit), milliseconds{1}).count()) + "\n"
              : "\n";
  for (const auto& place : layout.places)
    text += describe(task.arguments[place.argument], data.geometries[place.argument], place, from);
  for (size_t i = 0; i < task.arguments.size(); ++i)
    if (!is_array(task.arguments[i]))
      text += describe(task.arguments[i], data.by_value[i]);
  double ns = 0.0;
  auto refused = ask(word::call, text, ends_itself ? limit + ending_itself : limit, &ns);
  took = nanoseconds{static_cast<int64_t>(ns)};
  return refused;
}

} // namespace kevolve::cuda
