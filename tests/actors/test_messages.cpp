#include "actors/messages/step_end.hpp"
#include "filler.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/sec.hpp>

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace kevolve;

namespace {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
inline constexpr bool holds_actor = std::is_same_v<T, lease> || std::is_same_v<T, resource_offer>;

template <class T>
T travel(caf::actor_system& system, T& x) {
  std::vector<char> bytes;
  caf::binary_serializer sink{system, bytes};
  auto written = sink(x);
  CHECK_MESSAGE(!written, system.render(written));
  caf::binary_deserializer source{system, bytes};
  T y{};
  auto read = source(y);
  CHECK_MESSAGE(!read, system.render(read));
  CHECK(source.remaining() == 0);
  return y;
}

template <caf::type_id_t Id>
void check_type(virtual_system& s, const caf::actor& someone) {
  using type = typename caf::type_by_id<Id>::type;
  INFO(std::string{caf::type_name_by_id<Id>::value});
  type x{};
  filler f{someone};
  f(x);
  CHECK(print(x) != print(type{}));
  CHECK(print(travel(s.system, x)) == print(x));
  if constexpr (!holds_actor<type>) {
    auto back = decode<type>(encode(x));
    REQUIRE(back);
    CHECK(encode(*back) == encode(x));
  }
  if constexpr (!is_vector<type>) {
    field_counter c;
    CHECK(inspect(c, x) == field_count<type>());
  }
}

template <caf::type_id_t... Offsets>
void check_types(virtual_system& s, const caf::actor& someone, std::integer_sequence<caf::type_id_t, Offsets...>) {
  (check_type<static_cast<caf::type_id_t>(caf::id_block::kevolve::begin + Offsets)>(s, someone), ...);
}

// Checks records that are stored but never sent. `grouped` members are written as part of another.
template <class T>
void check_record(const std::string& name, size_t grouped = 0) {
  INFO(name);
  T x{};
  filler f{{}};
  f(x);
  auto back = decode<T>(encode(x));
  REQUIRE(back);
  CHECK(encode(*back) == encode(x));
  CHECK(encode(x) != encode(T{}));
  field_counter c;
  CHECK(inspect(c, x) + grouped == field_count<T>());
}

} // namespace

TEST_CASE("every message type keeps all its fields through serialisation") {
  virtual_system s;
  auto someone = s.system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](atom::tick) {}}; });
  s.run();
  check_types(
      s, someone,
      std::make_integer_sequence<caf::type_id_t, caf::id_block::kevolve::end - caf::id_block::kevolve::begin>{});
  virtual_system::stop(someone);
}

TEST_CASE("every stored record keeps all its fields") {
  check_record<session_record>("session_record");
  check_record<proposal_record>("proposal_record");
  check_record<intent_record>("intent_record");
  check_record<evaluation_record>("evaluation_record");
  check_record<fault_record>("fault_record");
  check_record<champion_record>("champion_record");
  check_record<state_record>("state_record");
  check_record<steering_record>("steering_record");
  check_record<finish_record>("finish_record");
  check_record<device_record>("device_record");
  check_record<device_sample>("device_sample");
  check_record<batch_record>("batch_record");
  check_record<confirmation_record>("confirmation_record");
  check_record<amendment_record>("amendment_record");
  check_record<run_record>("run_record");
  check_record<shape_timing>("shape_timing");
  check_record<correctness_report>("correctness_report");
  check_record<contract>("contract", 1); // assertions, after the timing
  check_record<exchange_record>("exchange_record");
  check_record<exchange_event>("exchange_event");
  check_record<call_event>("call_event");
  check_record<argument>("argument");
}

TEST_CASE("a message is transferred as a whole, with its atom") {
  virtual_system s;
  filler f{{}};
  node_result r;
  f(r);
  auto m = caf::make_message(atom::finished_v, r);
  auto n = travel(s.system, m);
  REQUIRE(n.match_elements<atom::finished, node_result>());
  CHECK(encode(n.get_as<node_result>(1)) == encode(r));
}

TEST_CASE("a generator's refusal ends the step with its own reason, and every other failure stays one") {
  virtual_system s;
  const std::map<errc, no_verdict> ends{{errc::unsupported, no_verdict::exhausted},
                                        {errc::bad_input, no_verdict::no_candidate},
                                        {errc::cancelled, no_verdict::withdrawn}};
  for (uint8_t code = 1; code <= static_cast<uint8_t>(errc::internal); ++code) {
    const failure x{static_cast<errc>(code), "detail of " + std::to_string(code)};
    auto e = end_of_step(x);
    const auto end = ends.find(x.code);
    CHECK(no_verdict_of(e) == (end == ends.end() ? no_verdict::none : end->second));
    CHECK(to_failure(e) == x);
    CHECK(no_verdict_of(travel(s.system, e)) == no_verdict_of(e));
    CHECK(no_verdict_of(to_error(x)) == no_verdict::none);
  }
}

TEST_CASE("every closed set of words has texts that read back") {
  const auto reads_back = [](auto first) {
    using type = decltype(first);
    std::set<std::string> texts;
    for (size_t i = 0; i < enum_texts(first).size(); ++i) {
      const auto x = static_cast<type>(i);
      CHECK(parse_enum<type>(to_string(x)) == x);
      texts.insert(to_string(x));
    }
    CHECK(texts.size() == enum_texts(first).size());
    CHECK(to_string(static_cast<type>(enum_texts(first).size())).empty());
    CHECK_FALSE(parse_enum<type>("no word of it"));
  };
  reads_back(campaign_phase{});
  reads_back(end_reason{});
  reads_back(candidate_state{});
  reads_back(no_verdict{});
  reads_back(steer_action{});
  reads_back(batch_action{});
  reads_back(run_state{});
  CHECK(no_verdict_of("guard_band") == no_verdict::none); // a rule of the judge
}

TEST_CASE("a word is stored as its text, as it was before it was an enumeration") {
  state_record r;
  r.state = run_state::waiting;
  r.reason = "why";
  const auto bytes = encode(r);
  CHECK(bytes == encode(std::pair<std::string, std::string>{"waiting", "why"}));
  const auto unknown = decode<state_record>(encode(std::pair<std::string, std::string>{"flying", "why"}));
  REQUIRE(unknown);
  CHECK(unknown->state == run_state::none);
  CHECK(unknown->reason == "why");
}

TEST_CASE("a failure keeps code and text as an error, also through serialisation") {
  virtual_system s;
  for (uint8_t code = 1; code <= static_cast<uint8_t>(errc::internal); ++code) {
    failure x{static_cast<errc>(code), "detail of " + std::to_string(code)};
    auto e = to_error(x);
    CHECK(to_failure(e) == x);
    CHECK(to_failure(travel(s.system, e)) == x);
  }
  CHECK(to_failure({}) == failure{});
}

TEST_CASE("framework errors become failures with readable texts") {
  CHECK(to_failure(caf::make_error(caf::sec::request_timeout)).code == errc::timed_out);
  CHECK(to_failure(caf::make_error(caf::sec::request_receiver_down)).code == errc::unavailable);
  auto stopped = to_failure(caf::make_error(caf::exit_reason::user_shutdown));
  CHECK(stopped.code == errc::unavailable);
  CHECK(stopped.detail == "the actor has stopped");
}

TEST_CASE("every kind of event has its own name") {
  std::set<std::string> names;
  for (uint16_t k = 1; k <= static_cast<uint16_t>(event_kind::campaign_batch); ++k)
    names.insert(to_string(static_cast<event_kind>(k)));
  CHECK(names.size() == 21);
  CHECK_FALSE(names.contains("unknown"));
  CHECK(to_string(static_cast<event_kind>(999)) == "unknown");
}
