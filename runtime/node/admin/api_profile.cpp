// Profiles of candidates over HTTP: read what is stored, or run the passes now.
#include "runtime/node/admin/api_profile.hpp"
#include "actors/evaluation/diagnosis.hpp"
#include "actors/evaluation/explanation.hpp"
#include "actors/evaluation/profile_run.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/node_view.hpp"
#include "runtime/node/admin/profile_json.hpp"

#include <caf/actor_system.hpp>

#include <charconv>
#include <optional>

namespace kevolve::handlers {

namespace {

constexpr double longest_budget_s = 600.0;

std::optional<uint64_t> index_in(const call_ptr& c) {
  const auto& digits = c->path.at("index");
  uint64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error == std::errc{} && end == digits.data() + digits.size())
    return index;
  c->refuse(failure{errc::bad_input, "a candidate is named by its index, a whole number"});
  return std::nullopt;
}

void no_profile(const call_ptr& c, uint64_t index) {
  c->refuse(problem{404, "no-profile",
                    "candidate " + std::to_string(index) + " has no profile: kevolve profile ID "
                        + std::to_string(index) + " makes one"});
}

// Returns the profile of a candidate that was never profiled.
profile_record empty_profile(uint64_t index) {
  profile_record out;
  out.index = index;
  return out;
}

void reply_profile(const call_ptr& c, const profile_record& r, const std::string& diagnosis) {
  auto out = to_json(r, diagnosis);
  if (c->text("format") == "trace")
    out = chrome_trace(out["diagnosis"]);
  c->reply(out);
}

void read_profile(const call_ptr& c) {
  const auto index = index_in(c);
  if (!index)
    return;
  with_campaign_id(c, c->path.at("id"), [c, index = *index](const id128& id) {
    gather(c, {{"profile", keys::index, keys::profile(id, index)}, {"candidate", keys::nodes, keys::node(id, index)}},
           [c, index](const found_values& found) {
             const auto stored = found.find("profile");
             auto record = stored == found.end() ? result<profile_record>{fail(errc::not_found, "")}
                                                 : decode_older<profile_record>(stored->second);
             if (!record) {
               if (index > 0 && !found.contains("candidate"))
                 c->refuse(problem{404, "no-candidate", "the campaign has no candidate " + std::to_string(index)});
               else if (c->text("format") == "trace")
                 no_profile(c, index);
               else
                 c->reply(to_json(empty_profile(index), ""));
               return;
             }
             gather(c, {{"diagnosis", keys::blobs, record->diagnosis}},
                    [c, record = *record](const found_values& texts) {
                      const auto text = texts.find("diagnosis");
                      reply_profile(c, record, text == texts.end() ? std::string{} : text->second);
                    });
           });
  });
}

// An artefact is only given out beside the candidate whose profile has it.
void read_artefact(const call_ptr& c) {
  const auto index = index_in(c);
  if (!index)
    return;
  with_campaign_id(c, c->path.at("id"), [c, index = *index](const id128& id) {
    const auto digest = c->path.at("digest");
    gather(c, {{"profile", keys::index, keys::profile(id, index)}}, [c, index, digest](const found_values& found) {
      const auto stored = found.find("profile");
      const auto record = stored == found.end() ? result<profile_record>{fail(errc::not_found, "")}
                                                : decode_older<profile_record>(stored->second);
      if (!record)
        return no_profile(c, index);
      const auto place = find_artefact(*record, digest);
      if (!place)
        return c->refuse(problem{404, "no-artefact",
                                 "the profile of candidate " + std::to_string(index) + " has no artefact " + digest
                                     + ": its passes list those that it has"});
      gather(c, {{"content", keys::blobs, digest}}, [c, digest, place = *place](const found_values& blobs) {
        const auto content = blobs.find("content");
        if (content == blobs.end())
          c->refuse(problem{404, "no-artefact", "the artefact is no longer stored: kevolve profile --again makes it"});
        else if (content->second.size() > most_artefact_bytes)
          c->refuse(problem{413, "artefact-too-large",
                            "the artefact has " + std::to_string(content->second.size()) + " bytes, and an answer "
                                + std::to_string(most_artefact_bytes) + ": kevolve profile --artefacts writes it where "
                                + "no node has the data"});
        else
          c->reply(artefact_json(place, digest, content->second));
      });
    });
  });
}

profile_order order_of(const call_ptr& c, const id128& id, uint64_t index) {
  profile_order out;
  out.campaign = id;
  out.index = index;
  const auto& b = c->body;
  if (const auto x = b.find("budget_s"); x != b.end())
    out.budget_s = x->get<double>();
  if (const auto x = b.find("shape"); x != b.end())
    out.shape = x->get<std::string>();
  if (const auto x = b.find("passes"); x != b.end())
    out.only = x->get<std::vector<std::string>>();
  if (const auto x = b.find("again"); x != b.end())
    out.again = x->get<std::string>() == "yes";
  return out;
}

// The passes take seconds, so they run in an actor with its own thread.
void make_profile(const call_ptr& c) {
  const auto index = index_in(c);
  if (!index)
    return;
  if (!c->context->data) {
    c->refuse(problem{503, "unavailable", "this node has no store to keep a profile in"});
    return;
  }
  with_campaign_id(c, c->path.at("id"), [c, index = *index](const id128& id) {
    auto busy = c->context->profiling;
    if (busy->exchange(true)) {
      c->refuse(problem{409, "conflict", "another candidate is being profiled"});
      return;
    }
    c->self->home_system().spawn<caf::detached + caf::hidden>([c, busy, id, index] {
      const auto& context = *c->context;
      const auto made =
          profile_candidate({*context.data, context.profilers}, order_of(c, id, index), [](const std::string&) {});
      busy->store(false);
      if (!made) {
        c->refuse(made.error());
        return;
      }
      const auto text = context.data->blob(made->diagnosis);
      reply_profile(c, *made, text && *text ? **text : std::string{});
    });
  });
}

// Reads the whole campaign, and the reference by the embedded generator.
void explain(const call_ptr& c) {
  if (!c->context->data) {
    c->refuse(problem{503, "unavailable", "this node has no store to read"});
    return;
  }
  with_campaign_id(c, c->path.at("id"), [c](const id128& id) {
    const auto found = explain_campaign({*c->context->data, c->context->profilers}, id);
    if (found)
      c->reply_text(found->dump(-1, ' ', false, json::error_handler_t::replace));
    else
      c->refuse(found.error());
  });
}

} // namespace

std::vector<route> profile_routes() {
  route read;
  read.method = "GET";
  read.pattern = "/v1/campaigns/{id}/candidates/{index}/profile";
  read.id = "get_profile";
  read.summary = "Why the candidate is slow: the passes of its latest profile and the diagnosis that they led to";
  read.reads = true;
  read.query = {{"format", "trace: Chrome trace events of one call", false, 0, 0, 0, {"diagnosis", "trace"}}};
  read.handler = read_profile;
  route make;
  make.method = "POST";
  make.pattern = read.pattern;
  make.id = "make_profile";
  make.summary = "Profile the candidate now, and store the result in place of its earlier profile";
  make.fields = {number_field("budget_s", "seconds for passes that use a compiler, the timing core or the device",
                              body_type::number, 0.001, longest_budget_s),
                 text_field("shape", "a declared shape; the one with the longest call if not given", 200),
                 text_field("again", "yes: reuse no stored result", 0, false, {"yes", "no"})};
  auto passes = text_field("passes", "only these passes, and those that they read from", 0);
  passes.type = body_type::texts;
  make.fields.push_back(passes);
  make.conflict = "another candidate is being profiled";
  make.handler = make_profile;
  route artefact;
  artefact.method = "GET";
  artefact.pattern = "/v1/campaigns/{id}/candidates/{index}/profile/artefacts/{digest}";
  artefact.id = "get_profile_artefact";
  artefact.summary = "An artefact of the candidate's latest profile, as text or in base64";
  artefact.reads = true;
  artefact.handler = read_artefact;
  route why;
  why.method = "GET";
  why.pattern = "/v1/campaigns/{id}/explanation";
  why.id = "get_explanation";
  why.summary =
      "What bounds the best candidate, which loops of the reference stayed as they were, what would unlock them";
  why.reads = true;
  why.shared = sharing::campaign;
  why.handler = explain;
  return {read, make, artefact, why};
}

} // namespace kevolve::handlers
