// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/training_evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "equinoise/audit/private_constraint_check.h"
#include "equinoise/base/error.h"
#include "equinoise/models/bounded_prediction.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/predict/prediction_notes.h"
#include "equinoise/train/overlapping_groups.h"
#include "equinoise/train/worst_group/table_losses.h"

namespace equinoise {

namespace {

/// Whether predictions are finite on synthetic records, independent of any table: dense features
/// between 0 and 1, the first one-hot feature set; for separate models each model's prediction.
bool predicts_somewhere(const EncodedTable& like, const TrainingSetup& setup,
                        const TrainedModel& trained) {
  const size_t num_points = setup.model_groups ? setup.model_groups->groups.size() : 1;
  EncodedTable points;
  points.num_records = static_cast<int64_t>(num_points);
  points.num_dense = like.num_dense;
  points.num_active = like.num_active;
  points.num_features = like.num_features;
  points.classes = like.classes;
  points.dense.assign(num_points * like.num_dense, 0.5F);
  points.blocks = like.blocks;
  for (size_t k = 0; k < num_points; ++k)
    points.active.insert(points.active.end(), like.blocks.begin(), like.blocks.end());
  points.contributes.assign(num_points, 1);
  for (uint32_t k = 0; k < num_points; ++k) points.groups.push_back(GroupId{k});
  const Predictions predictions =
      trained.model_or(*setup.model).predict(points, trained.parameters);
  for (size_t k = 0; k < num_points; ++k)
    if (!predictions.has_prediction(k)) return false;
  return true;
}

}  // namespace

void evaluate(const EncodedParts& parts, const TrainingSetup& setup, const TrainedModel& trained,
              const std::optional<TrainedModel>& reference, int threads, TrainingReport& report) {
  const EncodedTable& test = parts.test;
  if (test.num_records == 0) return;
  const Predictions released =
      predict_within_bounds(trained.model_or(*setup.model), test, trained.parameters, threads);
  std::optional<Predictions> compared;
  if (reference)
    compared = predict_within_bounds(reference->model_or(*setup.model), test, reference->parameters,
                                     threads);
  report.overall.metrics = overall_metrics(test, released);
  add_prediction_notes(test, released, "the model", report.ingest_notes);
  if (compared) {
    add_prediction_notes(test, *compared, "the reference", report.ingest_notes);
    report.overall.reference = overall_metrics(test, *compared);
    report.overall.cost = overall_cost(test, released, *compared);
  }
  if (const RateProgram* program = setup.judged_by.get(); program != nullptr) {
    const auto check = [&](const Predictions& predictions) {
      return check_constraints(*program, test, parts.test_contexts, predictions);
    };
    const std::vector<ConstraintCheck> checks = check(released);
    for (size_t j = 0; j < checks.size(); ++j) report.constraints[j].check = checks[j];
    if (compared) {
      const std::vector<ConstraintCheck> references = check(*compared);
      for (size_t j = 0; j < references.size(); ++j)
        report.constraints[j].reference = references[j];
    }
  }
  size_t next = 0;
  for (size_t g = 0; g < setup.groupings.size(); ++g) {
    const std::vector<GroupId>& group_of = parts.test_groups[g];
    const size_t num_groups = setup.groupings[g].groups.size();
    const std::vector<Metrics> metrics = group_metrics(test, released, group_of, num_groups);
    std::vector<Metrics> reference_metrics;
    std::vector<Cost> costs;
    if (compared) {
      reference_metrics = group_metrics(test, *compared, group_of, num_groups);
      costs = group_cost(test, released, *compared, group_of, num_groups);
    }
    for (size_t i = 0; i < num_groups; ++i, ++next) {
      report.groups[next].metrics = metrics[i];
      if (!compared) continue;
      report.groups[next].reference = reference_metrics[i];
      report.groups[next].cost = costs[i];
    }
  }
}

void evaluate_privately(Charge charge, const EncodedParts& parts, const TrainingSetup& setup,
                        const TrainedModel& trained, RandomSource& source, int threads,
                        TrainingReport& report) {
  // A reproducible source uses the numbers of steps for training.
  source.start_step(static_cast<uint64_t>(setup.plan.config.num_steps));
  const Predictions predictions =
      trained.model_or(*setup.model).predict(parts.test, trained.parameters, threads);
  const double noise_stddev = *setup.evaluation_noise;
  size_t next = 0;
  const auto count = [&](std::span<const GroupId> contexts) {
    const size_t i = next++;
    return noisy_cell_counts(charge.take(i), *setup.histograms[i], parts.test, contexts,
                             predictions, source);
  };
  if (const RateProgram* program = setup.plan.config.constraints.get(); program != nullptr) {
    const std::vector<ConstraintCheck> checks =
        check_counts(*program, count(parts.test_contexts), noise_stddev);
    for (size_t j = 0; j < checks.size(); ++j) report.constraints[j].private_check = checks[j];
    // It said that these verdicts might be unclear.
    const auto is_clear = [](const ConstraintCheck& check) {
      return holds_of(check.verdict()).has_value();
    };
    if (std::ranges::all_of(checks, is_clear)) std::erase(report.warnings, setup.outlook);
  }
  if (!setup.evaluates_groups) return;
  const auto rates_of = [&](std::span<const GroupId> contexts) {
    const RateProgram& program = *setup.histograms[next];
    return read_group_rates(program, count(contexts), noise_stddev);
  };
  if (setup.groupings.empty()) {
    const std::vector<GroupId> everybody(parts.test.contributes.size(), GroupId{0});
    report.overall.private_rates = rates_of(everybody).back();
  }
  auto group = report.groups.begin();
  for (size_t g = 0; g < setup.groupings.size(); ++g) {
    const std::vector<PrivateRates> rates = rates_of(parts.test_groups[g]);
    for (size_t k = 0; k + 1 < rates.size(); ++k, ++group) {
      // An empty group has no rates, whatever the noise.
      group->private_rates = group->public_size == 0 ? PrivateRates{} : rates[k];
    }
    if (g == 0) report.overall.private_rates = rates.back();
  }
}

bool has_diverged(const TrainedModel& trained, const EncodedParts& parts, const Model& of_run) {
  const Model& model = trained.model_or(of_run);
  const auto loss = [&](std::span<const double> parameters) {
    return overall_metrics(parts.curve, model.predict(parts.curve, parameters)).loss.value;
  };
  const double start = loss(std::vector<double>(model.num_parameters(), 0.0));
  return !std::isnan(start) && !(loss(trained.parameters) <= 10 * start);
}

void tell_bad_reference(TrainingReport& report) {
  constexpr double kTolerance = 1.1;
  if (!report.overall.reference || !report.overall.metrics) return;
  const double loss = report.overall.metrics->loss.value;
  const double of_reference = report.overall.reference->loss.value;
  if (!(of_reference > kTolerance * loss)) return;
  report.ingest_notes.push_back(
      fmt::format("the reference is worse than the model (held-out loss {:.3g} compared with "
                  "{:.3g}), so what groups lose compared with it is not the cost of privacy",
                  of_reference, loss));
}

void tell_largest_loss(const EncodedParts& parts, const TrainingSetup& setup,
                       const TrainedModel& trained, const std::optional<TrainedModel>& reference,
                       TrainingReport& report) {
  const bool is_of_reference = reference && reference->certificate;
  if (!is_of_reference && !trained.certificate) return;
  const MinimaxCertificate& certificate =
      is_of_reference ? *reference->certificate : *trained.certificate;
  const TableLosses losses(parts.train, *setup.model, setup.plan.facts.num_groups);
  std::vector<double> of_groups(losses.num_groups());
  std::vector<double> gradients(losses.num_groups() * losses.num_parameters());
  losses.evaluate(trained.parameters, of_groups, gradients);
  report.largest_loss = LargestLoss{*std::ranges::max_element(of_groups), certificate.lower,
                                    certificate.upper, certificate.radius};
}

void tell_realised(const TrainingSetup& setup, const std::vector<RealisedCost>& realised,
                   TrainingReport& report) {
  if (realised.empty() || !report.privacy) return;
  std::vector<std::string> parts;
  std::vector<RealisedGuarantee> told;
  try {
    for (size_t k = 0; k < realised.size(); ++k) {
      const GroupReport& group = report.groups[k];
      Guarantee privacy =
          smallest_guarantee(report.privacy->relation, realised[k].events, report.privacy->delta);
      // The reserved guarantee holds as well, so rounding must not report more.
      privacy.epsilon = Epsilon(std::min(privacy.epsilon.value(), group.privacy->epsilon.value()));
      parts.push_back(fmt::format("{}: share {:.4g}, rho {:.4g}, epsilon {}",
                                  values_of(group.group), realised[k].share, realised[k].rho,
                                  format_epsilon(privacy.epsilon)));
      told.push_back({realised[k].share, realised[k].rho, std::move(privacy)});
    }
  } catch (const Error& error) {
    report.ingest_notes.push_back(fmt::format("realised costs cannot be shown: {}", error.what()));
    return;
  }
  for (size_t k = 0; k < told.size(); ++k) report.groups[k].realised = std::move(told[k]);
  // Each overlapping group has the cost of its intersection that paid most.
  size_t next = told.size();
  for (size_t g = 1; setup.overlapping && g < setup.groupings.size(); ++g) {
    for (size_t k = 0; k < setup.groupings[g].groups.size(); ++k, ++next) {
      std::optional<RealisedGuarantee>& of_group = report.groups[next].realised;
      for (const size_t i : intersections_of(setup.groupings[g], k, setup.groupings[0])) {
        const std::optional<RealisedGuarantee>& inside = report.groups[i].realised;
        if (!of_group || of_group->rho < inside->rho) of_group = inside;
      }
    }
  }
  // Not a warning: warnings are on the model card, where this would be read as a guarantee.
  report.ingest_notes.push_back(fmt::format(
      "realised cost by {}, which depends on the output of stage one (output-dependent) and is not "
      "a guarantee; the guarantee is the epsilon in the table of groups: {}",
      columns_of(report.groups[0].group), fmt::join(parts, "; ")));
}

void tell_clamped_losses(const EncodedParts& parts, const TrainingSetup& setup,
                         const TrainedModel& trained, int threads, TrainingReport& report) {
  const auto& settings = setup.plan.settings;
  const auto used = std::ranges::find_if(
      settings, [](const auto& setting) { return setting.first == "loss_bound"; });
  if (used == settings.end() || parts.test.num_records == 0) return;
  const double bound = used->second;
  const Predictions predictions =
      trained.model_or(*setup.model).predict(parts.test, trained.parameters, threads);
  const auto beyond =
      std::ranges::count_if(predictions.loss, [&](double loss) { return !(loss <= bound); });
  report.ingest_notes.push_back(
      fmt::format("{} of {} held-out records have a loss above loss_bound {:g}; the weights of "
                  "groups depend on training losses that are cut off there",
                  format_count(beyond), format_count(parts.test.num_records), bound));
}

void tell_diverged(const EncodedParts& parts, const TrainingSetup& setup,
                   const TrainedModel& trained, TrainingReport& report) {
  const int64_t num_lost = num_lost_parameters(report);
  if (num_lost > 0) {
    report.warnings.push_back(fmt::format(
        "training diverged: {} of {} parameters are not finite or beyond 3.4e38, so the model's "
        "predictions are useless and it cannot be loaded; train again with a lower --learning-rate",
        format_count(num_lost), format_count(std::ssize(report.parameters))));
  } else if (!predicts_somewhere(parts.train, setup, trained)) {
    report.warnings.emplace_back(
        "training diverged: the model's output is not finite even in the middle of the range of "
        "its features, so its predictions are useless; train again with a lower --learning-rate");
  }
}

}  // namespace equinoise
