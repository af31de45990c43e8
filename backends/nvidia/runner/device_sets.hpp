// Input sets that are drawn, and whose expected outputs are computed, on the device. The examiner draws; the
// reference's process reads the inputs from the pool and leaves its outputs there; the examiner takes them. No process
// of a candidate maps either.
#pragma once

#include "backends/judge/set_source.hpp"
#include "backends/nvidia/runner/draw_orders.hpp"
#include "backends/nvidia/runner/gpu_judge_context.hpp"

#include <memory>

namespace kevolve::cuda {

inline constexpr uint64_t pool_alignment = 256; // of an array in the pool

class device_sets final : public set_source {
public:
  explicit device_sets(gpu_judge_context& b);

  bool serves(const judge_request& request, const shape_case& shape, edge_kind edge) override;
  attempt<input_set> make(const judge_request& request, const request_hooks& hooks, const shape_case& shape,
                          const draw_options& options, bool with_reference, std::vector<double>* error,
                          double* reference_ns) override;
  attempt<input_set> fetch(const input_set& set) override { return judge_.examiner.fetch(set); }
  void forget(const input_set& set) override { judge_.examiner.forget(set.number); }
  attempt<std::vector<bool>> repeat(const input_set& set) override;
  attempt<double> time_reference(const input_set& set) override;
  attempt<bool> same_expected(const input_set& a, const input_set& b) override;
  attempt<bool> reference_within(const input_set& set, const std::vector<comparison_rule>& rules) override;
  size_t shape_bytes() const override;

private:
  attempt<void> fill(const input_set& set);
  // The outputs of a run: kept in the set as expected or as the reference's, or compared with the reference's.
  enum class outputs : uint8_t { expected, reference, again };
  // Runs the reference or the oracle on the set's inputs. `differs` receives, by argument, whether the bits are others.
  attempt<double> run(const input_set& set, bool oracle, outputs to, std::vector<bool>* differs = nullptr,
                      framework_mode mode = framework_mode::plain);
  attempt<void> examine(const input_set& set, bool alike, bool compare, remote_arrays& found,
                        std::vector<double>* error);
  attempt<bool> ready();
  draw_secrets secrets_of(const judge_request& request) const;
  std::shared_ptr<const judge_request> parts_of(const judge_request& request);

  gpu_judge_context& judge_;
  std::string secret_;
  std::shared_ptr<const judge_request> last_; // task and programs of the sets made last
};

} // namespace kevolve::cuda
