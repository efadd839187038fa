// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/rates.h"

#include <fmt/format.h>

#include <cmath>

#include "equinoise/base/check.h"

namespace equinoise {

WorstGroupRates worst_group_rates(const RateTerms& terms) {
  constexpr const char* kWhere = "train.worst_group";
  check_positive(kWhere, "num_groups", terms.num_groups);
  check_positive(kWhere, "num_records", terms.num_records);
  check_positive(kWhere, "num_parameters", terms.num_parameters);
  check_positive(kWhere, "epsilon", terms.epsilon);
  const double sampling = std::sqrt(terms.num_groups / terms.num_records);
  const double told = terms.num_records * terms.epsilon;
  const double noise = terms.num_groups * std::sqrt(terms.num_parameters) / told;
  return {sampling + noise,
          std::sqrt(std::sqrt(terms.num_parameters) / told) + sampling / terms.epsilon + sampling,
          noise, std::sqrt(terms.num_groups / told) + noise};
}

std::string describe_rates(const RateTerms& terms) {
  const WorstGroupRates rates = worst_group_rates(terms);
  return fmt::format(
      "rates from the paper, without constants, for {:g} groups, {:g} records, {:g} parameters and "
      "epsilon {:.3g}: mgr and mgr_w {:.2g}, ags {:.2g} above the best possible on these records; "
      "phased_erm {:.2g}, oco_exp3 {:.2g} on the population. Without constants they do not show "
      "which method is better here",
      terms.num_groups, terms.num_records, terms.num_parameters, terms.epsilon, rates.mgr,
      rates.ags, rates.phased_erm, rates.oco_exp3);
}

}  // namespace equinoise
