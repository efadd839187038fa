// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "equinoise/base/check.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.event";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestInteger = 0x1p53;
constexpr size_t kDeepest = 32;

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// A parameter: its JSON key, its range, and how infinity is written where it has a meaning.
struct Parameter {
  std::string_view key;
  std::string_view range;
  bool (*holds)(double);
  bool is_integer = false;
  std::string_view infinity = {};
};

/// A whole number for make(), which refuses infinity. Beyond 2^53 a double would be a different
/// number.
double whole(int64_t value) {
  return value <= int64_t{1} << 53 ? static_cast<double>(value) : kInfinity;
}

/// The number of levels of nested events.
size_t depth_of(const std::vector<Event>& events) {
  size_t deepest = 0;
  for (const Event& event : events) deepest = std::max(deepest, depth_of(event.events()));
  return deepest + (events.empty() ? 0 : 1);
}

bool is_integer(double value, double least) {
  return value >= least && value <= kLargestInteger && value == std::floor(value);
}

constexpr bool (*kPositive)(double) = [](double value) { return value > 0 && value < kInfinity; };
constexpr bool (*kNonNegative)(double) = [](double value) {
  return value >= 0 && value < kInfinity;
};
constexpr bool (*kProbability)(double) = [](double value) { return value >= 0 && value < 1; };
constexpr bool (*kRate)(double) = [](double value) { return value > 0 && value <= 1; };
constexpr bool (*kCount)(double) = [](double value) { return is_integer(value, 1); };
constexpr bool (*kAtLeastTwo)(double) = [](double value) { return is_integer(value, 2); };

constexpr Parameter kNoiseMultiplier{"noise_multiplier", "finite and > 0", kPositive};
constexpr Parameter kSensitivity{"sensitivity", "a whole number >= 1", kCount, true};
constexpr Parameter kSampleRate{"q", "in (0, 1]", kRate};
constexpr Parameter kEpsilonParameter{"epsilon", "finite and >= 0", kNonNegative};
constexpr Parameter kDeltaParameter{"delta", "in [0, 1)", kProbability};

enum class Children { kNone, kOne, kList, kGroups };

struct Specification {
  Event::Kind kind;
  std::string_view type;
  std::vector<Parameter> parameters;
  Children children;
  std::string_view text;  ///< with a place for each parameter, then for the children
};

const std::vector<Specification>& specifications() {
  using Kind = Event::Kind;
  static const std::vector<Specification> rows = {
      {Kind::kGaussian,
       "gaussian",
       {kNoiseMultiplier},
       Children::kNone,
       "Gaussian, noise multiplier {:.6g}"},
      {Kind::kLaplace,
       "laplace",
       {kNoiseMultiplier},
       Children::kNone,
       "Laplace, noise multiplier {:.6g}"},
      {Kind::kDiscreteGaussian,
       "discrete_gaussian",
       {{"sigma", "finite and > 0", kPositive}, kSensitivity},
       Children::kNone,
       "discrete Gaussian, standard deviation {:.6g}, sensitivity {:.0f}"},
      {Kind::kDiscreteLaplace,
       "discrete_laplace",
       {{"parameter", "finite and > 0", kPositive}, kSensitivity},
       Children::kNone,
       "discrete Laplace, decay {:.6g}, sensitivity {:.0f}"},
      {Kind::kExponential,
       "exponential",
       {kEpsilonParameter},
       Children::kNone,
       "exponential mechanism, epsilon {:.6g}"},
      {Kind::kRandomisedResponse,
       "randomised_response",
       {{"noise_parameter", "in (0, 1]", kRate},
        {"buckets", "a whole number >= 2", kAtLeastTwo, true}},
       Children::kNone,
       "randomised response, noise parameter {:.6g}, {:.0f} buckets"},
      {Kind::kTreeAggregation,
       "tree_aggregation",
       {kNoiseMultiplier, {"steps", "a whole number >= 1", kCount, true}},
       Children::kNone,
       "tree aggregation, noise multiplier {:.6g}, {:.0f} steps"},
      {Kind::kPure, "pure", {kEpsilonParameter}, Children::kNone, "pure DP, epsilon {:.6g}"},
      {Kind::kApproxDp,
       "approx_dp",
       {kEpsilonParameter, kDeltaParameter},
       Children::kNone,
       "approximate DP, epsilon {:.6g}, delta {:.3g}"},
      {Kind::kZcdp,
       "zcdp",
       {{"rho", "finite and >= 0", kNonNegative}},
       Children::kNone,
       "zCDP, rho {:.6g}"},
      {Kind::kSamplerError,
       "sampler_error",
       {kDeltaParameter},
       Children::kNone,
       "sampler error, delta {:.3g}"},
      {Kind::kRepeat,
       "repeat",
       {{"count", "a whole number >= 1", kCount, true}},
       Children::kOne,
       "{:.0f} x {}"},
      {Kind::kComposed, "composed", {}, Children::kList, "[{}]"},
      {Kind::kParallel, "parallel", {}, Children::kGroups, "in parallel [{}]"},
      {Kind::kPoissonSampled,
       "poisson_sampled",
       {kSampleRate},
       Children::kList,
       "Poisson batch at rate {:.6g} of [{}]"},
      {Kind::kSampledWithoutReplacement,
       "sampled_without_replacement",
       {kSampleRate},
       Children::kList,
       "batch of fixed size at rate {:.6g} of [{}]"},
      {Kind::kRepeatAndSelect,
       "repeat_and_select",
       {{"mean", "> 0, or \"any\"", [](double value) { return value > 0; }, false, "any"},
        {"shape", "> -1, or \"inf\"", [](double value) { return value > -1; }, false, "inf"}},
       Children::kOne,
       "best of about {:.6g} runs (shape {:.6g}) of {}"},
      {Kind::kRowsOfUnit,
       "rows_of_unit",
       {{"rows", "a whole number >= 1", kCount, true}},
       Children::kOne,
       "up to {:.0f} rows of a unit: {}"},
  };
  return rows;
}

const Specification& specification_of(Event::Kind kind) {
  return specifications()[static_cast<size_t>(kind)];
}

}  // namespace

Event Event::make(Kind kind, std::array<double, 2> numbers, std::vector<Event> events,
                  const std::string& place) {
  const Specification& row = specification_of(kind);
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    const Parameter& parameter = row.parameters[i];
    if (!parameter.holds(numbers[i])) {
      refuse("{} ({}): {} must be {}, got {}", place, row.type, parameter.key, parameter.range,
             numbers[i]);
    }
  }
  const bool needs_children = kind != Kind::kComposed && row.children != Children::kNone;
  if (needs_children && events.empty()) {
    refuse("{} ({}) needs at least one event", place, row.type);
  }
  if (depth_of(events) > kDeepest) {
    refuse("{} ({}): more than {} nested events", place, row.type, kDeepest);
  }
  if (kind == Kind::kRowsOfUnit && numbers[0] == 1) return std::move(events[0]);
  Event event;
  event.kind_ = kind;
  event.numbers_ = numbers;
  event.events_ = std::move(events);
  return event;
}

Event Event::gaussian(double noise_multiplier) {
  return make(Kind::kGaussian, {noise_multiplier}, {});
}

Event Event::laplace(double noise_multiplier) {
  return make(Kind::kLaplace, {noise_multiplier}, {});
}

Event Event::discrete_gaussian(double noise_stddev, int64_t sensitivity) {
  return make(Kind::kDiscreteGaussian, {noise_stddev, whole(sensitivity)}, {});
}

Event Event::discrete_laplace(double decay, int64_t sensitivity) {
  return make(Kind::kDiscreteLaplace, {decay, whole(sensitivity)}, {});
}

Event Event::exponential(double epsilon) { return make(Kind::kExponential, {epsilon}, {}); }

Event Event::randomised_response(double noise_parameter, int64_t buckets) {
  return make(Kind::kRandomisedResponse, {noise_parameter, whole(buckets)}, {});
}

Event Event::tree_aggregation(double noise_multiplier, int64_t steps) {
  return make(Kind::kTreeAggregation, {noise_multiplier, whole(steps)}, {});
}

Event Event::pure(double epsilon) { return make(Kind::kPure, {epsilon}, {}); }

Event Event::approx_dp(double epsilon, double delta) {
  return make(Kind::kApproxDp, {epsilon, delta}, {});
}

Event Event::zcdp(double rho) { return make(Kind::kZcdp, {rho}, {}); }

Event Event::sampler_error(double delta) { return make(Kind::kSamplerError, {delta}, {}); }

Event Event::repeat(int64_t count, Event event) {
  return make(Kind::kRepeat, {whole(count)}, {std::move(event)});
}

Event Event::composed(std::vector<Event> events) {
  return make(Kind::kComposed, {}, std::move(events));
}

Event Event::poisson_sampled(double sample_rate, std::vector<Event> events) {
  return make(Kind::kPoissonSampled, {sample_rate}, std::move(events));
}

Event Event::sampled_without_replacement(double sample_rate, std::vector<Event> events) {
  return make(Kind::kSampledWithoutReplacement, {sample_rate}, std::move(events));
}

Event Event::repeat_and_select(double mean, double shape, Event event) {
  return make(Kind::kRepeatAndSelect, {mean, shape}, {std::move(event)});
}

Event Event::rows_of_unit(int64_t rows, Event event) {
  return make(Kind::kRowsOfUnit, {whole(rows)}, {std::move(event)});
}

Event Event::parallel(std::string partition, std::vector<std::string> group_names,
                      std::vector<Event> events) {
  std::vector<std::string> sorted = group_names;
  std::ranges::sort(sorted);
  if (group_names.size() != events.size() || std::ranges::adjacent_find(sorted) != sorted.end()) {
    refuse("parallel needs exactly one event for each group");
  }
  Event event = make(Kind::kParallel, {}, std::move(events));
  event.partition_ = std::move(partition);
  event.group_names_ = std::move(group_names);
  return event;
}

Event Event::with_events(std::vector<Event> events) const {
  if (kind_ == Kind::kParallel) return parallel(partition_, group_names_, std::move(events));
  return make(kind_, numbers_, std::move(events));
}

double Event::number(std::string_view key) const {
  const std::vector<Parameter>& parameters = specification_of(kind_).parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].key == key) return numbers_[i];
  }
  refuse("this kind of event has no {}: {}", key, to_text());
}

nlohmann::json Event::to_json() const {
  const Specification& row = specification_of(kind_);
  nlohmann::json json = {{"type", row.type}};
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    const Parameter& parameter = row.parameters[i];
    nlohmann::json& value = json[std::string(parameter.key)];
    if (numbers_[i] == kInfinity) {
      value = parameter.infinity;
    } else if (parameter.is_integer) {
      value = static_cast<int64_t>(numbers_[i]);
    } else {
      value = numbers_[i];
    }
  }
  if (row.children == Children::kOne) json["event"] = events_[0].to_json();
  if (row.children == Children::kList) {
    json["events"] = nlohmann::json::array();
    for (const Event& event : events_) json["events"].push_back(event.to_json());
  }
  if (row.children == Children::kGroups) {
    json["partition"] = partition_;
    for (size_t i = 0; i < events_.size(); ++i) {
      json["groups"].push_back({{"group", group_names_[i]}, {"event", events_[i].to_json()}});
    }
  }
  return json;
}

namespace {

/// One object of the JSON form: its members by key, and a message that names the place.
class Reader {
 public:
  Reader(const nlohmann::json& json, const std::string& place, const std::string& what)
      : json_(json), place_(place), what_(what) {}

  [[noreturn]] void refuse_here(const std::string& message) const {
    refuse("{} ({}): {}", place_, what_, message);
  }

  /// Refuses a key that is not read, so that a misspelt parameter never passes as a default.
  void allow_only(std::vector<std::string> keys) const {
    for (const auto& [key, value] : json_.items()) {
      if (contains(keys, key)) continue;
      const std::string nearest = nearest_name(key, keys);
      refuse_here(
          fmt::format("there is no parameter \"{}\"{}", key,
                      nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
    }
  }

  const nlohmann::json& member(const std::string& key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) refuse_here(fmt::format("\"{}\" is missing", key));
    return *found;
  }

  const nlohmann::json& list(const std::string& key) const {
    const nlohmann::json& value = member(key);
    if (!value.is_array()) refuse_here(fmt::format("\"{}\" must be a list", key));
    return value;
  }

  std::string text(const std::string& key) const {
    const nlohmann::json& value = member(key);
    if (!value.is_string()) refuse_here(fmt::format("\"{}\" must be a string", key));
    return value;
  }

  double number(const Parameter& parameter) const {
    const nlohmann::json& value = member(std::string(parameter.key));
    if (!parameter.infinity.empty() && value == parameter.infinity) return kInfinity;
    if (!value.is_number()) {
      refuse_here(fmt::format("{} must be {}, got {}", parameter.key, parameter.range,
                              value.is_string() ? "a text" : value.type_name()));
    }
    return value.get<double>();
  }

 private:
  const nlohmann::json& json_;
  const std::string& place_;
  const std::string& what_;
};

const Specification& specification_of(const std::string& type, const std::string& place) {
  std::vector<std::string> known;
  for (const Specification& row : specifications()) {
    if (row.type == type) return row;
    known.emplace_back(row.type);
  }
  const std::string nearest = nearest_name(type, known);
  refuse("{}: unknown event type \"{}\"{}", place, type,
         nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest));
}

}  // namespace

Event Event::from_json(const nlohmann::json& json, const std::string& place) {
  if (static_cast<size_t>(std::ranges::count(place, '.')) > kDeepest) {
    refuse("{}: more than {} nested events", place, kDeepest);
  }
  if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) {
    refuse("{}: an event is a JSON object with a \"type\"", place);
  }
  const std::string type = json["type"];
  const Specification& row = specification_of(type, place);
  const Reader reader(json, place, type);

  std::vector<std::string> keys = {"type", "note"};
  std::array<double, 2> numbers{};
  for (const Parameter& parameter : row.parameters) keys.emplace_back(parameter.key);
  if (row.children == Children::kOne) keys.emplace_back("event");
  if (row.children == Children::kList) keys.emplace_back("events");
  if (row.children == Children::kGroups) keys.insert(keys.end(), {"partition", "groups"});
  reader.allow_only(keys);
  for (size_t i = 0; i < row.parameters.size(); ++i) numbers[i] = reader.number(row.parameters[i]);

  std::vector<Event> events;
  if (row.children == Children::kOne) {
    events.push_back(from_json(reader.member("event"), place + ".event"));
  }
  if (row.children == Children::kList) {
    for (const nlohmann::json& child : reader.list("events")) {
      events.push_back(from_json(child, fmt::format("{}.events[{}]", place, events.size())));
    }
  }
  if (row.children != Children::kGroups) return make(row.kind, numbers, std::move(events), place);

  std::vector<std::string> group_names;
  for (const nlohmann::json& child : reader.list("groups")) {
    const std::string child_place = fmt::format("{}.groups[{}]", place, events.size());
    if (!child.is_object())
      refuse(child_place + ": must be an object with \"group\" and \"event\"");
    const Reader group(child, child_place, "group");
    group.allow_only({"group", "event"});
    group_names.push_back(group.text("group"));
    events.push_back(from_json(group.member("event"), child_place));
  }
  return parallel(reader.text("partition"), std::move(group_names), std::move(events));
}

std::string Event::to_text() const {
  std::string children;
  for (size_t i = 0; i < events_.size(); ++i) {
    std::string groups;
    if (kind_ == Kind::kParallel) {
      // Groups with equal events are printed together, at the first of them.
      if (std::find(events_.begin(), events_.begin() + static_cast<ptrdiff_t>(i), events_[i]) !=
          events_.begin() + static_cast<ptrdiff_t>(i))
        continue;
      for (size_t k = i; k < events_.size(); ++k)
        if (events_[k] == events_[i]) groups += (k == i ? "" : "; ") + group_names_[k];
      groups = fmt::format("{}={}: ", partition_, groups);
    }
    children += (i > 0 ? ", " : "") + groups + events_[i].to_text();
  }
  const Specification& row = specification_of(kind_);
  switch (row.parameters.size()) {
    case 0:
      return fmt::format(fmt::runtime(row.text), children);
    case 1:
      return fmt::format(fmt::runtime(row.text), numbers_[0], children);
    default:
      return fmt::format(fmt::runtime(row.text), numbers_[0], numbers_[1], children);
  }
}

}  // namespace equinoise
