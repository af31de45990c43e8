#include "tools/kevolved/liveness.hpp"

#include "runtime/base/ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

namespace kevolve {

namespace {

// Any answer is one, a refusal too.
bool answered(const caf::error& e) {
  return e != caf::sec::request_timeout && e != caf::sec::request_receiver_down;
}

} // namespace

std::string not_alive(node& n, std::chrono::milliseconds limit) {
  caf::scoped_actor self{n.system()};
  std::string silent;
  auto failed = [&silent](const char* who) {
    return [&silent, who](const caf::error& e) {
      if (!answered(e))
        silent += (silent.empty() ? "" : ", ") + std::string{who};
    };
  };
  self->request(n.journal(), limit, atom::lookup_v, std::string{"meta"}, std::string{"node/id"})
      .receive([](const std::string&) {}, failed("the journal"));
  self->request(n.scheduler(), limit, atom::status_v)
      .receive([](const std::vector<resource_status>&) {}, failed("the scheduler"));
  self->request(n.campaigns(), limit, atom::lookup_v, id128{})
      .receive([](const caf::actor&) {}, failed("the campaigns"));
  return silent.empty() ? n.broken()
                        : silent + (silent.find(',') == std::string::npos ? " does not answer" : " do not answer");
}

} // namespace kevolve
