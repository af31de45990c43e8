// Everything a candidate process can put before the judge: words on its socket, notes in the page of its death, and
// the bytes of its outputs.
#include "backends/judge/comparison.hpp"
#include "backends/judge/native/message_parser.hpp"
#include "runtime/base/sandbox.hpp"
#include "tests/fuzz/input.hpp"

#include <cmath>
#include <cstring>

using namespace kevolve;
using namespace kevolve::fuzzing;

namespace {

constexpr uint64_t token = 0x1122'3344'5566'7788ULL;

void hear(std::string_view message) {
  wire::load_report report;
  std::memset(&report, 0xa5, sizeof(report));
  std::memcpy(&report, message.data(), std::min(message.size(), sizeof(report)));
  if (accept_load_report(report, message.size()))
    for (auto c : std::string{report.text})
      require(c >= ' ' && c <= '~');
  std::array<std::byte, 64> answer{};
  std::memcpy(answer.data(), message.data(), std::min(message.size(), answer.size()));
  const bool exact = message.size() == sizeof(token) && std::memcmp(message.data(), &token, sizeof(token)) == 0;
  require(answers_call(answer.data(), message.size(), token) == exact);
  int64_t number = 0;
  std::memcpy(&number, message.data(), std::min(message.size(), sizeof(number)));
  require(!system_call_name(number).empty());
}

byte_buffer filled(size_t bytes, std::string_view from) {
  byte_buffer out(bytes);
  for (size_t i = 0; i < bytes && !from.empty(); ++i)
    out.data()[i] = static_cast<std::byte>(from[i % from.size()]);
  return out;
}

// A candidate's output of any form against any expected values.
void judge_output(value_source& in) {
  argument a;
  a.type = static_cast<dtype>(in.take<uint8_t>() % 9U);
  const auto rank = in.take<uint8_t>() % 4U;
  int64_t inner = 1;
  for (unsigned i = 0; i < rank; ++i)
    a.shape.push_back(std::to_string(in.take<uint8_t>() % 9U));
  if (in.take<bool>())
    for (size_t i = rank; i-- > 0;) {
      inner += in.take<uint8_t>() % 3U;
      a.strides.insert(a.strides.begin(), std::to_string(inner));
      inner *= std::max<int64_t>(std::stoll(a.shape[i]), 1);
    }
  const auto g = resolve_geometry(a, {}, [](const std::string&) -> result<int64_t> { return 0; });
  if (!g)
    return;
  comparison_rule rule;
  rule.mode = static_cast<tolerance_mode>(in.take<uint8_t>() % 4U);
  rule.relative = in.take<double>();
  rule.absolute = in.take<double>();
  rule.limit = in.take<double>();
  rule.reference_error = in.take<double>();
  for (auto* x : {&rule.relative, &rule.absolute, &rule.limit, &rule.reference_error})
    *x = std::isfinite(*x) ? std::fabs(*x) : 0.0;
  rule.nonfinite_match = in.take<bool>();
  expected_output expected;
  expected.type = is_floating(a.type) && in.take<bool>() ? dtype::f64 : a.type;
  const auto elements = std::min<int64_t>(in.take<uint8_t>(), g->count);
  const auto half = in.rest().size() / 2;
  expected.values = filled(static_cast<size_t>(g->count) * size_bytes(expected.type), in.rest().substr(0, half));
  const auto actual = filled(g->bytes(), in.rest().substr(half));
  const auto found = compare(*g, actual.data(), expected, elements, rule);
  require(found.bad >= 0 && found.bad <= elements && (found.result == verdict::pass) == (found.bad == 0));
  // The fast road may send an answer to the slow one, and never lets one through that the slow one refuses.
  require(!accepts(*g, actual.data(), expected, elements, rule) || found.result == verdict::pass);
  const auto compact = collect(*g, actual.data(), elements);
  if (elements == g->count)
    require(bit_equal(*g, actual.data(), compact, elements));
  static_cast<void>(largest_magnitude(expected, elements));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<std::string> words;
  value_source in{view(data, size), words};
  if (in.take<bool>())
    hear(in.rest());
  else
    judge_output(in);
  return 0;
}
