#include "tests/cli/row_squares.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace kevolve::test;

TEST_CASE("eval judges a good, a wrong and a broken candidate") {
  temporary_folder f;
  write_row_squares(f);
  f.write("good.c", row_squares_reference);
  f.write("wrong.c", "#include <stdint.h>\nvoid row_squares(const float *x, float *y, int64_t rows, int64_t cols) {\n"
                     "  (void)cols;\n  for (int64_t i = 0; i < rows; i++)\n    y[i] = x[i];\n}\n");
  f.write("broken.c", "void row_squares(int x) { return x }\n");
  std::vector<std::string> command{"eval",  "row_squares.task.toml", "good.c", "--flags", "Ofast", "--data", "kept",
                                   "--json"};
  auto good = run_kevolve(command, f.path);
  CAPTURE(good.err);
  CAPTURE(good.out);
  CHECK(good.code == 0);
  auto document = good.document();
  CHECK(document["verdict"] == "pass");
  CHECK(document["timing"]["speedup"].get<double>() > 0);
  CHECK(document["timing"]["shapes"].size() == 2);
  CHECK(document["correctness"]["cases"].get<int>() > 0);
  CHECK(document["fingerprint"]["harness"].is_string());
  CHECK(document["judged_before"].is_null());
  const auto again = run_kevolve(command, f.path).document(); // read from the store, not measured again
  CHECK(again["timing"] == document["timing"]);
  CHECK(again["judged_before"].is_string());
  // The text for people states verdict, speed and accuracy, without internal words and held-out shapes.
  command.pop_back();
  auto text = run_kevolve(command, f.path).out;
  CAPTURE(text);
  CHECK(text.starts_with("row_squares on cpu: pass\nspeedup "));
  CHECK(text.find("\nright in all " + std::to_string(document["correctness"]["cases"].get<int>()) + " cases")
        != std::string::npos);
  CHECK(text.find("and 1 held-out shape\n") != std::string::npos);
  CHECK(text.find("SPEEDUP, CALLS ALONE  INTERVAL") != std::string::npos);
  CHECK(text.find(document["timing"]["shapes"][0]["pairs"].dump()) != std::string::npos);
  CHECK(document["timing"]["shapes"][0]["sessions"] == document["timing"]["sessions"]);
  CHECK(text.find("nothing was run now") != std::string::npos);
  CHECK(text.find("rows=512 cols=2048") != std::string::npos);
  for (const auto* hidden : {"rows=33", "alpha", "e-value", "seeds"})
    CHECK_MESSAGE(text.find(hidden) == std::string::npos, hidden);
  // With a changed reference, earlier results do not apply.
  std::string doubled = row_squares_reference;
  doubled.replace(doubled.rfind(';'), 1, " * 2.0f;");
  f.write("row_squares.c", doubled);
  const auto other = run_kevolve(command, f.path);
  CAPTURE(other.out);
  CHECK(other.code == 1);
  CHECK(other.out.starts_with("row_squares on cpu: wrong_result"));
  CHECK(other.out.find("looked at ") != std::string::npos);
  CHECK(other.out.find("largest error") == std::string::npos); // of ordinary inputs alone, and it was not about these
  f.write("row_squares.c", row_squares_reference);
  auto wrong = run_kevolve({"eval", "row_squares.task.toml", "wrong.c", "--json"}, f.path);
  CHECK(wrong.code == 1);
  CHECK(wrong.document()["verdict"] == "wrong_result");
  auto broken = run_kevolve({"eval", "row_squares.task.toml", "broken.c"}, f.path);
  CHECK(broken.code == 1);
  CHECK(broken.out.find("compile_error") != std::string::npos);
  CHECK(broken.out.find("expected") != std::string::npos);
}

TEST_CASE("a note on short calls is in the document, and a quiet eval does not print it") {
  temporary_folder f;
  auto task = read_file(source_path("tests/node/tasks/row_energy.task.toml"));
  const std::string rows = "rows = 128\n";
  REQUIRE(task.find(rows) != std::string::npos);
  task.replace(task.find(rows), rows.size(), "rows = 8\n"); // short on any machine
  f.write("row_energy.task.toml", task);
  const auto source = source_path("tests/node/tasks/row_energy.c");
  f.write("row_energy.c", read_file(source));
  const auto said = run_kevolve({"eval", "row_energy.task.toml", source, "--json", "-q"}, f.path);
  CAPTURE(said.err);
  CHECK(said.code == 0);
  CHECK(said.err.empty());
  REQUIRE(said.document()["notes"].size() == 1);
  CHECK(said.document()["notes"][0].get<std::string>().find("declare larger shapes") != std::string::npos);
}

TEST_CASE("a candidate is judged with the weights of the module that its task names") {
  temporary_folder f;
  f.write("m.py", "import torch\n");
  f.write("scale.task.toml", R"([task]
name = "scale"
family = "test"
[module]
file = "m.py"
entry = "Scale"
weights = "m.safetensors"
[[argument]]
name = "x"
role = "input"
dtype = "f32"
shape = [4096]
origin = "input 0"
[[argument]]
name = "w"
role = "weight"
dtype = "u8"
shape = [8]
fill = { distribution = "integer", low = 1, high = 100 }
origin = "buffer w"
[[argument]]
name = "y"
role = "output"
dtype = "f32"
shape = [4096]
origin = "output 0"
[[shape]]
[reference]
language = "c"
file = "scale.c"
entry = "scale"
)");
  const std::string header = R"({"w":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}} )";
  const std::string sums{1, 2, 3, 5, 8, 13, 21, 34};
  f.write("m.safetensors", std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + sums);
  const auto source = [](const std::string& factor) {
    return "#include <stdint.h>\nvoid scale(const float *x, const uint8_t *w, float *y) {\n"
           "  float f = "
           + factor
           + ";\n"
             "  for (int k = 2; k < 8; ++k)\n    if (w[k] != w[k - 1] + w[k - 2]) f = 1.0f;\n"
             "  for (int i = 0; i < 4096; ++i)\n    y[i] = x[i] * (float)w[i % 8] * f;\n}\n";
  };
  f.write("scale.c", source("1.0f"));
  f.write("wrong.c", source("1.5f"));
  const auto refused = run_kevolve({"eval", "scale.task.toml", "wrong.c", "--json"}, f.path);
  CAPTURE(refused.out);
  CAPTURE(refused.err);
  CHECK(refused.code == 1);
  CHECK(refused.document()["verdict"] == "wrong_result");
  CHECK(refused.out.find("with the weights that the module itself has") != std::string::npos);
  f.write("m.safetensors", "broken");
  const auto broken = run_kevolve({"eval", "scale.task.toml", "scale.c"}, f.path);
  CHECK(broken.code == 2);
  CHECK(broken.err.find("scale.task.toml:7:11: module.weights: 'm.safetensors' is no safetensors file")
        != std::string::npos);
}

TEST_CASE("a missing folder for temporary files is reported before anything is tried") {
  temporary_folder f;
  write_row_squares(f);
  f.write("good.c", row_squares_reference);
  const auto kevolve = std::string{std::getenv("KEVOLVE_BIN")} + "/kevolve";
  for (const auto& verb : std::vector<std::vector<std::string>>{
           {"eval", "row_squares.task.toml", "good.c"}, {"eval", "row_squares.task.toml", "good.c", "--data", "d"}}) {
    std::vector<std::string> words{"TMPDIR=" + f.path + "/absent", kevolve};
    words.insert(words.end(), verb.begin(), verb.end());
    program said{"/usr/bin/env", words, f.path};
    const auto end = said.finish();
    CAPTURE(end.err);
    CHECK(end.code == 2);
    CHECK(end.err.find("TMPDIR") != std::string::npos);
  }
}

TEST_CASE("a missing library is reported once, by a check and by a judgement") {
  temporary_folder f;
  write_row_squares(f);
  f.write("good.c", row_squares_reference);
  auto task = read_file(f.path + "/row_squares.task.toml");
  task.insert(task.find("[tolerance]"), "[permissions]\nlibraries = [\"nosuchlibrary\"]\n\n");
  f.write("row_squares.task.toml", task);
  auto checked = run_kevolve({"task", "check", "row_squares.task.toml"}, f.path);
  CHECK(checked.code == 1);
  CHECK(checked.err.find("there is no libnosuchlibrary.so") != std::string::npos);
  auto judged = run_kevolve({"eval", "row_squares.task.toml", "good.c"}, f.path);
  CAPTURE(judged.err);
  CHECK(judged.code == 1);
  CHECK(judged.err.find("there is no libnosuchlibrary.so") != std::string::npos);
  CHECK(judged.err.find("attempt ") == std::string::npos); // a retry cannot help
}

TEST_CASE("eval reports its stage when that takes long, until it is interrupted") {
  temporary_folder f;
  write_row_squares(f);
  std::string slow = row_squares_reference; // hours on any machine; each call is within its limit
  slow.insert(slow.find('{', slow.find("row_squares")) + 1,
              "\n  for (volatile int64_t k = 0; k < 1000000000; ++k)\n    continue;\n");
  f.write("row_squares.c", slow);
  program eval{"kevolve", {"eval", "row_squares.task.toml", "row_squares.c"}, f.path};
  CHECK(eval.wait_for("kevolve: after "));
  CHECK(eval.wait_for(" s, device: "));
  eval.signal(SIGINT);
  CHECK(eval.finish().code == 130);
}

TEST_CASE("eval removes the temporary files of a killed run, and none in use") {
  temporary_folder f;
  write_row_squares(f);
  f.write("broken.c", "void row_squares(int x) { return x }\n");
  const auto under = std::filesystem::path{f.path} / "tmp";
  for (const auto* name : {"kevolve-eval-killed", "kevolve-eval-in-use", "kevolve-eval-not-a-data-directory"})
    std::filesystem::create_directories(under / name);
  // Another user's file that would make us write through a link.
  const auto trap = under / "kevolve-eval-trap";
  std::filesystem::create_directories(trap);
  f.write("precious", "nobody's pid");
  std::filesystem::create_symlink(std::filesystem::path{f.path} / "precious", trap / "kevolve.lock");
  std::ofstream{under / "kevolve-eval-killed" / "kevolve.lock"} << "pid 1\n";
  for (const auto* name : {"kevolve-eval-killed", "kevolve-eval-in-use"})
    std::filesystem::permissions(under / name, std::filesystem::perms::owner_all);
  std::filesystem::permissions(trap, std::filesystem::perms{0755});
  const auto in_use =
      ::open((under / "kevolve-eval-in-use" / "kevolve.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(::flock(in_use, LOCK_EX) == 0);
  const auto* kevolve = std::getenv("KEVOLVE_BIN");
  program eval{
      "/usr/bin/env",
      {"TMPDIR=" + under.string(), std::string{kevolve} + "/kevolve", "eval", "row_squares.task.toml", "broken.c"},
      f.path};
  CHECK(eval.finish().code == 1);
  ::close(in_use);
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator{under})
    left.push_back(entry.path().filename().string());
  std::sort(left.begin(), left.end());
  CHECK(left
        == std::vector<std::string>{"kevolve-eval-in-use", "kevolve-eval-not-a-data-directory", "kevolve-eval-trap"});
  CHECK(read_file(f.path + "/precious") == "nobody's pid");
}

TEST_CASE("a reference or an oracle that does not compile is reported with its place, before anything is written") {
  temporary_folder f;
  write_row_squares(f);
  f.write("row_squares.c", "void row_squares(void) { return 1 }\n");
  for (const auto& verb : {std::vector<std::string>{"run", "campaign.toml", "--data", "d", "--json"},
                           std::vector<std::string>{"campaign", "validate", "campaign.toml", "--json"},
                           std::vector<std::string>{"campaign", "plan", "campaign.toml", "--json"}}) {
    auto said = run_kevolve(verb, f.path);
    CAPTURE(said.err);
    CHECK(said.code == 2);
    auto document = said.document();
    CHECK(document["ok"] == false);
    CHECK(document["errors"][0]["file"].get<std::string>().ends_with("row_squares.c"));
    CHECK(document["errors"][0]["line"] == 1);
    CHECK(document["errors"].dump().find("expected") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(f.path + "/d"));
  }
  write_row_squares(f);
  auto task = read_file(f.path + "/row_squares.task.toml");
  f.write("row_squares.task.toml", task + "\n[oracle]\nfile = \"exact.c\"\nentry = \"exact\"\n");
  f.write("exact.c", "#include <stdint.h>\nvoid exacter(void) {}\n");
  auto said = run_kevolve({"campaign", "validate", "campaign.toml"}, f.path);
  CHECK(said.code == 2);
  CHECK(said.err.find("oracle.entry: there is no function 'exact' in ") != std::string::npos);
  CHECK(said.err.find("double *") != std::string::npos);
}
