#include "backends/generators/transform/frontend/call_end.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/frontend/call_value.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <utility>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

bool ends(const list& body) {
  return !body.empty()
         && (body.back().kind == stmt_kind::return_value
             || (body.back().kind == stmt_kind::branch && ends(body.back().body) && ends(body.back().otherwise)));
}

bool is_loop(const stmt& s) {
  return s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop;
}

bool has_return(const stmt& s) {
  bool found = false;
  walk(list{s}, [&](const stmt& x) { found = found || x.kind == stmt_kind::return_value; });
  return found;
}

// Returns true if a loop inside this one ends the function.
bool ends_within(const list& body) {
  return std::any_of(body.begin(), body.end(), [](const stmt& s) {
    return is_loop(s) ? has_return(s) : ends_within(s.body) || ends_within(s.otherwise);
  });
}

class one_end {
public:
  one_end(program& p, const std::set<std::string>& own, const std::optional<expr>& result)
      : p_(p), own_(own), result_(result) {}

  bool run(list& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (!has_return(body[i]))
        continue;
      auto rest = list(body.begin() + static_cast<ptrdiff_t>(i) + 1, body.end());
      body.resize(i + 1);
      auto& s = body[i];
      if (s.kind == stmt_kind::return_value)
        return put(s, body);
      if (is_loop(s))
        return run_loop(body, std::move(rest));
      if (s.kind != stmt_kind::branch)
        return false;
      auto& yes = s.body.change();
      auto& no = s.otherwise.change();
      if (!rest.empty() && !ends(yes) && !ends(no))
        return false;
      auto& open = ends(yes) ? no : yes;
      open.insert(open.end(), rest.begin(), rest.end());
      return run(yes) && run(no);
    }
    return !result_; // falls off the end
  }

private:
  // The statement that gives back, the last of its list, keeps the value instead.
  bool put(stmt& s, list& body) {
    if (s.has_value != result_.has_value())
      return false;
    if (result_)
      s = make_assign(*result_, "=", converted(s.value, result_->type));
    else
      body.pop_back();
    return true;
  }

  // The last of the body is a loop that may end the function; `rest` came after it.
  bool run_loop(list& body, list rest) {
    auto loop = std::move(body.back());
    body.pop_back();
    const bool endless = literal_value(loop.value).value_or(0) != 0 && !breaks(loop.body);
    if (endless)
      rest.clear();
    drop_last_steps(rest);
    // Where all that comes after is a value that may as well be there before, the loop changes it.
    const bool has_default = result_ && rest.size() == 1 && rest[0].kind == stmt_kind::return_value && rest[0].has_value
                             && is_speculable(rest[0].value) && invariant(rest[0].value, {loop});
    const bool asks = !rest.empty() && !has_default;
    std::optional<expr> left;
    if (asks || ends_within(loop.body)) {
      left = make_name(name_of_its_own(p_, "left"), scalar_type(scalar_kind::i32));
      left->type.text = "int";
      body.push_back(make_declare(left->text, left->type, make_literal(0)));
    }
    if (has_default) {
      body.push_back(std::move(rest[0]));
      if (!put(body.back(), body))
        return false;
    } else if (!endless && rest.empty() && result_) {
      return false; // falls off the end
    }
    auto& inside = loop.body.change();
    if (!leave(inside, left))
      return false;
    body.push_back(std::move(loop));
    if (!asks)
      return true;
    if (!run(rest))
      return false;
    stmt otherwise;
    otherwise.kind = stmt_kind::branch;
    otherwise.value = make_unary("!", *left);
    otherwise.body = std::move(rest);
    body.push_back(std::move(otherwise));
    return true;
  }

  // The function's own variables end with it: what the last statement does not mention need not be stepped before it.
  void drop_last_steps(list& rest) const {
    while (rest.size() > 1 && rest.back().kind == stmt_kind::return_value) {
      const auto& step = rest[rest.size() - 2];
      if (step.kind != stmt_kind::assign || step.target.kind != expr_kind::name || own_.count(step.target.text) == 0
          || !is_speculable(step.value) || mentions(rest.back(), step.target.text))
        return;
      rest.erase(rest.end() - 2);
    }
  }

  // Leaves the loop that this is the body of, and those around it, where it gave back.
  bool leave(list& body, const std::optional<expr>& left) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (!has_return(body[i]))
        continue;
      if (body[i].kind == stmt_kind::return_value) {
        body.resize(i + 1); // nothing after it is ever reached
        if (!put(body[i], body))
          return false;
        if (left)
          body.push_back(make_assign(*left, "=", make_literal(1)));
        body.emplace_back().kind = stmt_kind::break_out;
        return true;
      }
      if (!leave(body[i].body.change(), left) || !leave(body[i].otherwise.change(), left))
        return false;
      if (is_loop(body[i])) {
        stmt on;
        on.kind = stmt_kind::branch;
        on.value = *left;
        on.body.change().emplace_back().kind = stmt_kind::break_out;
        body.insert(body.begin() + static_cast<ptrdiff_t>(i) + 1, std::move(on));
      }
    }
    return true;
  }

  program& p_;
  const std::set<std::string>& own_;
  const std::optional<expr>& result_;
};

} // namespace

bool to_one_end(program& p, list& body, const list& parameters, const std::optional<expr>& result) {
  auto own = declared(body);
  for (const auto& s : parameters)
    own.insert(s.name);
  return one_end{p, own, result}.run(body);
}

} // namespace kevolve::transform
