#include "backends/judge/compared_numbers.hpp"

#include "backends/judge/object_sections.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace kevolve {

namespace {

constexpr size_t most_numbers = 48;
constexpr int64_t least = 66; // a smaller one mostly has one byte, and is drawn as a size in any case
constexpr int64_t largest = int64_t{1} << 24;

uint8_t byte_at(std::string_view code, size_t at) {
  return at < code.size() ? static_cast<uint8_t>(code[at]) : uint8_t{0};
}

std::optional<int64_t> number_at(std::string_view code, size_t at) {
  int32_t out = 0;
  if (at + sizeof(out) > code.size())
    return std::nullopt;
  std::memcpy(&out, code.data() + at, sizeof(out));
  return out;
}

// Returns the bytes of an operand from its ModRM byte on.
size_t operand_bytes(std::string_view code, size_t at) {
  const auto modrm = byte_at(code, at);
  const auto mode = modrm >> 6U;
  const auto base = modrm & 7U;
  constexpr unsigned has_index = 4;
  constexpr unsigned without_base = 5;
  if (mode == 3)
    return 1;
  const bool index = base == has_index;
  const bool wide = mode == 2 || (mode == 0 && (index ? byte_at(code, at + 1) & 7U : base) == without_base);
  return 1 + (index ? 1U : 0U) + (wide ? 4U : mode == 1 ? 1U : 0U);
}

// Returns the number of four bytes of an instruction that compares with it, or adds, subtracts or flips it: x == 1237
// may be compiled to x - 1237 == 0.
std::optional<int64_t> number_of(std::string_view code, size_t at) {
  constexpr uint8_t compare_first = 0x3d; // with the accumulator
  constexpr uint8_t with_number = 0x81;   // the operation is in the ModRM byte
  // Behind these the same byte names an operand, whose distance follows: of moves and addresses, and of comparisons
  // with a small number.
  constexpr std::array<uint8_t, 4> operations{0x80, 0x83, 0x8b, 0x8d};
  const auto before = at == 0 ? uint8_t{0} : byte_at(code, at - 1);
  const auto opcode = byte_at(code, at);
  if (opcode == compare_first && std::find(operations.begin(), operations.end(), before) == operations.end())
    return number_at(code, at + 1);
  if (opcode != with_number)
    return std::nullopt;
  constexpr unsigned add = 0;
  constexpr unsigned subtract = 5;
  constexpr unsigned flip = 6;
  constexpr unsigned compare = 7;
  const auto operation = byte_at(code, at + 1) >> 3U & 7U;
  if (operation != compare && operation != add && operation != subtract && operation != flip)
    return std::nullopt;
  return number_at(code, at + 1 + operand_bytes(code, at + 1));
}

} // namespace

void add_compared_numbers(std::string_view code, std::vector<double>& numbers) {
  for (size_t at = 0; at < code.size() && numbers.size() < most_numbers; ++at)
    if (const auto number = number_of(code, at)) {
      const auto size = std::abs(*number);
      const auto value = static_cast<double>(size);
      if (size >= least && size <= largest && std::find(numbers.begin(), numbers.end(), value) == numbers.end())
        numbers.push_back(value);
    }
}

std::vector<double> compared_numbers(std::string_view object) {
  Elf64_Ehdr head = {};
  if (object.size() < sizeof(head))
    return {};
  std::memcpy(&head, object.data(), sizeof(head));
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_machine != EM_X86_64)
    return {};
  std::vector<double> out;
  for (const auto code : code_of(object))
    add_compared_numbers(code, out);
  return out;
}

} // namespace kevolve
