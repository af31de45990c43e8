#include "backends/cpu/profile/memory_access.hpp"

#include <algorithm>
#include <charconv>

namespace kevolve {

namespace {

std::string_view operands_of(std::string_view instruction) {
  const auto space = instruction.find_first_of(" \t");
  return space == std::string_view::npos ? std::string_view{} : instruction.substr(space + 1);
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Returns the operand's width: by the mnemonic's suffix, else by the widest register.
int width_of(std::string_view op, std::string_view operands) {
  const bool vector = has(operands, "%xmm") || has(operands, "%ymm") || has(operands, "%zmm");
  if (vector && (op.ends_with("ss") || op == "vmovd" || op == "movd" || has(op, "insertps") || has(op, "broadcastss")))
    return 4;
  if (vector
      && (op.ends_with("sd") || op == "vmovq" || op == "movq" || op.ends_with("lps") || op.ends_with("hps")
          || has(op, "broadcastsd")))
    return 8;
  if (has(operands, "%zmm"))
    return 64;
  if (has(operands, "%ymm"))
    return 32;
  if (vector)
    return 16;
  if (op.starts_with("movzb") || op.starts_with("movsb"))
    return 1;
  if (op.starts_with("movzw") || op.starts_with("movsw"))
    return 2;
  if (op.starts_with("movsl"))
    return 4;
  switch (op.empty() ? ' ' : op.back()) {
    case 'b':
      return 1;
    case 'w':
      return 2;
    case 'l':
      return 4;
    default:
      return 8;
  }
}

} // namespace

bool memory_access::on_stack() const {
  return base.starts_with("(%rsp") || base.starts_with("(%rbp");
}

std::optional<memory_access> memory_access_of(std::string_view instruction) {
  const auto op = instruction.substr(0, instruction.find_first_of(" \t"));
  const auto operands = operands_of(instruction);
  const auto open = operands.find('(');
  if (open == std::string_view::npos || op.starts_with("lea") || op.starts_with("prefetch") || op.starts_with("nop")
      || op.starts_with("j") || op.starts_with("call"))
    return std::nullopt;
  const auto close = operands.find(')', open);
  if (close == std::string_view::npos)
    return std::nullopt;
  memory_access out;
  out.base = std::string{operands.substr(open, close - open + 1)};
  auto begin = open;
  while (begin > 0 && operands[begin - 1] != ',' && operands[begin - 1] != ' ' && operands[begin - 1] != '\t')
    --begin;
  std::from_chars(operands.data() + begin, operands.data() + open, out.offset);
  out.bytes = width_of(op, operands);
  const bool last = close + 1 == operands.size();
  const bool compares = op.starts_with("cmp") || op.starts_with("test") || has(op, "ucomis") || has(op, "comis")
                        || op.starts_with("mul") || op.starts_with("imul") || op.starts_with("div")
                        || op.starts_with("idiv") || op.starts_with("bt");
  const bool moves = has(op, "mov") || has(op, "extract") || op.starts_with("set");
  out.stores = last && !compares;
  out.loads = !out.stores || !moves;
  return out;
}

int blocked_forwards(const std::vector<std::string>& instructions) {
  std::vector<memory_access> stores;
  int out = 0;
  for (const auto& text : instructions) {
    const auto access = memory_access_of(text);
    if (!access)
      continue;
    if (access->loads) {
      // The store buffer hands on bytes that one store wrote whole.
      const auto end = access->offset + access->bytes;
      const auto found = std::find_if(stores.rbegin(), stores.rend(), [&](const auto& s) {
        return s.base == access->base && s.offset < end && access->offset < s.offset + s.bytes;
      });
      if (found != stores.rend() && (found->offset > access->offset || found->offset + found->bytes < end))
        ++out;
    }
    if (access->stores)
      stores.push_back(*access);
  }
  return out;
}

} // namespace kevolve
