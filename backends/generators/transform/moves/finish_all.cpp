#include "backends/generators/transform/moves/finish_all.hpp"

#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/registry.hpp"

#include <vector>

namespace kevolve::transform {

genome finish_all(program& p, const contract& task, std::optional<int64_t> block) {
  genome out;
  for (bool more = true; more;) { // what holds another is finished after it
    more = false;
    std::vector<loop_label> whiles;
    walk(p.body, [&](const stmt& s) {
      if (!s.label.empty() && s.kind == stmt_kind::while_loop)
        whiles.push_back(s.label);
    });
    for (const auto& label : whiles) {
      auto tried = p;
      if (finish(tried, label, task))
        out.push_back(made(moves::finish, {label}));
      else if (tried = p; block && first(tried, label, *block, task))
        out.push_back(made(moves::first, {label, std::to_string(*block)}));
      else
        continue;
      p = std::move(tried);
      more = true;
    }
  }
  return out;
}

} // namespace kevolve::transform
