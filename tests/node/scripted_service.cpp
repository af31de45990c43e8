#include "tests/node/scripted_service.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace kevolve::test {

namespace {

using nlohmann::json;

std::string event(const json& data) {
  return "data: " + data.dump() + "\n\n";
}

std::string piece(const json& delta, const json& finish) {
  return event({{"id", "c-1"},
                {"model", "scripted-1"},
                {"choices", {{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}}}});
}

script streamed(const std::vector<std::string>& pieces) {
  script out{{act::send, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"}};
  for (const auto& p : pieces)
    out.push_back({act::send, p});
  out.push_back({act::send, event({{"id", "c-1"},
                                   {"model", "scripted-1"},
                                   {"choices", json::array()},
                                   {"usage", {{"prompt_tokens", 1'000}, {"completion_tokens", 300}}}})});
  out.push_back({act::send, "data: [DONE]\n\n"});
  out.push_back({act::close, ""});
  return out;
}

} // namespace

std::string energy_source(int serial) {
  return "#include <stdint.h>\nvoid row_energy(const float *x, float *y, int64_t rows, int64_t cols) {\n"
         "  volatile int version = "
         + std::to_string(serial)
         + ";\n  (void)version;\n"
           "  for (int64_t r = 0; r < rows; ++r) {\n    float s[4] = {0};\n    int64_t c = 0;\n"
           "    for (; c + 4 <= cols; c += 4)\n      for (int k = 0; k < 4; ++k)\n"
           "        s[k] += x[r * cols + c + k] * x[r * cols + c + k];\n"
           "    float sum = (s[0] + s[1]) + (s[2] + s[3]);\n"
           "    for (; c < cols; ++c)\n      sum += x[r * cols + c] * x[r * cols + c];\n    y[r] = sum;\n  }\n}\n";
}

std::string written(int serial) {
  return "summary: four partial sums, version " + std::to_string(serial) + "\n```c candidate.c\n"
         + energy_source(serial) + "```\n";
}

script streams(const std::string& text) {
  const auto half = text.size() / 2;
  return streamed(
      {piece({{"content", text.substr(0, half)}}, nullptr), piece({{"content", text.substr(half)}}, "stop")});
}

script calls(const std::vector<std::pair<std::string, std::string>>& tools) {
  auto all = json::array();
  for (size_t i = 0; i < tools.size(); ++i)
    all.push_back({{"index", i},
                   {"id", "call-" + std::to_string(i)},
                   {"type", "function"},
                   {"function", {{"name", tools[i].first}, {"arguments", tools[i].second}}}});
  return streamed({piece({{"tool_calls", all}}, nullptr), piece(json::object(), "tool_calls")});
}

script refuses(int status, const std::string& body) {
  return {{act::send, whole_answer(status, "content-type: application/json\r\nconnection: close\r\n", body)},
          {act::close, ""}};
}

scripted_service::scripted_service(std::vector<script> scripts) {
  ::setenv("KEVOLVE_TEST_KEY", canary, 1);
  spec.name = "scripted";
  spec.kind = "openai-chat";
  spec.model = "scripted";
  spec.key_env = "KEVOLVE_TEST_KEY";
  spec.price.input = 1.0;
  spec.price.output = 2.0;
  const auto port = server.listen();
  spec.url = "http://127.0.0.1:" + std::to_string(port) + server.add(std::move(scripts));
}

scripted_service::~scripted_service() {
  ::unsetenv("KEVOLVE_TEST_KEY");
}

} // namespace kevolve::test
