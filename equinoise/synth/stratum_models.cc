// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/stratum_models.h"

#include <algorithm>

#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/measure.h"
#include "equinoise/synth/shared_strata.h"
#include "equinoise/synth/stratum_evidence.h"
#include "equinoise/synth/synth_progress.h"

namespace equinoise {

namespace {

/// The groups of each column of --stratify, if there are several: a stratum lies in one of each.
std::vector<std::vector<size_t>> larger_groups(const Grouping& grouping) {
  std::vector<std::vector<size_t>> result;
  for (size_t column = 0; grouping.columns.size() > 1 && column < grouping.columns.size();
       ++column) {
    std::vector<std::string> seen;
    std::vector<size_t> group_of;
    for (const GroupLabel& label : grouping.groups) {
      const auto found = std::ranges::find(seen, label[column].second);
      group_of.push_back(static_cast<size_t>(found - seen.begin()));
      if (found == seen.end()) seen.push_back(label[column].second);
    }
    result.push_back(std::move(group_of));
  }
  return result;
}

}  // namespace

SharedStrata make_shared_strata(SynthRecords& records, const SynthSetup& setup,
                                const SynthModel& everybody, std::vector<Charge> charges,
                                RandomSource& source, TaskProgress& progress) {
  const auto& whole = dynamic_cast<const GraphSynthModel&>(everybody);
  // Made when it is needed: all at once would take the memory of another set of models.
  const auto prior_of = [&](const PlannedStratum& stratum) {
    return whole.within(stratum_evidence(stratum.label, setup.schema, setup.columns),
                        stratum.columns,
                        static_cast<double>(std::max<int64_t>(1, *stratum.public_size)));
  };
  const std::vector<size_t> num_ordered = num_ordered_of(setup.columns);
  std::vector<StratumCounts> strata;
  SharedStrata result;
  result.measured.resize(setup.strata.size());
  for (size_t s = 0; s < setup.strata.size(); ++s) {
    check_interrupted(progress);
    const PlannedStratum& stratum = setup.strata[s];
    if (!stratum.questions.empty()) progress.stage("measuring " + group_name(stratum.label));
    const GraphSynthModel prior = prior_of(stratum);
    StratumCounts& counts = strata.emplace_back();
    counts.expected.resize(setup.columns.size());
    for (size_t i = 0; i < stratum.columns.size(); ++i)
      counts.expected[stratum.columns[i]] = prior.model().marginal({static_cast<int>(i)});
    if (stratum.questions.empty()) continue;
    const std::unique_ptr<MarginalSource> own = records.take(s);
    const std::unique_ptr<MarginalSource> pooled = own->pooled(prior.values());
    counts.measured.resize(setup.columns.size());
    for (size_t i = 0; i < stratum.questions.size(); ++i) {
      const StratumQuestion& question = stratum.questions[i];
      const size_t column = stratum.columns[static_cast<size_t>(question.attribute)];
      const size_t num_codes = pooled->sizes()[static_cast<size_t>(question.attribute)];
      NoisyMarginal measured =
          measure_parts(*pooled, question.attribute,
                        counts_of_codes(num_codes, num_ordered[column], question.parts),
                        charges[s].take(i), setup.relation, source);
      counts.measured[column].push_back(result.measured[s].emplace_back(
          SynthMeasurement{.attributes = measured.clique,
                           .noise_stddev = measured.noise_stddev,
                           .counts = std::move(measured.values),
                           .pooled = pooled_codes(prior.values(), measured.clique),
                           .parts = question.parts}));
    }
  }
  progress.stage("fitting the strata");
  const auto shrunk = shrunk_strata(strata, larger_groups(*setup.grouping), num_ordered);
  for (size_t s = 0; s < setup.strata.size(); ++s) {
    const PlannedStratum& stratum = setup.strata[s];
    std::vector<std::vector<double>> own;
    for (const size_t i : stratum.columns) own.push_back(shrunk[s][i]);
    const GraphSynthModel prior = prior_of(stratum);
    GraphicalModel model = raked(prior.model(), own, setup.shared->plan.config, progress);
    result.strata.push_back(
        {stratum.label, stratum.columns, stratum.fixed, 1,
         std::make_unique<GraphSynthModel>(prior.domain(), prior.values(), std::move(model))});
  }
  return result;
}

}  // namespace equinoise
