// The resources for compiling and timing, and the present and past state of the devices.
#include "actors/devices/device_samples.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/records_json.hpp"

namespace kevolve::handlers {

namespace {

// Adds the device's state and last sample, with the age of that sample in seconds.
json resource_json(const resource_status& r, const device_board& devices) {
  auto out = to_json(r);
  const auto device = devices.latest(r.resource_id);
  out["state"] = device ? or_null(device->state) : json(nullptr);
  out["sample"] = device ? to_json(device->sample) : json(nullptr);
  if (!out["sample"].is_null())
    out["sample"]["age_s"] = static_cast<double>(wall_clock_ns() - device->sample.time_ns) / 1e9;
  return out;
}

} // namespace

void resources(const call_ptr& c) {
  ask<std::vector<resource_status>>(
      c, c->context->scheduler,
      [c](std::vector<resource_status>& all) {
        auto items = json::array();
        for (const auto& r : all)
          items.push_back(resource_json(r, *c->context->devices));
        c->reply(json{{"items", std::move(items)}, {"total", all.size()}, {"truncated", false}, {"next", nullptr}});
      },
      atom::status_v);
}

// The cursor is a serial number, so that a page stays the same while new samples arrive.
void samples(const call_ptr& c) {
  const auto& id = c->path.at("id");
  const auto device = c->context->devices->latest(id);
  if (!device) {
    c->refuse(failure{errc::not_found, "no device '" + id + "' here; GET /v1/resources lists those that there are"});
    return;
  }
  const auto asked = c->page();
  const auto from = asked.cursor == 0 ? device->serial : asked.cursor;
  const auto total = serials_there(device->serial, device->serial, samples_kept).size();
  const auto serials = serials_there(device->serial, from, asked.limit);
  std::vector<stored_value> wanted;
  for (const auto serial : serials)
    wanted.push_back({keys::index, sample_key(id, serial), {}});
  const auto more = !serials.empty() && !serials_there(device->serial, serials.back() - 1, 1).empty();
  ask<std::vector<stored_value>>(
      c, c->context->journal,
      [c, total,
       next = more ? json(std::to_string(serials.back() - 1)) : json(nullptr)](std::vector<stored_value>& found) {
        auto items = json::array();
        for (const auto& v : found)
          if (const auto record = decode_older<device_record>(v.value))
            items.push_back(to_json(*record));
        c->reply(json{{"items", std::move(items)}, {"total", total}, {"truncated", !next.is_null()}, {"next", next}});
      },
      atom::lookup_v, std::move(wanted));
}

} // namespace kevolve::handlers
