#include "equinoise/tasks/means.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/means/dirichlet.h"
#include "equinoise/means/estimators/bounded.h"
#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/means/parity.h"
#include "equinoise/means/stratified.h"
#include "equinoise/means/summary.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/means_json.h"
#include "equinoise/tasks/ingest_notes.h"
#include "equinoise/tasks/output_file.h"
#include "equinoise/tasks/table_files.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "tasks.means";
constexpr size_t kMaxNamed = 5;

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::kUsage, kWhere, problem);
}

/// What has been settled before anything is read.
struct Setup {
  Schema schema;
  Grouping grouping;               ///< without strata: one group without a label
  std::vector<std::string> names;  ///< (num_strata)
  std::optional<Ledger> ledger;
  MeansPlan plan;
  std::vector<double> weights;  ///< (num_strata) public ones, or empty: by sizes
  bool is_private = true;       ///< false: spends nothing

  std::vector<Event> events() const { return plan.charged_events(grouping.partition, names); }
};

[[noreturn]] void refuse_name(const char* what, const std::string& name,
                              const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  refuse(fmt::format("{} \"{}\": there is no such name; {}", what, name,
                     nearest.empty() ? fmt::format("choose among {}", fmt::join(names, "; "))
                                     : fmt::format("did you mean \"{}\"?", nearest)));
}

template <typename Value>
void require_names(const char* what, const std::map<std::string, Value>& given,
                   const std::vector<std::string>& names) {
  for (const auto& [name, value] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end()) refuse_name(what, name, names);
  }
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
    refuse(fmt::format("bounds of column '{}' have the form LOWER:UPPER, e.g. 0:100, got \"{}\"",
                       column, text));
  }
  return {lower, upper};
}

MeanColumn column_of(const Schema& schema, const std::string& name, const MeansRequest& request) {
  const ColumnSchema& column = schema.column(name);
  if (column.type != ColumnType::kNumeric) {
    refuse(
        fmt::format("column '{}' is {}, a mean needs numbers; choose a numeric column, or "
                    "declare it as one with bounds = [LOWER, UPPER] in the schema",
                    name, column.type == ColumnType::kIgnored ? "ignored" : "categorical"));
  }
  MeanColumn result{name, column.lower, column.upper, {}};
  if (column.scale == NumericScale::kStandard) result.stddev = column.stddev;
  if (const auto given = request.bounds.find(name); given != request.bounds.end()) {
    std::tie(result.lower, result.upper) = parse_bounds(name, given->second);
    if (!(result.lower < result.upper)) {
      refuse(fmt::format("the bounds of column '{}' are reversed, got {}; give the lower one first",
                         name, given->second));
    }
    if (result.lower < column.lower || result.upper > column.upper) {
      refuse(
          fmt::format("the bounds of column '{}' must be within [{}, {}], which numbers are "
                      "brought into when they are read, got {}; declare wider ones in the schema",
                      name, column.lower, column.upper, given->second));
    }
  }
  if (const auto given = request.stddevs.find(name); given != request.stddevs.end())
    result.stddev = given->second;
  return result;
}

std::vector<MeanColumn> columns_of(const Schema& schema, const MeansRequest& request) {
  require_names("--bounds", request.bounds, request.columns);
  require_names("--stddev", request.stddevs, request.columns);
  std::vector<MeanColumn> columns;
  for (auto name = request.columns.begin(); name != request.columns.end(); ++name) {
    if (std::find(request.columns.begin(), name, *name) != name)
      refuse(fmt::format("column '{}' is named twice", *name));
    columns.push_back(column_of(schema, *name, request));
  }
  return columns;
}

/// Numbers are brought into the bounds of the schema when they are read: a clip that leaves these
/// would not do what it says, nor would a count of numbers beyond them.
void check_clips(const Schema& schema, const MeansPlan& plan) {
  const MeansQuestion& question = plan.question;
  for (const MeansPart& part : plan.parts) {
    if (part.method != "bounded" && part.method != "laplace") continue;
    const MeanColumn& column = question.columns[part.columns[0]];
    const ColumnSchema& read = schema.column(column.name);
    double margin = 0;
    if (part.method == "laplace" && question.config.gamma > 0) {
      const double largest = *std::max_element(question.sizes.begin(), question.sizes.end());
      margin = *column.stddev * laplace_margin(largest, question.config.gamma);
    }
    const double lower = column.lower - margin;
    const double upper = column.upper + margin;
    if (lower < read.lower || upper > read.upper) {
      refuse(
          fmt::format("gamma clips column '{}' to [{:.6g}, {:.6g}], beyond the [{}, {}] that "
                      "numbers are brought into when they are read; declare wider bounds in the "
                      "schema, and those of the mean with --bounds",
                      column.name, lower, upper, read.lower, read.upper));
    }
    if (question.config.clipped_share > 0 && lower == read.lower && upper == read.upper) {
      refuse(
          fmt::format("no number of column '{}' is beyond [{}, {}], which numbers are brought "
                      "into when they are read: leave --clipped-share out, or give narrower "
                      "--bounds",
                      column.name, read.lower, read.upper));
    }
  }
}

/// Of the names of groups for which `is_meant`, the first few.
template <typename Predicate>
std::string list_names(const std::vector<std::string>& names, const Predicate& is_meant) {
  std::vector<std::string> meant;
  for (size_t k = 0; k < names.size(); ++k)
    if (is_meant(k)) meant.push_back(names[k]);
  const size_t shown = std::min(meant.size(), kMaxNamed);
  return fmt::format("{}{}", fmt::join(meant.begin(), meant.begin() + shown, "; "),
                     meant.size() > shown ? fmt::format(" and {} more", meant.size() - shown) : "");
}

/// The public sizes of the strata: given, else of the schema; where these make up the table, others
/// are empty.
std::vector<double> sizes_of(const Schema& schema, const Grouping& grouping,
                             const std::vector<std::string>& names, const MeansRequest& request) {
  if (grouping.columns.empty() && !request.stratum_sizes.empty()) {
    refuse("--stratum-size needs --by: the size of the whole table is num_records of the schema");
  }
  require_names("--stratum-size", request.stratum_sizes, names);
  const auto num_records = static_cast<double>(schema.num_records);
  if (grouping.columns.empty()) return {num_records};
  std::vector<std::optional<double>> known;
  double total = 0;
  for (size_t k = 0; k < names.size(); ++k) {
    const auto given = request.stratum_sizes.find(names[k]);
    known.emplace_back();
    if (given != request.stratum_sizes.end()) {
      known.back() = given->second;
    } else if (grouping.public_sizes[k]) {
      known.back() = static_cast<double>(*grouping.public_sizes[k]);
    }
    if (!known.back()) continue;
    if (!(*known.back() >= 0 && *known.back() == std::floor(*known.back()))) {
      refuse(fmt::format("the size of stratum {} must be a whole number >= 0, got {}", names[k],
                         *known.back()));
    }
    total += *known.back();
  }
  if (total > num_records) {
    refuse(
        fmt::format("the sizes of the strata add up to {}, more than the {} records of the "
                    "table; correct them",
                    total, num_records));
  }
  std::vector<double> sizes;
  for (const std::optional<double>& size : known) sizes.push_back(size.value_or(0));
  const bool is_any_unknown = std::find(known.begin(), known.end(), std::nullopt) != known.end();
  if (is_any_unknown && total < num_records) {
    refuse(fmt::format(
        "the public size of these strata is not known: {}; declare it in [[public.groups]] of the "
        "schema or with --stratum-size STRATUM=NUMBER (those left out are taken to be empty once "
        "the others make up the table), or pay for it with --private-sizes",
        list_names(names, [&](size_t k) { return !known[k]; })));
  }
  return sizes;
}

std::map<std::string, double> read_weights(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::kInput, kWhere,
                fmt::format("{}: {}; a file of weights is one JSON object such as "
                            "{{\"Female\": 0.4, \"Male\": 0.6}}",
                            path.string(), problem));
  };
  if (!json.is_object()) fail(stream.is_open() ? "is no JSON object" : "cannot be read");
  std::map<std::string, double> weights;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number()) fail(fmt::format("the weight of \"{}\" is no number", name));
    weights[name] = value.get<double>();
  }
  return weights;
}

std::vector<double> weights_of(const std::vector<std::string>& names, const MeansRequest& request) {
  if (request.weights.empty() && request.weights_path.empty()) return {};
  if (!request.weights.empty() && !request.weights_path.empty())
    refuse("give --weights or --weights-file, not both");
  const std::map<std::string, double> given =
      request.weights.empty() ? read_weights(request.weights_path) : request.weights;
  require_names("weight of", given, names);
  const auto is_missing = [&](size_t k) { return given.find(names[k]) == given.end(); };
  std::vector<double> weights;
  for (size_t k = 0; k < names.size(); ++k) {
    if (is_missing(k)) {
      refuse(
          fmt::format("these strata have no public weight: {}; give one for each, 0 where a "
                      "stratum is to count for nothing",
                      list_names(names, is_missing)));
    }
    weights.push_back(given.at(names[k]));
  }
  check_stratum_weights(weights, names.size());
  return weights;
}

/// The relation asked for, else that of the ledger's account, which can hold no other.
Relation relation_of(const MeansRequest& request, const Setup& setup) {
  if (request.relation) return *request.relation;
  if (!setup.ledger) return Relation::kReplaceOne;
  return setup.ledger->account(setup.schema.dataset).budget.relation;
}

/// The rho that was asked for, or what epsilon at delta allows.
double settle_rho(MeansQuestion question, const MeansRequest& request) {
  if (request.rho.has_value() == request.epsilon.has_value())
    refuse("give either --rho or --epsilon (at --delta)");
  if (request.rho) {
    check_positive(kWhere, "rho", *request.rho);
    return *request.rho;
  }
  check_positive(kWhere, "epsilon", *request.epsilon);
  // All strata that are asked about cost the same, whatever their size: one stands for all.
  const auto asked = std::find_if(question.sizes.begin(), question.sizes.end(),
                                  [](double size) { return size > 0; });
  const auto k = question.sizes.empty() ? 0 : asked - question.sizes.begin();
  if (k == std::ssize(question.sizes) && k > 0) return 1;  // which plan_means refuses
  return affordable_rho(question.config.relation, Epsilon(*request.epsilon), Delta(request.delta),
                        [&](double rho) {
                          question.rho = rho;
                          return plan_means(question).events[static_cast<size_t>(k)];
                        });
}

Setup set_up(const MeansRequest& request, bool needs_ledger) {
  Setup setup;
  setup.schema = load_schema(request.schema);
  const Schema& schema = setup.schema;
  require_reviewed(schema, request.schema.path.string(), request.public_data);
  if (schema.image) refuse("a table of images has no columns of numbers");
  check_open_interval(kWhere, "delta", request.delta, 0, 1);
  setup.is_private = !request.insecure_seed;
  if (request.by.empty()) {
    setup.grouping.groups = {GroupLabel()};
    setup.names = {"everybody"};
  } else {
    setup.grouping = list_groups(schema, request.by, request.group_floor);
    setup.names = group_names(setup.grouping);
  }
  std::error_code ignored;
  const bool has_ledger = std::filesystem::exists(request.ledger_path, ignored);
  if (setup.is_private && (needs_ledger || has_ledger)) setup.ledger.emplace(request.ledger_path);

  MeansQuestion question;
  question.columns = columns_of(schema, request);
  question.method = request.method;
  question.config = request.config;
  question.config.relation = relation_of(request, setup);
  question.num_strata = setup.names.size();
  question.private_sizes = request.private_sizes;
  question.size_share = request.size_share;
  if (!request.private_sizes)
    question.sizes = sizes_of(schema, setup.grouping, setup.names, request);
  setup.weights = weights_of(setup.names, request);
  // A sum over all records is of no use for other weights than by size.
  if (setup.weights.empty()) question.overall_share = request.overall_share;
  question.rho = settle_rho(question, request);
  setup.plan = plan_means(question);
  check_clips(schema, setup.plan);
  return setup;
}

std::optional<Guarantee> guarantee_of(const Setup& setup, const std::vector<Event>& events,
                                      double delta) {
  if (!setup.is_private) return std::nullopt;
  return smallest_guarantee(setup.plan.question.config.relation, events, Delta(delta));
}

/// The standard deviation of the predicted noise in the mean over all strata.
double predicted_overall_noise(const Setup& setup, size_t column) {
  const std::vector<double>& sizes = setup.plan.question.sizes;
  const std::vector<double> weights =
      setup.weights.empty() ? weights_of_sizes(sizes) : setup.weights;
  double variance = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    if (weights[k] == 0) continue;
    // The figure of an empty stratum is the middle of the bounds, off by half of these at most.
    const MeanColumn& facts = setup.plan.question.columns[column];
    const double of_stratum = sizes[k] == 0 ? (facts.upper - facts.lower) / 2
                                            : setup.plan.predicted_noise(column, sizes[k]);
    const double noise = weights[k] * of_stratum;
    variance += noise * noise;
  }
  if (const auto& overall = setup.plan.part_of(column).overall) {
    const double noise = overall->noise_stddev / std::accumulate(sizes.begin(), sizes.end(), 0.0);
    variance = 1 / (1 / variance + 1 / (noise * noise));
  }
  return std::sqrt(variance);
}

void add_columns(const Setup& setup, MeansReport& report) {
  const MeansQuestion& question = setup.plan.question;
  const double total = static_cast<double>(setup.schema.num_records);
  for (size_t j = 0; j < question.columns.size(); ++j) {
    const MeanColumn& column = question.columns[j];
    const MeansPart& part = setup.plan.part_of(j);
    MeanColumnReport row{column.name,
                         part.method,
                         part.reason,
                         column.lower,
                         column.upper,
                         column.stddev,
                         part.overall.has_value(),
                         0,
                         0};
    row.unstratified_noise = setup.plan.predicted_noise(j, total) *
                             (part.overall ? std::sqrt(1 - question.overall_share) : 1);
    row.stratified_noise =
        question.private_sizes ? std::nan("") : predicted_overall_noise(setup, j);
    report.columns.push_back(row);
  }
}

/// The rows of a plan: what each stratum has to expect.
void add_rows(const Setup& setup, const MeansRequest& request, MeansReport& report) {
  const MeansQuestion& question = setup.plan.question;
  std::optional<Guarantee> privacy;
  for (size_t k = 0; k < setup.names.size(); ++k) {
    // Most strata draw the same events.
    if (k == 0 || setup.plan.events[k] != setup.plan.events[k - 1])
      privacy = guarantee_of(setup, setup.plan.events[k], request.delta);
    for (size_t j = 0; j < question.columns.size(); ++j) {
      StratumMeanReport row;
      row.stratum = setup.grouping.groups[k];
      row.column = question.columns[j].name;
      row.privacy = privacy;
      if (!question.private_sizes) {
        row.num_records = question.sizes[k];
        if (question.sizes[k] > 0) {
          const double noise = setup.plan.predicted_noise(j, question.sizes[k]);
          if (std::isfinite(noise)) row.predicted_noise = noise;
        } else {
          row.note = "empty: nothing is asked";
        }
      }
      report.rows.push_back(std::move(row));
    }
  }
}

void add_ledger_statement(const Setup& setup, const MeansRequest& request, MeansReport& report) {
  const std::string& dataset = setup.schema.dataset;
  const LedgerAccount account = setup.ledger->account(dataset);
  report.ledger = {
      request.ledger_path, dataset, account.budget, account.spent,
      setup.ledger->spent_with(dataset, setup.events(), setup.plan.question.config.relation)};
  if (account.budget.delta.value() != request.delta) {
    report.warnings.push_back(
        fmt::format("the ledger keeps its account at delta {}, this release is told at delta {}: "
                    "its epsilon there is another one",
                    account.budget.delta.value(), request.delta));
  }
}

MeansReport begin_report(const Setup& setup, const MeansRequest& request) {
  const MeansQuestion& question = setup.plan.question;
  MeansReport report;
  report.version = EQUINOISE_VERSION;
  report.dataset = setup.schema.dataset;
  report.status = !setup.is_private        ? "insecure rng"
                  : !setup.schema.reviewed ? "not private"
                                           : "private";
  report.strata = setup.grouping.columns;
  report.rho = question.rho;
  report.events = setup.events();
  report.privacy = guarantee_of(setup, report.events, request.delta);
  report.has_private_sizes = question.private_sizes;
  report.weights = !setup.weights.empty()   ? "public weights"
                   : question.private_sizes ? "noisy sizes"
                                            : "public sizes";
  report.command = request.command;
  add_columns(setup, report);
  add_rows(setup, request, report);
  if (!(request.delta < 1 / static_cast<double>(setup.schema.num_records))) {
    report.warnings.push_back(
        fmt::format("delta {:g} is not below 1 / num_records = {:.3g}: the guarantee would allow "
                    "publishing a whole record",
                    request.delta, 1 / static_cast<double>(setup.schema.num_records)));
  }
  return report;
}

/// The columns that are asked for, and who is in which stratum. A record that a rule of the schema
/// drops, or of a stratum of size 0, is in none.
struct Columns {
  std::vector<uint32_t> strata;
  StratifiedRecords records;
};

Columns read_columns(const Dataset& dataset, const Setup& setup, const MeansRequest& request) {
  Columns columns;
  const auto num_strata = static_cast<uint32_t>(setup.names.size());
  columns.strata.assign(static_cast<size_t>(dataset.num_records), 0);
  if (!request.by.empty()) {
    const Grouping grouping = group_by(dataset, setup.schema, request.by, request.group_floor);
    for (size_t i = 0; i < columns.strata.size(); ++i)
      columns.strata[i] = index_of(grouping.group_of[i]);
  }
  const std::vector<double>& sizes = setup.plan.question.sizes;
  for (size_t i = 0; i < columns.strata.size(); ++i) {
    const uint32_t k = columns.strata[i];
    if (dataset.contributes[i] == 0 || (!sizes.empty() && sizes[k] == 0))
      columns.strata[i] = num_strata;
  }
  columns.records.num_records = columns.strata.size();
  columns.records.num_strata = num_strata;
  columns.records.strata = columns.strata;
  for (const std::string& name : request.columns)
    columns.records.columns.emplace_back(dataset.find_numeric(name)->values);
  return columns;
}

MeanInterval interval_around(double mean, double half_width, const MeanColumn& column) {
  return {std::clamp(mean - half_width, column.lower, column.upper),
          std::clamp(mean + half_width, column.lower, column.upper)};
}

/// With the choice of `size` records besides, each of variance stddev^2.
std::optional<MeanInterval> population_interval(double mean, double half_width, double variance,
                                                const MeanColumn& column) {
  if (!column.stddev) return std::nullopt;
  return interval_around(
      mean, std::hypot(half_width, kNormalQuantile * *column.stddev * std::sqrt(variance)), column);
}

void add_figures(const Setup& setup, const MeansRelease& release, size_t j, bool shrink,
                 MeansReport& report) {
  const MeanColumn& column = setup.plan.question.columns[j];
  const ColumnSummary summary = summarise_column(setup.plan, release, j, setup.weights,
                                                 {shrink, category_levels(setup.grouping.groups)});
  report.is_shrunk = report.is_shrunk || summary.is_shrunk;
  for (size_t k = 0; k < setup.names.size(); ++k) {
    StratumMeanReport& row = report.rows[k * release.num_columns + j];
    const MeanEstimate& estimate = release.at(k, j);
    row.num_records = release.sizes[k];
    row.raw_mean = std::clamp(estimate.mean, column.lower, column.upper);
    row.mean = summary.strata[k];
    row.noise_stddev = estimate.noise_stddev;
    row.interval = interval_around(estimate.mean, estimate.half_width, column);
    row.interval.lower = std::min(row.interval.lower, row.mean);
    row.interval.upper = std::max(row.interval.upper, row.mean);
    row.clipped_fraction = estimate.clipped_fraction;
    if (release.sizes[k] == 0) continue;
    row.population =
        population_interval(estimate.mean, estimate.half_width, 1 / release.sizes[k], column);
    if (row.population) {
      row.population->lower = std::min(row.population->lower, row.mean);
      row.population->upper = std::max(row.population->upper, row.mean);
    }
    if (!std::isfinite(estimate.half_width))
      row.note = "the noisy size may be all noise: the figure says nothing by itself";
    else if (2 * estimate.half_width > column.upper - column.lower)
      row.note = "the noise is wider than the bounds: the figure says little by itself";
  }
  const NoisyMean& overall = summary.overall;
  report.overall.push_back({column.name, overall.mean, overall.noise_stddev,
                            interval_around(overall.mean, overall.half_width, column),
                            population_interval(overall.mean, overall.half_width,
                                                summary.sum_of_squared_weights_by_size, column)});
}

/// NOT PRIVATE.
MeansExplanation explain(const Setup& setup, const MeansRelease& release, const Dataset& dataset,
                         const Columns& columns, const MeansReport& report) {
  MeansExplanation result;
  const size_t num_strata = setup.names.size();
  const std::span<const uint32_t> strata = columns.strata;
  result.num_records.assign(num_strata, 0);
  for (const uint32_t k : strata) {
    if (k < num_strata) {
      ++result.num_records[k];
    } else {
      ++result.num_without_stratum;
    }
  }
  std::vector<double> found(result.num_records.begin(), result.num_records.end());
  for (size_t j = 0; j < release.num_columns; ++j) {
    const MeanColumn& column = setup.plan.question.columns[j];
    MeansExplanation::Column row;
    row.name = column.name;
    std::vector<double> sums(num_strata, 0.0);
    for (size_t i = 0; i < strata.size(); ++i) {
      if (strata[i] < num_strata)
        sums[strata[i]] += static_cast<double>(columns.records.columns[j][i]);
    }
    const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    row.exact_overall = total / std::accumulate(found.begin(), found.end(), 0.0);
    std::vector<double> released;
    std::vector<double> raw;
    for (size_t k = 0; k < num_strata; ++k) {
      row.exact_strata.push_back(sums[k] / found[k]);
      released.push_back(report.rows[k * release.num_columns + j].mean);
      raw.push_back(report.rows[k * release.num_columns + j].raw_mean);
    }
    const double overall = report.overall[j].mean;
    const auto judge = [&](const std::vector<double>& estimates) {
      return parity_error({found,
                           row.exact_strata,
                           estimates,
                           row.exact_overall,
                           overall,
                           column.lower,
                           column.upper,
                           {}});
    };
    const ParityError parity = judge(released);
    row.parity_error = parity.parity_error;
    row.largest_group_error = parity.max_group_error;
    row.largest_absolute_error = parity.max_absolute_error;
    row.scale_floor = parity.scale_floor;
    row.raw_parity_error = judge(raw).parity_error;
    row.overall_parity_error = judge(std::vector<double>(num_strata, overall)).parity_error;
    result.columns.push_back(std::move(row));
  }
  const double num_found = std::accumulate(found.begin(), found.end(), 0.0);
  if (num_strata > 1 && num_found > static_cast<double>(num_strata)) {
    const DirichletFit fit = fit_dirichlet(found);
    result.alpha_moments = fit.alpha_moments;
    result.alpha_likelihood = fit.alpha_likelihood;
    result.sum_log = fit.realised_sum_log;
    if (fit.alpha_moments) {
      const ExpectedSumLog expected =
          expected_sum_log(static_cast<int>(num_strata), num_found, *fit.alpha_moments);
      result.expected_sum_log = expected.expected_floored;
      result.equal_sum_log = expected.upper_bound;
    }
  }
  result.notes = ingest_notes(dataset);
  for (size_t k = 0; k < num_strata && !setup.plan.question.private_sizes; ++k) {
    const auto declared = static_cast<int64_t>(setup.plan.question.sizes[k]);
    if (declared == result.num_records[k]) continue;
    result.notes.push_back(fmt::format("stratum {}: {} records contribute, {} are declared",
                                       setup.names[k], format_count(result.num_records[k]),
                                       format_count(declared)));
  }
  if (result.num_without_stratum > 0) {
    result.notes.push_back(
        fmt::format("{} records are in no stratum with a size: they contribute "
                    "nothing",
                    format_count(result.num_without_stratum)));
  }
  return result;
}

std::vector<Charge> charges_of(Charge charge, const Setup& setup) {
  if (!setup.grouping.partition.empty()) return charge.take_groups();
  std::vector<Charge> charges;
  charges.push_back(std::move(charge));
  return charges;
}

}  // namespace

MeansReport plan_means_task(const MeansRequest& request) {
  const Setup setup = set_up(request, false);
  MeansReport report = begin_report(setup, request);
  if (setup.ledger) {
    add_ledger_statement(setup, request, report);
    try {
      setup.ledger->require_affordable(report.dataset, report.events,
                                       setup.plan.question.config.relation, request.ledger_key);
    } catch (const Error& refusal) {
      report.warnings.push_back(
          fmt::format("the ledger will refuse this release: {}", refusal.what()));
    }
  } else if (setup.is_private) {
    report.warnings.push_back(fmt::format(
        "there is no ledger {} yet; create one with: equinoise ledger init --ledger {} --dataset "
        "{} --epsilon E --delta D --relation {}",
        request.ledger_path, request.ledger_path, report.dataset,
        to_string(setup.plan.question.config.relation)));
  }
  return report;
}

MeansReport release_means_task(const MeansRequest& request, TaskProgress& progress) {
  Setup setup = set_up(request, true);
  const Relation relation = setup.plan.question.config.relation;
  MeansReport report = begin_report(setup, request);
  if (setup.ledger) {
    add_ledger_statement(setup, request, report);
    setup.ledger->require_affordable(report.dataset, report.events, relation, request.ledger_key);
  }
  const Dataset dataset =
      read_table_files({request.data_path, {}}, setup.schema, TableUse::kDescribed, progress);
  const Columns columns = read_columns(dataset, setup, request);
  progress.hold_interruptions();
  std::unique_ptr<OutputFile> out;
  if (!request.out_path.empty()) {
    out = std::make_unique<OutputFile>(request.out_path, request.force);
    out->reserve(static_cast<int64_t>(report.rows.size() * 4096 + 65536));
  }
  std::unique_ptr<RandomSource> source = std::make_unique<SecureSource>();
  std::optional<Charge> charge;
  if (request.insecure_seed) {
    auto seeded = std::make_unique<SeededSource>(*request.insecure_seed);
    charge = Charge::unpaid(report.events, relation, *seeded);
    source = std::move(seeded);
  } else {
    progress.stage(fmt::format("reserving epsilon {} at delta {} in {}",
                               format_epsilon(report.privacy->epsilon),
                               report.privacy->delta.value(), request.ledger_path));
    if (progress.interrupted()) {
      throw Error(ErrorKind::kRuntime, kWhere,
                  "interrupted: nothing was written and nothing was spent");
    }
    Reservation reservation = setup.ledger->reserve(
        report.dataset, report.events, relation,
        fmt::format("means of {}{}", fmt::join(request.columns, ", "),
                    request.by.empty() ? "" : fmt::format(" by {}", fmt::join(request.by, ", "))),
        false, request.ledger_key);
    charge = std::move(reservation.charge);
    report.ledger->spent_after = reservation.spent;
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<Charge> charges = charges_of(std::move(*charge), setup);
  const MeansRelease release =
      release_means(setup.plan, columns.records, charges, *source, request.threads);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (size_t j = 0; j < release.num_columns; ++j) {
    add_figures(setup, release, j, request.shrink, report);
  }
  if (out) {
    report.files.push_back(request.out_path.string());
    out->write(to_text(means_to_json(report)));
    out->commit();
  }
  if (request.explain) report.explanation = explain(setup, release, dataset, columns, report);
  return report;
}

}  // namespace equinoise
