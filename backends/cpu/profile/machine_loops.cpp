#include "backends/cpu/profile/machine_loops.hpp"

#include "backends/cpu/profile/memory_access.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

namespace kevolve {

namespace {

struct statement {
  std::string text;  // the instruction
  uint32_t line = 0; // of the candidate; 0: another file
};

struct text_function {
  std::string name;
  std::vector<statement> code;
  std::map<std::string, size_t> labels; // place of the next instruction
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    text = trimmed(text);
    if (text.empty())
      return out;
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

uint32_t number(std::string_view text) {
  uint32_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::string_view mnemonic(std::string_view instruction) {
  return instruction.substr(0, instruction.find_first_of(" \t"));
}

class reader {
public:
  std::vector<text_function> read(std::string_view text) {
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      // Several statements may stand on a line of inline assembly.
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(functions_);
  }

private:
  void read_line(std::string_view line) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty())
      return;
    if (line.front() == '.' && line.back() != ':')
      return directive(line);
    if (line.back() == ':')
      return label(line.substr(0, line.size() - 1));
    if (!functions_.empty())
      functions_.back().code.push_back({std::string{line}, line_});
  }

  void directive(std::string_view line) {
    const auto w = words(line);
    if (w[0] == ".file" && w.size() > 2) {
      if (line.find("\"candidate.c") != std::string_view::npos)
        own_files_.insert(number(w[1]));
    } else if (w[0] == ".loc" && w.size() > 2)
      line_ = own_files_.contains(number(w[1])) ? number(w[2]) : 0;
  }

  void label(std::string_view name) {
    if (name.starts_with(".L")) {
      if (!functions_.empty())
        functions_.back().labels[std::string{name}] = functions_.back().code.size();
      return;
    }
    functions_.push_back({std::string{name}, {}, {}});
    line_ = 0;
  }

  std::vector<text_function> functions_;
  std::set<uint32_t> own_files_;
  uint32_t line_ = 0;
};

struct span_of_loop {
  size_t begin = 0;
  size_t end = 0; // behind the jump back
};

std::vector<span_of_loop> spans_of(const text_function& f) {
  std::vector<span_of_loop> all;
  for (size_t i = 0; i < f.code.size(); ++i) {
    const auto w = words(f.code[i].text);
    if (w.size() != 2 || w[0].front() != 'j')
      continue;
    const auto to = f.labels.find(std::string{w[1]});
    if (to != f.labels.end() && to->second <= i)
      all.push_back({to->second, i + 1});
  }
  // Jumps back to one label are one loop.
  std::map<size_t, size_t> longest;
  for (const auto& s : all)
    longest[s.begin] = std::max(longest[s.begin], s.end);
  std::vector<span_of_loop> out;
  for (const auto& [begin, end] : longest) {
    const auto inner = longest.upper_bound(begin);
    if (inner == longest.end() || inner->first >= end)
      out.push_back({begin, end});
  }
  return out;
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](auto e) { return text.ends_with(e); });
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](auto p) { return text.find(p) != std::string_view::npos; });
}

} // namespace

instruction_mix mix_of(const std::vector<std::string>& instructions) {
  instruction_mix out;
  for (const auto& text : instructions) {
    const std::string_view all{text};
    const auto op = mnemonic(all);
    ++out.instructions;
    if (const auto access = memory_access_of(all)) {
      out.stores += access->stores ? 1 : 0;
      out.loads += access->loads ? 1 : 0;
      out.stack_accesses += access->on_stack() ? 1 : 0;
      out.access_bytes += access->on_stack() ? 0 : access->bytes * (access->stores && access->loads ? 2 : 1);
    }
    const bool vector = contains_any(all, {"%xmm", "%ymm", "%zmm"});
    const bool moving = op.find("mov") != std::string_view::npos || op.find("broadcast") != std::string_view::npos;
    const bool of_one = ends_with_any(op, {"ss", "sd"}) && !op.starts_with("vbroadcast");
    out.scalar += vector && !moving && of_one ? 1 : 0;
    out.packed += vector && !moving && !of_one ? 1 : 0;
    out.divisions += contains_any(op, {"div", "sqrt"}) ? 1 : 0;
    out.gathers += contains_any(op, {"gather"}) ? 1 : 0;
    out.multiply_adds += contains_any(op, {"fmadd", "fmsub", "fnmadd", "fnmsub"}) ? 1 : 0;
    out.calls += op.starts_with("call") ? 1 : 0;
    out.branches += op.front() == 'j' && op != "jmp" && op != "jmpq" ? 1 : 0;
    out.partial_writes +=
        of_one && contains_any(op, {"cvtsi2s", "sqrt", "round", "rcp", "cvtss2sd", "cvtsd2ss"}) ? 1 : 0;
    const int bytes = contains_any(all, {"%zmm"}) ? 64 : contains_any(all, {"%ymm"}) ? 32 : vector ? 16 : 0;
    out.vector_bytes = std::max(out.vector_bytes, bytes);
  }
  out.blocked_forwards = blocked_forwards(instructions);
  return out;
}

std::vector<std::string> without_partial_writes(const std::vector<std::string>& instructions) {
  std::vector<std::string> out;
  for (const auto& text : instructions) {
    // The register in the middle of "vcvtsi2sd %rax, %xmm1, %xmm2" is the one that is kept.
    const auto last = text.rfind(", ");
    const auto before = last == std::string::npos ? last : text.rfind("%xmm", last);
    if (mix_of({text}).partial_writes > 0 && before != std::string::npos && text.find("sqrt") == std::string::npos) {
      const auto kept = text.substr(before, last - before);
      out.push_back("vxorps " + kept + ", " + kept + ", " + kept);
    }
    out.push_back(text);
  }
  return out;
}

std::vector<machine_loop> innermost_loops(std::string_view assembly) {
  std::vector<machine_loop> out;
  for (const auto& f : reader{}.read(assembly))
    for (const auto& span : spans_of(f)) {
      machine_loop l;
      l.function = f.name;
      for (auto i = span.begin; i < span.end; ++i) {
        l.instructions.push_back(f.code[i].text);
        if (f.code[i].line != 0)
          ++l.lines[f.code[i].line];
      }
      l.mix = mix_of(l.instructions);
      constexpr size_t usual_bytes = 5;
      l.code_bytes = usual_bytes * l.instructions.size();
      out.push_back(std::move(l));
    }
  return out;
}

const machine_loop* loop_at(const std::vector<machine_loop>& loops, uint32_t first, uint32_t last) {
  const machine_loop* best = nullptr;
  std::tuple<bool, int, int> rank{};
  for (const auto& l : loops) {
    int inside = 0;
    int all = 0;
    for (const auto& [line, count] : l.lines) {
      all += count;
      inside += line >= first && line <= last ? count : 0;
    }
    if (inside == 0)
      continue;
    const std::tuple<bool, int, int> mine{2 * inside >= all, l.mix.packed, l.mix.instructions};
    if (best == nullptr || mine > rank) {
      best = &l;
      rank = mine;
    }
  }
  return best;
}

} // namespace kevolve
