#include "tools/bench/landscape/contender.hpp"

#include "actors/campaign/campaign_fold.hpp"
#include "config/campaign.hpp"

#include <sstream>

namespace kevolve::bench {

result<contender> contender_of(const std::string& text, const std::string& campaign) {
  const auto colon = text.find(':');
  contender out;
  out.name = text.substr(0, colon);
  std::vector<std::string> settings;
  std::istringstream in{colon == std::string::npos ? "search.policy=" + text : text.substr(colon + 1)};
  for (std::string part; std::getline(in, part, ';');) {
    part.erase(0, part.find_first_not_of(' '));
    if (part == "play.novelty=false")
      out.options.novelty = false;
    else if (part == "play.omniscient=true")
      out.options.omniscient = true;
    else if (!part.empty())
      settings.push_back(part);
  }
  auto spec = load_campaign(campaign, settings);
  if (!spec)
    return fail(errc::bad_input, to_string(spec.error()));
  out.options.policy = policy_of(*spec);
  out.options.move_factor = spec->profile.share > 0.0 ? spec->profile.move_factor : 1.0;
  out.options.in_flight = static_cast<uint64_t>(spec->search.in_flight);
  return out;
}

} // namespace kevolve::bench
