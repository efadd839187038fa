// SPDX-License-Identifier: Apache-2.0
// Configurations of a private training run, written as numbers with a blank between them, in the
// order in which `read_config` takes them; "-" is no value.

#include <cmath>
#include <sstream>

#include "equinoise/train/registry.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

/// The words of a text, and zeros after the last one.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : stream_(std::string(text)) {}

  std::string word() {
    std::string word;
    stream_ >> word;
    return word;
  }
  double real() { return std::strtod(word().c_str(), nullptr); }
  int64_t integer() { return std::strtoll(word().c_str(), nullptr, 10); }
  std::optional<double> optional_real() {
    const std::string text = word();
    if (text == "-") return std::nullopt;
    return std::strtod(text.c_str(), nullptr);
  }

 private:
  std::istringstream stream_;
};

TrainingConfig read_config(Numbers& numbers) {
  constexpr Relation kRelations[] = {Relation::kZeroOut, Relation::kAddRemove,
                                     Relation::kReplaceOne};
  TrainingConfig config;
  config.epsilon = numbers.optional_real();
  config.noise_multiplier = numbers.optional_real();
  config.delta = numbers.real();
  config.relation = kRelations[static_cast<uint64_t>(numbers.integer()) % 3];
  config.batch_size = numbers.real();
  config.num_steps = numbers.integer();
  config.learning_rate = numbers.real();
  config.final_learning_rate = numbers.real();
  config.max_grad_norm = numbers.real();
  config.tail_average = numbers.real();
  config.threads = static_cast<int>(numbers.integer());
  return config;
}

void check_plan(const TrainingMethod& method, const TrainingConfig& config,
                const TrainingFacts& facts) {
  const TrainingPlan plan = method.plan(config, facts);
  require(plan.privacy.has_value(), "a private method gives a guarantee");
  const double epsilon = plan.privacy->epsilon.value();
  require(std::isfinite(epsilon) && epsilon >= 0, "epsilon is finite");
  require(!config.epsilon || epsilon <= *config.epsilon, "epsilon is at most the target");
  require(plan.privacy->delta.value() <= config.delta, "delta is at most the target");
  require(plan.noise_multiplier > 0 && std::isfinite(plan.noise_multiplier), "there is noise");
  require(plan.noise_stddev > 0 && std::isfinite(plan.noise_stddev), "the noise is finite");
  require(plan.grid > 0 && plan.grid <= plan.noise_stddev, "the grid is finer than the noise");

  const TrainingPlan again = method.plan(config, facts);
  require(again.events() == plan.events(), "planned again, the events are the same");
  require(again.privacy->epsilon.value() == epsilon, "planned again, epsilon is the same");
  require(again.grid == plan.grid, "planned again, the grid is the same");
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  fuzz::Numbers numbers(fuzz::as_text(data, size));
  const TrainingConfig config = fuzz::read_config(numbers);
  const TrainingFacts facts = {numbers.integer(), static_cast<size_t>(numbers.integer())};
  for (const TrainingMethodRow& row : training_methods()) {
    if (row.status != PrivacyStatus::kPrivate) continue;
    fuzz::error_of([&] { fuzz::check_plan(*row.make(), config, facts); });
  }
  return 0;
}
