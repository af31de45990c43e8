#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

using namespace kevolve::test;

TEST_CASE("a bad task file gets every error with its place") {
  auto path = source_path("tests/config/bad/roles.task.toml");
  auto said = run_kevolve({"task", "check", path});
  CHECK(said.code == 2);
  CHECK(said.out.empty());
  auto expected = read_file(path + ".expected");
  CHECK(std::count(said.err.begin(), said.err.end(), '\n') == std::count(expected.begin(), expected.end(), '\n'));
  CHECK(said.err.find("roles.task.toml:") != std::string::npos);
  auto as_json = run_kevolve({"task", "check", "--json", path});
  CHECK(as_json.code == 2);
  auto document = as_json.document();
  CHECK(document["ok"] == false);
  CHECK(document["errors"].size() == static_cast<size_t>(std::count(expected.begin(), expected.end(), '\n')));
  CHECK(document["errors"][0]["line"].is_number());
}

TEST_CASE("a file of another kind is identified in one line") {
  const auto task = source_path("config/tasks/gemm.task.toml");
  const auto campaign = source_path("config/examples/gemm.toml");
  const auto node = source_path("config/examples/kevolved.toml");
  const struct {
    std::vector<std::string> words;
    std::string file;
    const char* says;
  } cases[] = {
      {{"task", "check"}, campaign, "this is a campaign file: kevolve run "},
      {{"campaign", "validate"}, task, "this is a task file: kevolve task check "},
      {{"task", "check"}, node, "this is a node's file: kevolved "},
  };
  for (const auto& c : cases) {
    auto words = c.words;
    words.push_back(c.file);
    auto said = run_kevolve(words);
    CHECK(said.code == 2);
    CHECK(said.out.empty());
    CHECK(said.err == c.file + ": " + c.says + c.file + "\n");
  }
  auto as_json = run_kevolve({"task", "check", "--json", campaign}).document();
  CHECK(as_json["errors"].size() == 1);
}

TEST_CASE("a task without a summary is named without a colon") {
  temporary_folder f;
  auto text = read_file(source_path("tests/node/tasks/row_energy.task.toml"));
  const auto from = text.find("summary = ");
  REQUIRE(from != std::string::npos);
  f.write("row_energy.task.toml", text.erase(from, text.find('\n', from) - from));
  f.write("row_energy.c", read_file(source_path("tests/node/tasks/row_energy.c")));
  auto said = run_kevolve({"task", "check", "row_energy.task.toml"}, f.path);
  CHECK(said.code == 0);
  CHECK(said.out.starts_with("row_energy\n\n"));
}

TEST_CASE("a good task shows its prototype and the cost of its shapes") {
  auto said = run_kevolve({"task", "check", source_path("config/tasks/gemm.task.toml")});
  CHECK(said.code == 0);
  CHECK(said.out.find("void gemm(const float *") != std::string::npos);
  auto document = run_kevolve({"task", "check", "--json", source_path("config/tasks/gemm.task.toml")}).document();
  const auto& big = document["shapes"][0];
  CHECK(big["array_bytes"] == 3.0 * 512 * 512 * 4);
  CHECK(big["work_flops"] == 2.0 * 512 * 512 * 512);
  CHECK(big["held_out"] == false);
}

TEST_CASE("a task check shows the embedded generator's reading of the reference, with lines and reordered parameters") {
  temporary_folder f;
  f.write("row_energy.task.toml", read_file(source_path("tests/node/tasks/row_energy.task.toml")));
  f.write("row_energy.c", R"(#include <stdint.h>
void row_energy(const float *x, float *y, int64_t cols, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i)
    y[i] = 0.0f;
  for (int64_t i = 0; i < rows; ++i) {
    if (x[i] > 1e30f)
      goto out;
    int64_t j = 0;
    do
      y[i] += x[j];
    while (++j < cols);
  }
out:;
}
)");
  auto said = run_kevolve({"task", "check", "row_energy.task.toml"}, f.path);
  CAPTURE(said.out);
  CAPTURE(said.err);
  CHECK(said.code == 0);
  CHECK(said.out.find("row_energy.c:7: a goto is left as it is: it stays as written") != std::string::npos);
  CHECK(said.out.find("row_energy.c:9: a do loop is left as it is") != std::string::npos);
  CHECK(said.out.find("row_energy.c:5: ") != std::string::npos); // names the loop that keeps its order, and the reason
  CHECK(said.err.find("parameter 3 of 'row_energy' is called 'cols', and argument 4 of the task is")
        != std::string::npos);
  const auto document = run_kevolve({"task", "check", "--json", "row_energy.task.toml"}, f.path).document();
  CHECK(document["generator"]["rewritable"] == true);
  CHECK(document["generator"]["loops"].get<int>() >= 1);
  CHECK(document["warnings"].size() == 2);
}

TEST_CASE("a reference that does not compile or fit is named with its place") {
  temporary_folder f;
  const auto task = read_file(source_path("tests/node/tasks/row_energy.task.toml"));
  const auto good = read_file(source_path("tests/node/tasks/row_energy.c"));
  f.write("row_energy.task.toml", task);
  auto check = [&](const std::string& reference, const std::string& task_text) {
    f.write("row_energy.c", reference);
    f.write("row_energy.task.toml", task_text);
    return run_kevolve({"task", "check", "row_energy.task.toml"}, f.path);
  };
  auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  auto fine = check(good, task);
  CHECK(fine.code == 0);
  CHECK(fine.err.empty());
  const struct {
    std::string reference;
    std::string task;
    const char* place;
    const char* what;
  } cases[] = {
      {replaced(good, "sum;", "sun;"), task, "row_energy.c:8:12: ", "undeclared"},
      {good, replaced(task, "entry = \"row_energy\"", "entry = \"row_enrgy\""),
       "row_energy.task.toml:39:9: reference.entry: ",
       "there is no function 'row_enrgy' in row_energy.c; the task declares void row_enrgy(const float *x"},
      {replaced(good, "const float *x", "const double *x"), task, "row_energy.c:3:31: ", "does not fit"},
      {replaced(good, ", int64_t cols)", ")\n#define cols rows\n"), task, "row_energy.c:3:6: ", "does not fit"},
      {replaced(good, "void", "static void"), task, "row_energy.task.toml:39:9: reference.entry: ", "is static"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.place);
    auto said = check(c.reference, c.task);
    CAPTURE(said.err);
    CHECK(said.code == 2);
    CHECK(said.out.empty());
    CHECK(said.err.find(c.place) != std::string::npos);
    CHECK(said.err.find(c.what) != std::string::npos);
  }
  f.write("row_energy.c", good);
  f.write("row_energy.task.toml", task);
  CHECK(run_kevolve({"task", "check", "row_energy.task.toml", "--json"}, f.path).document()["compiled"] == true);
  // Only the files of this test remain; those of the check are removed.
  CHECK(std::distance(std::filesystem::directory_iterator{f.path}, {}) == 2);
}

TEST_CASE("a reference in PyTorch is parsed, and errors are reported with their place") {
  temporary_folder f;
  auto task = read_file(source_path("tests/node/tasks/row_energy.task.toml"));
  for (const auto& [from, to] :
       {std::pair{"language = \"c\"", "language = \"pytorch\""}, {"row_energy.c", "row_energy.py"}})
    task.replace(task.find(from), std::string{from}.size(), to);
  f.write("row_energy.task.toml", task);
  const auto check = [&](const std::string& source) {
    f.write("row_energy.py", source);
    return run_kevolve({"task", "check", "row_energy.task.toml"}, f.path);
  };
  const auto good = check("def row_energy(x, cols):\n    return (x * x).sum(1)\n");
  if (good.code == 1) { // no tool for it is installed
    MESSAGE("skipped: " << good.err);
    return;
  }
  CHECK(good.code == 0);
  const auto broken = check("import torch\ndef row_energy(x, y:\n    pass\n");
  CHECK(broken.code == 2);
  CHECK(broken.err.find("row_energy.py:2:") != std::string::npos);
  const auto other = check("def row_enrgy(x, y, rows, cols):\n    pass\n");
  CHECK(other.code == 2);
  CHECK(other.err.find("there is no function 'row_energy' at the top level") != std::string::npos);
  const auto output = check("def row_energy(\n    x, y):\n    y.copy_((x * x).sum(1))\n");
  CHECK(output.code == 2);
  CHECK(output.err.find("row_energy.py:2:8: ") != std::string::npos);
  CHECK(output.err.find("parameter 'y' is no input, size or scalar of the task") != std::string::npos);
}

TEST_CASE("without a compiler, a task check names the checks that it skipped") {
  temporary_folder f;
  std::filesystem::copy_file(std::string{std::getenv("KEVOLVE_BIN")} + "/kevolve", f.path + "/kevolve");
  const auto task = source_path("tests/node/tasks/row_energy.task.toml");
  program alone{f.path + "/kevolve", {"task", "check", task}, f.path};
  auto said = alone.finish();
  CHECK(said.code == 1); // it must not count as checked
  CHECK(said.out.find("void row_energy(") != std::string::npos);
  CHECK(said.err.find("not checked: whether the reference compiles") != std::string::npos);
  CHECK(said.err.find("kevolve-compile-server") != std::string::npos);
  program json_alone{f.path + "/kevolve", {"task", "check", task, "--json"}, f.path};
  auto document = json_alone.finish().document();
  CHECK(document["ok"] == false);
  CHECK(document["compiled"] == false);
  CHECK(document["not_compiled"].is_string());
}

TEST_CASE("a reference in PyTorch is parsed without claiming that it ran") {
  auto said = run_kevolve({"task", "check", source_path("config/tasks/gpu/gemm_f16.task.toml"), "--json"});
  CHECK(said.code == 0);
  CHECK(said.document()["ok"] == true);
  CHECK(said.document()["compiled"] == false);
  CHECK(said.document()["not_compiled"].get<std::string>().find("PyTorch") != std::string::npos);
}

TEST_CASE("a check of a task in PyTorch tells outputs of another shape or type than it declares") {
  if (torch_python().empty()) {
    MESSAGE("skipped: no Python with torch");
    return;
  }
  temporary_folder f;
  const auto task = f.path + "/softmax_f32.task.toml";
  std::filesystem::copy_file(source_path("config/tasks/gpu/softmax_f32.task.toml"), task);
  const auto check = [&](const std::string& body, const char* form = "--json") {
    f.write("softmax.py", "import torch\n\n\ndef softmax(x):\n    " + body + "\n");
    return run_with_python(torch_python(), {"task", "check", task, form});
  };
  const auto right = check("return torch.softmax(x, dim=-1)");
  REQUIRE_MESSAGE(right.code == 0, right.out << right.err);
  if (right.document()["outputs_traced"].empty()) {
    MESSAGE("skipped: ", right.document()["not_compiled"].get<std::string>());
    return;
  }
  CHECK(right.document()["outputs_traced"].size() == right.document()["shapes"].size());
  CHECK(right.document()["not_compiled"].get<std::string>().find("they fit") != std::string::npos);
  // framework-trace has the other differences, without a process for each.
  const auto wrong = check("return torch.softmax(x, dim=-1)[:, :-1]", "--quiet");
  CHECK(wrong.code == 2);
  CHECK_MESSAGE(wrong.err.find("softmax.py:4:1: 'softmax' on shape '") != std::string::npos, wrong.err);
  CHECK_MESSAGE(wrong.err.find("output 'y' has shape [") != std::string::npos, wrong.err);
  // The trace says nothing about a result that depends on values, and tells why.
  const auto by_value = check("return torch.softmax(x, dim=-1) if float(x.sum()) > 0 else x");
  CHECK(by_value.code == 0);
  CHECK(by_value.document()["outputs_traced"].empty());
  CHECK_MESSAGE(by_value.document()["not_compiled"].get<std::string>().find("line 5: ") != std::string::npos,
                by_value.out);
}

TEST_CASE("a candidate is not evaluated for a target that cannot run the task's reference") {
  auto said = run_kevolve({"eval", source_path("config/tasks/softmax_rows.task.toml"),
                           source_path("tests/cuda/bench/softmax.cu"), "--target", "cuda"});
  CHECK(said.code == 2);
  CHECK(said.err.find("reference.language: 'c' is not usable with target 'cuda'; there are: pytorch")
        != std::string::npos);
}

TEST_CASE("a campaign is validated together with its task and overrides") {
  auto good = source_path("config/examples/gemm.toml");
  CHECK(run_kevolve({"campaign", "validate", good}).code == 0);
  CHECK(run_kevolve({"campaign", "validate", good, "--set", "budget.wall=30s"}).code == 0);
  auto wrong = run_kevolve({"campaign", "validate", good, "--set", "budget.wal=30s", "--set", "seed=-4"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("budget.wal") != std::string::npos);
  CHECK(wrong.err.find("did you mean") != std::string::npos);
  CHECK(wrong.err.find("seed") != std::string::npos);
  CHECK(run_kevolve({"campaign", "validate", good, "--set", "target=gpu9000"}).code == 2);
  CHECK(run_kevolve({"campaign", "validate", "nowhere.toml"}).code == 2);
}

TEST_CASE("valid settings that no campaign supports yet are refused before anything runs") {
  const auto task = read_file(source_path("tests/node/tasks/row_energy.task.toml"));
  const auto with = [&](const std::string& from, const std::string& to) {
    temporary_folder f;
    auto changed = task;
    changed.replace(changed.find(from), from.size(), to);
    f.write("row_energy.task.toml", changed);
    for (const auto* name : {"row_energy.toml", "row_energy.c"})
      f.write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name)));
    auto said = run_kevolve({"campaign", "validate", "row_energy.toml"}, f.path);
    CHECK(said.code == 2);
    return said.err;
  };
  CHECK(with("language = \"c\"", "language = \"pytorch\"")
            .find("'pytorch' is not usable with target 'cpu' yet; there are: c, cpp")
        != std::string::npos);
  CHECK(with("role = \"output\"", "role = \"output\"\nalias = true")
            .find("alias: argument setting 'alias' is not there yet; buffers that overlap are not judged")
        != std::string::npos);
  for (const auto* name : {"-Wl,--version", "/usr/lib/libx.so", ""})
    CHECK(
        with("[tolerance]", "[permissions]\nlibraries = [\"" + std::string{name} + "\"]\n[tolerance]")
            .find("row_energy.task.toml:42:13: permissions.libraries: '" + std::string{name} + "' is no library's name")
        != std::string::npos);
  const auto tokens = run_kevolve({"campaign", "validate", source_path("tests/node/tasks/row_energy.toml"), "--set",
                                   "budget.candidates=0", "--set", "budget.tokens=1000", "--set", "stop.stall=0"});
  CHECK(tokens.code == 2);
}

TEST_CASE("a target names the references that it accepts, and a machine without it the missing parts") {
  temporary_folder f;
  auto task = read_file(source_path("tests/node/tasks/row_energy.task.toml"));
  auto campaign = read_file(source_path("tests/node/tasks/row_energy.toml"));
  const auto replace = [](std::string& text, const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
  };
  f.write("row_energy.c", read_file(source_path("tests/node/tasks/row_energy.c")));
  f.write("row_energy.task.toml", task);
  replace(campaign, "target = \"cpu\"", "target = \"cuda\"");
  f.write("row_energy.toml", campaign);
  auto said = run_kevolve({"campaign", "validate", "row_energy.toml"}, f.path);
  CHECK(said.code == 2);
  CHECK(said.err.find("'c' is not usable with target 'cuda' yet; there are: pytorch") != std::string::npos);
  CHECK(said.err.find("generator[0].kind: 'transform' rewrites references in C") != std::string::npos);
  replace(task, "language = \"c\"", "language = \"pytorch\"");
  replace(task, "row_energy.c", "row_energy.py");
  replace(campaign, "transform", "relay");
  f.write("row_energy.py", "def row_energy(x):\n    return (x * x).sum(1)\n");
  f.write("row_energy.task.toml", task);
  f.write("row_energy.toml", campaign);
  CHECK(run_kevolve({"campaign", "validate", "row_energy.toml"}, f.path).code == 0);
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  auto refused = run_kevolve({"run", "row_energy.toml", "--data", "data"}, f.path);
  auto doctor = run_kevolve({"doctor", "--json", "--target", "cuda"}, f.path);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  CHECK(refused.code != 0);
  CHECK(refused.err.find("target 'cuda'") != std::string::npos);
  CHECK(refused.err.find("GPU: none is seen (a machine with an NVIDIA GPU") != std::string::npos);
  CHECK(doctor.code == 1); // requested by name
}

TEST_CASE("a plan shows the cost and changes nothing") {
  temporary_folder f;
  auto said = run_kevolve({"campaign", "plan", source_path("config/examples/gemm.toml"), "--json", "--set",
                           "budget.candidates=7", "--data", "d"},
                          f.path);
  CHECK(said.code == 0);
  auto plan = said.document();
  CHECK(plan["budget"]["candidates"] == 7);
  CHECK(plan["network"] == false);
  CHECK(plan["generators"].contains("transform"));
  CHECK(std::filesystem::is_empty(f.path));
}

TEST_CASE("bad input writes nothing") {
  temporary_folder f;
  auto bad = f.write("bad.toml", "task = \"nowhere.task.toml\"\ntarget = \"cpu\"\nsedd = 1\n");
  auto said = run_kevolve({"run", bad}, f.path);
  CHECK(said.code == 2);
  CHECK(said.err.find("bad.toml:3:") != std::string::npos);
  CHECK(said.err.find("nowhere.task.toml") != std::string::npos);
  CHECK(run_kevolve({"eval", bad, "x.c", "--data", "data"}, f.path).code == 2);
  auto task = source_path("config/tasks/gemm.task.toml");
  auto nowhere = run_kevolve({"eval", task, "nowhere.c", "--data", "data"}, f.path);
  CHECK(nowhere.code == 2);
  CHECK(nowhere.err == "kevolve: nowhere.c: cannot be read: No such file or directory\n");
  auto source = f.write("k.c", "int x;\n");
  auto flags = run_kevolve({"eval", task, source, "--flags", "Ofats", "--data", "data"}, f.path);
  CHECK(flags.code == 2);
  CHECK(flags.err.find("did you mean 'Ofast'") != std::string::npos);
  CHECK(run_kevolve({"eval", task, source, "--target", "abacus", "--data", "data"}, f.path).code == 2);
  size_t entries = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator{f.path})
    ++entries;
  CHECK(entries == 2); // the two files of this test
}

TEST_CASE("a shape too large for an array is refused, and one too large for the machine gets a warning") {
  temporary_folder f;
  const auto write = [&](const std::string& n) {
    std::string task = "[task]\nname = \"large\"\nfamily = \"test\"\n";
    std::string code = "#include <stdint.h>\nvoid large(";
    constexpr int inputs = 64; // of 32 GiB each, together more than any machine of a test has
    for (int i = 0; i < inputs; ++i) {
      const auto name = "x" + std::to_string(i);
      task += "[[argument]]\nname = \"" + name + "\"\nrole = \"input\"\ndtype = \"f64\"\nshape = [\"n\"]\n";
      code += "const double *" + name + ", ";
    }
    task += "[[argument]]\nname = \"y\"\nrole = \"output\"\ndtype = \"f64\"\nshape = [1]\n[[argument]]\nname = \"n\"\n"
            "role = \"size\"\n[[shape]]\nn = "
            + n + "\n[reference]\nlanguage = \"c\"\nfile = \"large.c\"\nentry = \"large\"\n";
    f.write("large.task.toml", task);
    f.write("large.c", code + "double *y, int64_t n) { y[0] = x0[n - 1]; }\n");
  };
  write("100000000000");
  const auto refused = run_kevolve({"task", "check", "large.task.toml"}, f.path);
  CHECK(refused.code == 2);
  CHECK(
      refused.err.find("argument[0].shape: takes 745 GiB at shape[0]; an array has at most 8589934592 elements, which "
                       "are 64 GiB: make that shape smaller")
      != std::string::npos);
  write("4294967296");
  const auto warned = run_kevolve({"task", "check", "large.task.toml"}, f.path);
  CAPTURE(warned.err);
  CHECK(
      warned.err.find(
          "kevolve: warning: large.task.toml: shape 'n=4294967296': its arrays take 2048.0 GiB, and this machine has ")
      != std::string::npos);
  CHECK(run_kevolve({"task", "check", "large.task.toml", "--json"}, f.path).document()["warnings"].size() == 1);
}
