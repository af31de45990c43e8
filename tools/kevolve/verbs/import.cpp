// kevolve import: tasks from collections of PyTorch programs.
#include "backends/framework/trace.hpp"
#include "backends/target.hpp"
#include "runtime/base/program_directory.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/import_tasks.hpp"
#include "tools/kevolve/new_options.hpp"
#include "tools/kevolve/new_task.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <tuple>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

struct import_options {
  common_options common;
  std::string from;
  std::string out;
  std::string target = "cpu";
  double memory_gib = 4.0;
  double device_memory_gib = new_options{}.device_memory_gib;
  bool strict_fp32 = false;
  bool aside = false;            // on stderr
  std::vector<std::string> only; // of ATen's operators; empty: all
};

// Returns the Python files below the folder in order; numbers in names count as numbers.
std::vector<fs::path> modules_in(const std::string& folder) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::recursive_directory_iterator at{folder, ec}, end; !ec && at != end; at.increment(ec))
    if (at->is_regular_file(ec) && at->path().extension() == ".py" && at->path().filename() != "__init__.py")
      out.push_back(at->path());
  const auto number = [](const fs::path& p) { return std::atoi(p.filename().string().c_str()); };
  std::sort(out.begin(), out.end(), [&](const fs::path& a, const fs::path& b) {
    return std::tuple{a.parent_path(), number(a), a} < std::tuple{b.parent_path(), number(b), b};
  });
  return out;
}

struct imported {
  std::string file;
  std::string state; // made, there, refused
  std::string task;
  std::string why;
};

imported import_one(const fs::path& file, const import_options& o) {
  new_options n;
  n.file = file.string();
  n.name = task_name_of(n.file);
  n.out = (fs::path{o.out} / file.parent_path().lexically_relative(o.from) / n.name).lexically_normal().string();
  n.target = o.target;
  n.memory_gib = o.memory_gib;
  n.device_memory_gib = o.device_memory_gib;
  n.strict_fp32 = o.strict_fp32;
  imported out{n.file, "there", n.out + "/" + n.name + ".task.toml", ""};
  std::error_code ec;
  if (fs::exists(n.out + "/" + n.name + ".toml", ec)) // the file that is written last
    return out;
  const auto made = make_task(n);
  if (made && made->refusals.empty()) {
    out.state = "made";
    return out;
  }
  out.state = "refused";
  out.task.clear();
  out.why = made ? to_string(made->refusals.front()) : made.error().detail;
  return out;
}

int import_modules(const import_options& o) {
  const auto files = modules_in(o.from);
  if (files.empty())
    return report({errc::not_found, "there are no Python files below '" + o.from + "'"}, o.common.json);
  std::vector<imported> done;
  for (const auto& file : files) {
    done.push_back(import_one(file, o));
    if (!o.common.quiet)
      print_err("[" + std::to_string(done.size()) + "/" + std::to_string(files.size()) + "] "
                + printable(done.back().file) + ": " + done.back().state
                + (done.back().why.empty() ? "" : ": " + printable(done.back().why)) + "\n");
  }
  const auto count = [&](const char* state) {
    return std::count_if(done.begin(), done.end(), [&](const auto& d) { return d.state == state; });
  };
  if (o.common.json) {
    auto list = json::array();
    for (const auto& d : done)
      list.push_back({{"file", d.file}, {"state", d.state}, {"task", or_null(d.task)}, {"reason", or_null(d.why)}});
    print_out(to_text(json{{"strict_fp32", o.strict_fp32},
                           {"made", count("made")},
                           {"there", count("there")},
                           {"refused", count("refused")},
                           {"items", std::move(list)}})
              + "\n");
  } else {
    std::vector<std::vector<std::string>> rows{{"file", "state", "task or reason"}};
    for (const auto& d : done)
      rows.push_back({printable(d.file), d.state, printable(d.task.empty() ? d.why : d.task)});
    const auto tell = [&](const std::string& text) {
      if (o.aside)
        print_err(text);
      else
        print_out(text);
    };
    tell(table_text(rows));
    tell(std::to_string(count("made")) + " made, " + std::to_string(count("there")) + " there already, "
         + std::to_string(count("refused")) + " refused"
         + (o.strict_fp32 ? "; strict fp32: no TF32, on any side\n" : "\n"));
  }
  return count("made") + count("there") > 0 ? exit_code::ok : exit_code::failed;
}

// Runs a program to its end with this process's outputs, or with stderr alone; returns its exit code, or -1.
int run_program(const std::vector<std::string>& words, bool aside) {
  std::vector<char*> argv;
  for (const auto& w : words)
    argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  if (aside)
    ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = -1;
  const auto failed = ::posix_spawn(&child, argv.front(), &files, nullptr, argv.data(), environ) != 0;
  ::posix_spawn_file_actions_destroy(&files);
  if (failed)
    return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

int import_kernelbench(const common_options& common, const std::string& from, const std::string& out,
                       const std::string& target, bool aside) {
  import_options o;
  o.target = target;
  o.common = common;
  o.from = from;
  o.out = out;
  o.aside = aside;
  return import_modules(o);
}

// The samples are PyTorch's own, so that the process needs no sandbox.
int import_aten(const common_options& common, const std::string& out, const std::vector<std::string>& only,
                bool aside) {
  const auto python = cuda::tracing_python();
  if (python.empty())
    return report({errc::unsupported, "there is no python3 in PATH: install Python 3 with PyTorch (pip install torch "
                                      "expecttest numpy), or name an interpreter that has it by KEVOLVE_PYTHON"},
                  common.json);
  std::vector<std::string> words{python, "-B", helper_directory() + "/kevolve-torch.pyz", "aten-tasks", "--out", out};
  if (common.json && !aside)
    words.emplace_back("--json");
  if (common.quiet)
    words.emplace_back("--quiet");
  if (!only.empty()) {
    words.emplace_back("--only");
    words.insert(words.end(), only.begin(), only.end());
  }
  const auto code = run_program(words, aside);
  return code >= 0 ? code : report({errc::io, "'" + python + "' cannot be run"}, common.json);
}

void add_import(declared_verb& app, verb_action& chosen) {
  auto* group = app.add_subcommand("import", "Make tasks of a collection of PyTorch programs");
  group->require_subcommand(1);
  auto o = std::make_shared<import_options>();
  auto* verb = group->add_subcommand("kernelbench", "Make a task of each module of a folder in KernelBench's form");
  verb->footer("Example: kevolve import kernelbench KernelBench/level1 --out tasks\n"
               "Tasks that are there already are kept, so that the same command goes on.");
  verb->add_option("DIR", o->from, "folder with Python files, also in folders below")->required();
  verb->add_option("--out", o->out, "folder for the tasks, each in a folder of its own")->required();
  verb->add_option("--target", o->target, "the hardware")->check(one_of(target_names()))->capture_default_str();
  add_strict_fp32(*verb, o->strict_fp32);
  verb->add_option("--device-memory", o->device_memory_gib, "GiB of the GPU, for the targets on one")
      ->check(in_range(0.1, 65536.0))
      ->capture_default_str();
  verb->add_option("--memory", o->memory_gib, "GiB that the inputs of one may take")
      ->check(in_range(0.001, 65536.0))
      ->capture_default_str();
  add_common(*verb, o->common);
  verb->callback([o, &chosen] { chosen = [o] { return import_modules(*o); }; });
  auto a = std::make_shared<import_options>();
  a->out = "aten-tasks";
  auto* aten = group->add_subcommand("aten", "Make a task of each listed ATen operator, from PyTorch's own samples");
  aten->footer("Example: kevolve import aten aten-tasks\n"
               "The list is backends/framework/python/kevolve_torch/lowering/aten_operators.txt. Tasks that are there\n"
               "already are kept. The samples need the Python packages torch, numpy and expecttest.");
  aten->add_option("DIR", a->out, "folder for the tasks")->capture_default_str();
  aten->add_option("--only", a->only, "this operator of the list alone; may be repeated")->allow_extra_args(false);
  add_common(*aten, a->common);
  aten->callback([a, &chosen] { chosen = [a] { return import_aten(a->common, a->out, a->only); }; });
}

} // namespace kevolve
