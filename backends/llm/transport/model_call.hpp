// One attempt under way. Private to the transport: it includes Beast.
#pragma once

#include "backends/llm/transport/answer.hpp"
#include "backends/llm/transport/connector.hpp"
#include "backends/llm/transport/secret_guard.hpp"
#include "backends/llm/transport/transport_core.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

class model_call : public std::enable_shared_from_this<model_call> {
public:
  using parser_type = boost::beast::http::response_parser<boost::beast::http::buffer_body>;

  model_call(transport_core& core, uint64_t id, attempt a, provider_route way, const llm::header_list& headers,
             model_transport::on_events events, model_transport::on_end end);
  ~model_call();
  model_call(const model_call&) = delete;
  model_call& operator=(const model_call&) = delete;

  void begin();
  void cancel();
  void took(size_t batches);

private:
  using clock = std::chrono::steady_clock;
  using error_code = boost::system::error_code;
  enum class phase : uint8_t { connecting = 0, asking, answering, ended };

  void connect();
  void ask();
  void read();
  void on_read(error_code e, size_t n);
  void parse();
  // Runs one step of the parser. Returns false if it needs more bytes or the attempt has ended.
  bool parse_some(std::vector<llm::event>& out);
  void take_header(std::vector<llm::event>& out);
  void tell(std::vector<llm::event> events);
  void lost(const error_code& e);
  void watch();
  void watch_again();
  void on_time();
  clock::time_point due() const;
  void give_up(llm::transport_trouble what, std::string detail);
  void finish(std::optional<llm::transport_trouble> trouble, const std::string& detail, bool cancelled = false);
  void leave_connection();
  microseconds since_start() const;
  // Converts this attempt's steady clock for the watchdog, so that changes of the wall clock do not matter.
  static llm::instant instant_of(clock::time_point t);

  transport_core& core_;
  uint64_t id_;
  attempt attempt_;
  const provider_route way_;
  std::string head_; // the request's header; contains the key
  model_transport::on_events events_;
  model_transport::on_end end_;
  secret_guard guard_;
  answer answer_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<connector> connecting_;
  connection_ptr one_;
  std::shared_ptr<parser_type> parser_;
  phase phase_ = phase::connecting;
  clock::time_point started_{};
  clock::time_point phase_began_{};
  clock::time_point armed_{};
  llm::watchdog dog_;
  uint64_t heard_ = 0;       // bytes received on this connection
  unsigned provisional_ = 0; // number of 1xx answers
  size_t untaken_ = 0;
  bool paused_ = false;
  bool writing_ = false;
  attempt_end result_;
};

} // namespace kevolve
