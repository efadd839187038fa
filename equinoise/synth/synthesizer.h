// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/method_option.h"
#include "equinoise/base/option_value.h"
#include "equinoise/base/own_options.h"
#include "equinoise/base/progress.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/synth/graph/domain.h"
#include "equinoise/synth/graph/factor.h"
#include "equinoise/synth/marginal_source.h"
#include "equinoise/synth/synth_measurement.h"
#include "equinoise/synth/synth_model.h"
#include "equinoise/synth/workload.h"

namespace equinoise {

/// The public facts of a table, which are all that a plan may depend on.
struct SynthFacts {
  Domain domain;
  /// (num_attributes) true: codes are bins of numbers.
  std::vector<bool> ordered;
  /// Empty if it is private.
  std::optional<int64_t> num_records;
  /// Tables of 0 (possible) and kLogZero (declared impossible).
  std::vector<Factor> structural_zeros = {};

  /// The number of records, or `estimate` if it is private.
  double records_or(double estimate) const {
    return num_records ? static_cast<double>(*num_records) : estimate;
  }
};

/// The marginals that the rows should reproduce well.
struct WorkloadChoice {
  int degree = 2;      ///< all marginals of that many columns
  std::string file;    ///< a list of marginals instead; "": none
  std::string target;  ///< only marginals with that column; "": all
};

/// A user's choices: options that methods share, and options of single methods.
struct SynthConfig {
  Relation relation = Relation::kZeroOut;
  double rho = 0;  ///< of zero-concentrated DP, to be spent in full
  WorkloadChoice workload_choice;
  Workload workload;                ///< follows from the choice for the columns of a table
  bool workload_is_listed = false;  ///< its marginals were named one by one
  double max_model_megabytes = 80;
  /// The share of a round's budget for its measurement; the rest is for its choice. [the method's]
  std::optional<double> measurement_share;
  int threads = 1;
  OwnOptions own;  ///< options of one method or of a few, in separate structs
};

/// An option of synthesizers, declared next to the code that follows it.
using SynthOption = MethodOption<SynthConfig>;
using SynthOptions = std::vector<SynthOption>;

/// The plan of a run, before anything is read or spent.
struct SynthPlan {
  SynthConfig config;
  SynthFacts facts;
  std::vector<Event> events;  ///< in the order of the charge
  NamedFigures settings;      ///< noise and so on, by name
  double min_megabytes = 0;   ///< of the model at first
  double most_megabytes = 0;  ///< it never grows beyond
  std::vector<std::string> warnings;
  std::string stratum = {};  ///< as its progress names it; "": everybody
};

/// One adaptive step. All of it is publishable: it follows from private releases and public facts.
struct SynthRound {
  AttributeSet chosen;
  std::vector<uint32_t> codes;  ///< of the chosen cell; empty: the whole marginal
  double noise_stddev = 0;
  double epsilon = 0;         ///< of the choice by an exponential mechanism; 0: by another
  size_t num_candidates = 0;  ///< among which it was chosen
  size_t num_too_large = 0;   ///< left out because the model would not have fitted
  double weight = 1;          ///< of the marginal in the workload
  double missed = 0;          ///< noisy estimate of the model's L1 distance, in records
  double megabytes = 0;       ///< of the model with it
  double rho_spent = 0;       ///< by all rounds so far
  bool halves_noise = false;  ///< the round changed little: the next ones have half the noise
};

/// The probability that some bound of a run does not hold.
inline constexpr double kBoundMiss = 0.05;

/// An upper bound on the distance of the model from a marginal of the workload.
struct MarginalBound {
  AttributeSet attributes;
  double records = 0;  ///< L1 distance of the model's counts from the true ones
};

/// The releases of a run.
struct SynthOutcome {
  std::unique_ptr<SynthModel> model;
  std::vector<SynthRound> rounds;
  std::vector<SynthMeasurement> measurements;  ///< in the order of their release
  /// All of them hold at once, except with probability kBoundMiss. Empty if a method has no such
  /// bound, or none below any possible distance.
  std::vector<MarginalBound> bounds = {};
  double rho_of_scores = 0;  ///< zCDP of the noisy scores that marginals were chosen by
};

/// A method for synthetic data. Stateless.
class Synthesizer {
 public:
  virtual ~Synthesizer() = default;

  /// The options that it follows and others do not.
  virtual const SynthOptions& options() const = 0;

  /// Errors: kUsage for an option that is not as declared, and those of make_plan().
  SynthPlan plan(const SynthConfig& config, const SynthFacts& facts) const {
    check_options<SynthConfig>("synth", options(), config);
    return make_plan(config, facts);
  }

  /// All marginals of the records that run() may request, each once. Public.
  virtual std::vector<AttributeSet> marginals(const SynthPlan& plan) const = 0;

  /// Makes the draws of `plan`, with the permits of `charge`, from `records`, whose attributes are
  /// those of the plan's domain. Sensitive only in `records`: the outcome, every error and the
  /// number of rounds follow from releases. Errors: kRuntime if interrupted, as soon as it can, or
  /// if the charge is not that of the plan.
  virtual SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                           RandomSource& source, TaskProgress& progress) const = 0;

 protected:
  /// plan() with checked options. Errors: kUsage, naming the cause: a budget that no round fits
  /// into, or a marginal that no model within max_model_megabytes can hold (which, and its size).
  virtual SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const = 0;
};

}  // namespace equinoise
