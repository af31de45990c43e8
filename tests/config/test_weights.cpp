// Tests the file of a module's own weights: its format, and its place in a task.
#include "config/task.hpp"
#include "config/task_weights.hpp"
#include "config/tensor_file.hpp"
#include "runtime/base/ids.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

using namespace kevolve;

namespace {

// Returns a safetensors file with this header.
std::string file_of(const std::string& header, const std::string& data) {
  std::string out;
  for (size_t i = 0; i < 8; ++i)
    out += static_cast<char>((uint64_t{header.size()} >> (8 * i)) & 0xffU);
  return out + header + data;
}

const std::string eight_bytes = "abcdEFGH";
const std::string two_floats = file_of(
    R"({"__metadata__":{"by":"a test"},"fc.weight":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", eight_bytes);

std::string told(const std::string& file) {
  const auto got = read_tensors(file);
  return got ? "" : got.error().detail;
}

class task_folder {
public:
  task_folder() {
    std::filesystem::create_directories(path_);
    write("f.c",
          "void f(const float *x, const float *w, float *y) { for (int i = 0; i < 2; i++) y[i] = x[i] * w[i]; }\n");
    write("m.py", "import torch\n");
  }
  ~task_folder() { std::filesystem::remove_all(path_); }
  task_folder(const task_folder&) = delete;
  task_folder& operator=(const task_folder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream{path_ / name, std::ios::binary} << text;
  }
  result_or_errors<task_spec> load(const std::string& weights, const std::string& of_w = "shape = [2]") const {
    write("f.task.toml",
          "[task]\nname = \"f\"\nfamily = \"test\"\n[module]\nfile = \"m.py\"\nentry = \"M\"\n"
              + (weights.empty() ? "" : "weights = \"" + weights + "\"\n")
              + "[[argument]]\nname = \"x\"\nrole = \"input\"\ndtype = \"f32\"\nshape = [2]\norigin = \"input 0\"\n"
                "[[argument]]\nname = \"w\"\nrole = \"weight\"\ndtype = \"f32\"\norigin = \"parameter fc.weight\"\n"
              + of_w
              + "\n[[argument]]\nname = \"y\"\nrole = \"output\"\ndtype = \"f32\"\nshape = [2]\norigin = \"output 0\"\n"
                "[[shape]]\n[reference]\nlanguage = \"c\"\nfile = \"f.c\"\nentry = \"f\"\n");
    return load_task((path_ / "f.task.toml").string());
  }
  // Returns the errors without the folder.
  std::string errors(const std::string& weights, const std::string& of_w = "shape = [2]") const {
    const auto loaded = load(weights, of_w);
    auto text = loaded ? std::string{} : to_string(loaded.error());
    const auto folder = path_.string() + "/";
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.erase(at, folder.size());
    return text;
  }

private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("kevolve-test-weights-" + std::to_string(::getpid()));
};

} // namespace

TEST_CASE("a file of tensors is read by name, with types as tasks have them") {
  const auto got = read_tensors(two_floats);
  REQUIRE(got.has_value());
  REQUIRE(got->size() == 1);
  const auto& t = got->at("fc.weight");
  CHECK(t.type == "f32");
  CHECK(t.shape == std::vector<int64_t>{2});
  CHECK(t.bytes == eight_bytes);
  const auto others = read_tensors(file_of(
      R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]},"n":{"dtype":"I64","shape":[],"data_offsets":[0,8]}})",
      eight_bytes));
  REQUIRE(others.has_value());
  CHECK(others->at("a").type == "F8_E4M3"); // no type of tasks; only who uses it minds
  CHECK(others->at("n").shape.empty());
}

TEST_CASE("a broken file of tensors is refused with the reason") {
  CHECK(told("") == "is no safetensors file: its header is cut off");
  CHECK(told(two_floats.substr(0, 20)) == "is no safetensors file: its header is cut off");
  CHECK(told(std::string(8, '\xff') + "{}") == "is no safetensors file: its header is cut off");
  CHECK(told(file_of("[1]", "")) == "is no safetensors file: its header is no JSON object");
  CHECK(told(file_of("{", "")) == "is no safetensors file: its header is no JSON object");
  const auto with = [](const std::string& entry) { return told(file_of("{\"t\":" + entry + "}", eight_bytes)); };
  CHECK(with("3") == "tensor 't' has no dtype, shape and data_offsets");
  CHECK(with(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})")
        == "tensor 't' has no dtype, shape and data_offsets");
  CHECK(with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,9]})") == "tensor 't' lies outside of the file");
  CHECK(with(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})") == "tensor 't' lies outside of the file");
  CHECK(with(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})") == "tensor 't' has other extents than bytes");
  CHECK(with(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})")
        == "tensor 't' has a shape that is larger than the file");
}

TEST_CASE("own weights belong to the task's content") {
  const task_folder f;
  f.write("w.safetensors", two_floats);
  const auto loaded = f.load("w.safetensors");
  REQUIRE_MESSAGE(loaded.has_value(), f.errors("w.safetensors"));
  CHECK(own_weights(*loaded) == std::map<std::string, std::string>{{"w", eight_bytes}});
  CHECK(find_argument(loaded->task, "w")->fill.of == "sha256:" + sha256_hex(eight_bytes));
  CHECK(find_argument(loaded->task, "x")->fill.of.empty());
  const auto drawn = f.load("");
  REQUIRE(drawn.has_value());
  CHECK(own_weights(*drawn).empty());
  auto changed = two_floats;
  changed.back() = '!';
  f.write("w.safetensors", changed);
  const auto again = f.load("w.safetensors");
  REQUIRE(again.has_value());
  CHECK(contract_id(loaded->task) != contract_id(again->task));
  CHECK(contract_id(loaded->task) != contract_id(drawn->task));
}

TEST_CASE("weights that do not fit the task are errors that name tensor, argument and reason") {
  const task_folder f;
  f.write("w.safetensors", two_floats);
  f.write("other.safetensors", file_of(R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", eight_bytes));
  f.write("half.safetensors",
          file_of(R"({"fc.weight":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}})", eight_bytes));
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(f.errors("none.safetensors"), "f.task.toml:7:11: module.weights: 'none.safetensors' cannot be read");
  has(f.errors("w.npy"), "module.weights: 'w.npy' does not end in .safetensors");
  has(f.errors("../w.safetensors"), "'../w.safetensors' is no plain file name");
  has(f.errors("other.safetensors"), "'other.safetensors' has no tensor of an argument's origin; it has: b");
  has(f.errors("half.safetensors"), "tensor 'fc.weight' has elements of type f16, and 'w' of f32");
  has(f.errors("w.safetensors", "shape = [4]"), "tensor 'fc.weight' has shape [2], and 'w' [4]");
  has(f.errors("w.safetensors", "shape = [2]\nfill = { distribution = \"sorted_unique\" }"),
      "'w' is drawn by 'sorted_unique'");
  f.write("large.safetensors", std::string(max_weights_bytes + 1, 'x'));
  has(f.errors("large.safetensors"), "it is larger than 8 MiB");
}
