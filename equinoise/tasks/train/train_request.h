// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/network_options.h"
#include "equinoise/models/registry.h"
#include "equinoise/tasks/input/shared_options.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/registry.h"

namespace equinoise {

/// The words of TrainRequest::objective.
inline constexpr std::array<std::string_view, 3> kObjectives = {"average", "worst-group",
                                                                "coefficients"};

/// A request of `equinoise train` and `equinoise plan`.
struct TrainRequest {
  SchemaFile schema;
  TableSource data;                   ///< train only
  std::filesystem::path labels_path;  ///< train only, for a table of images; see TableFiles
  std::string method = "auto";  ///< a name of train/registry.h; settle_method() resolves "auto"
  std::string why_method;       ///< what settle_method() says of its choice; "": the user's
  std::string model = "auto";   ///< a name of models/registry.h
  NetworkOptions network;       ///< for models that are networks
  TrainingConfig config;
  /// Property that the method must have: the objective average or worst-group, or coefficients with
  /// intervals; "": any.
  std::string objective;
  std::optional<double> batch_size;  ///< instead of the value in config [default_batch_size]
  std::optional<int64_t> num_steps;  ///< instead of the value in config [default_num_steps]
  /// The user chose no learning rates: they are lowered if noise would decide the model. The user
  /// chose no clip: it follows typical gradients and the noise.
  bool settles_learning_rate = false;
  bool settles_clip = false;
  std::vector<std::string> constraints;    ///< for methods that use constraints, one line each
  std::filesystem::path constraints_path;  ///< more of them in a file; "": none
  /// A method that ignores constraints is evaluated against them; otherwise it refuses them.
  bool judges_by_constraints = false;
  std::vector<std::vector<std::string>> groupings;  ///< each: the columns of one grouping
  /// Weights, clips and epsilons are given for the groups of all groupings. Each person is in one
  /// group of each grouping, see overlapping_groups.h.
  bool overlapping = false;
  bool public_data = false;      ///< accept a schema that was drafted from the data; NOT PRIVATE
  bool reference = false;        ///< also train the non-private reference
  std::string reference_method;  ///< method of the reference; "": the one with the same aim
  /// Release accuracy on held-out records by group, and constraint values [the latter, in a private
  /// run with constraints].
  std::optional<bool> private_evaluation;
  bool force = false;    ///< replace files in out_path
  bool dry_run = false;  ///< the tool only plans
  bool strict = false;   ///< the tool fails unless all constraints hold
  bool verbose = false;  ///< the tool prints everything on the page
  bool resume = false;   ///< resume from the checkpoint
  GroupFloor group_floor;
  double test_fraction = 0.25;
  uint64_t split_seed = 0;
  int64_t explain_every = 0;       ///< steps between two explanations of why groups lose; 0: none
  size_t explain_directions = 20;  ///< for the estimates of curvature
  std::optional<double> evaluation_noise;  ///< its stddev [at most the cost of training]
  std::string ledger_path = "equinoise.ledger";
  std::string ledger_key;                 ///< "": none; a key pays once, so that a script may retry
  std::string out_path;                   ///< train only; "": write nothing
  std::string checkpoint_path;            ///< train only; "": keep no states
  int64_t checkpoint_every = 0;           ///< steps; 0: a tenth of all steps
  std::optional<uint64_t> insecure_seed;  ///< a reproducible run, not private and free
  std::string command;                    ///< the command that repeats the run
  std::vector<Setting> asked;             ///< the user's options by name, for the run file
};

/// Options of methods. Help shows those that most methods have.
inline RequestOptions method_options_of(TrainingConfig& config) {
  std::set<std::string_view> shown;
  for (const TrainingOptions* options : {&batch_options(), &step_options(), &clip_options()})
    for (const TrainingOption& option : *options) shown.insert(option.facts.name);
  RequestOptions options = under("Training", bound<TrainingConfig>(training_options(), config));
  for (RequestOption& option : options)
    option.facts.is_hidden = shown.count(option.facts.name) == 0;
  return options;
}

/// Options of networks, which `equinoise methods NAME` shows.
inline RequestOptions network_options_of(NetworkOptions& network) {
  RequestOptions options = bound<NetworkOptions>(network_options(), network);
  for (RequestOption& option : options) option.facts.is_hidden = true;
  return options;
}

/// The names of methods without a guarantee.
inline std::vector<std::string_view> open_methods() {
  std::vector<std::string_view> names;
  for (const TrainingMethodRow& row : training_methods())
    if (row.status == PrivacyStatus::kNotPrivate) names.push_back(row.name);
  return names;
}

inline RequestOptions options_of(TrainRequest& request) {
  using Option = RequestOption;
  const RequestOptions evaluation = {
      {{.name = "no_private_evaluation",
        .help = "Leave out the private evaluation of constraints, as the model card then says"},
       Option::Flag{[&request] { request.private_evaluation = false; }}},
      {{.name = "private_evaluation",
        .is_common = true,
        .help = "Release paid, publishable figures of held-out records: error rates by group and "
                "constraints",
        .excludes = {"no_private_evaluation"}},
       Option::Flag{[&request] { request.private_evaluation = true; }}},
      {{.name = "evaluation_noise",
        .help = "Noise stddev on each count of held-out records",
        .derived = "the least that costs no more than training",
        .excludes = {"no_private_evaluation"}},
       &request.evaluation_noise}};
  return joined(
      {schema_options(request.schema),
       drop_options(request.schema),
       {{{.name = "public_data",
          .help =
              "Accept an unreviewed schema because the table is public; the result is NOT PRIVATE"},
         &request.public_data},
        {{.name = "model",
          .is_common = true,
          .help = "Kind of model (see equinoise methods); auto chooses by the target",
          .choices = names_in(model_kinds(), {"auto"})},
         &request.model},
        {{.name = "method",
          .is_common = true,
          .help = "Training method (see equinoise methods); auto chooses by public facts",
          .choices = names_in(training_methods(), {"auto"})},
         &request.method}},
       group_options(request.groupings, request.group_floor),
       bound<TrainingConfig>(shared_options(), request.config),
       method_options_of(request.config),
       network_options_of(request.network),
       {{{.name = "overlapping",
          .help = "Use the groups of every --groups together; each must partition all records",
          .section = "Groups with budgets of their own"},
         &request.overlapping},
        {{.name = "objective",
          .help = "What training is for: average or worst-group loss, or coefficients with "
                  "intervals; method auto follows it, others must have it",
          .choices = {kObjectives.begin(), kObjectives.end()},
          .derived = "the method's own",
          .section = "Worst group"},
         &request.objective}},
       constraint_options(request.constraints, request.constraints_path),
       under("Private evaluation", evaluation),
       {{{.name = "test_fraction", .is_common = true, .help = "Share of records held out"},
         &request.test_fraction},
        {{.name = "split_seed", .help = "Public seed of the split"}, &request.split_seed}},
       ledger_options(request.ledger_path, request.ledger_key, "run"),
       {{{.name = "data", .help = std::string(kTableHelp) + ", or images", .is_required = true},
         Option::Table{&request.data, &request.schema.table}}},
       label_options(request.labels_path),
       {{{.name = "out",
          .is_common = true,
          .help = "Folder for the model, model card and report",
          .is_of_one_run = true},
         &request.out_path},
        {{.name = "force", .help = "Replace files in an existing --out", .is_of_one_run = true},
         &request.force},
        {{.name = "reference",
          .is_common = true,
          .help =
              "Also train without privacy (by METHOD), to report what privacy costs; NOT PRIVATE",
          .choices = open_methods()},
         Option::Text{.read =
                          [&request](const std::string& method) {
                            request.reference = true;
                            request.reference_method = method;
                          },
                      .type = "METHOD"}},
        {{.name = "explain_every",
          .help = "Steps between explanations of why groups lose: exact figures, NOT PRIVATE",
          .range = {.low = 1},
          .derived = "never"},
         &request.explain_every},
        {{.name = "explain_directions",
          .help = "Random directions for the risk of noise; each takes two passes over records",
          .needs = "explain_every"},
         &request.explain_directions},
        {{.name = "checkpoint",
          .help = "File that keeps the run's state, to resume it without paying again",
          .is_of_one_run = true},
         &request.checkpoint_path},
        {{.name = "checkpoint_every",
          .help = "Number of steps between two saved states",
          .derived = "a tenth of all steps",
          .is_of_one_run = true},
         &request.checkpoint_every},
        {{.name = "resume", .help = "Resume from --checkpoint", .is_of_one_run = true},
         &request.resume}},
       strict_options(request.strict),
       verbose_options(request.verbose),
       {{{.name = "dry_run",
          .is_common = true,
          .help = "Only print what the run will cost",
          .is_of_one_run = true},
         &request.dry_run}},
       seed_options(request.insecure_seed)});
}

/// Without the options that only a run has: for a plan, or a study of methods.
inline RequestOptions without_run(RequestOptions options) {
  return without(
      std::move(options),
      {"out", "force", "reference", "explain_every", "explain_directions", "checkpoint",
       "checkpoint_every", "resume", "strict", "verbose", "dry_run", "insecure_test_rng", "seed"});
}

/// A request of `equinoise plan`.
struct PlanRequest {
  TrainRequest training;
  bool unit = false;  ///< the cost of max_records_per_unit instead of the plan
};

inline RequestOptions options_of(PlanRequest& request) {
  return joined(
      {without(without_run(options_of(request.training)), {"data", "labels"}),
       {{{.name = "unit",
          .help = "Show instead what max_records_per_unit costs at --epsilon and --delta"},
         &request.unit}}});
}

}  // namespace equinoise
