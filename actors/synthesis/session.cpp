#include "actors/synthesis/session.hpp"

#include "actors/synthesis/edits.hpp"
#include "actors/synthesis/quoting.hpp"
#include "backends/llm/protocol/plain_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace kevolve::synthesis {

namespace {

using json = nlohmann::json;

constexpr std::string_view file_schema =
    R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false})";
constexpr std::string_view write_schema =
    R"({"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false})";
constexpr std::string_view replace_schema =
    R"({"type":"object","properties":{"path":{"type":"string"},"search":{"type":"string"},"replace":{"type":"string"}},"required":["path","search","replace"],"additionalProperties":false})";
constexpr std::string_view nothing_schema = R"({"type":"object","properties":{},"additionalProperties":false})";
constexpr std::string_view search_schema =
    R"({"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false})";

constexpr std::string_view code_schema =
    R"({"type":"object","properties":{"query":{"type":"string"},"mode":{"type":"string","enum":["string","regex","filename"]}},"required":["query","mode"],"additionalProperties":false})";

// The arguments of a call: flat texts by name. All other forms are refused unread.
struct arguments {
  json values;
  const std::string* text(const char* name) const {
    const auto found = values.find(name);
    return found != values.end() && found->is_string() ? &found->get_ref<const std::string&>() : nullptr;
  }
};

answer_or_refusal<arguments> read_arguments(const llm::tool_call& call, std::vector<const char*> names,
                                            const session_rules& rules) {
  if (call.arguments.size() > rules.answers.most_reply)
    return refuse(refusal_class::too_large, "the arguments have " + std::to_string(call.arguments.size()) + " bytes");
  bool flat = true;
  const auto shallow = [&](int depth, json::parse_event_t, json&) {
    flat = flat && depth <= 1;
    return flat;
  };
  arguments out;
  // A tool without arguments is called with an empty text, {} or null.
  out.values = call.arguments.empty() ? json::object() : json::parse(call.arguments, shallow, false);
  if (out.values.is_null() && names.empty())
    out.values = json::object();
  if (!flat || !out.values.is_object())
    return refuse(refusal_class::bad_arguments, "the arguments of " + call.name + " are no flat JSON object");
  for (const char* name : names)
    if (out.text(name) == nullptr)
      return refuse(refusal_class::bad_arguments, call.name + " needs '" + name + "', a text");
  return out;
}

answer_or_refusal<std::string> use_file(session& s, const session_rules& rules, const llm::tool_call& call) {
  const bool write = call.name == "write_file";
  const bool replace = call.name == "replace_in_file";
  auto args = read_arguments(call,
                             write     ? std::vector<const char*>{"path", "content"}
                             : replace ? std::vector<const char*>{"path", "search", "replace"}
                                       : std::vector<const char*>{"path"},
                             rules);
  if (!args)
    return tl::unexpected<refusal>(args.error());
  const auto which = find_file(*args->text("path"), s.files);
  if (!which)
    return tl::unexpected<refusal>(which.error());
  auto& file = s.files[*which];
  if (!write && !replace)
    return tool_result(rules, file.path, file.content);
  std::string content;
  if (write) {
    content = *args->text("content");
  } else {
    auto changed = apply_edit(file.content, *args->text("search"), *args->text("replace"));
    if (!changed)
      return tl::unexpected<refusal>(changed.error());
    content = std::move(*changed);
  }
  if (content.size() > rules.answers.most_file)
    return refuse(refusal_class::too_large, file.path + " would have " + std::to_string(content.size()) + " bytes");
  if (llm::first_unplain(content) != std::string::npos)
    return refuse(refusal_class::not_text, "the text has a control or invisible character, or is no UTF-8");
  file.content = std::move(content);
  return "written: " + file.path + ", " + std::to_string(file.content.size()) + " bytes";
}

} // namespace

session begin_session(const session_rules& rules) {
  session s;
  s.files = rules.answers.current;
  return s;
}

std::vector<llm::tool_spec> session_tools(bool with_code) {
  const auto tool = [](std::string_view name, std::string_view what, std::string_view schema) {
    return llm::tool_spec{std::string{name}, std::string{what}, std::string{schema}};
  };
  std::vector<llm::tool_spec> out{
      tool("read_file", "Reads one of the candidate's files as it stands now.", file_schema),
      tool("write_file", "Replaces one of the candidate's files by the content given.", write_schema),
      tool("replace_in_file", "Replaces whole lines that stand in the file exactly once.", replace_schema),
      tool("lint",
           "Compiles the candidate as it stands, with the current flags, and returns the compiler's words. It is "
           "not run.",
           nothing_schema),
      tool("search_knowledge",
           "Searches the documents about this hardware and about tuning, and the skills of earlier campaigns.",
           search_schema)};
  if (with_code)
    out.push_back(tool("search_code",
                       "Searches source files that may serve as examples, by a string, a regular expression (RE2) or a "
                       "part of a file's name. Returns lines with their places.",
                       code_schema));
  return out;
}

tool_step take_call(session& s, const session_rules& rules, const llm::tool_call& call) {
  constexpr size_t longest_query = 400;
  ++s.steps;
  tool_step out;
  answer_or_refusal<std::string> done = std::string{};
  if (call.name == "read_file" || call.name == "write_file" || call.name == "replace_in_file") {
    done = use_file(s, rules, call);
  } else if (call.name == "lint") {
    if (auto args = read_arguments(call, {}, rules); !args)
      done = tl::unexpected<refusal>(args.error());
    else
      out.need = step_need::lint;
  } else if (call.name == "search_code") {
    if (auto args = read_arguments(call, {"query", "mode"}, rules); !args) {
      done = tl::unexpected<refusal>(args.error());
    } else {
      out.need = step_need::search_code;
      out.query = llm::plain_text(args->text("query")->substr(0, longest_query));
      out.mode = llm::plain_text(args->text("mode")->substr(0, longest_query));
    }
  } else if (call.name == "search_knowledge") {
    if (auto args = read_arguments(call, {"query"}, rules); !args) {
      done = tl::unexpected<refusal>(args.error());
    } else {
      out.need = step_need::search;
      out.query = llm::plain_text(args->text("query")->substr(0, longest_query));
    }
  } else {
    constexpr std::array<std::string_view, 7> shells{"bash",    "shell",    "sh",  "run_command",
                                                     "execute", "terminal", "exec"};
    const bool command = std::find(shells.begin(), shells.end(), call.name) != shells.end();
    done = refuse(command ? refusal_class::command : refusal_class::unknown_tool,
                  "there is no tool '" + llm::plain_text(call.name.substr(0, 60)) + "'");
  }
  if (done) {
    out.result = std::move(*done);
    s.refusals = 0;
  } else {
    out.why = done.error();
    out.result = repair_prompt(out.why, rules.answers);
    ++s.refusals;
  }
  return out;
}

std::string tool_result(const session_rules& rules, std::string_view label, std::string_view text) {
  return quote(label, cut_to(llm::plain_text(text), rules.most_result_tokens, cut_rule::ends));
}

std::string session_end(const session& s, const session_rules& rules) {
  if (s.steps >= rules.most_steps)
    return "used its " + std::to_string(rules.most_steps) + " steps";
  if (s.tokens >= rules.most_tokens)
    return "used its " + std::to_string(rules.most_tokens) + " tokens";
  if (s.refusals >= rules.most_refusals)
    return std::to_string(s.refusals) + " refused calls in a row";
  return {};
}

answer_or_refusal<answer> session_answer(const session& s, const session_rules& rules, std::string_view last_words) {
  const auto same = [](const source_file& a, const source_file& b) {
    return a.path == b.path && a.content == b.content;
  };
  if (std::equal(s.files.begin(), s.files.end(), rules.answers.current.begin(), rules.answers.current.end(), same)) {
    // Some models answer in the last message instead.
    return parse_answer(last_words, rules.answers);
  }
  answer out;
  out.files = s.files;
  out.edited = true;
  return with_words(std::move(out), last_words, rules.answers);
}

} // namespace kevolve::synthesis
