#include "actors/campaign/campaign_context.hpp"

#include "actors/synthesis/context.hpp"

namespace kevolve {

synthesis_context fixed_context(const campaign_context& c) {
  std::vector<std::string> menu;
  std::vector<std::string> words;
  std::string baseline;
  const bool exact = asks_for_exact_results(c.spec->task.task);
  for (const auto& f : c.hardware->flag_menu()) {
    if (f.fast_math && exact)
      continue;
    menu.push_back(f.name);
    words.push_back(f.summary);
    if (f.baseline)
      baseline = f.name;
  }
  auto out = fixed_context(*c.spec, menu, baseline, c.hardware->hardware());
  out.form = c.hardware->form(c.spec->task.task);
  out.flag_words = std::move(words);
  return out;
}

} // namespace kevolve
