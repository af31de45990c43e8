#include "tests/llm_transport/many_streams.hpp"

#include "tests/llm_transport/calls.hpp"
#include "tests/support/hostile_provider.hpp"

#include <iostream>

namespace kevolve::test {

int serve_streams(const std::string& certificate, const std::string& key, const std::string& piece) {
  hostile_provider provider;
  listening how;
  how.certificate = certificate;
  how.key = key;
  const auto port = provider.listen(how);
  script s{{act::send, std::string{stream_header} + "transfer-encoding: chunked\r\n\r\n" + chunk(chat_piece(piece)), 0},
           {act::wait_for_gate, {}, 0}};
  for (size_t i = 1; i < pieces_of_a_stream; ++i)
    s.push_back({act::send, chunk(chat_piece(piece)), 0});
  s.push_back({act::send, chunk(chat_stream({})) + "0\r\n\r\n", 0});
  s.push_back({act::next_request, {}, 0});
  std::cout << port << " " << provider.add({s}) << std::endl;
  for (std::string line; std::getline(std::cin, line);)
    provider.open_gate();
  return 0;
}

} // namespace kevolve::test
