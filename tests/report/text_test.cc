#include "equinoise/report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace equinoise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TrainingReport small_report() {
  const Guarantee guarantee{Epsilon(2.99961), Delta(1e-6), "rdp", Relation::kZeroOut};
  TrainingReport report;
  report.dataset = "people";
  report.method = "dpsgd";
  report.status = "private";
  report.target = "income";
  report.unit = "row";
  report.privacy = guarantee;
  report.overall.privacy = guarantee;
  report.overall.metrics = Metrics{40, {0.875, {0.75, 0.95}}, {0.31, {0.2, 0.4}}};
  GroupReport group;
  group.group = {{"sex", "Female"}, {"race", "Black"}};
  group.public_size = 2308;
  group.privacy = guarantee;
  group.metrics = Metrics{10, {0.625, {0.4, 0.8}}, {0.5, {0.3, 0.7}}};
  report.groups = {group};
  report.ingest_notes = {"column age: 3 missing cells"};
  return report;
}

TEST(Text, EpsilonIsRoundedUp) {
  EXPECT_EQ(format_epsilon(Epsilon(2.99961)), "3");
  EXPECT_EQ(format_epsilon(Epsilon(3.0001)), "3.001");
  EXPECT_EQ(format_epsilon(Epsilon(3)), "3");
  EXPECT_EQ(format_epsilon(Epsilon(0.123401)), "0.1235");
  EXPECT_EQ(format_epsilon(Epsilon(12345)), "1.235e+04");
  EXPECT_EQ(format_epsilon(Epsilon(0)), "0");
}

TEST(Text, CountsHaveSeparators) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(48842), "48,842");
  EXPECT_EQ(format_count(-1234567), "-1,234,567");
}

TEST(Text, TablesAlign) {
  EXPECT_EQ(format_table({"group", "n"}, {{"a", "1"}, {"bcdefg", "22"}}),
            "group    n\n"
            "----------\n"
            "a        1\n"
            "bcdefg  22\n");
}

TEST(Text, TheResultShowsGroupsGuaranteeAndTheFence) {
  const std::string text = training_to_text(small_report());
  EXPECT_THAT(text, HasSubstr("sex, race"));
  EXPECT_THAT(text, HasSubstr("Female, Black"));
  EXPECT_THAT(text, HasSubstr("62.5 [40.0, 80.0]"));
  EXPECT_THAT(text, HasSubstr("everybody"));
  EXPECT_THAT(text, HasSubstr("NOT PRIVATE: it is computed from held-out records"));
  EXPECT_THAT(text, HasSubstr("not private: column age: 3 missing cells"));
}

TEST(Text, TheModelCardHoldsNoFigureOfTheRecords) {
  const std::string card = card_to_markdown(small_report());
  EXPECT_THAT(card, HasSubstr("epsilon 3, delta 1e-06 (rdp, zero_out)"));
  EXPECT_THAT(card, HasSubstr("2,308"));
  for (const char* figure : {"87.5", "62.5", "0.31", "missing cells"})
    EXPECT_THAT(card, Not(HasSubstr(figure)));
}

TEST(Text, AnInsecureRunSaysSo) {
  TrainingReport report = small_report();
  report.status = "insecure rng";
  report.privacy.reset();
  EXPECT_THAT(training_to_text(report),
              HasSubstr("NOT PRIVATE: made with a reproducible random source"));
  EXPECT_THAT(card_to_markdown(report),
              HasSubstr("NOT PRIVATE: made with a reproducible random source"));
}

}  // namespace
}  // namespace equinoise
