#include "tools/bench/landscape/landscape.hpp"

#include "backends/generators/transform/transform.hpp"

#include <nlohmann/json.hpp>

#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace kevolve::bench {

namespace {

using json = nlohmann::ordered_json;

constexpr int format = 1;
constexpr int compression = 19;
constexpr unsigned long long most_bytes = 256ULL << 20U;

// Keeps four significant digits: a pair's noise is far above that.
int64_t rounded(double ns) {
  if (ns < 10'000.0)
    return std::llround(ns);
  const auto unit = std::pow(10.0, std::floor(std::log10(ns)) - 3.0);
  return std::llround(ns / unit) * std::llround(unit);
}

json json_of(const std::vector<shape_pairs>& pairs) {
  auto out = json::array();
  for (const auto& p : pairs)
    for (const auto* times : {&p.baseline_ns, &p.candidate_ns}) {
      auto row = json::array();
      for (const auto t : *times)
        row.push_back(rounded(t));
      out.push_back(std::move(row));
    }
  return out;
}

std::vector<shape_pairs> pairs_of(const json& from) {
  std::vector<shape_pairs> out(from.size() / 2);
  for (size_t i = 0; i < out.size(); ++i) {
    from.at(2 * i).get_to(out[i].baseline_ns);
    from.at(2 * i + 1).get_to(out[i].candidate_ns);
    if (out[i].baseline_ns.size() != out[i].candidate_ns.size())
      throw std::invalid_argument("times that are no pairs");
  }
  return out;
}

void take_header(landscape& to, const json& line) {
  if (line.at("landscape") != format)
    throw std::invalid_argument("another format of landscapes");
  line.at("task").get_to(to.task);
  line.at("generator").get_to(to.generator);
  line.at("plans").get_to(to.plans);
  line.at("seed").get_to(to.seed);
  line.at("machine").get_to(to.machine);
  line.at("date").get_to(to.date);
  line.at("shapes").get_to(to.shapes);
  line.at("weights").get_to(to.weights);
  to.nodes.emplace_back().kind = step_kind::reference;
  to.nodes.front().result = verdict::pass;
}

landscape_node node_of(const json& line, size_t index) {
  landscape_node out;
  const auto kind = parse_enum<step_kind>(line.at("kind").get<std::string>());
  if (!kind)
    throw std::invalid_argument("an unknown kind of step");
  out.kind = *kind;
  line.at("parents").get_to(out.parents);
  line.at("genome").get_to(out.genome);
  line.at("flags").get_to(out.flags);
  out.result = parse_verdict(line.at("verdict").get<std::string>());
  out.same_as = line.value("same_as", 0U);
  out.pairs = pairs_of(line.at("ns"));
  line.at("compile_s").get_to(out.compile_s);
  line.at("judge_s").get_to(out.judge_s);
  line.at("features").get_to(out.features);
  if (out.same_as >= index || std::any_of(out.parents.begin(), out.parents.end(), [&](auto p) { return p >= index; }))
    throw std::invalid_argument("a node that comes later");
  return out;
}

void take(landscape& to, const json& line) {
  if (to.nodes.empty())
    return take_header(to, line);
  if (const auto again = line.find("again"); again != line.end())
    to.nodes.at(again->get<size_t>()).again = pairs_of(line.at("ns"));
  else
    to.nodes.push_back(node_of(line, to.nodes.size()));
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  const auto middle = of.size() / 2;
  return of.size() % 2 == 1 ? of[middle] : (of[middle - 1] + of[middle]) / 2.0;
}

result<std::string> unpacked(const std::string& bytes, const std::string& path) {
  const auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > most_bytes)
    return fail(errc::corrupt, path + " is no compressed landscape");
  std::string out(size, '\0');
  const auto got = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0 || got != out.size())
    return fail(errc::corrupt, path + " does not decompress");
  return out;
}

} // namespace

std::string present_generator() {
  return std::string{"transform "} + std::to_string(transform_version);
}

std::string header_line(const landscape& from) {
  return json{{"landscape", format}, {"task", from.task},     {"generator", from.generator},
              {"plans", from.plans}, {"seed", from.seed},     {"machine", from.machine},
              {"date", from.date},   {"shapes", from.shapes}, {"weights", from.weights}}
             .dump()
         + "\n";
}

std::string node_line(const landscape_node& n) {
  json out{{"kind", to_string(n.kind)},
           {"parents", n.parents},
           {"genome", n.genome},
           {"flags", n.flags},
           {"verdict", to_string(n.result)}};
  if (n.same_as != 0)
    out["same_as"] = n.same_as;
  out["ns"] = json_of(n.pairs);
  out["compile_s"] = std::round(n.compile_s * 1e3) / 1e3;
  out["judge_s"] = std::round(n.judge_s * 1e3) / 1e3;
  out["features"] = n.features;
  return out.dump() + "\n";
}

std::string again_line(uint32_t node, const landscape_node& from) {
  return json{{"again", node}, {"ns", json_of(from.again)}}.dump() + "\n";
}

result<landscape> parse_landscape(std::string_view text, const std::string& name) {
  landscape out;
  for (size_t at = 0, number = 1; at < text.size(); ++number) {
    const auto end = text.find('\n', at);
    if (end == std::string_view::npos)
      break; // cut off
    try {
      take(out, json::parse(text.substr(at, end - at)));
    } catch (const std::exception& e) {
      return fail(errc::corrupt, name + ", line " + std::to_string(number) + ": " + e.what());
    }
    at = end + 1;
  }
  if (out.nodes.empty())
    return fail(errc::corrupt, name + " has no header");
  return out;
}

std::string to_text(const landscape& from) {
  auto out = header_line(from);
  for (size_t i = 1; i < from.nodes.size(); ++i)
    out += node_line(from.nodes[i]);
  for (size_t i = 1; i < from.nodes.size(); ++i)
    if (!from.nodes[i].again.empty())
      out += again_line(static_cast<uint32_t>(i), from.nodes[i]);
  return out;
}

result<landscape> read_landscape(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (!in)
    return fail(errc::not_found, path + " cannot be read");
  if (bytes.str().starts_with("{"))
    return parse_landscape(bytes.str(), path);
  const auto text = unpacked(bytes.str(), path);
  return text ? parse_landscape(*text, path) : tl::unexpected(text.error());
}

result<void> write_landscape(const landscape& from, const std::string& path) {
  const auto text = to_text(from);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), compression));
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  out << packed;
  if (!out.flush())
    return fail(errc::io, path + " cannot be written");
  return {};
}

result<void> check_generator(const landscape& from, const std::string& name) {
  if (from.generator == present_generator())
    return {};
  return fail(errc::unsupported, name + " was recorded with the generator '" + from.generator
                                     + "', and this build has '" + present_generator()
                                     + "': record it again, or use the build that it is from");
}

double speedup_of(const std::vector<shape_pairs>& pairs, const std::vector<double>& weights) {
  auto sum = 0.0;
  auto total = 0.0;
  for (size_t i = 0; i < pairs.size() && i < weights.size(); ++i) {
    std::vector<double> ratios;
    for (size_t k = 0; k < pairs[i].baseline_ns.size(); ++k)
      ratios.push_back(std::log(pairs[i].baseline_ns[k] / pairs[i].candidate_ns[k]));
    if (ratios.empty())
      return 0.0;
    sum += weights[i] * median(std::move(ratios));
    total += weights[i];
  }
  return total > 0.0 ? std::exp(sum / total) : 0.0;
}

double true_speedup(const landscape& of, uint32_t node) {
  const auto& n = of.nodes[node];
  if (node == 0)
    return 1.0;
  if (n.result != verdict::pass)
    return 0.0;
  if (n.same_as != 0)
    return true_speedup(of, n.same_as);
  return speedup_of(n.again.empty() ? n.pairs : n.again, of.weights);
}

} // namespace kevolve::bench
