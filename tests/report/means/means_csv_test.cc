// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "equinoise/report/means/means_report.h"
#include "tests/report/means/sample_means.h"

namespace equinoise::means_csv_test {

TEST(MeansCsv, HasALineForEachFigure) {
  MeansReport report = sample_means();
  report.strata = {"sex", "city"};
  for (StratumMeanReport& row : report.rows) row.stratum.emplace_back("city", "north");
  EXPECT_EQ(means_to_csv(report),
            "by,stratum,column,statistic,estimate,low,high,noise_stddev\n"
            "\"sex, city\",\"Female, north\",hours,mean,36.4112,36.2,36.8,0.123\n"
            "\"sex, city\",\"Female, north\",hours,mean of population,36.4112,35.1,37.9,\n"
            "\"sex, city\",\"Female, north\",hours,records,500,,,\n"
            "\"sex, city\",\"Male, north\",hours,mean,36.4112,36.2,36.8,0.123\n"
            "\"sex, city\",\"Male, north\",hours,records,500,,,\n"
            "\"sex, city\",\"Other, north\",hours,mean,,,,\n"
            "\"sex, city\",\"Other, north\",hours,records,0,,,\n"
            ",,hours,mean,36.4,36.2,36.6,0.09\n");
}

}  // namespace equinoise::means_csv_test
