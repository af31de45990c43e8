// The line programs of DWARF, version 2 to 4 (dwarfstd.org, version 4, section 6.2).
#include "backends/judge/object_sections.hpp"

#include <array>
#include <cstring>

namespace kevolve {

namespace {

constexpr uint64_t most_steps = 10'000'000;

// Reads values one after the other. After the end everything is zero, and ended() is true.
class byte_reader {
public:
  explicit byte_reader(std::string_view bytes) : rest_(bytes) {}

  bool ended() const { return failed_ || rest_.empty(); }
  bool failed() const { return failed_; }
  std::string_view rest() const { return rest_; }

  template <class T>
  T number() {
    T out = 0;
    if (const auto bytes = take(sizeof(T)); bytes.size() == sizeof(T))
      std::memcpy(&out, bytes.data(), sizeof(T));
    return out;
  }
  uint64_t unsigned_leb() {
    uint64_t out = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = number<uint8_t>();
      if (shift < 64)
        out |= static_cast<uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0)
        return out;
    }
  }
  int64_t signed_leb() {
    uint64_t out = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
      byte = number<uint8_t>();
      if (shift < 64)
        out |= static_cast<uint64_t>(byte & 0x7fU) << shift;
      shift += 7;
    } while ((byte & 0x80U) != 0);
    if (shift < 64 && (byte & 0x40U) != 0)
      out |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(out);
  }
  std::string_view text() {
    const auto end = rest_.find('\0');
    if (end == std::string_view::npos) {
      failed_ = true;
      return {};
    }
    const auto out = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return out;
  }
  std::string_view take(uint64_t bytes) {
    if (bytes > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const auto out = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return out;
  }

private:
  std::string_view rest_;
  bool failed_ = false;
};

struct line_program {
  uint8_t instruction_bytes = 1;
  int8_t line_base = 0;
  uint8_t line_range = 1;
  uint8_t opcode_base = 1;
  std::array<uint8_t, 256> operands{};
  std::vector<std::string_view> files; // from 1 on
  std::string_view code;
};

// Reads the header of a unit, whose length has been read.
std::optional<line_program> read_header(std::string_view unit) {
  byte_reader in{unit};
  line_program out;
  const auto version = in.number<uint16_t>();
  if (version < 2 || version > 4)
    return std::nullopt;
  byte_reader header{in.take(in.number<uint32_t>())};
  if (in.failed())
    return std::nullopt;
  out.code = in.rest();
  out.instruction_bytes = header.number<uint8_t>();
  if (version >= 4)
    header.number<uint8_t>(); // operations of one instruction; more than one on no machine of ours
  header.number<uint8_t>();   // the first value of is_stmt
  out.line_base = header.number<int8_t>();
  out.line_range = header.number<uint8_t>();
  out.opcode_base = header.number<uint8_t>();
  for (unsigned i = 1; i < out.opcode_base; ++i)
    out.operands.at(i) = header.number<uint8_t>();
  while (!header.ended() && !header.text().empty()) {
  }
  while (!header.ended()) {
    const auto name = header.text();
    if (name.empty())
      break;
    header.unsigned_leb(); // folder, time, length
    header.unsigned_leb();
    header.unsigned_leb();
    out.files.push_back(name);
  }
  if (header.failed() || out.line_range == 0 || out.opcode_base == 0)
    return std::nullopt;
  return out;
}

// A row of the line table: the place of the instructions from its address up to the next row's.
struct line_row {
  uint64_t address = 0;
  uint64_t file = 1;
  uint64_t line = 1;
  bool valid = false; // there is such a row in this sequence
};

// Runs a line program up to the row that holds the address.
class line_machine {
public:
  line_machine(const line_program& program, uint64_t wanted) : program_(program), wanted_(wanted) {}

  std::optional<line_row> find() {
    byte_reader in{program_.code};
    for (uint64_t steps = 0; !in.ended() && steps < most_steps; ++steps)
      if (step(in))
        return before_;
    return std::nullopt;
  }

private:
  void advance(uint64_t instructions) { now_.address += instructions * program_.instruction_bytes; }

  // Ends a row. Returns true if the one before it holds the address.
  bool end_row() {
    if (before_.valid && before_.address <= wanted_ && wanted_ < now_.address)
      return true;
    before_ = now_;
    before_.valid = true;
    return false;
  }

  bool extended(byte_reader& in) {
    byte_reader body{in.take(in.unsigned_leb())};
    switch (body.number<uint8_t>()) {
      case 1: { // end of the sequence
        const bool found = end_row();
        if (!found) {
          now_ = {};
          before_ = {};
        }
        return found;
      }
      case 2:
        now_.address = body.number<uint64_t>();
        return false;
      default:
        return false;
    }
  }

  bool step(byte_reader& in) {
    const auto opcode = in.number<uint8_t>();
    if (opcode >= program_.opcode_base) {
      const unsigned adjusted = opcode - program_.opcode_base;
      advance(adjusted / program_.line_range);
      now_.line += static_cast<uint64_t>(program_.line_base + static_cast<int64_t>(adjusted % program_.line_range));
      return end_row();
    }
    switch (opcode) {
      case 0:
        return extended(in);
      case 1:
        return end_row();
      case 2:
        advance(in.unsigned_leb());
        break;
      case 3:
        now_.line += static_cast<uint64_t>(in.signed_leb());
        break;
      case 4:
        now_.file = in.unsigned_leb();
        break;
      case 8:
        advance((255U - program_.opcode_base) / program_.line_range);
        break;
      case 9:
        now_.address += in.number<uint16_t>();
        break;
      default:
        for (unsigned i = 0; i < program_.operands.at(opcode); ++i)
          in.unsigned_leb();
    }
    return false;
  }

  const line_program& program_;
  uint64_t wanted_;
  line_row now_;
  line_row before_;
};

} // namespace

std::optional<source_place> place_in_source(std::string_view object, uint64_t address) {
  byte_reader units{section_of(object, ".debug_line")};
  while (!units.ended()) {
    const auto program = read_header(units.take(units.number<uint32_t>()));
    if (!program)
      continue;
    const auto row = line_machine{*program, address}.find();
    if (!row || row->file == 0 || row->file > program->files.size())
      continue;
    return source_place{std::string{program->files[row->file - 1]}, static_cast<uint32_t>(row->line)};
  }
  return std::nullopt;
}

} // namespace kevolve
