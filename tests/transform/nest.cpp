#include "nest.hpp"

#include "backends/cpu/compile_server/syntax_tree.hpp"
#include "backends/generators/transform/ast.hpp"
#include "runtime/base/expression.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace kevolve::test {

namespace fs = std::filesystem;

namespace {

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string temporary_folder() {
  auto base = (fs::temp_directory_path() / "kevolve-transform-XXXXXX").string();
  if (mkdtemp(base.data()) == nullptr)
    throw std::runtime_error("no temporary folder");
  return base;
}

// Runs a program; stdout to `out`, stderr to `log`. The exit status, -1 if it could not start.
int run(const std::vector<std::string>& argv, const std::string& out, const std::string& log) {
  std::vector<char*> raw;
  raw.reserve(argv.size() + 1);
  for (const auto& a : argv)
    raw.push_back(const_cast<char*>(a.c_str()));
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = 0;
  int error = posix_spawnp(&pid, raw[0], &actions, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return -1;
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string w; in >> w;)
    out.push_back(w);
  return out;
}

argument parse_argument(const std::vector<std::string>& w, nest& n) {
  argument a;
  a.name = w.at(0);
  if (w.at(1) == "size") {
    a.role = argument_role::size;
    a.type = dtype::i64;
    return a;
  }
  a.type = parse_dtype(w.at(2)).value();
  if (w[1] == "scalar") {
    a.role = argument_role::scalar;
    return a;
  }
  a.role = w[1] == "output" ? argument_role::output : w[1] == "inout" ? argument_role::inout : argument_role::input;
  a.shape = {w.at(3)};
  for (size_t i = 4; i < w.size(); ++i) {
    if (w[i] == "alias")
      a.alias = true;
    else if (w[i] == "sorted")
      n.sorted.insert(a.name);
    else if (w[i] == "small")
      n.small.insert(a.name);
    else if (w[i] == "zero")
      n.zeroed.insert(a.name);
    else if (w[i] == "exact") {
      tolerance t;
      t.argument = a.name;
      t.mode = tolerance_mode::exact;
      n.task.tolerances.push_back(t);
    }
  }
  return a;
}

void parse_promise(const std::string& line, nest& n) {
  auto colon = line.find(": ");
  if (line.rfind("// ", 0) != 0 || colon == std::string::npos)
    return;
  auto key = line.substr(3, colon - 3);
  auto value = line.substr(colon + 2);
  if (key == "argument")
    n.task.arguments.push_back(parse_argument(words(value), n));
  else if (key == "sizes") {
    auto& sizes = n.sizes.emplace_back();
    for (const auto& w : words(value)) {
      auto eq = w.find('=');
      sizes[w.substr(0, eq)] = std::stoll(w.substr(eq + 1));
    }
  } else if (key == "independent" || key == "carried") {
    for (const auto& w : words(value))
      (key == "carried" ? n.carried : n.independent).insert(w);
  } else if (key == "applies")
    n.applies.push_back(value);
  else if (key == "declines") {
    auto at = value.find(": ");
    n.declines.emplace_back(value.substr(0, at), value.substr(at + 2));
  }
}

const std::vector<std::string> flag_menu{"O2", "O3", "Ofast"};
const std::string baseline = "O3";
const std::map<std::string, int64_t> hardware{{"vector_bits", 512}, {"cache.l1d", 49152}, {"cache.l2", 1 << 20}};

} // namespace

bool have_clang() {
  static const bool there = run({"clang-19", "--version"}, "/dev/null", "/dev/null") == 0;
  return there;
}

std::vector<std::string> nest_names() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(fs::path(std::getenv("KEVOLVE_SOURCE")) / "tests/transform/nests"))
    out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

nest make_nest(const std::string& name, const std::string& text) {
  nest n;
  n.name = name;
  n.source = text;
  n.task.name = n.task.entry = name;
  n.task.language = "c";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    parse_promise(line, n);
  auto folder = temporary_folder();
  std::ofstream(folder + "/nest.c") << text;
  auto tree = entry_and_helpers(name, [&](const std::string& filter) -> result<std::string> {
    int status = run({"clang-19", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-Xclang",
                      "-ast-dump-filter=" + filter, folder + "/nest.c"},
                     folder + "/tree", folder + "/log");
    if (status != 0)
      return fail(errc::unsupported, slurp(folder + "/log"));
    return slurp(folder + "/tree");
  });
  if (!tree)
    throw std::runtime_error(name + " does not compile:\n" + tree.error().detail);
  n.tree = std::move(*tree);
  fs::remove_all(folder);
  return n;
}

nest load_nest(const std::string& name) {
  return make_nest(name, slurp(fs::path(std::getenv("KEVOLVE_SOURCE")) / "tests/transform/nests" / (name + ".c")));
}

transform::program read(const nest& n) {
  auto p = transform::read_function(n.source, n.tree, n.name, transform::may_alias(n.task));
  if (!p)
    throw std::runtime_error(n.name + ": " + p.error().detail);
  return std::move(*p);
}

transform::environment environment_of(const nest& n, const transform::program& p) {
  return {n.task, hardware, flag_menu, baseline, transform::analyse(p, n.task)};
}

synthesis_context context_of(const nest& n) {
  synthesis_context c;
  c.task = n.task;
  c.reference_source = n.source;
  c.syntax_tree = std::make_shared<const std::string>(n.tree);
  c.flag_menu = flag_menu;
  c.baseline_flags = baseline;
  c.hardware = hardware;
  return c;
}

struct bench::library {
  void* handle = nullptr;
  void (*call)(void**) = nullptr;
  ~library() {
    if (handle != nullptr)
      dlclose(handle);
  }
};

bench::bench(const nest& n) : nest_(n), folder_(temporary_folder()) {
  std::string error;
  reference_ = build(n.source, {}, error);
  if (!reference_)
    throw std::runtime_error(n.name + ": " + error);
}

bench::~bench() {
  reference_.reset();
  fs::remove_all(folder_);
}

std::unique_ptr<bench::library> bench::build(const std::string& source, const std::vector<std::string>& flags,
                                             std::string& error) {
  auto stem = folder_ + "/" + std::to_string(built_++);
  std::string call = "\nvoid call_entry(void **a) { " + nest_.name + "(";
  for (size_t i = 0; i < nest_.task.arguments.size(); ++i) {
    const auto& a = nest_.task.arguments[i];
    bool by_value = a.role == argument_role::size || a.role == argument_role::scalar;
    auto slot = "a[" + std::to_string(i) + "]";
    call += (i == 0 ? "" : ", ") + (by_value ? "*(" + c_type(a.type) + " *)" + slot : slot);
  }
  std::ofstream(stem + ".c") << source << call << "); }\n";
  std::vector<std::string> argv{"clang-19", "-shared", "-fPIC", "-w", "-O1", "-march=native", "-std=gnu17"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  argv.insert(argv.end(), {stem + ".c", "-o", stem + ".so", "-lm"});
  if (run(argv, "/dev/null", stem + ".log") != 0) {
    error = "does not compile:\n" + slurp(stem + ".log");
    return nullptr;
  }
  auto out = std::make_unique<library>();
  out->handle = dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (out->handle == nullptr) {
    error = dlerror();
    return nullptr;
  }
  out->call = reinterpret_cast<void (*)(void**)>(dlsym(out->handle, "call_entry"));
  return out;
}

namespace {

// The arguments of one call. A page of a known pattern stands behind every buffer.
struct arguments {
  std::vector<std::vector<char>> memory;
  std::vector<void*> slots;
};

constexpr size_t guard = 4096;

arguments fill(const nest& n, const std::map<std::string, int64_t>& sizes) {
  arguments out;
  uint64_t state = 42;
  auto draw = [&] { return (state = state * 6364136223846793005ULL + 1442695040888963407ULL) >> 33; };
  for (const auto& a : n.task.arguments) {
    size_t count = 1;
    if (!a.shape.empty())
      count = static_cast<size_t>(expression::parse(a.shape[0]).value().evaluate(sizes).value());
    auto bytes = count * size_bytes(a.type);
    auto& m = out.memory.emplace_back(bytes + guard + 64, '\x5a');
    auto at = reinterpret_cast<uintptr_t>(m.data());
    auto* data = m.data() + (64 - at % 64) % 64;
    out.slots.push_back(data);
    if (a.role == argument_role::output) {
      std::memset(data, n.zeroed.count(a.name) != 0 ? 0 : 0x7f, bytes);
      continue;
    }
    int64_t ascending = 0;
    for (size_t i = 0; i < count; ++i) {
      auto r = static_cast<int64_t>(draw());
      ascending += r % 5;
      int64_t whole = a.role == argument_role::size ? sizes.at(a.name)
                      : n.sorted.count(a.name) != 0 ? ascending
                      : n.small.count(a.name) != 0  ? r % 8
                                                    : r % 100;
      auto real = static_cast<double>(r % 2001) / 500.0 - 1.0;
      auto put = [&](auto v) { std::memcpy(data + i * sizeof v, &v, sizeof v); };
      switch (a.type) {
        case dtype::f32:
          put(static_cast<float>(real));
          break;
        case dtype::f64:
          put(real);
          break;
        case dtype::i64:
          put(whole);
          break;
        case dtype::i32:
          put(static_cast<int32_t>(whole));
          break;
        default:
          put(static_cast<int8_t>(whole));
      }
    }
  }
  return out;
}

template <class T>
std::optional<std::string> compare(const void* got, const void* want, size_t count, bool exact) {
  for (size_t i = 0; i < count; ++i) {
    T g{};
    T w{};
    std::memcpy(&g, static_cast<const char*>(got) + i * sizeof g, sizeof g);
    std::memcpy(&w, static_cast<const char*>(want) + i * sizeof w, sizeof w);
    auto gd = static_cast<double>(g);
    auto wd = static_cast<double>(w);
    bool same = gd == wd || (std::isnan(gd) && std::isnan(wd));
    bool ok = same || (!exact && std::fabs(gd - wd) <= 1e-5 + 1e-4 * std::fabs(wd));
    if (!ok)
      return "element " + std::to_string(i) + " is " + std::to_string(gd) + " instead of " + std::to_string(wd);
  }
  return {};
}

} // namespace

std::optional<std::string> bench::difference(const std::string& source, const std::vector<std::string>& flags) {
  std::string error;
  auto candidate = build(source, flags, error);
  if (!candidate)
    return error;
  for (const auto& sizes : nest_.sizes) {
    auto want = fill(nest_, sizes);
    auto got = fill(nest_, sizes);
    reference_->call(want.slots.data());
    candidate->call(got.slots.data());
    for (size_t i = 0; i < nest_.task.arguments.size(); ++i) {
      const auto& a = nest_.task.arguments[i];
      auto offset = static_cast<size_t>(static_cast<char*>(want.slots[i]) - want.memory[i].data());
      auto bytes = want.memory[i].size() - offset - guard;
      if (a.shape.empty())
        continue;
      auto count = static_cast<size_t>(expression::parse(a.shape[0]).value().evaluate(sizes).value());
      std::optional<std::string> wrong;
      bool exact = tolerance_for(nest_.task, a).mode == tolerance_mode::exact;
      if (a.type == dtype::f32)
        wrong = compare<float>(got.slots[i], want.slots[i], count, exact);
      else if (a.type == dtype::f64)
        wrong = compare<double>(got.slots[i], want.slots[i], count, exact);
      else if (std::memcmp(got.slots[i], want.slots[i], count * size_bytes(a.type)) != 0)
        wrong = "differs";
      auto* behind = static_cast<char*>(got.slots[i]) + count * size_bytes(a.type);
      auto* end = static_cast<char*>(got.slots[i]) + bytes + guard - 64;
      if (std::any_of(behind, end, [](char c) { return c != '\x5a'; }))
        wrong = "written past its end";
      if (wrong)
        return a.name + " at " + std::to_string(sizes.begin()->second) + "…: " + *wrong;
    }
  }
  return {};
}

std::optional<std::string> bench::not_cpp(const std::string& source) {
  const auto stem = folder_ + "/" + std::to_string(built_++);
  std::ofstream(stem + ".cpp") << source; // the nests' own restrict is C's
  if (run({"clang++-19", "-fsyntax-only", "-w", "-march=native", "-std=gnu++20", "-Drestrict=__restrict",
           stem + ".cpp"},
          "/dev/null", stem + ".log")
      != 0)
    return slurp(stem + ".log");
  return {};
}

} // namespace kevolve::test
