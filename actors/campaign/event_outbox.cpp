#include "actors/campaign/event_outbox.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve {

event_outbox::batch event_outbox::take(const id128& campaign) {
  writing_ = true;
  batch out;
  out.what.campaign = campaign;
  for (auto& x : std::exchange(waiting_, {})) {
    std::move(x.what.events.begin(), x.what.events.end(), std::back_inserter(out.what.events));
    std::move(x.what.values.begin(), x.what.values.end(), std::back_inserter(out.what.values));
    std::move(x.what.blobs.begin(), x.what.blobs.end(), std::back_inserter(out.what.blobs));
    if (x.stored)
      out.stored.push_back(std::move(x.stored));
  }
  return out;
}

} // namespace kevolve
