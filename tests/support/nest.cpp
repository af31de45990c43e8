#include "tests/support/nest.hpp"

#include "backends/cpu/compile_server/syntax_tree.hpp"
#include "backends/generators/transform/frontend/ast.hpp"
#include "runtime/base/expression.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
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
#include <utility>

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
    else if (w[i] == "large")
      n.large.insert(a.name);
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

// Ends the call where a signed sum, difference or product overflows, also in a lane of a vector: clang lets these wrap.
const std::vector<std::string> ends_where_it_overflows{"gcc", "-fsanitize=signed-integer-overflow",
                                                       "-fsanitize-undefined-trap-on-error"};

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

std::string syntax_tree_of(const std::string& entry, const std::string& source) {
  auto folder = temporary_folder();
  std::ofstream(folder + "/nest.c") << source;
  auto tree = entry_and_helpers(entry, [&](const std::string& filter) -> result<std::string> {
    int status = run({"clang-19", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-Xclang",
                      "-ast-dump-filter=" + filter, folder + "/nest.c"},
                     folder + "/tree", folder + "/log");
    if (status != 0)
      return fail(errc::unsupported, slurp(folder + "/log"));
    return slurp(folder + "/tree");
  });
  fs::remove_all(folder);
  if (!tree)
    throw std::runtime_error(entry + " does not compile:\n" + tree.error().detail);
  return std::move(*tree);
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
  n.tree = syntax_tree_of(name, text);
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
  reference_ = build(n.source, {"clang-19"}, error);
  if (!reference_)
    throw std::runtime_error(n.name + ": " + error);
}

bench::~bench() {
  reference_.reset();
  fs::remove_all(folder_);
}

std::unique_ptr<bench::library> bench::build(const std::string& source, std::vector<std::string> argv,
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
  argv.insert(argv.end(),
              {"-shared", "-fPIC", "-w", "-O1", "-march=native", "-std=gnu17", stem + ".c", "-o", stem + ".so", "-lm"});
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

constexpr size_t page = 4096;
constexpr size_t guard = 64 * page; // a row before the first one, too
constexpr size_t alignment = 64;    // what a candidate may count on

size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

// A buffer between pages that nobody may touch, next to the first of them or to the second. What it has beyond its
// bytes holds a known pattern.
class fenced {
public:
  fenced(size_t bytes, bool at_end) : inner_(round_up(bytes + 1, page)) {
    auto* all = mmap(nullptr, inner_ + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
      throw std::runtime_error("no memory for an argument");
    base_ = static_cast<char*>(all);
    if (mprotect(base_ + guard, inner_, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("no memory for an argument");
    std::memset(base_ + guard, '\x5a', inner_);
    data_ = at_end ? end() - round_up(bytes, alignment) : base_ + guard;
  }
  fenced(fenced&& other) noexcept
      : inner_(other.inner_), base_(std::exchange(other.base_, nullptr)), data_(other.data_) {}
  fenced(const fenced&) = delete;
  fenced& operator=(const fenced&) = delete;
  ~fenced() {
    if (base_ != nullptr)
      munmap(base_, inner_ + 2 * guard);
  }
  char* data() { return data_; }
  char* end() { return base_ + guard + inner_; }

private:
  size_t inner_;
  char* base_ = nullptr;
  char* data_ = nullptr;
};

// The arguments of one call.
struct arguments {
  std::vector<fenced> memory;
  std::vector<size_t> bytes;
  std::vector<void*> slots;
};

arguments copy_of(arguments& from, bool at_end) {
  arguments out;
  for (size_t i = 0; i < from.memory.size(); ++i) {
    auto& m = out.memory.emplace_back(from.bytes[i], at_end);
    std::memcpy(m.data(), from.slots[i], from.bytes[i]);
    out.bytes.push_back(from.bytes[i]);
    out.slots.push_back(m.data());
  }
  return out;
}

sigjmp_buf before_call;

// False: it touched what no array of the call holds, or was built to end where it overflows, and did.
bool call_between_fences(void (*entry)(void**), arguments& a) {
  struct sigaction mine = {};
  struct sigaction old_segv = {};
  struct sigaction old_bus = {};
  struct sigaction old_trap = {};
  mine.sa_handler = [](int) { siglongjmp(before_call, 1); };
  sigaction(SIGSEGV, &mine, &old_segv);
  sigaction(SIGBUS, &mine, &old_bus);
  sigaction(SIGILL, &mine, &old_trap);
  const bool fine = sigsetjmp(before_call, 1) == 0;
  if (fine)
    entry(a.slots.data());
  sigaction(SIGSEGV, &old_segv, nullptr);
  sigaction(SIGBUS, &old_bus, nullptr);
  sigaction(SIGILL, &old_trap, nullptr);
  return fine;
}

arguments fill(const nest& n, const std::map<std::string, int64_t>& sizes) {
  arguments out;
  uint64_t state = 42;
  auto draw = [&] { return (state = state * 6364136223846793005ULL + 1442695040888963407ULL) >> 33; };
  for (const auto& a : n.task.arguments) {
    size_t count = 1;
    if (!a.shape.empty())
      count = static_cast<size_t>(expression::parse(a.shape[0]).value().evaluate(sizes).value());
    auto bytes = count * size_bytes(a.type);
    auto* data = out.memory.emplace_back(bytes, false).data();
    out.bytes.push_back(bytes);
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
      if (n.large.count(a.name) != 0)
        whole = static_cast<int64_t>(draw() << 33 | static_cast<uint64_t>(r) << 2);
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

std::optional<std::string> differs(const contract& task, size_t i, arguments& got, arguments& want) {
  const auto& a = task.arguments[i];
  if (a.shape.empty())
    return {};
  const auto count = got.bytes[i] / size_bytes(a.type);
  const bool exact = tolerance_for(task, a).mode == tolerance_mode::exact;
  std::optional<std::string> wrong;
  if (a.type == dtype::f32)
    wrong = compare<float>(got.slots[i], want.slots[i], count, exact);
  else if (a.type == dtype::f64)
    wrong = compare<double>(got.slots[i], want.slots[i], count, exact);
  else if (std::memcmp(got.slots[i], want.slots[i], got.bytes[i]) != 0)
    wrong = "differs";
  if (std::any_of(got.memory[i].data() + got.bytes[i], got.memory[i].end(), [](char c) { return c != '\x5a'; }))
    wrong = "written past its end";
  return wrong;
}

} // namespace

std::optional<std::string> bench::difference(const std::string& source, const std::vector<std::string>& flags) {
  std::vector<std::string> compiler{"clang-19"};
  compiler.insert(compiler.end(), flags.begin(), flags.end());
  auto wrong = difference_of(source, compiler);
  return wrong || nest_.large.empty() ? wrong : difference_of(source, ends_where_it_overflows);
}

std::optional<std::string> bench::difference_of(const std::string& source, const std::vector<std::string>& compiler) {
  std::string error;
  auto candidate = build(source, compiler, error);
  if (!candidate)
    return error;
  for (const auto& sizes : nest_.sizes) {
    auto want = fill(nest_, sizes);
    std::vector<arguments> copies;
    for (const bool at_end : {false, true})
      copies.push_back(copy_of(want, at_end));
    const auto where = [&](const std::string& name) {
      return name + " at " + std::to_string(sizes.begin()->second) + "…: ";
    };
    reference_->call(want.slots.data());
    for (auto& got : copies) {
      if (!call_between_fences(candidate->call, got))
        return where(nest_.name)
               + (&compiler == &ends_where_it_overflows ? "overflows" : "touches what is no argument's");
      for (size_t i = 0; i < nest_.task.arguments.size(); ++i)
        if (auto wrong = differs(nest_.task, i, got, want))
          return where(nest_.task.arguments[i].name) + *wrong;
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
