// A target that compiles and judges nothing.
#pragma once

#include "backends/target.hpp"

namespace kevolve {

class paper_target : public target {
public:
  std::string name() const override { return "paper"; }
  trust_tier trust() const override { return trust_tier::native; }
  std::vector<std::string> languages() const override { return {std::string(1, 'c')}; }
  candidate_form form(const contract& task) const override { return c_form(task); }
  std::string lint_candidate(const contract&, const std::string& source) const override {
    return source == "gibberish" ? "paper:1:1: error: gibberish" : "";
  }
  std::vector<flag_set> flag_menu() const override { return {{"base", "", true}, {"more", "", false}}; }
  std::vector<device_description> devices() const override { return {{"paper:0", {}}}; }
  helper_command compile_server() const override { return {}; }
  helper_command judge(const device_description&) const override { return {}; }
  std::string toolchain_fingerprint(const std::vector<std::string>&) const override { return "toolchain"; }
  std::string device_fingerprint(const device_description&) const override { return "device"; }
  std::string harness_fingerprint() const override { return "harness"; }
  std::map<std::string, int64_t> hardware() const override { return {{"vector_bits", 256}}; }
  std::vector<std::pair<std::string, std::string>> about() const override { return {}; }
  std::string build_script(const kernel_build&) const override { return {}; }
  std::vector<doctor_row> doctor() const override { return {}; }
};

} // namespace kevolve
