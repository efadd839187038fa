// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/account.h"

namespace equinoise::cli {

namespace {

using Json = nlohmann::json;

constexpr int kDigits = 8;

struct AccountOptions {
  std::string file;
  std::vector<std::string> events;
  std::vector<std::string> gaussian;
  std::vector<std::string> laplace;
  std::optional<double> sample_rate;
  std::string steps = "1";
  std::string relation = "zero_out";
  std::string accountant{kSmallest};
  std::optional<double> epsilon;
  double delta = kDefaultDelta;
};

RequestOptions options_of(AccountOptions& options) {
  std::string accountants;
  for (const AccountantRow& row : accountant_rows())
    accountants +=
        fmt::format("{}{}: {}", accountants.empty() ? "" : "; ", row.name, row.description);
  accountants += fmt::format("; {}: {}", kSmallest, find_accountant(kSmallest).description);
  return {
      {{.name = "events",
        .help = "JSON file with a list of events on one table; - reads standard input "
                "(docs/guide/events.md)"},
       &options.file},
      {{.name = "gaussian",
        .help = "Noise multiplier of a Gaussian release (stddev / L2 sensitivity); repeatable"},
       &options.gaussian},
      {{.name = "laplace",
        .help = "Noise multiplier of a Laplace release (scale / L1 sensitivity); repeatable"},
       &options.laplace},
      {{.name = "event",
        .help = "Event as JSON, of any type, e.g. '{\"type\": \"exponential\", \"epsilon\": 0.1}'"},
       &options.events},
      {{.name = "sample_rate",
        .help = "Sampling rate of a Poisson batch; all events given by flags see the same batch"},
       &options.sample_rate},
      {{.name = "steps", .help = "Number of repetitions of all these events"}, &options.steps},
      {{.name = "relation", .help = "Neighbouring relation: zero_out, add_remove or replace_one"},
       &options.relation},
      {{.name = "accountant",
        .help = accountants,
        .choices = names_in(accountant_rows(), {kSmallest})},
       &options.accountant},
      {{.name = "epsilon", .help = "Privacy loss, >= 0"}, &options.epsilon},
      {{.name = "delta", .help = "Failure probability, in [0, 1)"}, &options.delta}};
}

constexpr Refusal refuse{ErrorKind::kUsage, "cli.account"};

Json parse(const std::string& text, const std::string& place) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const size_t end = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const auto line = std::count(text.begin(), text.begin() + static_cast<int64_t>(end), '\n') + 1;
    const size_t before = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    const size_t column = end - (before == std::string::npos ? 0 : before + 1) + 1;
    throw Error(ErrorKind::kInput, "cli.account",
                "{}: line {}, column {}: not JSON; an event file is a list such as "
                "[{{\"type\": \"gaussian\", \"noise_multiplier\": 2}}]",
                place, line, column);
  }
}

Json read_file(const std::string& path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw Error(ErrorKind::kInput, "cli.account", path + ": cannot be read");
    text.assign(std::istreambuf_iterator<char>(stream), {});
  }
  Json events = parse(text, path == "-" ? "standard input" : path);
  return events.is_object() ? Json::array({events}) : events;
}

/// A number, or "?" for what is asked.
Json number_or_unknown(const std::string& text, const std::string& option) {
  if (text == "?") return text;
  size_t end = 0;
  double value = 0;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end != text.size()) refuse("{} takes a number or \"?\", got {}", option, text);
  const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p53;
  return whole ? Json(static_cast<int64_t>(value)) : Json(value);
}

/// The events of --gaussian, --laplace and --event: on one Poisson batch with --sample-rate.
Json events_of_flags(const AccountOptions& options) {
  Json events = Json::array();
  for (const std::string& noise : options.gaussian) {
    events.push_back(
        {{"type", "gaussian"}, {"noise_multiplier", number_or_unknown(noise, "--gaussian")}});
  }
  for (const std::string& noise : options.laplace) {
    events.push_back(
        {{"type", "laplace"}, {"noise_multiplier", number_or_unknown(noise, "--laplace")}});
  }
  for (const std::string& text : options.events) events.push_back(parse(text, "--event"));
  if (events.empty()) {
    refuse(
        "no events given; use --events FILE, or describe them with --gaussian, --laplace or "
        "--event");
  }
  if (options.sample_rate) {
    events = Json::array(
        {{{"type", "poisson_sampled"}, {"q", *options.sample_rate}, {"events", events}}});
  }
  const Json steps = number_or_unknown(options.steps, "--steps");
  if (steps == 1) return events;
  const Json step = events.size() == 1 ? events[0] : Json{{"type", "composed"}, {"events", events}};
  return Json::array({{{"type", "repeat"}, {"count", steps}, {"event", step}}});
}

AccountQuestion question_of(const AccountOptions& options) {
  const bool by_flags = !options.gaussian.empty() || !options.laplace.empty() ||
                        !options.events.empty() || options.sample_rate || options.steps != "1";
  if (!options.file.empty() && by_flags)
    refuse("give either --events FILE, or events by --gaussian, --laplace or --event, not both");
  return {options.file.empty() ? events_of_flags(options) : read_file(options.file),
          parse_relation(options.relation), options.accountant, options.epsilon, options.delta};
}

void print(const AccountAnswer& answer, const CommonOptions& common) {
  if (common.json) {
    print_json(answer, common);
    return;
  }
  if (answer.noise) common.print("noise {}\n", format_up(*answer.noise, kDigits));
  if (answer.steps) common.print("steps {}\n", *answer.steps);
  common.print("epsilon {} at delta {} ({}, {})\n", format_up(answer.epsilon, kDigits),
               format_up(answer.delta, kDigits), answer.accountant, to_string(answer.relation));
}

void print(const AccountComparison& compared, const CommonOptions& common) {
  if (common.json) {
    print_json(compared, common);
    return;
  }
  common.print("accountant  {:>14}  {:>14}\n", "epsilon", "delta");
  for (const ComparedAccount& row : compared.rows) {
    if (row.epsilon) {
      common.print("{:<10}  {:>14}  {:>14}\n", row.accountant, format_up(*row.epsilon, kDigits),
                   format_up(*row.delta, kDigits));
    } else {
      common.print("{:<10}  no answer: {}\n", row.accountant, row.refusal);
    }
  }
}

}  // namespace

void add_account_command(CLI::App& app, CommonOptions& common) {
  CLI::App* account =
      app.add_subcommand("account", "Calculate the privacy cost of events, without data");
  account->require_subcommand(1);

  struct Row {
    CommandText text;
    std::initializer_list<std::string_view> unused;
    AccountAnswer (*answer)(const AccountQuestion&);
  };
  const Row rows[] = {
      {{"epsilon", "Epsilon of the events at a given delta",
        "equinoise account epsilon --gaussian 1.1 --sample-rate 0.01 --steps 1000 --delta 1e-6"},
       {"epsilon"},
       account_epsilon},
      {{"delta", "Delta of the events at a given epsilon",
        "equinoise account delta --gaussian 2 --epsilon 1"},
       {"delta"},
       account_delta},
      {{"noise", "Smallest noise, in place of \"?\", that stays within an epsilon at a delta",
        "equinoise account noise --gaussian '?' --sample-rate 0.01 --steps 1000 --epsilon 1 "
        "--delta 1e-6"},
       {},
       account_noise},
      {{"steps",
        "Largest number of steps, in place of \"?\", that stays within an epsilon at a delta",
        "equinoise account steps --gaussian 1.1 --laplace 5 --sample-rate 0.01 --steps '?' "
        "--epsilon 1 --delta 1e-6"},
       {},
       account_steps},
  };
  for (const Row& row : rows) {
    const auto options = std::make_shared<AccountOptions>();
    add_request_command(
        *account, row.text, common,
        [answer = row.answer](const CLI::App&, const AccountOptions& given,
                              const CommonOptions& host) {
          print(answer(question_of(given)), host);
        },
        options, without(options_of(*options), row.unused));
  }
  const auto options = std::make_shared<AccountOptions>();
  add_request_command(
      *account,
      {"compare", "Comparison of zCDP, RDP and PLD on the same events",
       "equinoise account compare --laplace 10 --steps 50 --delta 1e-6"},
      common,
      [](const CLI::App& command, const AccountOptions& given, const CommonOptions& host) {
        AccountQuestion question = question_of(given);
        if (given.epsilon && !is_given(command, "delta")) question.delta.reset();
        print(compare_accountants(question), host);
      },
      options, without(options_of(*options), {"accountant"}));
}

}  // namespace equinoise::cli
