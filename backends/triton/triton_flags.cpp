#include "backends/triton/triton_flags.hpp"

namespace kevolve::cuda {

namespace {

struct menu_entry {
  flag_set about;
  std::string options;
};

const std::vector<menu_entry>& menu() {
  static const std::vector<menu_entry> entries{
      {{"default", "as Triton compiles by default", true}, "{}"},
      {{"no-fma", "multiplications and additions keep their own rounding", false}, R"({"enable_fp_fusion":false})"},
      {{"few-registers", "at most 64 registers a thread, for occupancy", false}, R"({"maxnreg":64})"},
  };
  return entries;
}

} // namespace

std::vector<flag_set> triton_flag_menu() {
  std::vector<flag_set> out;
  for (const auto& e : menu())
    out.push_back(e.about);
  return out;
}

std::string triton_options(const std::string& flags) {
  for (const auto& e : menu())
    if (e.about.name == flags)
      return e.options;
  return {};
}

} // namespace kevolve::cuda
