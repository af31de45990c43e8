#include "tools/kevolve/client/only_campaign.hpp"

#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/output/campaign_text.hpp"

namespace kevolve {

namespace {

constexpr size_t most_told = 20;

} // namespace

result<std::string> campaign_or_only(connection& node, const std::string& id) {
  if (!id.empty())
    return id;
  auto all = node.get("/v1/campaigns?limit=1000");
  if (!all)
    return tl::unexpected(all.error());
  const auto& items = (*all)["items"];
  if (items.empty())
    return fail(errc::not_found, "there is no campaign here yet; kevolve run or kevolve submit starts one");
  if (items.size() == 1)
    return text_at(items[0], "id");
  std::string which;
  for (size_t i = 0; i < items.size() && i < most_told; ++i)
    which +=
        "\n  " + text_at(items[i], "id").substr(0, 8) + "  " + text_at(items[i], "name") + "  " + state_text(items[i]);
  if (items.size() > most_told)
    which += "\n  … and more: kevolve list";
  return fail(errc::bad_input, "there is more than one campaign; name the one that is meant:" + which);
}

} // namespace kevolve
