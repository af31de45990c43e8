#include "tools/kevolve/client/assertion_draws.hpp"

#include "backends/judge/adversarial_draws.hpp"
#include "backends/judge/assertion_check.hpp"
#include "backends/judge/call_data.hpp"
#include "config/document.hpp"
#include "config/task_symbols.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <optional>

namespace kevolve {

namespace {

// The planned draws have at most so many elements together, which take a second or so.
constexpr double most_elements = 1 << 24;

struct draw {
  shape_case shape;
  draw_options options;
};

// Returns the flags of arrays that no assertion is about and no size or other array is drawn from.
std::vector<bool> left_out(const contract& task) {
  std::vector<bool> out;
  for (const auto& a : task.arguments)
    out.push_back(is_drawn(a) && is_floating(a.type)
                  && std::none_of(task.assertions.begin(), task.assertions.end(),
                                  [&](const auto& x) { return x.argument == a.name; }));
  return out;
}

std::vector<draw> draws_of(const contract& task) {
  std::vector<draw> out;
  auto edges = edges_of(task);
  edges.insert(edges.begin(), edge_kind::none);
  draw_options options;
  options.elsewhere = left_out(task);
  for (const auto& shape : task.shapes)
    for (const auto edge : edges) {
      options.edge = edge;
      options.seed = out.size() + 1;
      out.push_back({shape, options});
    }
  options.edge = edge_kind::none;
  double elements = 0.0;
  for (const auto& planned : plan_draws(task, {}).draws) {
    const auto cost = cost_of(task, planned);
    if (!cost || elements + cost->elements > most_elements)
      continue;
    elements += cost->elements;
    shape_case shape;
    shape.name = to_string(task, planned);
    shape.sizes = {planned.sizes.begin(), planned.sizes.end()};
    options.values = planned.values;
    options.seed = out.size() + 1;
    out.push_back({std::move(shape), options});
  }
  return out;
}

} // namespace

std::vector<diagnostic> contradicting_draws(const task_spec& task) {
  struct checked {
    size_t place;
    contract alone; // the task with this assertion only
    bool broken = false;
  };
  std::vector<checked> all;
  for (size_t i = 0; i < task.task.assertions.size(); ++i) {
    const auto& a = task.task.assertions[i];
    const auto* subject = find_argument(task.task, a.argument);
    const bool given = subject != nullptr && subject->role == argument_role::weight && !task.files.empty();
    if (a.kind == assertion_kind::independent || given)
      continue;
    all.push_back({i, task.task});
    all.back().alone.assertions = {a};
  }
  const auto root = all.empty() ? result_or_errors<document_value>{tl::unexpected(std::vector<diagnostic>{})}
                                : parse_document(task.text, task.path);
  if (!root)
    return {};
  error_list errors{task.path, *root};
  for (const auto& d : draws_of(task.task)) {
    if (std::all_of(all.begin(), all.end(), [](const auto& c) { return c.broken; }))
      break;
    const auto data = draw_call(task.task, d.shape, d.options);
    if (!data)
      continue; // sizes without such data: the judge leaves these draws out, too
    for (auto& c : all)
      if (const auto why = c.broken ? std::nullopt : broken_assertion(c.alone, *data)) {
        c.broken = true;
        errors.add(indexed("assert", c.place) + ".argument",
                   "false on a draw with " + sizes_text(task.task, *data) + ": " + *why
                       + ". Take it out of the task, or make the fill rules draw what the operator is called with");
      }
  }
  return errors.take();
}

} // namespace kevolve
