#include "tools/kevolve/client/follow.hpp"

#include "tools/kevolve/output/terminal.hpp"

#include <unistd.h>

#include <algorithm>

namespace kevolve {

namespace {

constexpr std::chrono::milliseconds first_wait{200};
constexpr std::chrono::milliseconds longest_wait{5'000};

// Tells if the error may pass by itself: a node restarts, or the network drops a connection.
bool may_pass(errc code) {
  return code == errc::unavailable || code == errc::timed_out || code == errc::protocol;
}

} // namespace

result<json> patient_connection::get(const std::string& target, const stop_signal& stop) {
  auto wait = first_wait;
  auto told = false;
  for (;;) {
    failure why;
    if (!node_) {
      auto opened = connection::open(where_, false);
      if (opened)
        node_ = std::move(*opened);
      else
        why = opened.error();
    }
    if (node_) {
      auto answer = node_->get(target);
      if (answer) {
        if (told && !is_terminal(STDERR_FILENO))
          print_err("kevolve: connected again\n");
        known_ = true;
        return answer;
      }
      why = answer.error();
      node_.reset(); // a node that restarted may be at another port
    }
    if (!known_ || !may_pass(why.code))
      return tl::unexpected(why);
    if (!told && !is_terminal(STDERR_FILENO))
      print_err("kevolve: " + why.detail + "; trying again\n");
    told = true;
    if (stop.wait_for(wait))
      return fail(errc::cancelled, "interrupted");
    wait = std::min(2 * wait, longest_wait);
  }
}

} // namespace kevolve
