#include "actors/cluster/link_skills.hpp"

#include "actors/cluster/link_membership.hpp"
#include "actors/cluster/link_queue.hpp"
#include "actors/knowledge/skill_export.hpp"
#include "actors/knowledge/skill_json.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"

#include <algorithm>
#include <utility>

namespace kevolve {

namespace {

constexpr size_t shared_at_once = 32;
constexpr int taken_at_once = 100; // each is a request to the book of skills

bool takes_part(cluster_link_pointer self) {
  return self->state.setup.self.role == cluster_role::home && self->state.setup.skills;
}

void note(cluster_link_pointer self, const skill& s) {
  const bool offered = s.state != skill_state::rejected && s.state != skill_state::revoked;
  const auto shown = offered ? for_others({s}) : std::vector<skill>{};
  self->state.skills_to_share[s.id] = shown.empty() ? std::string{} : skills_text(shown);
}

} // namespace

void note_skill(cluster_link_pointer self, const std::string& record) {
  if (const auto s = decode_older<skill>(record); s && takes_part(self))
    note(self, *s);
}

void note_known_skills(cluster_link_pointer self) {
  if (!takes_part(self) || std::exchange(self->state.skills_noted, true))
    return;
  self->request(self->state.setup.skills, until_answered, atom::export_all_v, skill_query{})
      .then(
          [self](const std::string& text) {
            if (const auto all = parse_skills(text))
              for (const auto& s : *all)
                note(self, s);
            work_soon(self);
          },
          [self](caf::error&) { self->state.skills_noted = false; }); // the next time the node joins
}

void share_skills(cluster_link_pointer self) {
  auto& waiting = self->state.skills_to_share;
  while (!waiting.empty() && self->state.joined) {
    std::vector<postgres::shared_skill> some;
    const auto end = std::next(waiting.begin(), static_cast<std::ptrdiff_t>(std::min(waiting.size(), shared_at_once)));
    for (auto i = waiting.begin(); i != end; ++i)
      some.push_back({i->first, i->second, {}, 0});
    if (!reached(self, postgres::share_skills(*self->state.connection, self->state.setup.self, some)))
      return;
    waiting.erase(waiting.begin(), end);
  }
}

void take_skills(cluster_link_pointer self) {
  auto& st = self->state;
  if (!takes_part(self))
    return;
  auto more = postgres::skills_of_others(*st.connection, st.setup.self, st.skills_seen, taken_at_once);
  if (!reached(self, more))
    return;
  for (auto& s : *more) {
    st.skills_seen = s.number;
    self->request(st.setup.skills, until_answered, atom::import_all_v, std::move(s.text))
        .then(
            [node = s.node](const skill_import& x) {
              if (x.added > 0)
                log::info("cluster", "a skill of node '{}' is a hypothesis here", node);
              for (const auto& why : x.refused)
                log::warn("cluster", "a skill of node '{}' is refused: {}", node, why);
            },
            [node = s.node](caf::error& e) {
              log::warn("cluster", "a skill of node '{}' is not taken: {}", node, to_string(to_failure(e)));
            });
  }
}

} // namespace kevolve
