#include "equinoise/privacy/accountants/log_moments.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

namespace equinoise {
namespace {

TEST(LogMoments, LogFactorialsKeepTheirDigits) {
  using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<40>>;
  const std::vector<double> logs = log_factorials(10000);
  Real exact = 0;
  for (size_t k = 1; k < logs.size(); ++k) {
    exact += log(Real(k));
    EXPECT_LE(std::fabs(static_cast<double>(exact - logs[k])), 4.5e-16 * logs[k]) << k;
  }
}

TEST(LogMoments, InterpolatesAConvexFunctionFromAbove) {
  const auto log_moment = [](int64_t k) { return static_cast<double>(k * (k - 1)); };
  EXPECT_NEAR(interpolated_divergence(log_moment, 3), 3, 1e-15);
  EXPECT_NEAR(interpolated_divergence(log_moment, 1.5), 2, 1e-15);
  EXPECT_NEAR(interpolated_divergence(log_moment, 2.5), 4 / 1.5, 1e-15);
}

}  // namespace
}  // namespace equinoise
