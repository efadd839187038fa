#include "equinoise/privacy/accountants/zcdp.h"

#include <gtest/gtest.h>

#include "equinoise/base/error.h"
#include "tests/shared_vectors.h"

namespace equinoise {
namespace {

using testing::expect_close;

TEST(Zcdp, ConversionAgreesWithTheAccountingVectors) {
  EQUINOISE_VECTORS(cases, "accounting/zcdp_conversion.json");
  for (const auto& c : cases) {
    if (c.value("solve_for", "epsilon") == "rho") {
      const Rho largest =
          zcdp_rho_for(Epsilon(c["epsilon"].get<double>()), Delta(c["delta"].get<double>()));
      expect_close(largest.value(), c["rho"], c["tolerance"], c["id"]);
      EXPECT_LE(largest.value(), c["rho"].get<double>() * (1 + 1e-6)) << c["id"];
      continue;
    }
    const double rho = c["events"][0]["rho"];
    if (c.value("solve_for", "epsilon") == "delta") {
      const Delta delta = zcdp_delta(Rho(rho), Epsilon(c["epsilon"].get<double>()));
      expect_close(delta.value(), c["delta"], c["tolerance"], c["id"]);
      continue;
    }
    expect_close(zcdp_epsilon(Rho(rho), Delta(c["delta"].get<double>())).value(), c["epsilon"],
                 c["tolerance"], c["id"]);
  }
}

TEST(Zcdp, ConversionAgreesWithTheStepVectors) {
  EQUINOISE_VECTORS(cases, "steps/conversions.json");
  for (const auto& c : cases) {
    if (c["kind"] == "rho_to_epsilon") {
      const Epsilon epsilon =
          zcdp_epsilon(Rho(c["rho"].get<double>()), Delta(c["delta"].get<double>()));
      expect_close(epsilon.value(), c["expected"]["epsilon"], c["tolerance"], c["id"]);
    } else if (c["kind"] == "epsilon_to_rho") {
      const Rho rho =
          zcdp_rho_for(Epsilon(c["epsilon"].get<double>()), Delta(c["delta"].get<double>()));
      expect_close(rho.value(), c["expected"]["rho"], c["tolerance"], c["id"]);
    }
  }
}

TEST(Zcdp, RhoOfEvents) {
  EXPECT_NEAR(zcdp_rho(Event::gaussian(2)).value(), 0.125, 1e-12);
  const Event mixed = Event::composed({Event::repeat(4, Event::gaussian(2)), Event::zcdp(0.25)});
  EXPECT_NEAR(zcdp_rho(mixed).value(), 0.75, 1e-12);
  EXPECT_GE(zcdp_rho(mixed).value(), 0.75);
}

TEST(Zcdp, RefusesWhatItCannotBound) {
  EXPECT_THROW(zcdp_rho(Event::poisson_sampled(0.1, {Event::gaussian(1)})), Error);
  EXPECT_THROW(zcdp_rho(Event::sampler_error(1e-9)), Error);
  EXPECT_THROW(zcdp_epsilon(Rho(1), Delta(0)), Error);
}

TEST(Zcdp, ReturnedRhoMeetsItsTarget) {
  for (double epsilon : {0.01, 0.5, 3.0, 40.0}) {
    const Rho rho = zcdp_rho_for(Epsilon(epsilon), Delta(1e-6));
    EXPECT_LE(zcdp_epsilon(rho, Delta(1e-6)).value(), epsilon);
    EXPECT_GT(zcdp_epsilon(Rho(rho.value() * 1.0001), Delta(1e-6)).value(), epsilon);
  }
}

TEST(Zcdp, NothingCostsNothing) { EXPECT_EQ(zcdp_epsilon(Rho(0), Delta(1e-6)).value(), 0); }

}  // namespace
}  // namespace equinoise
