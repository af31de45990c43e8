#include "store/postgres/skills.hpp"

#include "store/postgres/own_parameters.hpp"

namespace kevolve::postgres {

result<void> share_skills(connection& c, const member& m, const std::vector<shared_skill>& all) {
  std::vector<statement> group;
  group.reserve(all.size());
  for (const auto& s : all)
    group.push_back({"select kevolve.share_skill($1, $2, $3, $4)", own(m, {{to_string(s.id)}, {s.text}})});
  return nothing(c.run_all(group));
}

result<std::vector<shared_skill>> skills_of_others(connection& c, const member& m, int64_t after, int most) {
  auto r = c.run({"select id, text, node, number from kevolve.skills_of_others($1, $2, $3, $4)",
                  own(m, {{std::to_string(after)}, {std::to_string(most)}})});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<shared_skill> out;
  for (size_t i = 0; i < r->size(); ++i)
    out.push_back({id_of(r->text(i, 0)), r->text(i, 1), r->text(i, 2), r->integer(i, 3)});
  return out;
}

} // namespace kevolve::postgres
