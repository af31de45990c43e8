// Asks a node in this process, from a thread that may wait.
#pragma once

#include "actors/interfaces.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/node.hpp"

#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

class node_reader {
public:
  explicit node_reader(node& where) : node_(where), self_(where.system()) {}

  template <class Out, class Handle, class... Ts>
  result<Out> ask(const Handle& whom, Ts&&... xs) {
    result<Out> out = fail(errc::internal, "no answer");
    self_->request(whom, std::chrono::seconds{30}, std::forward<Ts>(xs)...)
        .receive([&](Out& x) { out = std::move(x); },
                 [&](caf::error& e) { out = tl::unexpected<failure>(to_failure(e)); });
    return out;
  }

  result<campaign_actor> campaign(const id128& id) {
    auto proxy = ask<caf::actor>(node_.campaigns(), atom::lookup_v, id);
    if (!proxy)
      return tl::unexpected(proxy.error());
    return caf::actor_cast<campaign_actor>(*proxy);
  }
  result<campaign_status> status(const id128& id) {
    campaign_actor whom;
    return status(id, whom);
  }
  // Asks for a status. `whom`: the campaign's actor from an earlier call, or none; the call then sets it.
  result<campaign_status> status(const id128& id, campaign_actor& whom) {
    if (!whom) {
      auto found = campaign(id);
      if (!found)
        return tl::unexpected(found.error());
      whom = std::move(*found);
    }
    return ask<campaign_status>(whom, atom::status_v);
  }
  result<campaign_status> resume(const id128& id) {
    auto whom = campaign(id);
    if (!whom)
      return tl::unexpected(whom.error());
    return ask<campaign_status>(*whom, atom::resume_v, std::string{});
  }
  result<std::vector<node_brief>> tree(const id128& id) {
    auto whom = campaign(id);
    if (!whom)
      return tl::unexpected(whom.error());
    auto page = ask<tree_page>(*whom, atom::tree_v, uint64_t{0}, UINT64_MAX);
    if (!page)
      return tl::unexpected(page.error());
    return std::move(page->items);
  }
  result<std::string> blob(const std::string& digest) {
    return ask<std::string>(node_.journal(), atom::blob_v, digest);
  }
  template <class T>
  result<T> record(const char* family, const std::string& key) {
    auto bytes = ask<std::string>(node_.journal(), atom::lookup_v, std::string{family}, key);
    if (!bytes)
      return tl::unexpected(bytes.error());
    return decode_older<T>(*bytes);
  }
  // Returns all events of a campaign.
  result<std::vector<journal_event>> events(const id128& id) {
    constexpr uint32_t page = 4'096;
    std::vector<journal_event> all;
    for (;;) {
      auto more = ask<std::vector<journal_event>>(node_.journal(), atom::events_v, id,
                                                  all.empty() ? uint64_t{0} : all.back().sequence, page);
      if (!more)
        return more;
      auto last = more->size() < page;
      for (auto& e : *more)
        all.push_back(std::move(e));
      if (last)
        return all;
    }
  }

private:
  node& node_;
  caf::scoped_actor self_;
};

} // namespace kevolve
