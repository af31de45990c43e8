// One question to a node, and its answer as text or JSON.
#pragma once

#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <functional>
#include <string>

namespace kevolve {

using printer = std::function<void(const json&)>;

inline int tell(const common_options& common, const result<json>& answer, const printer& print) {
  if (!answer)
    return report(answer.error(), common.json);
  if (common.json)
    print_out(to_text(*answer) + "\n");
  else if (!common.quiet)
    print(*answer);
  return exit_code::ok;
}

inline int read(const common_options& common, const node_address& where, const std::string& path, printer print) {
  auto node = connection::open(where, true);
  return node ? tell(common, (*node)->get(path), print) : report(node.error(), common.json);
}

inline int send(const common_options& common, const node_address& where, const std::string& path, const json& body,
                printer print) {
  auto node = connection::open(where, false);
  return node ? tell(common, (*node)->post(path, body), print) : report(node.error(), common.json);
}

} // namespace kevolve
