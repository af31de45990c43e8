#include "tests/llm_transport/calls.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kevolve::test {

namespace {

std::string read_file(const std::string& below) {
  const char* root = std::getenv("KEVOLVE_SOURCE");
  const auto path = std::filesystem::path{root == nullptr ? "." : root} / below;
  std::ifstream in{path, std::ios::binary};
  REQUIRE_MESSAGE(in.good(), path.string());
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

std::string llm_data(const std::string& name) {
  return read_file("tests/llm/data/" + name);
}
std::string own_data(const std::string& name) {
  return read_file("tests/llm_transport/data/" + name);
}

temporary_folder::temporary_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "kevolve-models-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}
temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

attempt attempt_at(const std::string& base_url, llm::wire_format wire, bool stream) {
  attempt out;
  out.provider.name = "scripted";
  out.provider.wire = wire;
  out.provider.base_url = base_url;
  out.key = api_key{"sk-test-0123456789abcdef"};
  out.body = std::make_shared<const std::string>(R"({"model":"m","messages":[]})");
  out.stream = stream;
  out.limits.connect = out.limits.first_byte = out.limits.content.first_content = 30s;
  out.limits.content.between = out.limits.content.total = 30s;
  return out;
}

told call(model_transport& t, attempt a) {
  told out;
  std::promise<attempt_end> ended;
  auto end = ended.get_future();
  std::promise<attempt_handle> begun;
  auto handle = begun.get_future().share();
  bool over = false;
  const auto started = t.start(
      std::move(a),
      [&](std::vector<llm::event> events) {
        CHECK_FALSE(over);
        CHECK_FALSE(events.empty());
        out.events.insert(out.events.end(), events.begin(), events.end());
        handle.get().took();
      },
      [&](attempt_end e) {
        CHECK_FALSE(over);
        over = true;
        ended.set_value(std::move(e));
      });
  REQUIRE_MESSAGE(started, started.error().detail);
  begun.set_value(*started);
  REQUIRE(end.wait_for(60s) == std::future_status::ready);
  out.end = end.get();
  return out;
}

std::string chat_piece(const std::string& text) {
  auto out = json::parse(R"({"id":"i","model":"m","choices":[{"index":0,"delta":{}}]})");
  out["choices"][0]["delta"]["content"] = text;
  return "data: " + out.dump() + "\n\n";
}

std::string chat_stream(const std::vector<std::string>& pieces) {
  std::string out;
  for (const auto& p : pieces)
    out += chat_piece(p);
  return out
         + R"(data: {"id":"i","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"
           "\n\ndata: [DONE]\n\n";
}

} // namespace kevolve::test
