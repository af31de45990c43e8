#include "actors/cluster/remote_provider.hpp"

#include "actors/messages/promises.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/codec.hpp"

#include <utility>

namespace kevolve {

namespace {

using pointer = provider_actor::stateful_pointer<remote_provider_state>;

// The attempt may have reached the provider or not, as when a connection is lost.
provider_end lost(const std::string& why) {
  provider_end e;
  e.what = llm::failure_class::network;
  e.action = llm::failure_action::retry;
  e.words = to_string(e.what) + ": " + why;
  return e;
}

void finish(pointer self, uint64_t serial, provider_end end) {
  auto& st = self->state;
  const auto flight = st.flights.find(serial);
  if (flight == st.flights.end())
    return;
  flight->second.second.deliver(std::move(end));
  st.flights.erase(flight);
  st.own_status->flight(-1);
}

} // namespace

remote_provider_state::~remote_provider_state() {
  for (auto& [serial, f] : flights)
    abandon(f.second, "the provider's actor");
}

provider_actor::behavior_type remote_provider(pointer self, actor_status_ptr own_status, remote_provider_setup setup) {
  self->state.own_status = std::move(own_status);
  self->state.setup = std::move(setup);
  report_exceptions(self);
  return {
      [self](atom::ask, provider_request& q) -> caf::result<provider_end> {
        handling h{self, self->state.own_status, "ask"};
        auto& st = self->state;
        cluster_job j;
        j.key = random_id(); // each attempt is a call of its own
        j.kind = job_kind::model;
        j.target = st.setup.name;
        j.hardware = model_calls_form;
        j.payload = encode(q);
        auto promise = self->make_response_promise<provider_end>();
        const auto serial = q.serial;
        st.flights[serial] = {j.key, promise};
        st.own_status->flight(1);
        self->request(st.setup.cluster, until_answered, atom::submit_v, std::move(j))
            .then(
                [self, serial](cluster_result& r) {
                  auto end = decode<provider_end>(r.result);
                  finish(self, serial,
                         !r.failure.empty() ? lost(r.failure)
                         : end              ? std::move(*end)
                                            : lost("unreadable"));
                },
                [self, serial](caf::error& e) { finish(self, serial, lost(to_string(to_failure(e)))); });
        return promise;
      },
      [self](atom::cancel, uint64_t serial) {
        handling h{self, self->state.own_status, "cancel"};
        auto& st = self->state;
        const auto flight = st.flights.find(serial);
        if (flight == st.flights.end())
          return;
        self->send(st.setup.cluster, atom::cancel_v, flight->second.first);
        provider_end end;
        end.cancelled = true;
        finish(self, serial, std::move(end));
      },
      [](atom::answer, uint64_t, const provider_end&) {},
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
