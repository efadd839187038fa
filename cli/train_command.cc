#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "cli/commands.h"
#include "cli/constraint_options.h"
#include "cli/group_options.h"
#include "cli/method_options.h"
#include "cli/number_options.h"
#include "cli/progress_bar.h"
#include "cli/schema_options.h"
#include "equinoise/base/check.h"
#include "equinoise/data/parse_number.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/json.h"
#include "equinoise/report/text.h"
#include "equinoise/tasks/train/group_planning.h"
#include "equinoise/train/optimizers.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

struct TrainOptions {
  TrainRequest request;
  GroupOptions groups;
  std::string relation = "zero_out";
  double epsilon = 0;
  double noise_multiplier = 0;
  double final_learning_rate = 0;
  uint64_t seed = 0;
  bool insecure = false;
  bool dry_run = false;
  bool per_group = false;
  CLI::Option* epsilon_option = nullptr;
  CLI::Option* noise_option = nullptr;
  CLI::Option* batch_option = nullptr;
  CLI::Option* rate_option = nullptr;
  CLI::Option* final_rate_option = nullptr;
  CLI::Option* seed_option = nullptr;
};

/// Sizes have no sign, and what reads them takes one away.
std::string check_not_negative(const std::string& text) {
  return text.starts_with('-') ? fmt::format("a size is not negative, got {}", text) : "";
}

/// Of group_weighted and balanced.
void add_group_weight_options(CLI::App& command, TrainingConfig& config) {
  constexpr const char* kGroup = "Groups that pay apart";
  add_named_numbers(command, "--group-weight", config.group_weights,
                    "GROUP=NUMBER, one for each group of the first --groups that is meant: how "
                    "much a record's loss counts in group_weighted [1]")
      ->group(kGroup);
  add_named_numbers(command, "--group-clip", config.group_clips,
                    "GROUP=NUMBER: bound on gradients of the group [max-grad-norm]; what its "
                    "members pay grows with weight times clip")
      ->group(kGroup);
  add_named_numbers(command, "--group-epsilon", config.group_epsilons,
                    "GROUP=NUMBER: what the run may cost members of the group; its clip shrinks "
                    "until it does [--epsilon]")
      ->group(kGroup);
}

/// Groups of several --groups.
void add_overlap_option(CLI::App& command, TrainRequest& request) {
  command
      .add_flag("--overlapping", request.overlapping,
                "Groups are those of all --groups, each of which holds everybody in one of its "
                "groups. In group_weighted a person counts as much as the person's groups on "
                "average, and pays for it; in dpse a person pays for each of the person's groups")
      ->group("Groups that pay apart");
}

/// Of dpse.
void add_tailoring_options(CLI::App& command, TailoringConfig& config) {
  constexpr const char* kGroup = "Budgets of groups";
  const auto add = [&](const char* flag, auto& value, const char* description) {
    command.add_option(flag, value, description)->capture_default_str()->group(kGroup);
  };
  add("--split", config.split,
      "How dpse divides the budget among the first --groups, or with --overlapping among all: "
      "uniform and inverse_size follow public sizes alone; error, error_over_size and root_error "
      "ask a first stage how well one "
      "model fits each group");
  command
      .add_option_function<std::vector<std::string>>(
          "--max-share",
          [&config](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const std::optional<double> share = parse_number(text);
              if (share) {
                config.max_share = *share;
              } else {
                read_named_number("--max-share", text, config.max_shares);
              }
            }
          },
          "No group has more of the budget than this share; GROUP=NUMBER, as often as there are "
          "groups, for one alone [1]")
      ->allow_extra_args(false)
      ->group(kGroup);
  add("--stage1-fraction", config.stage_one_fraction, "Of the budget, for the first stage");
  add("--feature-norm-bound", config.feature_norm_bound,
      "In the first stage of linear models, of each record's features with a 1, and of its target");
  add("--residual-clip", config.residual_clip, "Of residuals in the first stage");
  command
      .add_option("--group-objective", config.objectives,
                  "population: every record counts alike; mean: every group does; a number from 0 "
                  "to 1: between both. Of a list, 0,0.5,1, one is chosen privately")
      ->delimiter(',')
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--group-loss-multiplier", config.loss_multipliers,
                  "Bounded group loss: what the gradient of the group furthest above its bound "
                  "counts more; half of the budget then goes to noisy losses. Of a list, 0,0.5,2, "
                  "one is chosen privately")
      ->delimiter(',')
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--mean-runs", config.mean_runs,
                  "How many runs such a choice is among on average, a random number that nobody is "
                  "told [2 for each combination]")
      ->group(kGroup);
  add("--group-loss-bound", config.loss_bound, "That bound, in units of clipped losses");
  add("--group-loss-clip", config.loss_clip, "A record's loss counts as at most this");
  add("--box", config.box, "Parameters stay within [-box, box]");
}

/// Of mgr_w, mgr, ags, phased_erm and oco_exp3.
void add_worst_group_options(CLI::App& command, TrainingConfig& config, CLI::Option* batch_size) {
  constexpr const char* kGroup = "Worst group";
  WorstGroupConfig& own = config.worst_group;
  command
      .add_option("--objective", config.objective,
                  "average or worst-group: what is to be low, for methods that do just that [the "
                  "method's own]")
      ->group(kGroup);
  command
      .add_option("--loss-bound", own.loss_bound,
                  "A record's loss counts as at most this for the weights of groups")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--group-learning-rate", own.group_learning_rate,
                  "How fast weights follow losses [sqrt(8 ln(groups) / steps) / loss-bound]")
      ->group(kGroup);
  command
      .add_option("--loss-share", own.loss_share,
                  "Of the budget, for the noisy losses or choices of groups")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--group-batch-size", own.group_batch_size,
                  "Records of the smallest group that a batch is expected to hold, instead of "
                  "--batch-size")
      ->excludes(batch_size)
      ->group(kGroup);
  command
      .add_option("--radius", own.radius, "Parameters stay in the ball of this radius [no ball]")
      ->group(kGroup);
  command
      .add_option("--selection", own.selection,
                  "How ags chooses a group: gumbel (the exponential mechanism), or laplace, the "
                  "largest noisy loss, as in the paper, which costs more")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option(
          "--phase-step", own.phase_step,
          "eta of phased_erm: how far its first phase may go, and how much noise that costs")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--feature-bound", own.feature_bound,
                  "Bound on each record's features with a 1 in phased_erm: longer ones are scaled "
                  "down")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--exploration", own.exploration,
                  "Share of the draws of oco_exp3 in which all groups are equally likely")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option(
          "--online", own.online,
          "The learner of oco_exp3: tree (DP-FTRL), or descent with noise for each gradient")
      ->capture_default_str()
      ->group(kGroup);
}

/// Of raco_dp and sgda.
void add_rate_options(CLI::App& command, TrainRequest& request) {
  TrainingConfig& config = request.config;
  constexpr const char* kGroup = "Constraints";
  add_constraint_options(command, request.constraints, request.constraints_path);
  command
      .add_option("--dual-learning-rate", config.dual_learning_rate,
                  "How fast the constraints' multipliers follow what is seen of them")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--max-multiplier", config.max_multiplier,
                  "Multipliers stay below; a constraint that nothing meets drives its own up to it")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--histogram", config.histogram,
                  "hard: constraints see predicted classes; soft: probabilities, as in the paper's "
                  "theory, which overshoot tight bounds on error rates")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--histogram-decay", config.histogram_decay,
                  "Of the mean over steps' histograms; 0 is the paper's, which is biased where a "
                  "batch holds few records of a group")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option(
          "--multipliers", config.multipliers,
          "step: follow each step's own histogram; mean: the mean over steps, by which they "
          "come late and may swing, and the model with them")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--histogram-noise", config.histogram_noise,
                  "gaussian, or laplace as in the paper, which costs more")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option(
          "--histogram-noise-multiplier", config.histogram_noise_multiplier,
          fmt::format("Scale of that noise, in records [a standard deviation of {} times that of "
                      "gradients, as far as it can be drawn]",
                      kSideNoiseRatio))
      ->group(kGroup);
  command
      .add_option("--inverse-temperature", config.inverse_temperature,
                  "Of the soft predictions, the paper's tau")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--push-limit", config.push_limit,
                  "Times the clip bound is the most that a constraint may push a record: one on a "
                  "group of few, whose gradients are clipped, would push everybody else alone")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--clip-allowance", config.clip_allowance,
                  "Raises the clip by this times the typical push of the constraints at scores; "
                  "with 0, the paper's, tight constraints are clipped away")
      ->capture_default_str()
      ->group(kGroup);
}

/// Of private methods that predict classes.
void add_evaluation_options(CLI::App& command, TrainRequest& request) {
  constexpr const char* kGroup = "Private evaluation";
  CLI::Option* none =
      command
          .add_flag_callback(
              "--no-private-evaluation", [&request] { request.private_evaluation = false; },
              "Leave out the one of constraints: the model card then says that nothing is known of "
              "whether the model keeps them")
          ->group(kGroup);
  command
      .add_flag_callback(
          "--private-evaluation", [&request] { request.private_evaluation = true; },
          "Paid, publishable figures of the held-out records with noise and intervals: accuracy, "
          "and of two classes false positive and false negative rates, of everybody and of each "
          "group of --groups; also how constraints are kept, which private runs under constraints "
          "release by default. By itself it costs no more than the training, whose records are "
          "others; --dry-run says what it adds to an account")
      ->excludes(none)
      ->group(kGroup);
  command
      .add_option("--evaluation-noise", request.evaluation_noise,
                  "Noise stddev on each count of held-out records [the least that costs no more "
                  "than the training]")
      ->excludes(none)
      ->group(kGroup);
}

void add_plan_options(CLI::App& command, TrainOptions& options) {
  TrainRequest& request = options.request;
  TrainingConfig& config = request.config;
  add_schema_options(command, request.schema);
  command.add_flag("--public-data", request.public_data,
                   "The table is public anyway: let an unreviewed schema pass; the result counts "
                   "as NOT PRIVATE");
  command
      .add_option("--model", request.model,
                  "Kind of model, see equinoise methods; auto: by the target")
      ->capture_default_str();
  NetworkOptions& network = request.network;
  command
      .add_option("--hidden", network.hidden,
                  "Sizes of the fully connected hidden layers [mlp 256,256, cnn none]")
      ->delimiter(',')
      ->check(check_not_negative);
  command
      .add_option("--activation", network.activation, "After each layer but the last: tanh, relu")
      ->capture_default_str();
  command
      .add_option("--channels", network.channels,
                  "Output channels of the convolutions of a cnn [32,16]")
      ->delimiter(',')
      ->check(check_not_negative);
  command.add_option("--kernel-size", network.kernel_size, "Height and width of their kernels")
      ->capture_default_str();
  command
      .add_option("--pooling", network.pooling,
                  "Of 2 x 2 after each convolution: none, average or max")
      ->capture_default_str();
  command
      .add_option("--init-seed", request.init_seed,
                  "Public seed of the parameters that a network starts from; other models start "
                  "from zeros")
      ->check(check_seed)
      ->capture_default_str();
  command.add_option("--method", request.method, "Training method, see equinoise methods")
      ->capture_default_str();
  add_group_options(command, options.groups);
  options.epsilon_option =
      command.add_option("--epsilon", options.epsilon, "Privacy loss that the run may cost");
  options.noise_option =
      command.add_option("--noise-multiplier", options.noise_multiplier,
                         "Noise stddev / max gradient norm, instead of --epsilon");
  command.add_option("--delta", config.delta, "Failure probability, below 1 / num_records")
      ->capture_default_str();
  command.add_option("--relation", options.relation, "Neighbouring relation")
      ->capture_default_str();
  options.batch_option = command.add_option(
      "--batch-size", request.batch_size,
      fmt::format("Expected size of a Poisson batch, for methods that draw some: dpse and dpnose "
                  "look at all records, phased_erm and oco_exp3 at each once [{}, or all training "
                  "records where they are fewer]",
                  kDefaultBatchSize));
  command.add_option(
      "--steps", request.num_steps,
      fmt::format("Number of steps [{}, or the number of training records where that "
                  "is less]",
                  kDefaultSteps));
  OptimizerConfig& optimizer = config.optimizer;
  command.add_option("--optimizer", optimizer.name, "sgd, momentum or adam")->capture_default_str();
  command.add_option("--momentum", optimizer.momentum, "Of momentum")->capture_default_str();
  command.add_option("--beta1", optimizer.beta1, "Of adam's first moment")->capture_default_str();
  command.add_option("--beta2", optimizer.beta2, "Of adam's second moment")->capture_default_str();
  command
      .add_option("--adam-epsilon", optimizer.adam_epsilon,
                  "Added to the root of adam's second moment")
      ->capture_default_str();
  options.rate_option =
      command.add_option("--learning-rate", config.learning_rate,
                         "First learning rate [sgd 0.7, momentum 0.1, adam 0.01]");
  options.final_rate_option =
      command.add_option("--final-learning-rate", options.final_learning_rate,
                         "Last learning rate [a tenth of the first]");
  command.add_option("--max-grad-norm", config.max_grad_norm, "Bound on each record's gradient")
      ->capture_default_str();
  command.add_option(
      "--strict-bound", config.strict_bound,
      "Norm up to which the global methods scale gradients alike [10 max-grad-norm]");
  command
      .add_option("--strict-bound-learning-rate", config.strict_bound_learning_rate,
                  "How fast dpsgd_global_adapt lowers the strict bound")
      ->capture_default_str();
  command
      .add_option("--threshold", config.threshold,
                  "dpsgd_global_adapt counts gradients longer than this times the strict bound")
      ->capture_default_str();
  command.add_option(
      "--count-noise-multiplier", config.count_noise_multiplier,
      fmt::format("Noise stddev of that count, and of those of dpsgd_f [{} times the "
                  "noise multiplier of gradients, as far as it can be drawn]",
                  kSideNoiseRatio));
  command
      .add_option("--thresholds", config.thresholds,
                  "How dpsgd_f clips groups, the first --groups: paper, by the share of long "
                  "gradients among all records; code, by the mean of the groups' shares")
      ->capture_default_str();
  command.add_option("--max-threshold", config.max_threshold,
                     "Largest clipping threshold of dpsgd_f [none]");
  command.add_option("--clipping-penalty", config.clipping_penalty,
                     "Weight of fairlens on what clipping does to the gap between groups, the "
                     "paper's gamma_1 [1]");
  command.add_option("--boundary-penalty", config.boundary_penalty,
                     "Weight of fairlens on how near groups are to the decision boundary, the "
                     "paper's gamma_2 [1]");
  add_group_weight_options(command, config);
  add_overlap_option(command, request);
  add_tailoring_options(command, config.tailoring);
  add_worst_group_options(command, config, options.batch_option);
  add_rate_options(command, request);
  add_evaluation_options(command, request);
  command.add_option("--tail-average", config.tail_average,
                     fmt::format("Share of the last iterates that are averaged, 0: none [{}, under "
                                 "constraints {}]",
                                 kTailAverage, kTailAverageOfConstraints));
  command.add_option("--test-fraction", request.test_fraction, "Share of records held out")
      ->capture_default_str();
  command.add_option("--split-seed", request.split_seed, "Public seed of the split")
      ->check(check_seed)
      ->capture_default_str();
  command.add_option("--ledger", request.ledger_path, "Ledger that pays")->capture_default_str();
  command.add_option("--ledger-key", request.ledger_key,
                     "A name for this spend: the ledger takes it once, so a script may try again");
}

/// Refuses options of a first stage and of group losses where dpse has none.
void check_tailoring_used(const CLI::App& command, const TailoringConfig& config) {
  const Choice split{"--split", config.split};
  for (const char* flag : {"--stage1-fraction", "--feature-norm-bound", "--residual-clip"})
    require_used(command, flag, split, {"error", "error_over_size", "root_error"});
  if (config.loss_multipliers != std::vector<double>{0}) return;
  const Choice no_losses{"--group-loss-multiplier", "0"};
  require_used(command, "--group-loss-bound", no_losses, {"larger ones"});
  // The choice among objectives is by losses.
  if (config.objectives.size() == 1)
    require_used(command, "--group-loss-clip", no_losses, {"larger ones"});
}

/// Refuses options that the method, the optimizer or the model would leave aside. `auto` makes no
/// network.
void check_used(const CLI::App& command, const TrainOptions& options) {
  const TrainRequest& request = options.request;
  const std::string_view method = find_training_method(request.method).name;
  // Strategies follow what balanced does, whatever the method.
  require_used(command, {"--method", method, options.per_group ? "balanced" : ""},
               training_methods());
  require_used(command, {"--optimizer", request.config.optimizer.name}, optimizers());
  require_used(command, {"--model", request.model}, model_kinds());
  check_tailoring_used(command, request.config.tailoring);
}

/// What the flags mean together.
TrainRequest finish(const CLI::App& command, TrainOptions& options, const CommonOptions& common) {
  check_used(command, options);
  TrainRequest request = options.request;
  if (options.epsilon_option->count() > 0) request.config.epsilon = options.epsilon;
  if (options.noise_option->count() > 0) request.config.noise_multiplier = options.noise_multiplier;
  if (options.rate_option->count() == 0) {
    request.config.learning_rate = default_learning_rate(request.config.optimizer);
  }
  request.config.final_learning_rate = options.final_rate_option->count() > 0
                                           ? options.final_learning_rate
                                           : request.config.learning_rate / 10;
  request.config.relation = parse_relation(options.relation);
  request.config.threads =
      common.threads > 0 ? common.threads
                         : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  request.groupings = options.groups.groupings();
  request.group_floor = options.groups.floor();
  const bool seeded = options.seed_option != nullptr && options.seed_option->count() > 0;
  if (seeded != options.insecure) {
    throw Error(ErrorKind::kUsage, "cli.train",
                "--seed and --insecure-test-rng go together: a reproducible run is NOT PRIVATE and "
                "only for tests");
  }
  if (seeded) request.insecure_seed = options.seed;
  request.command = common.command_line;
  return request;
}

void print_plan(const TrainingReport& report, const CommonOptions& common) {
  if (common.json) {
    fmt::print("{}", to_text(plan_to_json(report)));
  } else {
    fmt::print("{}", plan_to_text(report));
  }
}

void print_plan(const TrainRequest& request, const CommonOptions& common) {
  print_plan(plan_training(request), common);
}

/// A plan with what each strategy would mean for groups.
void print_group_plan(TrainRequest request, const GroupPlanningRequest& planning,
                      const CommonOptions& common) {
  const bool seeks_epsilon = planning.largest_error || !planning.group_errors.empty();
  const bool has_budget = request.config.epsilon || request.config.noise_multiplier;
  // Any budget tells how noise follows it.
  if (seeks_epsilon && !has_budget) request.config.epsilon = 1;
  TrainingReport report = plan_training(without_group_costs(request));
  plan_groups(request, planning, report);
  if (!seeks_epsilon) {
    print_plan(report, common);
  } else if (common.json) {
    fmt::print("{}", to_text(outlook_to_json(report)));
  } else {
    fmt::print("{}", outlook_to_text(report));
  }
}

void run_train(const CLI::App& command, TrainOptions& options, const CommonOptions& common) {
  const TrainRequest request = finish(command, options, common);
  if (command.count("--explain-every") > 0 && request.explain_every == 0) {
    throw Error(ErrorKind::kUsage, "cli.train",
                "--explain-every must be at least 1, got 0; leave it out for no looks");
  }
  if (options.dry_run) {
    print_plan(request, common);
    return;
  }
  ProgressBar progress(common.quiet, isatty(STDERR_FILENO) == 1);
  const TrainingReport report = train(request, progress);
  if (common.json) {
    fmt::print("{}", to_text(training_to_json(report)));
  } else {
    fmt::print("\n{}", training_to_text(report));
  }
}

}  // namespace

void add_plan_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "plan", "Say what a run will cost, before anything is read or spent",
      "equinoise plan --schema data/adult/schema.toml --groups sex,race --epsilon 3", common);
  auto options = std::make_shared<TrainOptions>();
  add_plan_options(*command, *options);
  auto planning = std::make_shared<GroupPlanningRequest>();
  constexpr const char* kGroup = "What each strategy means for groups";
  CLI::Option* per_group =
      command
          ->add_flag("--per-group", options->per_group,
                     "Compare records alike, groups alike, weights between the two and a model for "
                     "each group of the first --groups (with --overlapping the first three, for "
                     "groups of all --groups): expected error and epsilon of each group, from "
                     "public sizes")
          ->group(kGroup);
  command
      ->add_option("--group-difference", planning->group_difference,
                   "How far the best parameters of groups are from their mean, for features of "
                   "variance 1: a belief, no public fact. Unless it is given, a strategy is "
                   "recommended only if it ranks first whatever the difference is")
      ->needs(per_group)
      ->group(kGroup);
  command
      ->add_option("--residual-variance", planning->residual_variance,
                   "Of the target around the best prediction, in the same units; as "
                   "--group-difference")
      ->needs(per_group)
      ->group(kGroup);
  command
      ->add_option("--largest-error", planning->largest_error,
                   "The other way round: what epsilon keeps every group's expected error below")
      ->needs(per_group)
      ->group(kGroup);
  add_named_numbers(*command, "--group-error", planning->group_errors,
                    "GROUP=NUMBER: the same for that group, instead")
      ->needs(per_group)
      ->group(kGroup);
  add_plan_means_command(*command, common);
  command->require_subcommand(0, 1);
  // Of the command itself, not of those below it.
  CLI::Option* schema = command->get_option("--schema")->required(false);
  command->callback([command, schema, options, planning, &common] {
    if (!command->get_subcommands().empty()) return;
    if (schema->count() == 0) throw CLI::RequiredError(schema->get_name());
    TrainRequest request = finish(*command, *options, common);
    if (options->per_group) {
      print_group_plan(std::move(request), *planning, common);
    } else {
      print_plan(request, common);
    }
  });
}

void add_train_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "train", "Train a model under differential privacy and show who pays for the noise",
      "equinoise ledger init --dataset adult --epsilon 3 --delta 1e-6\n"
      "  equinoise train --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --groups sex,race --epsilon 3 --delta 1e-6 --reference --out model",
      common);
  auto options = std::make_shared<TrainOptions>();
  add_plan_options(*command, *options);
  TrainRequest& request = options->request;
  command
      ->add_option(
          "--data", request.data_path,
          "Table of records (CSV, ARFF, JSON, Parquet; all but Parquet may be gzip); with [image] "
          "in the schema an idx file of images or a folder of JPEG files")
      ->required();
  add_labels_option(*command, request.labels_path);
  command->add_option("--out", request.out_path, "Folder for model, model card and report");
  command->add_flag("--force", request.force, "Replace files in an existing --out");
  command->add_flag("--reference", request.reference,
                    "Also train without privacy, to show what privacy costs; its figures go to the "
                    "fenced report");
  CLI::Option* explain = command->add_option(
      "--explain-every", request.explain_every,
      "Look every so many steps at why the first --groups lose: what the next step does to each "
      "group's loss by clipping and by noise; exact figures for the fenced report [never]");
  command
      ->add_option("--explain-directions", request.explain_directions,
                   "Random directions for the risk of noise: each is two passes over all records")
      ->needs(explain)
      ->capture_default_str();
  command->add_option("--checkpoint", request.checkpoint_path,
                      "File that keeps the state of the run, so that it can go on after a crash or "
                      "Ctrl-C without being paid for again");
  command->add_option("--checkpoint-every", request.checkpoint_every,
                      "Steps between two states [a tenth of all]");
  command->add_flag("--resume", request.resume, "Go on from --checkpoint");
  command->add_flag("--dry-run", options->dry_run, "Only say what the run will cost");
  command->add_flag("--insecure-test-rng", options->insecure,
                    "Allow --seed; the result is NOT PRIVATE");
  options->seed_option =
      command->add_option("--seed", options->seed, "Seed of a reproducible run, for tests")
          ->check(check_seed);
  command->callback([command, options, &common] { run_train(*command, *options, common); });
}

}  // namespace equinoise::cli
