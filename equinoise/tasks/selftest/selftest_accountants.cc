// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/tasks/selftest/selftest_checks.h"

namespace equinoise {

namespace {

/// An epsilon at `delta`, or the delta at `epsilon`, that is known from another source.
struct Case {
  std::string_view name;
  std::vector<Event> events;
  Relation relation;
  double delta;
  std::optional<double> epsilon;  ///< the case is delta at this epsilon
  double exact;                   ///< a figure not above the exact one
  double slack;                   ///< the largest relative excess of the PLD accountant over it
};

std::vector<Case> cases() {
  constexpr auto kZeroOut = Relation::kZeroOut;
  constexpr auto kReplaceOne = Relation::kReplaceOne;
  const auto batch = [](double rate) { return Event::poisson_sampled(rate, {Event::gaussian(1)}); };
  return {
      // Phi(-1/2) - e Phi(-3/2) [BalleWang2018, Thm. 8], cut.
      {"Gaussian, delta at epsilon 1",
       {Event::gaussian(1)},
       kZeroOut,
       0,
       1.0,
       0.12693673750664,
       1e-6},
      // log 3: 0.75 against 0.25.
      {"randomised response, epsilon at delta 0",
       {Event::randomised_response(0.5, 2)},
       kReplaceOne,
       0,
       {},
       1.0986122886681,
       1e-9},
      {"ten Laplace releases, epsilon at delta 0",
       {Event::repeat(10, Event::laplace(4))},
       kZeroOut,
       0,
       {},
       2.5,
       1e-9},
      {"exponential mechanism, epsilon at delta 0",
       {Event::exponential(0.7)},
       kZeroOut,
       0,
       {},
       0.7,
       1e-9},
      // 0.1 (Phi(1/2 - t) - e^t Phi(-1/2 - t)), t = log(1 + 10 (e^0.2 - 1)): Thm. 11 of
      // [ZhuDongWang2022] with the profile above, cut.
      {"a Poisson batch, delta at epsilon 0.2",
       {batch(0.1)},
       kZeroOut,
       0,
       0.2,
       0.0098893144851886,
       1e-4},
      // The lower end that Microsoft's prv_accountant gives for 1000 steps; it is 0.55 % below the
      // estimates of that tool and of Google's dp_accounting.
      {"1000 Poisson batches, epsilon at delta 1e-5",
       {Event::repeat(1000, batch(0.01))},
       kZeroOut,
       1e-5,
       {},
       1.8181076,
       0.012},
  };
}

/// The accountant's answer; empty if it refuses.
std::optional<double> answer(const AccountantRow& row, const Case& asked) {
  try {
    const auto accountant = row.make(asked.relation, asked.events);
    return asked.epsilon ? accountant->delta(Epsilon(*asked.epsilon))
                         : accountant->epsilon(Delta(asked.delta)).value();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return {};
  }
}

}  // namespace

SelfTestFinding check_accountants() {
  // Different ways to the same exact figure differ by roundings, each of them upwards.
  constexpr double kRounding = 1e-9;
  SelfTestVerdict verdict;
  for (const Case& asked : cases()) {
    const std::optional<double> pld = answer(find_accountant("pld"), asked);
    verdict.require(pld.has_value(), fmt::format("{}: pld refuses", asked.name));
    if (!pld) continue;
    verdict.require(
        *pld <= asked.exact * (1 + asked.slack),
        fmt::format("{}: pld gives {:.8g}, but {:.8g} is known", asked.name, *pld, asked.exact));
    std::string text = fmt::format("{}: at least {:.8g}", asked.name, asked.exact);
    for (const AccountantRow& row : accountant_rows()) {
      const std::optional<double> told = answer(row, asked);
      if (!told) continue;
      verdict.require(*told >= asked.exact,
                      fmt::format("{}: {} gives {:.8g}, below the known {:.8g}", asked.name,
                                  row.name, *told, asked.exact));
      verdict.require(*pld <= *told * (1 + kRounding),
                      fmt::format("{}: {} gives {:.8g}, less than pld's {:.8g}", asked.name,
                                  row.name, *told, *pld));
      text += fmt::format(", {} {:.8g}", row.name, *told);
    }
    verdict.add(text);
  }
  const Case sampled{"a Poisson batch",
                     {Event::poisson_sampled(0.1, {Event::gaussian(1)})},
                     Relation::kZeroOut,
                     1e-5,
                     {},
                     0,
                     0};
  verdict.require(!answer(find_accountant("zcdp"), sampled),
                  "zcdp does not refuse a Poisson batch, which it cannot bound");
  return verdict.finding();
}

}  // namespace equinoise
