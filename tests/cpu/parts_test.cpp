#include "backends/compile/diagnosis.hpp"
#include "backends/cpu/compile_server/syntax_tree.hpp"
#include "backends/cpu/flags.hpp"
#include "backends/cpu/sanitizers.hpp"
#include "backends/cpu/toolchain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace kevolve;

TEST_CASE("a driver's line is split at blanks outside quotes") {
  auto words = split_command(R"( "/usr/bin/a b" -x "" "q\"q" c\\d  "-D=1")");
  CHECK(words == command_line{"/usr/bin/a b", "-x", "", "q\"q", "c\\d", "-D=1"});
}

TEST_CASE("the menu has one baseline, and its names are unique") {
  std::set<std::string> names;
  int baselines = 0;
  for (const auto& entry : cpu_flag_menu()) {
    names.insert(entry.about.name);
    baselines += entry.about.baseline ? 1 : 0;
    CHECK_FALSE(entry.gcc.empty());
  }
  CHECK(baselines == 1);
  CHECK(names.size() == cpu_flag_menu().size());
  CHECK(find_flags("O3")->about.baseline);
  CHECK(find_flags("O4") == nullptr);
}

TEST_CASE("a step's end determines verdict or fault") {
  struct row {
    step_end end;
    int value;
    const char* said;
    const char* result;
    const char* fault;
  };
  for (const auto& r : {
           row{step_end::exited, 0, "", "none", ""},
           row{step_end::exited, 1, "candidate.c:1:1: error: no", "compile_error", ""},
           row{step_end::exited, 1, "cc1: out of memory allocating 65536 bytes", "out_of_memory", ""},
           row{step_end::signalled, SIGABRT, "LLVM ERROR: out of memory", "out_of_memory", ""},
           row{step_end::signalled, SIGSEGV, "", "compile_error", ""},
           row{step_end::signalled, SIGXFSZ, "", "compile_error", ""},
           row{step_end::signalled, SIGXCPU, "", "timeout", ""},
           row{step_end::signalled, SIGKILL, "", "none", "worker_killed"},
           row{step_end::signalled, SIGTERM, "", "none", "worker_killed"},
           row{step_end::over_time, 0, "", "timeout", ""},
           row{step_end::given_up, 0, "", "none", "cancelled"},
       }) {
    CAPTURE(static_cast<int>(r.end));
    CAPTURE(r.value);
    auto d = diagnose({r.end, r.value, {}}, r.said);
    CHECK(to_string(d.result) == r.result);
    CHECK(d.trouble.kind == r.fault);
  }
  CHECK(diagnose({step_end::not_started, 0, {errc::no_space, "fork"}}, "").trouble.kind == "no_space");
  CHECK(diagnose({step_end::not_started, 0, {errc::not_found, "exec"}}, "").trouble.kind == "toolchain_missing");
}

TEST_CASE("a log contains neither our folders nor the request for bug reports") {
  CHECK(clean_log("/tmp/w/candidate.c:1: x\nPLEASE submit a bug report to y\nStack dump:\n", {"/tmp/w"})
        == "candidate.c:1: x\n");
}

TEST_CASE("the definition is chosen among declarations and longer names") {
  const std::string body = R"({"kind": "FunctionDecl", "name": "f", "inner": [{"kind": "CompoundStmt", "v": "}\"{"}]})";
  auto dump = R"(Dumping f:
{"kind": "FunctionDecl", "name": "f", "inner": [{"kind": "ParmVarDecl"}]}
Dumping ff:
{"kind": "FunctionDecl", "name": "ff", "inner": [{"kind": "CompoundStmt"}]})"
              + body + "\n";
  auto got = select_function(dump, "f");
  REQUIRE(got);
  CHECK(*got == body);
  CHECK(select_function(dump, "g").error().code == errc::not_found);
  CHECK(select_function("", "f").error().code == errc::not_found);
}

namespace {

std::string function(const std::string& name, const std::string& calls) {
  return R"({"kind": "FunctionDecl", "name": ")" + name + R"(", "inner": [{"kind": "CompoundStmt", "inner": [)"
         + (calls.empty() ? "" : R"({"referencedDecl": {"kind": "FunctionDecl", "name": ")" + calls + R"("}})")
         + "]}]}";
}

} // namespace

TEST_CASE("defined functions that the entry calls are included, also indirect and recursive ones") {
  std::vector<std::string> asked;
  const auto tree = [&](const std::map<std::string, std::string>& file) {
    asked.clear();
    return entry_and_helpers("f", [&](const std::string& name) -> result<std::string> {
      asked.push_back(name);
      const auto there = file.find(name);
      return there == file.end() ? std::string{} : function(name, there->second);
    });
  };
  CHECK(tree({{"f", "expf"}}).value() == function("f", "expf"));
  CHECK(asked == std::vector<std::string>{"f", "expf"});
  CHECK(tree({{"f", "__builtin_expf"}}).value() == function("f", "__builtin_expf"));
  CHECK(asked.size() == 1);
  CHECK(tree({{"f", "g"}, {"g", "h"}, {"h", "f"}}).value()
        == R"({"kind": "TranslationUnitDecl", "inner": [)" + function("f", "g") + ",\n" + function("g", "h") + ",\n"
               + function("h", "f") + "]}");
  CHECK(tree({}).error().code == errc::not_found);
  std::map<std::string, std::string> long_chain{{"f", "g0"}};
  for (int i = 0; i < 40; ++i)
    long_chain["g" + std::to_string(i)] = "g" + std::to_string(i + 1);
  CHECK(tree(long_chain));
  CHECK(asked.size() == 25);
}

TEST_CASE("words by which a source escapes the sanitizers are found in preprocessed text") {
  const auto in_c = [](std::string_view text) { return evasion_in(text, false); };
  CHECK(in_c("void __asan_on_error(void) {}") == "__asan_on_error");
  CHECK(in_c("x = __has_feature (1);") == "__has_feature");
  CHECK(in_c("enum { __LINE__ };") == "__LINE__");
  CHECK(in_c("call(\"__ubsan_x\")") == "__ubsan_x");
  CHECK(in_c("(const float __seg_gs *)x") == "__seg_gs");
  CHECK(in_c("int my__asan_x, __asa, __has_features;").empty());
  CHECK(in_c("__").empty());
  CHECK(in_c("").empty());
}

TEST_CASE("directives that a macro made are found in preprocessed text") {
  const auto in_c = [](std::string_view text) { return evasion_in(text, false); };
  const auto in_cpp = [](std::string_view text) { return evasion_in(text, true); };
  CHECK(in_c("[[k::note(\n # if 0\n)]];") == " # if 0");
  CHECK(in_c("[[k::note(\n\t%: undef x\n)]];") == "\t%: undef x");
  CHECK(in_c("#undef x\n") == "#undef x");
  const std::string off = "#pragma clang attribute push([[clang::no_sanitize(\"all\")]], apply_to = function)";
  CHECK(in_c("int a;\n" + off) == off.substr(0, 60));
  CHECK(in_c("a \\ \nb") == "a \\");
  CHECK(in_c("# 1 \"candidate.c\"\n#pragma omp simd\n#ident \"x\"\nint a;\n\n  \n").empty());
  CHECK(in_c("const char *a = \" # \\\" \"; int b = '#', c = '\"';\n").empty());
  // Only C++ has texts with lines of their own.
  const std::string raw = "auto a = u8R\"x(\n # comment \\\n)\" )x\"; int b = 1'000;\n";
  CHECK(in_cpp(raw).empty());
  CHECK(in_c(raw) == " # comment \\");
  CHECK(in_cpp(raw + " # if 1") == " # if 1");
}

TEST_CASE("a sanitised build has the flags of the ordinary one and the sanitizers besides") {
  const auto tools = find_toolchain();
  build_variant v{compiler_family::clang, {"-O3", "-ffast-math"}, "c"};
  const auto ordinary = resolve_commands(tools, v);
  v.sanitised = true;
  const auto sanitised = resolve_commands(tools, v);
  REQUIRE(ordinary);
  REQUIRE(sanitised);
  CHECK(ordinary->preprocess.empty());
  REQUIRE(sanitised->compile.size() == 1);
  const auto& words = sanitised->compile.front();
  const auto has = [&](const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  for (const auto& word : ordinary->compile.front())
    if (word.starts_with("-m") || word.starts_with("-f") || word.starts_with("-O"))
      CHECK_MESSAGE((has(word) || word.starts_with("-mframe-pointer")), word);
  CHECK(has("-undef"));
  for (const auto& check : undefined_behaviour_checks())
    CHECK(std::any_of(words.begin(), words.end(), [&](const auto& word) {
      return word.starts_with("-fsanitize=") && word.find(check.name) != std::string::npos;
    }));
}
