// One question to a node, and its answer as text or JSON.
#pragma once

#include "tools/command_line/command_line.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <functional>
#include <string>

namespace kevolve {

// The address of a running node for verbs that ask none unless they are told to. It names no node at first.
inline const node_address no_node{"", "", "", ""};

inline bool names_a_node(const node_address& a) {
  return !a.data.empty() || !a.url.empty();
}

// Adds the options that name a running node. Without them the verb works by itself.
inline void add_running_node(declared_verb& verb, node_address& a) {
  verb.add_option("--data", a.data, "ask the running node of this data directory");
  verb.add_option("--url", a.url, "ask the node at this address, such as http://127.0.0.1:7700; needs --token-file");
  verb.add_option("--ca-file", a.ca_file, "certificates that an https node's must come from (default: the system's)");
  verb.add_option("--token-file", a.token_file, "file with the node's token (default: token in the data directory)");
}

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
