// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "tests/test_support.h"

namespace equinoise::testing {

/// A made-up table in the form of the heart disease indicators: about every seventh record is ill,
/// and most of them are older than most others.
inline void write_heart_table(const TempFolder& folder, int num_records) {
  std::string text =
      "HeartDiseaseorAttack,HighBP,HighChol,CholCheck,BMI,Smoker,Stroke,Diabetes,PhysActivity,"
      "Fruits,Veggies,HvyAlcoholConsump,AnyHealthcare,NoDocbcCost,GenHlth,MentHlth,PhysHlth,"
      "DiffWalk,Sex,Age,Education,Income\n";
  for (int i = 0; i < num_records; ++i) {
    // A multiplicative hash, whose bits are as good as independent of each other.
    const auto hash = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15U;
    const bool ill = (hash >> 40) % 7 == 0;
    const bool pressure = (hash >> 20) % 10 < (ill ? 6 : 4);
    const auto age = 1 + (hash >> 50) % 9 + (ill ? 4 : 0);
    text += fmt::format("{},{},{},1,{},{},{},{},1,{},1,0,1,0,{},{},{},{},{},{},{},{}\n", int{ill},
                        int{pressure}, i % 2, 20 + i % 23, i % 5 % 2, int{i % 41 == 0}, i % 3,
                        i % 11 % 2, 1 + i % 5, i % 30, i % 13, int{i % 4 == 0}, i % 2, age,
                        1 + i % 6, 1 + i % 8);
  }
  folder.write_file("heart_brfss2015.csv.gz", text);
}

/// The same in the form of credit card clients.
inline void write_credit_table(const TempFolder& folder, int num_records) {
  std::string text = "LIMIT_BAL,SEX,EDUCATION,MARRIAGE,AGE";
  for (const int month : {0, 2, 3, 4, 5, 6}) text += fmt::format(",PAY_{}", month);
  for (int month = 1; month <= 6; ++month) text += fmt::format(",BILL_AMT{}", month);
  for (int month = 1; month <= 6; ++month) text += fmt::format(",PAY_AMT{}", month);
  text += ",default_payment\n";
  for (int i = 0; i < num_records; ++i) {
    text +=
        fmt::format("{},{},{},{},{}", 10000 * (1 + i % 50), 1 + i % 2, i % 7, i % 4, 21 + i % 40);
    for (int month = 0; month < 6; ++month) text += i % 3 == 0 ? ",2" : ",0";
    for (int month = 0; month < 12; ++month) text += fmt::format(",{}", 100 * (i % 97));
    text += i % 6 == 0 ? ",1\n" : ",0\n";
  }
  folder.write_file("credit_default.csv.gz", text);
}

}  // namespace equinoise::testing
