#include "actors/knowledge/skill_book.hpp"

#include "actors/knowledge/skill_distil.hpp"
#include "actors/knowledge/skill_gate.hpp"
#include "actors/knowledge/skill_json.hpp"
#include "actors/knowledge/skill_match.hpp"
#include "actors/knowledge/skill_text.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "store/store.hpp"

#include <utility>

namespace kevolve {

namespace {

using book_pointer = skill_book_actor::stateful_pointer<skill_book_state>;

skill_list listed(const skill_book_state& st) {
  skill_list out;
  out.reserve(st.all.size());
  for (const auto& [id, s] : st.all)
    out.push_back(s);
  return out;
}

void publish(skill_book_state& st) {
  st.board->publish(std::make_shared<const skill_index>(st.index));
  st.own_status->says(std::to_string(st.all.size()) + " skills");
}

// Stores the changed skills in one write; `answer` runs once they are synced. What the storage refuses stays in memory
// and is written with the next change.
template <class T>
caf::result<T> keep(book_pointer self, std::vector<skill> changed, T answer) {
  auto& st = self->state;
  const bool is_one = changed.size() == 1;
  for (auto& s : changed) {
    st.unsaved.insert(s.id);
    auto& place = st.all[s.id];
    const auto before = std::exchange(place, std::make_shared<const skill>(std::move(s)));
    if (is_one)
      st.index.put(place, before);
  }
  if (!is_one) // each put() copies a group
    st.index = skill_index::of(listed(st));
  publish(st);
  append_request a;
  for (const auto& id : st.unsaved)
    a.values.push_back({keys::skills, keys::skill(id), encode(*st.all.at(id))});
  auto promise = self->make_response_promise<T>();
  if (a.values.empty()) {
    promise.deliver(std::move(answer));
    return promise;
  }
  const auto written = std::exchange(st.unsaved, {});
  self->request(st.journal, until_answered, atom::append_v, std::move(a))
      .then([promise, answer = std::move(answer)](uint64_t) mutable { promise.deliver(std::move(answer)); },
            [self, promise, written](caf::error& e) mutable {
              self->state.unsaved.insert(written.begin(), written.end());
              promise.deliver(std::move(e));
            });
  return promise;
}

result<std::shared_ptr<const skill>> find_by(const skill_book_state& st, const std::string& digits) {
  std::shared_ptr<const skill> found;
  for (const auto& [id, s] : st.all)
    if (!digits.empty() && to_string(id).starts_with(digits)) {
      if (found)
        return fail(errc::conflict, "several skills begin with '" + digits + "': give more digits");
      found = s;
    }
  if (!found)
    return fail(errc::not_found, "no skill begins with '" + digits + "'; kevolve skills list shows them");
  return found;
}

// Returns why the skill is not kept; empty: it may be.
std::string problem_of(const skill& s) {
  if (auto wrong = refusal_of(s); !wrong.empty())
    return wrong;
  const auto unknown = moves_problem(s.step.moves);
  return unknown.empty() ? std::string{} : "step.moves: " + unknown;
}

weighed_skill weighed(const skill_book_state& st, const skill& s) {
  const auto p = posterior_of(s, st.now_ns());
  return {s, weight_of(s, st.now_ns()), p.mean, p.deviation};
}

// Returns the record that a skill to be added becomes; the known one of the same id gains what it lacks.
skill joined(const skill_book_state& st, skill s) {
  const auto known = st.all.find(s.id);
  return judged_anew(known == st.all.end() ? std::move(s) : merged(*known->second, s), st.now_ns());
}

caf::result<skill> add_skill(book_pointer self, skill s) {
  auto& st = self->state;
  s.id = skill_id(s);
  if (const auto wrong = problem_of(s); !wrong.empty()) {
    log::warn("skills", "skill {} is refused: {}", short_string(s.id), wrong);
    return to_error({errc::bad_input, wrong});
  }
  auto now = joined(st, std::move(s));
  return keep(self, {now}, now);
}

caf::result<skill> add_application(book_pointer self, const skill_use& use) {
  auto& st = self->state;
  const auto found = st.all.find(use.skill);
  if (found == st.all.end())
    return to_error({errc::not_found, "no skill " + to_string(use.skill)});
  auto after = applied(*found->second, use.what, st.now_ns());
  if (after == *found->second)
    return after;
  if (after.state != found->second->state)
    log::info("skills", "skill {} is {} now: {}", short_string(after.id), to_string(after.state), after.reason);
  return keep(self, {after}, after);
}

caf::result<skill_import> import_skills(book_pointer self, const std::string& text) {
  auto& st = self->state;
  auto read = parse_skills(text);
  if (!read)
    return to_error(read.error());
  skill_import out;
  std::vector<skill> changed;
  for (auto& s : *read) {
    if (const auto wrong = problem_of(s); !wrong.empty())
      out.refused.push_back(short_string(s.id) + ": " + wrong);
    else if (st.all.contains(s.id)) // what this node has measured is not mixed with what others say
      ++out.known;
    else {
      ++out.added;
      changed.push_back(as_imported(std::move(s), st.now_ns()));
    }
  }
  return keep(self, std::move(changed), std::move(out));
}

// A record that cannot be read is left out and kept: `kevolve fsck` finds a damaged one, a newer kevolve reads its own.
void load(skill_book_state& st, const store& data) {
  auto rows = data.scan(table::skills, "", SIZE_MAX);
  if (!rows) {
    log::error("skills", "the skills cannot be read: {}; kevolve fsck --repair moves damaged ones away",
               to_string(rows.error()));
    return;
  }
  for (const auto& [key, bytes] : *rows) {
    auto s = decode_older<skill>(bytes);
    if (s && keys::skill(s->id) == key)
      st.all[s->id] = std::make_shared<const skill>(std::move(*s));
    else
      log::error("skills", "skill {} is left out: {}", to_string(id_of(key)),
                 s ? "it is of another id" : to_string(s.error()));
  }
}

} // namespace

skill_book_actor::behavior_type skill_book(book_pointer self, actor_status_ptr own_status,
                                           std::shared_ptr<const store> data, journal_actor journal,
                                           std::shared_ptr<skill_board> board, std::function<int64_t()> now_ns) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.journal = std::move(journal);
  st.board = std::move(board);
  st.now_ns = std::move(now_ns);
  report_exceptions(self);
  load(st, *data);
  st.index = skill_index::of(listed(st));
  publish(st);
  return {
      [self](atom::list, const skill_query& wanted) {
        handling h{self, self->state.own_status, "list"};
        return list_skills(listed(self->state), wanted, self->state.now_ns());
      },
      [self](atom::lookup, const std::string& digits) -> caf::result<weighed_skill> {
        handling h{self, self->state.own_status, "lookup"};
        const auto found = find_by(self->state, digits);
        if (!found)
          return to_error(found.error());
        return weighed(self->state, **found);
      },
      [self](atom::find, const skill_situation& wanted) {
        handling h{self, self->state.own_status, "find"};
        return find_skills(self->state.index, wanted, {self->state.now_ns(), {}});
      },
      [self](atom::apply, const skill_use& use) {
        handling h{self, self->state.own_status, "apply"};
        return add_application(self, use);
      },
      [self](atom::add, skill& s) {
        handling h{self, self->state.own_status, "add"};
        return add_skill(self, std::move(s));
      },
      [self](atom::revoke, const std::string& digits, const std::string& by,
             const std::string& reason) -> caf::result<skill> {
        handling h{self, self->state.own_status, "revoke"};
        const auto found = find_by(self->state, digits);
        if (!found)
          return to_error(found.error());
        auto after = revoked(**found, by, reason, self->state.now_ns());
        return keep(self, {after}, after);
      },
      [self](atom::export_all, const skill_query& wanted) {
        handling h{self, self->state.own_status, "export"};
        std::vector<skill> out;
        for (auto& s : list_skills(listed(self->state), wanted, self->state.now_ns()))
          out.push_back(std::move(s.what));
        return skills_text(out);
      },
      [self](atom::import_all, const std::string& text) {
        handling h{self, self->state.own_status, "import"};
        return import_skills(self, text);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
