#include "tools/kevolve/suite/suite_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

constexpr double least_wall_s = 1.0;
constexpr int format = 1;

// Orders "2_b" before "10_a": digits count as one number.
bool before(const std::string& a, const std::string& b) {
  size_t i = 0;
  size_t j = 0;
  const auto digit = [](const std::string& s, size_t at) {
    return at < s.size() && std::isdigit(static_cast<unsigned char>(s[at])) != 0;
  };
  while (i < a.size() && j < b.size()) {
    if (digit(a, i) && digit(b, j)) {
      const auto number = [&](const std::string& s, size_t& at) {
        std::string out;
        for (; digit(s, at); ++at)
          if (!out.empty() || s[at] != '0')
            out += s[at];
        return out;
      };
      const auto x = number(a, i);
      const auto y = number(b, j);
      if (x != y)
        return x.size() != y.size() ? x.size() < y.size() : x < y;
    } else if (a[i] != b[j])
      return a[i] < b[j];
    else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

// Returns the first number in a text, 0 if there is none within three characters.
int number_in(const std::string& text) {
  const auto at = text.find_first_of("0123456789");
  return at == std::string::npos || at > 3 ? 0 : std::atoi(text.substr(at, 8).c_str());
}

int level_in(const fs::path& path) {
  for (const auto& part : path)
    if (const auto s = part.string();
        s.size() == 6 && s.starts_with("level") && std::isdigit(static_cast<unsigned char>(s[5])) != 0)
      return s[5] - '0';
  return 0;
}

// Returns the file beside a task that it was made from.
std::string module_beside(const fs::path& task) {
  std::error_code ec;
  std::string out;
  for (fs::directory_iterator at{task.parent_path(), ec}, end; !ec && at != end; at.increment(ec))
    if (at->path().extension() == ".py" && (out.empty() || at->path().stem() == task.stem().stem()))
      out = at->path().filename().string();
  return out;
}

json item_json(const suite_item& x) {
  return {{"name", x.name},         {"task", x.task},         {"module", x.module},     {"level", x.level},
          {"problem", x.problem},   {"campaign", x.campaign}, {"settings", x.settings}, {"ended", x.ended},
          {"device_s", x.device_s}, {"tokens", x.tokens},     {"refused", x.refused}};
}

} // namespace

std::string suite_name(const std::string& given, int level) {
  auto path = fs::path{given}.lexically_normal();
  if (path.filename().empty())
    path = path.parent_path();
  auto out = path.filename().string();
  if (out.empty() || out == "." || out == "..")
    out = "tasks";
  return level > 0 ? out + "-level" + std::to_string(level) : out;
}

std::string suite_file(const std::string& data, const std::string& name) {
  return (fs::path{data} / "suites" / (name + ".json")).string();
}

json to_json(const suite_state& s) {
  auto items = json::array();
  for (const auto& x : s.items)
    items.push_back(item_json(x));
  return {{"format", format},
          {"name", s.name},
          {"budget", {{"wall_s", s.budget.wall_s}, {"device_s", s.budget.device_s}, {"tokens", s.budget.tokens}}},
          {"each_s", s.each_s},
          {"wall_s", s.wall_s},
          {"items", std::move(items)}};
}

result<suite_state> parse_suite(const std::string& text, const std::string& file) {
  const auto doc = json::parse(text, nullptr, false);
  std::string key = "format";
  const auto wrong = [&](const std::string& why) {
    return tl::unexpected<failure>(failure{errc::bad_input, file + ": " + key + ": " + why});
  };
  if (!doc.is_object())
    return fail(errc::bad_input, file + " is no JSON object");
  if (doc.value("format", json{}) != format)
    return wrong("this program reads format " + std::to_string(format));
  suite_state out;
  try {
    const auto read = [&key](const json& from, const char* name, auto& to, const std::string& before = "") {
      key = before + name;
      from.at(name).get_to(to);
    };
    read(doc, "name", out.name);
    key = "budget";
    const auto& budget = doc.at("budget");
    read(budget, "wall_s", out.budget.wall_s, "budget.");
    read(budget, "device_s", out.budget.device_s, "budget.");
    read(budget, "tokens", out.budget.tokens, "budget.");
    read(doc, "each_s", out.each_s);
    read(doc, "wall_s", out.wall_s);
    key = "items";
    for (const auto& x : doc.at("items")) {
      const auto at = "items[" + std::to_string(out.items.size()) + "].";
      suite_item item;
      read(x, "name", item.name, at);
      read(x, "task", item.task, at);
      read(x, "module", item.module, at);
      read(x, "level", item.level, at);
      read(x, "problem", item.problem, at);
      read(x, "campaign", item.campaign, at);
      read(x, "settings", item.settings, at);
      read(x, "ended", item.ended, at);
      read(x, "device_s", item.device_s, at);
      read(x, "tokens", item.tokens, at);
      read(x, "refused", item.refused, at);
      out.items.push_back(std::move(item));
    }
  } catch (const json::exception&) {
    return wrong("is missing, or of another kind");
  }
  return out;
}

result<suite_state> load_suite(const std::string& data, const std::string& name) {
  const auto file = suite_file(data, name);
  std::ifstream in{file, std::ios::binary};
  if (!in)
    return fail(errc::not_found, "there is no suite '" + name + "' in " + data + ": kevolve suite run begins one");
  std::stringstream text;
  text << in.rdbuf();
  return parse_suite(text.str(), file);
}

result<void> save_suite(const std::string& data, const suite_state& s) {
  const auto file = suite_file(data, s.name);
  std::error_code ec;
  fs::create_directories(fs::path{file}.parent_path(), ec);
  const auto beside = file + ".new";
  {
    std::ofstream out{beside, std::ios::binary | std::ios::trunc};
    out << to_pretty_text(to_json(s)) << "\n";
    out.close();
    if (!out)
      return fail(errc::io, "'" + beside + "' cannot be written");
  }
  fs::rename(beside, file, ec);
  return ec ? result<void>{fail(errc::io, "'" + file + "' cannot be written: " + ec.message())} : result<void>{};
}

std::vector<suite_item> tasks_below(const std::string& folder, const std::string& but) {
  std::vector<std::string> paths;
  std::error_code ec;
  const auto out_of = fs::weakly_canonical(but, ec);
  for (fs::recursive_directory_iterator at{fs::absolute(folder).lexically_normal(), ec}, end; !ec && at != end;
       at.increment(ec)) {
    if (at->is_directory(ec) && fs::weakly_canonical(at->path(), ec) == out_of)
      at.disable_recursion_pending();
    else if (at->is_regular_file(ec) && at->path().string().ends_with(".task.toml"))
      paths.push_back(at->path().string());
  }
  std::sort(paths.begin(), paths.end(), before);
  std::vector<suite_item> out;
  for (const auto& p : paths) {
    suite_item x;
    const fs::path path{p};
    x.name = path.stem().stem().string();
    x.task = p;
    x.module = module_beside(path);
    x.level = level_in(path);
    x.problem = number_in(x.name);
    if (x.problem == 0)
      x.problem = static_cast<int>(out.size()) + 1;
    out.push_back(std::move(x));
  }
  return out;
}

void merge_tasks(suite_state& s, const std::vector<suite_item>& found) {
  std::vector<suite_item> out;
  for (auto x : found) {
    const auto known = std::find_if(s.items.begin(), s.items.end(), [&](const auto& y) { return y.task == x.task; });
    if (known != s.items.end()) {
      x.campaign = known->campaign;
      x.settings = known->settings;
      x.ended = known->ended;
      x.device_s = known->device_s;
      x.tokens = known->tokens;
    }
    out.push_back(std::move(x));
  }
  for (auto& x : s.items)
    if (!x.campaign.empty() && std::none_of(out.begin(), out.end(), [&](const auto& y) { return y.task == x.task; }))
      out.push_back(std::move(x));
  s.items = std::move(out);
}

suite_remainder remainder_of(const suite_state& s, double device_s, uint64_t tokens) {
  suite_remainder out;
  const auto left = [&out](auto budget, auto spent, const char* what) {
    if (budget > decltype(budget){0} && spent >= budget && out.used_up.empty())
      out.used_up = what;
    return budget > decltype(budget){0} && spent < budget ? budget - spent : decltype(budget){0};
  };
  out.left.wall_s = left(s.budget.wall_s, s.wall_s, "wall time");
  out.left.device_s = left(s.budget.device_s, device_s, "device time");
  out.left.tokens = left(s.budget.tokens, tokens, "tokens");
  return out;
}

std::vector<std::string> settings_of(const suite_item& item, const suite_state& s, const suite_remainder& left) {
  const auto wall = left.left.wall_s > 0.0 ? std::min(s.each_s, left.left.wall_s) : s.each_s;
  std::vector<std::string> out{"task=" + json(item.task).dump(),
                               fmt::format("budget.wall={:.3f}", std::max(least_wall_s, wall))};
  if (left.left.device_s > 0.0)
    out.push_back(fmt::format("budget.device={:.3f}", left.left.device_s));
  if (left.left.tokens > 0)
    out.push_back(fmt::format("budget.tokens={}", left.left.tokens));
  return out;
}

} // namespace kevolve
