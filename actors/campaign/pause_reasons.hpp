// The reasons for which a campaign is suspended, and the one that is reported. Pure.
#pragma once

#include "actors/campaign/campaign_phase.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kevolve {

// The order is that of precedence: the first reason that holds is reported.
enum class pause_reason : uint8_t {
  storage = 0, // the storage refuses to write
  batch,       // its candidates wait for a batch that is exported
  import,      // its candidates are out with a batch that has to come back
  home,        // it came as a batch, and all that came along is judged
  models,      // every model is on hold, and nothing else is under way
  cluster,     // other nodes have its devices, and PostgreSQL is away, or none of them is there
  person,      // a person paused it: holds while it is paused, as do those below
  faults,      // too many faults in a row
  preparation, // the task cannot be prepared
};
constexpr std::array<std::string_view, 9> pause_reason_texts{"storage", "batch",  "import", "home",       "models",
                                                             "cluster", "person", "faults", "preparation"};
constexpr const auto& enum_texts(pause_reason) {
  return pause_reason_texts;
}

// Returns true for a reason that ends without a person. The campaign keeps its phase meanwhile.
constexpr bool passes_by_itself(pause_reason x) {
  return x < pause_reason::person;
}

// Returns true for a reason that has to do with a batch. Of these one holds at a time.
constexpr bool is_elsewhere(pause_reason x) {
  return x == pause_reason::batch || x == pause_reason::import || x == pause_reason::home;
}

class pause_reasons {
public:
  // Sets a reason with its words for a person; without words it no longer holds.
  void set(pause_reason x, std::string words) { words_[place(x)] = std::move(words); }
  void clear(pause_reason x) { words_[place(x)].clear(); }
  // Ends every reason that only a person's resume ends.
  void clear_paused() {
    for (const auto x : {pause_reason::person, pause_reason::faults, pause_reason::preparation})
      clear(x);
  }
  bool holds(pause_reason x) const { return !words_[place(x)].empty(); }
  const std::string& words(pause_reason x) const { return words_[place(x)]; }

  // Returns which of the reasons of a batch holds, if one does.
  std::optional<pause_reason> elsewhere() const;
  // Sets the reason of a batch in place of any other of them; without words none holds.
  void set_elsewhere(std::optional<pause_reason> x, std::string words);

  // Returns the reason to report for a campaign in that phase; nothing if it is not suspended.
  std::optional<pause_reason> reported(campaign_phase phase) const;

private:
  static constexpr size_t place(pause_reason x) { return static_cast<size_t>(x); }
  std::array<std::string, pause_reason_texts.size()> words_;
};

} // namespace kevolve
