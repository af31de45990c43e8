// The documents that a running node serves, and the folder that keeps those which are added meanwhile. Any thread may
// use it; what it served before an addition does not change.
#pragma once

#include "actors/knowledge/knowledge_base.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kevolve::knowledge {

class document_shelf {
public:
  // `folders` are the operator's; the first gets what is added. `code` may be null: references are not looked up.
  document_shelf(knowledge_ptr first, std::vector<std::string> folders, std::shared_ptr<const code_roots> code);

  // Returns the newest documents; never null.
  knowledge_ptr now() const;
  const code_roots* code() const { return code_.get(); }

  // Returns every error of a document in a file of that name: its format, and references that are not in the code.
  std::vector<diagnostic> check(const std::string& name, const std::string& text) const;
  // Checks a document, writes it into the first folder, and serves it. Returns its id. errc::bad_input names its
  // errors, errc::unavailable says that there is no folder, errc::conflict that the name is taken.
  result<std::string> add(const std::string& name, const std::string& text);

private:
  mutable std::mutex guard_; // of now_
  std::mutex adding_;        // one at a time
  knowledge_ptr now_;
  std::vector<std::string> folders_;
  std::shared_ptr<const code_roots> code_;
};

} // namespace kevolve::knowledge
