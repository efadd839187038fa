// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/protection.h"

#include <gtest/gtest.h>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_report.h"
#include "tests/matchers.h"
#include "tests/report/sample_reports.h"

namespace equinoise::protection_test {

TEST(Protection, StrengthIsRoundedUpAndNamesWhatIsExchanged) {
  const auto words = [](double epsilon, Relation relation, const ProtectedUnit& unit) {
    return strength_in_words({Epsilon(epsilon), Delta(1e-6), AccountantName::kPld, relation}, unit);
  };
  EXPECT_EQ(words(1, Relation::kZeroOut, {"row"}),
            "Privacy: every result is at most 2.72 times as likely with any one record as without "
            "it (epsilon 1), up to a probability of 1e-06.");
  EXPECT_THAT(words(1, Relation::kReplaceOne, {"person_id", 3}),
              HasSubstr("with any one person_id as with another in its place"));
  EXPECT_THAT(words(1000, Relation::kAddRemove, {"row"}), HasSubstr("more than 1e308 times"));
}

TEST(Protection, SaysWhatEachRelationHidesAndWhatItDoesNot) {
  struct Case {
    Relation relation;
    const char* hidden;
    const char* known;
  };
  for (const Case& one :
       {Case{Relation::kZeroOut,
             "any one row (nobody has said whose rows these are) was in the table with its own "
             "values or had been "
             "replaced by an empty record that contributes nothing",
             "public, so not protected: the number of records,"},
        Case{Relation::kAddRemove,
             "any one row (nobody has said whose rows these are) was in the table or was not",
             "but not the number of records."},
        Case{Relation::kReplaceOne, "or with those of any other record.",
             "public, so not protected: the number of records,"}}) {
    const std::vector<std::string> words = explain(Protection{one.relation, {"row"}, {}});
    ASSERT_EQ(words.size(), 2U);
    EXPECT_THAT(words[0], AllOf(HasSubstr(to_string(one.relation)), HasSubstr(one.hidden)));
    EXPECT_THAT(words[1], HasSubstr(one.known));
  }
  EXPECT_THAT(
      what_is_protected(Protection{Relation::kZeroOut, {"row", 1, true}, {}}),
      HasSubstr("any one row (the owner states that no person has two rows) was in the table"));
  const auto risk = [](Relation relation, AttackBounds attack) {
    const std::vector<std::string> words = explain(Protection{relation, {"row"}, {}, attack});
    return words.size() == 3 ? words[1] : "";
  };
  EXPECT_EQ(risk(Relation::kZeroOut, {0.06401, 0.2}),
            "Risk: an attacker who knows every other record and accepts 1 % false alarms detects a "
            "participant with a probability of at most 6.5 %. Detection never exceeds the "
            "false-alarm rate by more than 20 points.");
  EXPECT_THAT(risk(Relation::kAddRemove, {1, 0.9999}),
              AllOf(HasSubstr("a participant with a probability of at most 100 %"),
                    HasSubstr("more than 100 points")));
  EXPECT_THAT(risk(Relation::kReplaceOne, {0.01, 0}),
              AllOf(HasSubstr("which values a participant has with a probability of at most 1 %"),
                    HasSubstr("more than 0 points")));
  const auto grouped = explain(Protection{Relation::kReplaceOne, {"row"}, {"sex", "race"}});
  EXPECT_THAT(grouped[0], HasSubstr("any one row (nobody has said whose rows these are) was in the "
                                    "table with its own values or with "
                                    "those of any other record of the same group."));
  EXPECT_THAT(grouped[1], HasSubstr("which group by sex, race each row is in"));
  Protection paid{Relation::kZeroOut, {"row"}, {}};
  EXPECT_THAT(what_is_public(paid), HasSubstr("groups and their sizes"));
  paid.pays_for_sizes = true;
  EXPECT_THAT(what_is_public(paid), AllOf(HasSubstr("the number of records, everything"),
                                          HasSubstr("groups) and every"), Not(HasSubstr("sizes"))));
}

TEST(Protection, NamesAUnitOfSeveralRowsAndHowManyOfThemCount) {
  struct Case {
    Relation relation;
    const char* hidden;
    const char* known;
  };
  for (const Case& one :
       {Case{
            Relation::kZeroOut,
            "any one unit (person_id) was in the table with its own rows, of which at most 5 "
            "count, or each of them had been replaced by an empty record that contributes nothing.",
            "the number of units (person_id), everything"},
        Case{Relation::kAddRemove,
             "any one unit (person_id) was in the table with its own rows, of which at most 5 "
             "count, or with none.",
             "but not the number of units (person_id), nor how many rows a unit has."},
        Case{Relation::kReplaceOne, "or with as many other rows.",
             "every option, but not how many rows a unit has."}}) {
    const std::vector<std::string> words = explain(Protection{one.relation, {"person_id", 5}, {}});
    ASSERT_EQ(words.size(), 2U);
    EXPECT_THAT(words[0], HasSubstr(one.hidden));
    EXPECT_THAT(words[1], HasSubstr(one.known));
  }
}

/// Every form of a report has both sentences, and none vouches where nothing is protected.
TEST(Protection, StandsInCardAndReport) {
  TrainingReport report = sample_report();
  AuditReport audit = sample_audit();
  const auto texts = [&] {
    return std::vector<std::string>{
        to_card(training_card(report)),         to_page(training_card(report)),
        to_text(card_to_json(report)),          to_screen(training_document(report), true),
        to_page(training_document(report)),     to_text(training_to_json(report)),
        to_screen(audit_document(audit), true), to_page(audit_document(audit)),
        to_text(audit_to_json(audit))};
  };
  for (const std::string& text : texts()) EXPECT_THAT(text, Not(HasSubstr("an attacker who")));
  report.protection = audit.protection = Protection{Relation::kZeroOut, {"row"}, {}};
  for (const std::string& text : texts())
    EXPECT_THAT(text, AllOf(HasSubstr("an attacker who"), HasSubstr("Treated as public")));
}

}  // namespace equinoise::protection_test
