#include "backends/generators/transform/analysis/signature.hpp"

#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/frontend/ast.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace kevolve::transform {

namespace {

// Returns the polynomial as an expression of a task; nothing if a name occurs squared or is no size.
std::optional<std::string> text_of(const polynomial& p, const std::set<std::string>& sizes) {
  if (const auto number = p.constant())
    return std::to_string(*number);
  const auto name = p.names().front();
  const auto parts = sizes.contains(name) ? p.linear_in(name) : std::nullopt;
  if (!parts)
    return std::nullopt;
  const auto factor = text_of(parts->first, sizes);
  const auto rest = text_of(parts->second, sizes);
  if (!factor || !rest)
    return std::nullopt;
  auto product = *factor == "1" ? name : parts->first.constant() ? *factor + "*" + name : "(" + *factor + ")*" + name;
  if (*rest == "0")
    return product;
  return rest->front() == '-' ? product + " - " + rest->substr(1) : product + " + " + *rest;
}

struct loop_bound {
  std::string name;
  polynomial to; // exclusive, without indices of loops around it
};

struct access {
  std::vector<polynomial> extents; // outermost first
};

class reader {
public:
  explicit reader(const program& p) : p_(p) {
    for (const auto& x : p.parameters)
      if (x.type.depth == 1)
        arrays_.insert(x.name);
      else if (x.type.depth == 0 && is_integer(x.type.base))
        integers_.insert(x.name);
  }

  std::vector<inferred_parameter> run() {
    visit(p_.body);
    std::vector<inferred_parameter> out;
    for (const auto& x : p_.parameters)
      out.push_back(one(x));
    return out;
  }

private:
  static bool is_integer(scalar_kind k) {
    return k != scalar_kind::none && k != scalar_kind::f16 && k != scalar_kind::f32 && k != scalar_kind::f64;
  }

  inferred_parameter one(const parameter& x) const {
    inferred_parameter out;
    out.name = x.name;
    out.element = x.type.base;
    if (!arrays_.contains(x.name)) {
      out.use = sizes_.contains(x.name) ? parameter_use::size : parameter_use::scalar;
      return out;
    }
    const auto first = first_.find(x.name);
    const bool written = written_.contains(x.name);
    out.use = !written                                        ? parameter_use::input
              : first != first_.end() && first->second == 'r' ? parameter_use::inout
                                                              : parameter_use::output;
    put_shape(out);
    return out;
  }

  void put_shape(inferred_parameter& out) const {
    if (const auto why = no_shape_.find(out.name); why != no_shape_.end()) {
      out.why_no_shape = why->second;
      return;
    }
    const auto found = accesses_.find(out.name);
    if (found == accesses_.end()) {
      out.why_no_shape = "it is never read or written by a subscript";
      return;
    }
    // The access with most dimensions tells the shape; of several such, the one that reaches farthest.
    const access* best = nullptr;
    for (const auto& a : found->second)
      if (best == nullptr || a.extents.size() > best->extents.size() || reaches_farther(a, *best))
        best = &a;
    for (const auto& extent : best->extents) {
      auto text = text_of(extent, sizes_);
      if (!text) {
        out.shape.clear();
        out.why_no_shape = "its extent is no product of sizes";
        return;
      }
      out.shape.push_back(std::move(*text));
    }
  }

  static bool reaches_farther(const access& a, const access& b) {
    if (a.extents.size() != b.extents.size())
      return false;
    const auto more = (a.extents.front() - b.extents.front()).constant();
    return more && *more > 0;
  }

  void visit(const std::vector<stmt>& body) {
    for (const auto& s : body)
      visit(s);
  }

  void visit(const stmt& s) {
    switch (s.kind) {
      case stmt_kind::assign:
        note_reads(s.value);
        if (s.target.kind == expr_kind::subscript && s.target.args.size() == 2) {
          note_reads(s.target.args[1]);
          note_access(s.target, s.op == "=" ? 'w' : 'r');
          written_.insert(bare(s.target.args[0]).text);
        } else if (s.target.kind == expr_kind::name)
          values_.erase(s.target.text);
        return;
      case stmt_kind::declare:
        if (s.has_value) {
          note_reads(s.value);
          if (auto value = resolved(s.value); value && s.type.depth == 0 && is_integer(s.type.base))
            values_[s.name] = *value;
        }
        return;
      case stmt_kind::loop: {
        note_reads(s.from);
        note_reads(s.to);
        auto to = resolved(s.to);
        if (to)
          note_sizes(*to);
        loops_.push_back({s.name, to ? outermost(*to) : polynomial{s.name + "_end"}});
        visit(s.body);
        loops_.pop_back();
        return;
      }
      case stmt_kind::opaque:
        for (const auto& name : s.names)
          if (arrays_.contains(name))
            no_shape_[name] = "it is used in code that is left as it is";
        for (const auto& name : s.changes)
          written_.insert(name);
        return;
      default:
        if (s.has_value || s.kind == stmt_kind::evaluate || s.kind == stmt_kind::branch
            || s.kind == stmt_kind::while_loop)
          note_reads(s.value);
        visit(s.body);
        visit(s.otherwise);
    }
  }

  // Puts the values of named indices in; nothing if it is no polynomial.
  std::optional<polynomial> resolved(const expr& e) const {
    auto out = to_polynomial(e);
    for (int depth = 0; out && depth < 16; ++depth) {
      bool changed = false;
      for (const auto& name : out->names())
        if (const auto value = values_.find(name); value != values_.end())
          if (const auto parts = out->linear_in(name)) {
            out = parts->first * value->second + parts->second;
            changed = true;
          }
      if (!changed)
        break;
    }
    return out;
  }

  // Puts the last value of every loop's index in.
  polynomial outermost(polynomial p) const {
    for (auto l = loops_.rbegin(); l != loops_.rend(); ++l)
      if (const auto parts = p.linear_in(l->name))
        p = parts->first * (l->to - polynomial{1}) + parts->second;
    return p;
  }

  void note_sizes(const polynomial& p) {
    for (const auto& name : p.names())
      if (integers_.contains(name))
        sizes_.insert(name);
  }

  void note_reads(const expr& e) {
    walk(e, [this](const expr& x) {
      if (x.kind == expr_kind::subscript && x.args.size() == 2)
        note_access(x, 'r');
      else if (x.kind == expr_kind::opaque)
        for (const auto& name : x.names)
          if (arrays_.contains(name))
            no_shape_[name] = "it is used in code that is left as it is";
    });
  }

  void note_access(const expr& x, char how) {
    const auto name = bare(x.args[0]).text;
    if (!arrays_.contains(name))
      return;
    first_.emplace(name, how);
    const auto index = resolved(x.args[1]);
    if (!index)
      return note_missing(name, "a subscript is no sum of products");
    note_sizes(*index);
    if (auto shape = shape_of(*index))
      accesses_[name].push_back({std::move(*shape)});
    else
      note_missing(name, "the strides of its subscripts do not nest");
  }

  void note_missing(const std::string& name, const std::string& why) {
    if (!accesses_.contains(name))
      no_shape_.emplace(name, why);
  }

  std::optional<std::vector<polynomial>> shape_of(const polynomial& index) const {
    struct group {
      polynomial stride;
      polynomial extent;
    };
    std::vector<group> groups;
    auto rest = index;
    for (const auto& l : loops_) {
      const auto parts = rest.linear_in(l.name);
      if (!parts)
        return std::nullopt;
      if (parts->first.is_zero())
        continue;
      rest = parts->second;
      const auto same =
          std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.stride == parts->first; });
      if (same == groups.end())
        groups.push_back({parts->first, l.to});
      else // x[i + k]: together they reach farther
        same->extent = same->extent + l.to - polynomial{1};
    }
    if (groups.empty())
      return std::vector{rest + polynomial{1}};
    // From the innermost stride outwards, each is the one before it times an extent.
    std::vector<polynomial> inner_first;
    auto stride = polynomial{1};
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.stride == stride; });
    std::vector<polynomial> candidates;
    for (const auto& g : groups)
      candidates.push_back(g.extent);
    for (const auto& name : integers_)
      candidates.emplace_back(name);
    for (const auto& l : loops_)
      candidates.push_back(l.to);
    std::optional<polynomial> outer_extent;
    size_t used = 0;
    if (at != groups.end()) {
      outer_extent = at->extent;
      ++used;
    }
    while (used < groups.size()) {
      bool found = false;
      for (const auto& g : groups) {
        for (const auto& c : candidates)
          if (!found && !(g.stride == stride) && g.stride == stride * c) {
            inner_first.push_back(c);
            stride = g.stride;
            outer_extent = g.extent;
            found = true;
          }
        if (!found && g.stride.constant() && stride.constant() && *g.stride.constant() > *stride.constant()
            && *g.stride.constant() % *stride.constant() == 0) {
          inner_first.emplace_back(*g.stride.constant() / *stride.constant());
          stride = g.stride;
          outer_extent = g.extent;
          found = true;
        }
      }
      if (!found)
        return std::nullopt;
      ++used;
    }
    if (inner_first.empty() && rest.constant())
      outer_extent = *outer_extent + rest;
    inner_first.push_back(*outer_extent);
    std::reverse(inner_first.begin(), inner_first.end());
    return inner_first;
  }

  const program& p_;
  std::set<std::string> arrays_;
  std::set<std::string> integers_;
  std::set<std::string> sizes_;
  std::set<std::string> written_;
  std::map<std::string, char> first_; // 'r' or 'w'
  std::map<std::string, std::string> no_shape_;
  std::map<std::string, std::vector<access>> accesses_;
  std::map<std::string, polynomial> values_; // of named indices
  std::vector<loop_bound> loops_;
};

} // namespace

std::vector<inferred_parameter> infer_parameters(program p) {
  return reader{p}.run();
}

} // namespace kevolve::transform
