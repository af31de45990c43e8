#include "actors/messages/exchange_records.hpp"

#include <array>
#include <charconv>

namespace kevolve {

std::string to_string(const exchange_id& x) {
  return to_string(x.campaign) + "-" + std::to_string(x.node) + "-" + std::to_string(x.generator) + "-"
         + std::to_string(x.round);
}

result<exchange_id> parse_exchange_id(std::string_view text) {
  const auto wrong = [&] {
    return fail(errc::bad_input,
                "a prompt is named by its campaign's 32 digits, its node, its generator and its round, "
                "as in 0123456789abcdef0123456789abcdef-17-0-0");
  };
  const auto dash = text.find('-');
  const auto campaign = parse_id(text.substr(0, dash));
  if (dash == std::string_view::npos || !campaign)
    return wrong();
  std::array<uint64_t, 3> numbers{};
  const auto* at = text.data() + dash;
  const auto* const end = text.data() + text.size();
  for (auto& n : numbers) {
    if (at == end || *at != '-')
      return wrong();
    auto [next, error] = std::from_chars(at + 1, end, n);
    if (error != std::errc{})
      return wrong();
    at = next;
  }
  if (at != end || numbers[1] > UINT32_MAX || numbers[2] > UINT32_MAX)
    return wrong();
  return exchange_id{campaign, numbers[0], static_cast<uint32_t>(numbers[1]), static_cast<uint32_t>(numbers[2])};
}

} // namespace kevolve
