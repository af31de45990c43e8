#include "tests/cli/row_squares.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace kevolve::test;

namespace {

outcome shell(const temporary_folder& f, const std::string& script) {
  f.write("script", "set -e\n" + script);
  program p{"/bin/bash", {"script"}, f.path};
  return p.finish();
}

} // namespace

TEST_CASE("a bundle builds and passes its test without kevolve, and fails it with a wrong kernel") {
  temporary_folder f;
  write_row_squares(f, {.summary = "Sum of squares of every row */ <b> ${x}", .declares_work = true});
  std::string reference = row_squares_reference;
  reference.erase(reference.find("static "), 7); // a function that the kernel may define as well
  f.write("row_squares.c", reference);
  auto ran =
      run_kevolve({"run", "campaign.toml", "--data", "d", "--set", "budget.candidates=10", "--json", "-q"}, f.path);
  CAPTURE(ran.err);
  REQUIRE(ran.code == 0);
  auto said = run_kevolve({"bundle", "--data", "d", "--out", "kernel dir", "--json"}, f.path);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  const auto document = said.document();
  const auto out = f.path + "/kernel dir";
  CHECK(document["bundle"].get<std::string>().ends_with("/kernel dir"));
  CHECK(document["campaign"] == ran.document()["campaign"]);
  for (const auto& name : document["files"])
    CHECK_MESSAGE(std::filesystem::exists(out + "/" + name.get<std::string>()), name);
  for (const auto& entry : std::filesystem::directory_iterator{f.path})
    CHECK_FALSE_MESSAGE(entry.path().filename().string().find(".part-") != std::string::npos, entry.path().string());
  CHECK(read_file(out + "/reference.c") == reference);
  const auto best = run_kevolve({"best", "--data", "d", "--json"}, f.path).document();
  CHECK(read_file(out + "/kernel.c") == best["source"].get<std::string>());
  const auto results = json::parse(read_file(out + "/results.json"));
  CHECK(results["verdict"] == "pass");
  CHECK(results["shapes"].size() == 2);
  CHECK(results["shapes"][0]["reference_ns"].get<double>() > results["shapes"][0]["kernel_ns"].get<double>());
  CHECK(results["environment"]["is_the_machine_that_measured"] == true);
  CHECK(results["environment"]["is_the_toolchain_that_measured"] == true);
  CHECK(results["progress"].size() > 0);
  CHECK(read_file(out + "/README.md").find("<b>") == std::string::npos);

  // Moves the bundle and builds it without our programs, to show that it depends on nothing else.
  std::filesystem::rename(out, f.path + "/elsewhere");
  const std::string build =
      "cd elsewhere && env -u KEVOLVE_BIN -u KEVOLVE_SOURCE -u CC -u CXX cmake -B b && cmake --build b && "
      "ctest --test-dir b --output-on-failure && b/test_kernel\n";
  auto built = shell(f, build);
  CAPTURE(built.out);
  CAPTURE(built.err);
  CHECK(built.code == 0);
  CHECK(built.out.find("rows=512 cols=2048: ok: 'y', 512 elements") != std::string::npos);
  CHECK(built.out.find("0 of 2 shapes wrong") != std::string::npos);
  CHECK(built.err.find("warning") == std::string::npos);

  // Omits the last column, which exceeds any tolerance.
  std::filesystem::remove(f.path + "/elsewhere/kernel.c");
  f.write("elsewhere/kernel.c",
          "void row_squares(const float *x, float *y, int64_t rows, int64_t cols) {\n"
          "  for (int64_t i = 0; i < rows; i++) {\n"
          "    y[i] = 0;\n"
          "    for (int64_t j = 0; j + 1 < cols; j++) y[i] += x[i * cols + j] * x[i * cols + j];\n"
          "  }\n}\n");
  auto wrong = shell(f, build);
  CAPTURE(wrong.out);
  CHECK(wrong.code != 0);
  CHECK(wrong.out.find("elements are outside the tolerance") != std::string::npos);
  CHECK(wrong.out.find("2 of 2 shapes wrong") != std::string::npos);

  auto again = run_kevolve({"bundle", "--data", "d", "--out", "elsewhere"}, f.path);
  CHECK(again.code == 5);
  CHECK(again.err.find("elsewhere is not empty: name one that is absent or empty") != std::string::npos);
  std::filesystem::create_directory(f.path + "/empty");
  CHECK(run_kevolve({"bundle", "--data", "d", "--out", "empty", "-q"}, f.path).out.empty());
  CHECK(std::filesystem::exists(f.path + "/empty/kernel.h"));
}

TEST_CASE("a bundle's errors name the options as given") {
  temporary_folder f;
  f.write("file", "x");
  CHECK(run_kevolve({"bundle", "1a2b"}, f.path).code == 2); // --out is missing
  auto unnamed = run_kevolve({"bundle", "1a2b", "--out", ""}, f.path);
  CHECK(unnamed.code == 2);
  CHECK(unnamed.err == "kevolve: --out: name the directory to make, such as --out my-kernel\n");
  auto taken = run_kevolve({"bundle", "1a2b", "--out", "file"}, f.path);
  CHECK(taken.code == 5);
  CHECK(taken.err.find("file is no directory") != std::string::npos);
  auto nowhere = run_kevolve({"bundle", "1a2b", "--out", "a/b"}, f.path);
  CHECK(nowhere.code == 2);
  CHECK(nowhere.err.find("there is no directory") != std::string::npos);
  CHECK(run_kevolve({"bundle", "1a2b", "--out", "b"}, f.path).code == 6);
  CHECK_FALSE(std::filesystem::exists(f.path + "/b"));
}

TEST_CASE("a campaign without a best has nothing to bundle") {
  temporary_folder f;
  auto ran =
      run_kevolve({"run", source_path("tests/node/tasks/ignores_input.toml"), "--data", "d", "--json", "-q"}, f.path);
  CAPTURE(ran.err);
  REQUIRE(ran.code != 0);
  auto said = run_kevolve({"bundle", "--data", "d", "--out", "b"}, f.path);
  CHECK(said.code == 3);
  CHECK(said.err.find("nothing to bundle: no candidate has been shown to be faster") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(f.path + "/b"));
}
