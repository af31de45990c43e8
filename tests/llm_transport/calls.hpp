// Runs attempts against a scripted provider and waits for them.
#pragma once

#include "backends/llm/transport/model_transport.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <future>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::test {

using json = nlohmann::json;
using namespace std::chrono_literals;

// Return data files: llm_data() those of the format tests, own_data() those of these tests.
std::string llm_data(const std::string& name);
std::string own_data(const std::string& name);

class temporary_folder {
public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

// Returns an attempt with limits that no valid answer reaches, even on a busy machine.
attempt attempt_at(const std::string& base_url, llm::wire_format wire = llm::wire_format::openai_chat,
                   bool stream = true);
inline std::string plain_url(uint16_t port, const std::string& path) {
  return "http://127.0.0.1:" + std::to_string(port) + path;
}

// The events and the end of an attempt, in order. Every batch is acknowledged at once.
struct told {
  std::vector<llm::event> events;
  attempt_end end;
};
told call(model_transport& t, attempt a);

// Return a piece of a chat stream, or a whole stream with its terminal marker.
std::string chat_piece(const std::string& text);
std::string chat_stream(const std::vector<std::string>& pieces);
inline constexpr std::string_view stream_header = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";

} // namespace kevolve::test
