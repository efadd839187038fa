// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/account.h"

#include <fmt/format.h>

#include <set>

#include "equinoise/base/check.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/calibration.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "account";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

std::vector<Event> parse_events(const nlohmann::json& list) {
  if (!list.is_array() || list.empty()) refuse("events must be a list with at least one event");
  std::vector<Event> events;
  for (const nlohmann::json& event : list) {
    events.push_back(Event::from_json(event, fmt::format("events[{}]", events.size())));
  }
  return events;
}

/// Puts `value` in place of "?" in the events; collects the names of these fields.
void fill(nlohmann::json& json, const nlohmann::json& value, std::set<std::string>& names) {
  if (!json.is_structured()) return;
  for (const auto& [key, member] : json.items()) {
    if (member == "?") {
      names.insert(key);
      member = value;
    } else {
      fill(member, value, names);
    }
  }
}

nlohmann::json filled(const AccountQuestion& question, const nlohmann::json& value) {
  nlohmann::json events = question.events;
  std::set<std::string> names;
  fill(events, value, names);
  return events;
}

/// Errors: kUsage unless "?" is the value of these fields only, and of at least one.
void require_unknown(const AccountQuestion& question, const std::set<std::string>& allowed) {
  nlohmann::json events = question.events;
  std::set<std::string> names;
  fill(events, 1, names);
  if (names.empty()) {
    refuse("nothing to solve for; give \"?\" as the {} of an event", fmt::join(allowed, " or "));
  }
  for (const std::string& name : names) {
    if (allowed.count(name) == 0) {
      refuse("\"?\" can stand for {}, not for {}", fmt::join(allowed, " or "), name);
    }
  }
}

double require(const std::optional<double>& value, std::string_view name) {
  if (!value) refuse("{} is missing", name);
  return *value;
}

PrivacyTarget target_of(const AccountQuestion& question) {
  return {question.relation, Epsilon(require(question.epsilon, "epsilon")),
          Delta(require(question.delta, "delta")), question.accountant};
}

std::unique_ptr<Accountant> make(const AccountQuestion& question) {
  return find_accountant(question.accountant)
      .make(question.relation, parse_events(question.events));
}

/// The cost of the events with `value` in place of "?".
AccountAnswer cost_with(const AccountQuestion& question, const nlohmann::json& value) {
  AccountQuestion solved = question;
  solved.events = filled(question, value);
  return account_epsilon(solved);
}

}  // namespace

AccountAnswer account_epsilon(const AccountQuestion& question) {
  const Delta delta(require(question.delta, "delta"));
  if (question.accountant == kSmallest) {
    const Guarantee least =
        smallest_guarantee(question.relation, parse_events(question.events), delta);
    return {least.epsilon.value(),
            delta.value(),
            std::string(to_string(least.accountant)),
            question.relation,
            {},
            {}};
  }
  const double epsilon = make(question)->epsilon(delta).value();
  return {epsilon, delta.value(), question.accountant, question.relation, {}, {}};
}

AccountAnswer account_delta(const AccountQuestion& question) {
  const Epsilon epsilon(require(question.epsilon, "epsilon"));
  if (question.accountant == kSmallest) {
    const NamedDelta least =
        smallest_delta(question.relation, parse_events(question.events), epsilon);
    return {epsilon.value(),   least.delta, std::string(to_string(least.accountant)),
            question.relation, {},          {}};
  }
  const double delta = make(question)->delta(epsilon);
  return {epsilon.value(), delta, question.accountant, question.relation, {}, {}};
}

AccountAnswer account_noise(const AccountQuestion& question) {
  require_unknown(question, {"noise_multiplier", "sigma"});
  const double noise = smallest_noise_multiplier(
      target_of(question), [&](double value) { return parse_events(filled(question, value)); });
  AccountAnswer answer = cost_with(question, noise);
  answer.noise = noise;
  return answer;
}

AccountAnswer account_steps(const AccountQuestion& question) {
  require_unknown(question, {"count", "steps"});
  const int64_t steps = largest_num_steps(
      target_of(question), [&](int64_t value) { return parse_events(filled(question, value)); });
  if (steps == 0) {
    refuse("one step already costs more than epsilon {} at delta {}", *question.epsilon,
           *question.delta);
  }
  AccountAnswer answer = cost_with(question, steps);
  answer.steps = steps;
  return answer;
}

AccountComparison compare_accountants(const AccountQuestion& question) {
  if (question.epsilon.has_value() == question.delta.has_value()) {
    refuse("give delta to compare epsilons, or epsilon to compare deltas");
  }
  static_cast<void>(parse_events(question.events));
  AccountComparison comparison{question.relation, {}};
  for (const AccountantRow& row : accountant_rows()) {
    AccountQuestion asked = question;
    asked.accountant = row.name;
    ComparedAccount& compared = comparison.rows.emplace_back();
    compared.accountant = row.name;
    try {
      const AccountAnswer answer = question.delta ? account_epsilon(asked) : account_delta(asked);
      compared.epsilon = answer.epsilon;
      compared.delta = answer.delta;
    } catch (const Error& error) {
      compared.refusal = error.what();
    }
  }
  return comparison;
}

}  // namespace equinoise
