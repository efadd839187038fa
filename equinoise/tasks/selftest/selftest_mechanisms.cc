// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <memory>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/mechanisms/discrete_laplace.h"
#include "equinoise/privacy/mechanisms/exponential.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/mechanisms/laplace_sum.h"
#include "equinoise/tasks/selftest/selftest_checks.h"

namespace equinoise {

namespace {

constexpr Relation kTestedRelation = Relation::kReplaceOne;

/// A mechanism, the event that it is for and its sensitivity.
struct Mechanism {
  std::string_view name;
  Event event;
  double sensitivity;
  Norm norm;
  Norm wrong_norm;
  /// Whether a sensitivity beyond the charged one is an error; otherwise the noise grows with it.
  bool charges_sensitivity;
  std::function<void(Permit, const Sensitivity&, std::span<int64_t>, RandomSource&)> release;
};

std::vector<Mechanism> mechanisms() {
  const auto choose = [](Permit permit, const Sensitivity& sensitivity, std::span<int64_t> scores,
                         RandomSource& source) {
    static_cast<void>(choose_exponentially(std::move(permit), sensitivity, scores, source));
  };
  return {
      {"Gaussian sum", Event::gaussian(2), 3, Norm::kL2, Norm::kL1, false, add_gaussian_noise},
      {"Laplace sum", Event::laplace(2), 3, Norm::kL1, Norm::kL2, false, add_laplace_noise},
      {"discrete Gaussian", Event::discrete_gaussian(5, 3), 3, Norm::kL1, Norm::kL2, true,
       [](Permit permit, const Sensitivity& sensitivity, std::span<int64_t> units,
          RandomSource& source) {
         add_discrete_gaussian_noise(std::move(permit), sensitivity, units, source);
       }},
      {"discrete Laplace", Event::discrete_laplace(0.5, 3), 3, Norm::kL1, Norm::kL2, true,
       add_discrete_laplace_noise},
      {"exponential mechanism", Event::exponential(1), 3, Norm::kMax, Norm::kL1, false, choose}};
}

Permit unpaid(const Event& event, Relation relation = kTestedRelation) {
  return Charge::unpaid({event}, relation, SeededSource(1)).take(0);
}

}  // namespace

SelfTestFinding check_charges() {
  const Event foreign = Event::pure(1);
  SelfTestVerdict verdict;
  std::string names;
  for (const Mechanism& mechanism : mechanisms()) {
    const Sensitivity sensitivity(mechanism.sensitivity, mechanism.norm, kTestedRelation);
    const std::vector<int64_t> before = {10, 20, 30};
    std::vector<int64_t> units = before;
    SeededSource seeded(1);
    const auto require = [&](bool holds, std::string_view what) {
      verdict.require(holds, fmt::format("{}: {}", mechanism.name, what));
    };
    const auto refuses = [&](ErrorKind kind, Permit permit, const Sensitivity& declared,
                             RandomSource& source) {
      return refused(kind, [&] { mechanism.release(std::move(permit), declared, units, source); });
    };
    SecureSource secure;
    require(refuses(ErrorKind::kRuntime, unpaid(mechanism.event), sensitivity, secure),
            "an unpaid draw from the secure source is not refused");
    require(refuses(ErrorKind::kRuntime, unpaid(foreign), sensitivity, seeded),
            "the permit of another event is not refused");
    require(refuses(ErrorKind::kRuntime, unpaid(mechanism.event, Relation::kZeroOut), sensitivity,
                    seeded),
            "another relation is not refused");
    require(
        refuses(ErrorKind::kUsage, unpaid(mechanism.event),
                Sensitivity(mechanism.sensitivity, mechanism.wrong_norm, kTestedRelation), seeded),
        "a sensitivity in another norm is not refused");
    if (mechanism.charges_sensitivity) {
      require(
          refuses(ErrorKind::kUsage, unpaid(mechanism.event),
                  Sensitivity(2 * mechanism.sensitivity, mechanism.norm, kTestedRelation), seeded),
          "a sensitivity beyond the charged one is not refused");
    }
    require(units == before, "a refused call changed its input");
    const auto own = std::make_unique<Permit>(unpaid(mechanism.event));
    const auto is_refused = [&] {
      return refuses(ErrorKind::kRuntime, std::move(*own), sensitivity, seeded);
    };
    require(!is_refused(), "its own permit is refused");
    require(is_refused(), "a permit can be used twice");
    names += fmt::format("{}{}", names.empty() ? "" : ", ", mechanism.name);
  }
  SeededSource seeded(1);
  Charge charge = Charge::unpaid(
      {Event::repeat(2, Event::gaussian(1)), Event::poisson_sampled(0.5, {Event::gaussian(1)})},
      kTestedRelation, seeded);
  static_cast<void>(charge.take(0));
  static_cast<void>(charge.take(0));
  verdict.require(refused(ErrorKind::kRuntime, [&] { static_cast<void>(charge.take(0)); }),
                  "a charge gives more permits than it is for");
  BatchPermit batch = charge.next_batch(1);
  verdict.require(refused(ErrorKind::kRuntime, [&] { static_cast<void>(batch.take(0)); }),
                  "an event of a batch is drawn before the batch");
  std::vector<uint32_t> records;
  batch.draw(10, seeded, records);
  static_cast<void>(batch.take(0));
  verdict.require(refused(ErrorKind::kRuntime, [&] { static_cast<void>(batch.take(0)); }),
                  "an event of a batch is drawn twice");
  verdict.require(refused(ErrorKind::kRuntime, [&] { static_cast<void>(charge.next_batch(1)); }),
                  "a charge gives more batches than it is for");
  verdict.add(names);
  return verdict.finding();
}

}  // namespace equinoise
