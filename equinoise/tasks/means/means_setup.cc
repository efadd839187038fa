// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/means_setup.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/public_bins.h"
#include "equinoise/means/automatic.h"
#include "equinoise/means/registry.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/tasks/input/record_weights.h"
#include "equinoise/tasks/means/named_values.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "tasks.means";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

enum class SizesAre {
  kExpected,  ///< predictions use them
  kPublic,    ///< the same, and those of 0 are of empty strata
  kDivisors   ///< the same, and sums are divided by them
};

/// (num_strata) the sizes of strata: `given` by name, else of the schema; where these make up the
/// table, others are empty. A grouping without columns is the whole table.
///
/// Errors: kUsage, with the names of strata, for a name that is no stratum; a size that is no whole
/// number, or is inexact and divides or is 0; sizes of more than the table; unknown sizes.
std::vector<double> stratum_sizes(const Schema& schema, const Grouping& grouping,
                                  const std::vector<std::string>& names,
                                  const std::map<std::string, double>& given, SizesAre sizes_are) {
  const bool is_guess = sizes_are == SizesAre::kExpected;
  if (grouping.columns.empty() && !given.empty() && !is_guess) {
    refuse("--stratum-size needs --by; the size of the whole table is num_records of the schema");
  }
  require_names(kWhere, "--stratum-size", given, names);
  const double num_records =
      static_cast<double>(schema.num_records) * static_cast<double>(schema.max_records_per_unit);
  if (grouping.columns.empty() && given.empty()) return {num_records};
  std::vector<double> sizes;
  std::vector<bool> is_unknown;
  double total = 0;
  bool is_any_inexact = false;
  for (size_t k = 0; k < names.size(); ++k) {
    std::optional<double> known;
    if (const auto found = given.find(names[k]); found != given.end()) {
      known = found->second;
    } else if (!schema.has_unit_column() && grouping.public_sizes[k]) {
      const bool is_exact = schema.has_exact_size(grouping.groups[k]);
      is_any_inexact = is_any_inexact || !is_exact;
      if (!is_exact && (sizes_are == SizesAre::kDivisors ||
                        (sizes_are == SizesAre::kPublic && *grouping.public_sizes[k] == 0)))
        refuse(
            "the size of stratum {} may rest on one with exact = false, and intervals would not "
            "hold; "
            "add --private-sizes, or vouch for the size with --stratum-size {}={}",
            names[k], names[k], *grouping.public_sizes[k]);
      known = static_cast<double>(*grouping.public_sizes[k]);
    }
    if (known && !(*known >= 0 && *known == std::floor(*known))) {
      refuse("the size of stratum {} must be a whole number >= 0, got {}", names[k], *known);
    }
    is_unknown.push_back(!known);
    sizes.push_back(known.value_or(0));
    total += sizes.back();
  }
  if (is_guess) {
    if (!contains(is_unknown, true) && total > 0 && total <= num_records) return sizes;
    if (given.empty()) return {};  // a release does not need them
    refuse(
        "give the size that you expect of each stratum, --stratum-size STRATUM=NUMBER; together "
        "from 1 to {} rows",
        num_records);
  }
  if (total > num_records) {
    refuse(
        "the sizes of the strata add up to {}, more than the {} records of the "
        "table; correct them",
        total, num_records);
  }
  const bool is_any_unknown = contains(is_unknown, true);
  if (is_any_unknown && (total < num_records || is_any_inexact)) {
    refuse(
        "the public sizes of these strata are not known: {}; declare them in [[public.groups]] of "
        "the schema or with --stratum-size STRATUM=NUMBER (strata left out are assumed to be empty "
        "once the others make up the table), or pay for them with --private-sizes",
        list_names(names, is_unknown));
  }
  return sizes;
}

/// "0:100"
std::pair<double, double> parse_bounds(const std::string& column, const std::string& text) {
  const size_t colon = text.find(':');
  double lower = 0;
  double upper = 0;
  const char* end = text.data() + text.size();
  const char* middle = text.data() + (colon == text.npos ? text.size() : colon);
  const auto first = std::from_chars(text.data(), middle, lower);
  const auto second = std::from_chars(std::min(middle + 1, end), end, upper);
  if (colon == text.npos || first.ec != std::errc() || first.ptr != middle ||
      second.ec != std::errc() || second.ptr != end) {
    refuse("write the bounds of column '{}' as LOWER:UPPER, e.g. 0:100; got \"{}\"", column, text);
  }
  return {lower, upper};
}

/// The expected weights of records of the schema, as shares of the largest weight: by the declared
/// mean, or all of it.
double usual_weight(const ColumnSchema& weights) {
  const bool is_declared = weights.scale == NumericScale::kStandard && weights.mean > 0;
  return is_declared ? std::min(weights.mean / weights.upper, 1.0) : 1;
}

std::vector<MeanColumn> mean_columns_of(const Schema& schema, const MeansRequest& request) {
  require_names(kWhere, "--bounds", request.bounds, request.columns);
  require_names(kWhere, "--stddev", request.stddevs, request.columns);
  std::vector<MeanColumn> columns;
  for (auto name = request.columns.begin(); name != request.columns.end(); ++name) {
    if (std::find(request.columns.begin(), name, *name) != name)
      refuse("column '{}' is named twice", *name);
    columns.push_back(mean_column(schema, *name, request));
  }
  if (request.weight_column.empty()) return columns;
  const ColumnSchema& weights = weight_column(schema, request.weight_column);
  require_only_weights(schema, request.weight_column, request.columns, {&request.by, 1});
  for (MeanColumn& column : columns) column.usual_weight = usual_weight(weights);
  return columns;
}

/// Numbers are brought into the bounds of the schema when they are read: a clip that leaves these
/// would not do what it says, nor would a count of numbers beyond them.
void check_clips(const Schema& schema, const MeansPlan& plan) {
  const MeansQuestion& question = plan.question;
  std::vector<std::string_view> unclipped;
  // The largest stratum has the widest clip.
  const double largest = question.sizes.empty() ? 1 : *std::ranges::max_element(question.sizes);
  for (const MeansPart& part : plan.parts) {
    const MeanColumn& column = question.columns[part.columns[0]];
    const auto clip =
        find_mean_estimator(part.method).make()->public_clip(column, largest, question.config);
    if (!clip) continue;
    const auto& [lower, upper] = *clip;
    const ColumnSchema& read = schema.column(column.name);
    if (lower < read.lower || upper > read.upper) {
      refuse(
          "gamma clips column '{}' to [{}, {}], beyond the [{}, {}] to which numbers "
          "are clamped when they are read; declare wider bounds in the schema, and "
          "give the bounds of the mean with --bounds",
          column.name, lower, upper, read.lower, read.upper);
    }
    if (lower == read.lower && upper == read.upper) unclipped.push_back(column.name);
  }
  if (question.config.clipped_share > 0 && !unclipped.empty()) {
    refuse(
        "no number of {} can be beyond its bounds, to which numbers are clamped when they are "
        "read; give each of these narrower --bounds COLUMN=LOWER:UPPER, or leave out "
        "--clipped-share",
        fmt::join(unclipped, ", "));
  }
}

/// The relation asked for, else that of the ledger's account, which can hold no other.
Relation relation_of(const MeansRequest& request, const MeansSetup& setup) {
  const bool has_units = setup.schema.has_unit_column();
  Relation relation =
      has_units || request.private_sizes ? Relation::kZeroOut : Relation::kReplaceOne;
  if (setup.ledger) relation = setup.ledger->account(setup.schema.dataset).budget.relation;
  if (request.relation) relation = *request.relation;
  if (has_units && relation == Relation::kReplaceOne) {
    refuse(
        "under replace_one how many rows each {} has in each stratum would have to be "
        "public; use --relation zero_out, and an account of that relation",
        setup.schema.unit);
  }
  return relation;
}

/// Sizes of strata are of rows, which are private where a unit may have several.
void check_unit_sizes(const MeansRequest& request, const Schema& schema) {
  if (!schema.has_unit_column() || request.stratum_sizes.empty()) return;
  refuse(
      "how many rows a stratum has is private where each {} may have several; leave "
      "out --stratum-size: noisy sizes are a part of the release (--size-share)",
      schema.unit);
}

/// The rho of a row for the one that was asked for, or for what epsilon at delta allows.
double settle_rho(MeansQuestion question, const MeansRequest& request, const MeansSetup& setup) {
  if (request.rho.has_value() == request.epsilon.has_value())
    refuse("give either --rho or --epsilon (at --delta)");
  if (request.rho) {
    check_positive(kWhere, "rho", *request.rho);
    return *request.rho / rho_factor(setup.schema.max_records_per_unit);
  }
  check_positive(kWhere, "epsilon", *request.epsilon);
  // All strata that are asked about cost the same, whatever their size: one stands for all.
  const auto asked = std::ranges::find_if(question.sizes, [](double size) { return size > 0; });
  const auto k = question.sizes.empty() ? 0 : asked - question.sizes.begin();
  if (k == std::ssize(question.sizes) && k > 0) return 1;  // which plan_means refuses
  // Problems that no budget mends are reported as they are.
  question.rho = 1;
  static_cast<void>(plan_means(question));
  return affordable_rho(
      question.config.relation, Epsilon(*request.epsilon), Delta(request.delta), [&](double rho) {
        question.rho = rho;
        const MeansPlan plan = plan_means(question);
        // A unit may have rows in several strata.
        if (setup.schema.has_unit_column()) {
          return for_unit(setup.schema.max_records_per_unit,
                          plan.charged_events(setup.grouping.partition, setup.names));
        }
        return plan.events[static_cast<size_t>(k)];
      });
}

}  // namespace

MeanColumn mean_column(const Schema& schema, const std::string& name, const MeansRequest& request) {
  const ColumnSchema& column = schema.column(name);
  if (column.type != ColumnType::kNumeric) {
    refuse(
        "column '{}' is {}, not numeric; choose a numeric column, or "
        "declare this one as numeric with bounds = [LOWER, UPPER] in the schema",
        name, column.type == ColumnType::kIgnored ? "ignored" : "categorical");
  }
  if (column.time) {
    refuse(
        "column '{}' holds {}, not numbers; add a column of numbers to the "
        "table, such as years or days since a public date",
        name, column.time->has_time() ? "times" : "dates");
  }
  MeanColumn result{name, column.lower, column.upper, {}};
  if (column.scale == NumericScale::kStandard) result.stddev = column.stddev;
  // The schema's treatment of a cell without a number is public; whether there is one is not.
  result.has_gaps =
      (column.missing != MissingPolicy::kFill && column.missing != MissingPolicy::kNone) ||
      column.malformed == MalformedPolicy::kDrop;
  if (const auto given = request.bounds.find(name); given != request.bounds.end()) {
    std::tie(result.lower, result.upper) = parse_bounds(name, given->second);
    if (!(result.lower < result.upper)) {
      refuse("the bounds of column '{}' are reversed, got {}; give the lower one first", name,
             given->second);
    }
    if (result.lower < column.lower || result.upper > column.upper) {
      refuse(
          "the bounds of column '{}' must be within [{}, {}], to which numbers are "
          "clamped when they are read, got {}; declare wider bounds in the schema",
          name, column.lower, column.upper, given->second);
    }
  }
  if (const auto given = request.stddevs.find(name); given != request.stddevs.end())
    result.stddev = given->second;
  return result;
}

PrivacyStatus MeansSetup::status() const {
  if (!is_private) return PrivacyStatus::kInsecureRng;
  return schema.reviewed ? PrivacyStatus::kPrivate : PrivacyStatus::kNotPrivate;
}

std::string MeansSetup::origin_of_weights() const {
  if (weights.held_out) return "shares of held-out records";
  if (!weights.values.empty()) return "public weights";
  if (plan.question.columns.front().usual_weight) return "noisy sums of weights";
  return plan.question.private_sizes ? "noisy sizes" : "public sizes";
}

std::optional<Guarantee> MeansSetup::guarantee(const std::vector<Event>& events,
                                               double delta) const {
  if (!is_private) return std::nullopt;
  return smallest_guarantee(plan.question.config.relation, events, Delta(delta));
}

MeansSetup set_up_question(const MeansRequest& request, bool needs_ledger, bool is_outlook) {
  MeansSetup setup;
  SchemaFile file = request.schema;
  if (!file.missing) file.missing = MissingUse::kLeaveOut;
  setup.schema = load_schema(file);
  const Schema& schema = setup.schema;
  require_reviewed(schema, request.schema.path.string(), request.public_data);
  if (schema.image) refuse("a table of images has no numeric columns");
  check_open_interval(kWhere, "delta", request.delta, 0, 1);
  setup.is_private = !request.insecure_seed;
  if (request.by.empty()) {
    setup.grouping.groups = {GroupLabel()};
    setup.names = {"overall"};
  } else {
    setup.grouping = list_groups(schema, request.by, request.group_floor);
    setup.names = group_names(setup.grouping);
  }
  if (!request.weight_column.empty()) {
    const ColumnSchema& column = weight_column(schema, request.weight_column);
    setup.record_weights =
        RecordWeights{column.name, column.upper, usual_weight(column) * column.upper,
                      rounding_of(setup.schema, column)};
  }
  std::error_code ignored;
  const bool has_ledger = std::filesystem::exists(request.ledger_path, ignored);
  if (setup.is_private && (needs_ledger || has_ledger))
    setup.ledger.emplace(request.ledger_path, setup.schema.dataset);

  MeansQuestion& question = setup.plan.question;
  question.columns = mean_columns_of(schema, request);
  question.config = request.config;
  question.config.relation = relation_of(request, setup);
  question.num_strata = setup.names.size();
  question.private_sizes = request.private_sizes || schema.has_unit_column();
  const bool is_plan = is_outlook || request.dry_run;
  if (request.private_sizes && !request.stratum_sizes.empty() && !is_plan)
    refuse("--stratum-size has no effect with --private-sizes; leave one of them out");
  question.size_share = request.size_share;
  if (!is_plan) check_unit_sizes(request, schema);
  const bool is_told = !question.private_sizes || !request.stratum_sizes.empty() ||
                       (!schema.has_unit_column() &&
                        !contains(setup.grouping.public_sizes, std::optional<int64_t>()));
  if (is_told) {
    const bool divide =
        !is_outlook && !std::ranges::all_of(question.columns, &MeanColumn::has_noisy_divisor);
    (question.private_sizes ? question.expected_sizes : question.sizes) =
        stratum_sizes(schema, setup.grouping, setup.names, request.stratum_sizes,
                      question.private_sizes ? SizesAre::kExpected
                      : divide               ? SizesAre::kDivisors
                                             : SizesAre::kPublic);
  }
  setup.weights = stratum_weights(request.weights, schema, request.by, request.group_floor,
                                  setup.names, question.sizes, request.data);
  // A sum over all records is of no use for other weights than by size.
  if (setup.weights.values.empty()) question.overall_share = request.overall_share;
  return setup;
}

MeansPlan plan_by(const MeansRequest& request, const std::string& method, const MeansSetup& setup) {
  MeansQuestion question = setup.plan.question;
  // Each method gets the largest rho whose guarantee fits what was asked for.
  const auto rho_of = [&](const std::string& name) {
    MeansQuestion asked = question;
    asked.method = name;
    return settle_rho(std::move(asked), request, setup);
  };
  MeansPlan plan;
  if (method == "auto") {
    plan = choose_plan(question, rho_of);
  } else {
    question.method = method;
    question.rho = rho_of(method);
    plan = plan_means(question);
  }
  check_clips(setup.schema, plan);
  return plan;
}

std::optional<NumberRounding> rounding_of(const Schema& schema, const ColumnSchema& column) {
  if (!schema.public_bins) return std::nullopt;
  const PublicBins bins(schema, column, *schema.public_bins);
  if (bins.max_rounding() == 0) return std::nullopt;
  return NumberRounding{bins.num_bins(), bins.max_rounding()};
}

MeansSetup set_up_means(const MeansRequest& request, bool needs_ledger) {
  MeansSetup setup = set_up_question(request, needs_ledger, false);
  setup.plan = plan_by(request, request.method, setup);
  return setup;
}

}  // namespace equinoise
