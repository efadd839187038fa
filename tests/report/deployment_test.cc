// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/deployment.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "equinoise/report/means/means_report.h"
#include "equinoise/report/training/training_report.h"
#include "tests/matchers.h"
#include "tests/report/sample_reports.h"

namespace equinoise::deployment_test {

using Json = nlohmann::ordered_json;

/// Adds the fields below `json`, which is at `place`: those that hold something and the others.
void sort_fields(const Json& json, const std::string& place, std::set<std::string>& filled,
                 std::set<std::string>& empty) {
  if (json.is_object()) {
    for (const auto& [name, value] : json.items())
      sort_fields(value, place.empty() ? name : place + "." + name, filled, empty);
  } else {
    (json.is_null() ? empty : filled).insert(place);
  }
}

/// The fields of an entry that are filled. The others are to be listed, each once.
std::set<std::string> filled_fields(const Json& deployment) {
  std::set<std::string> filled;
  std::set<std::string> empty;
  sort_fields(deployment.at("entry"), "", filled, empty);
  const auto listed = deployment.at("to_fill_in").get<std::vector<std::string>>();
  EXPECT_EQ(listed.size(), empty.size());
  EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()), empty);
  return filled;
}

/// What an entry holds of any release.
std::set<std::string> always_filled() {
  return {"basic.description",
          "basic.data_product_type",
          "dp_variant.variant_name",
          "dp_variant.data_domain",
          "dp_variant.unprotected_quantities",
          "privacy_loss.privacy_unit",
          "privacy_loss.privacy_unit_details",
          "privacy_loss.privacy_parameters.epsilon",
          "privacy_loss.privacy_parameters.delta",
          "privacy_loss.privacy_parameters_details",
          "deployment_model.model_name",
          "deployment_model.model_name_details",
          "deployment_model.access_type",
          "implementation.mechanisms",
          "implementation.composition"};
}

TrainingReport private_training() {
  TrainingReport report = sample_report();
  report.unit.name = "person";
  report.protection = Protection{report.privacy->relation, report.unit, {"sex"}};
  return report;
}

MeansReport private_means() {
  MeansReport report;
  report.version = "0.1.0";
  report.dataset = "people";
  report.status = PrivacyStatus::kPrivate;
  report.rho = 0.02;
  report.privacy =
      Guarantee{Epsilon(1.25), Delta(1e-6), AccountantName::kPld, Relation::kReplaceOne};
  report.protection = Protection{Relation::kReplaceOne, {"person"}, {}};
  report.events = {Event::discrete_gaussian(5, 1)};
  MeanColumnReport column;
  column.name = "hours";
  column.method = "bounded";
  report.columns = {column};
  StratumMeanReport row;
  row.column = "hours";
  row.num_records = 500;
  row.privacy = report.privacy;
  report.rows = {row};
  return report;
}

TEST(Deployment, OfAModelHasTheFiguresOfItsCard) {
  const TrainingReport report = private_training();
  const Json card = card_to_json(report);
  const Json& deployment = card.at("deployment");
  EXPECT_EQ(deployment.at("status"), card.at("status"));
  std::set<std::string> expected = always_filled();
  expected.insert("privacy_loss.number_of_privacy_units");
  EXPECT_EQ(filled_fields(deployment), expected);
  const Json& entry = deployment.at("entry");
  EXPECT_EQ(entry["basic"]["data_product_type"], "Machine learning model");
  EXPECT_EQ(entry["dp_variant"]["variant_name"], "Approximate DP");
  EXPECT_THAT(entry["dp_variant"]["data_domain"], HasSubstr(card.at("dataset")));
  const Json& loss = entry.at("privacy_loss");
  EXPECT_EQ(loss["privacy_unit"], card.at("unit"));
  EXPECT_EQ(loss["privacy_parameters"]["epsilon"], card.at("privacy").at("epsilon"));
  EXPECT_EQ(loss["privacy_parameters"]["delta"], card.at("privacy").at("delta"));
  EXPECT_EQ(loss["number_of_privacy_units"], *report.overall.public_size);
  EXPECT_THAT(loss["privacy_parameters_details"], HasSubstr("rdp"));
  EXPECT_THAT(loss["privacy_parameters_details"], Not(HasSubstr("different guarantees")));
  // What the card says in words is split among two fields.
  EXPECT_THAT(loss["privacy_unit_details"], HasSubstr(card.at("privacy_in_words").front()));
  EXPECT_EQ(entry["dp_variant"]["unprotected_quantities"], card.at("privacy_in_words").back());
  const Json& implementation = entry.at("implementation");
  for (const Json& event : card.at("events"))
    EXPECT_THAT(implementation["mechanisms"], HasSubstr(event.at("text")));
  EXPECT_THAT(implementation["mechanisms"], HasSubstr("Equinoise 0.1.0, dpsgd"));
  EXPECT_THAT(implementation["composition"],
              AllOf(HasSubstr("what others from the same records cost is not part of it"),
                    HasSubstr("budget is epsilon 8 at delta 1e-06, of which 0.5 was spent before "
                              "this release and 3.25 after it.")));
}

/// Whatever the card says of what its guarantee hangs on.
TEST(Deployment, HasTheConditionsOfItsGuarantee) {
  TrainingReport report = private_training();
  report.conditions = {"the number of runs must stay secret"};
  const Json card = card_to_json(report);
  const std::string details =
      card.at("deployment").at("entry")["privacy_loss"]["privacy_parameters_details"];
  EXPECT_THAT(details, HasSubstr("Condition: the number of runs must stay secret."));
  EXPECT_THAT(card.at("limitations"), Contains(kNotCovered));
  const Json means = means_to_json(private_means()).at("deployment").at("entry");
  for (const std::string& text :
       {details, means["privacy_loss"]["privacy_parameters_details"].get<std::string>()})
    EXPECT_THAT(text, AllOf(HasSubstr(std::string(kNotCovered)), HasSubstr("nor this release has "
                                                                           "been audited")));
}

/// Nobody is in a group that is declared empty, which pays nothing.
TEST(Deployment, EmptyGroupsHaveNoGuaranteeOfTheirOwn) {
  TrainingReport report = private_training();
  report.groups[1].public_size = 0;
  report.groups[1].privacy->epsilon = Epsilon(0);
  MeansReport means = private_means();
  means.rows.push_back(means.rows[0]);
  means.rows[1].privacy->epsilon = Epsilon(0);
  const auto details = [](const Json& card) -> std::string {
    return card.at("deployment").at("entry")["privacy_loss"]["privacy_parameters_details"];
  };
  EXPECT_THAT(details(means_to_json(means)), HasSubstr("different guarantees"));
  means.rows[1].is_empty = true;
  EXPECT_THAT(details(means_to_json(means)), Not(HasSubstr("different guarantees")));
  EXPECT_THAT(details(card_to_json(report)), Not(HasSubstr("different guarantees")));
}

/// The registry shows texts as Markdown with formulae.
TEST(Deployment, NamesReadAsTheyStandInMarkdown) {
  TrainingReport report = private_training();
  report.dataset = "pay in $ or $$";
  report.target = "*income*";
  const Json card = card_to_json(report);
  EXPECT_EQ(card.at("dataset"), report.dataset);
  const Json& entry = card.at("deployment").at("entry");
  EXPECT_EQ(entry["basic"]["description"], "A model that predicts \\*income\\*: logistic.");
  EXPECT_THAT(entry["dp_variant"]["data_domain"], HasSubstr("pay in \\$ or \\$\\$"));
}

TEST(Deployment, MechanismsHaveNoDigests) {
  const Event noise = Event::gaussian(2);
  const Event by_sex = Event::parallel("sex#dbbff6788c212424", {"F", "M"}, {noise, noise});
  EXPECT_EQ(mechanism_of(Event::repeat(3, by_sex)),
            "3 x in parallel [sex=F; M: Gaussian, noise multiplier 2]");
}

TEST(Deployment, WhereGroupsPayApartSaysThatTheFigureIsTheLargest) {
  TrainingReport report = private_training();
  report.groups[0].privacy->epsilon = Epsilon(0.5);
  const Json entry = card_to_json(report).at("deployment").at("entry");
  EXPECT_EQ(entry["privacy_loss"]["privacy_parameters"]["epsilon"],
            report.privacy->epsilon.value());
  EXPECT_THAT(entry["privacy_loss"]["privacy_parameters_details"],
              HasSubstr("different guarantees, at most this one"));
}

TEST(Deployment, OfARunWithoutAGuaranteeVouchesForNothing) {
  TrainingReport seeded = private_training();
  seeded.status = PrivacyStatus::kInsecureRng;
  TrainingReport unreviewed = private_training();
  unreviewed.schema_reviewed = false;
  TrainingReport plain = private_training();
  plain.status = PrivacyStatus::kNotPrivate;
  plain.privacy.reset();
  TrainingReport unprotected = private_training();
  unprotected.protection.reset();
  MeansReport seeded_means = private_means();
  seeded_means.status = PrivacyStatus::kInsecureRng;
  MeansReport unreviewed_means = private_means();
  unreviewed_means.status = PrivacyStatus::kNotPrivate;
  for (const Json& card :
       {card_to_json(seeded), card_to_json(unreviewed), card_to_json(plain),
        card_to_json(unprotected), means_to_json(seeded_means), means_to_json(unreviewed_means)}) {
    const Json& deployment = card.at("deployment");
    EXPECT_NE(deployment.at("status"), "private");
    EXPECT_TRUE(deployment.at("entry").is_null());
    EXPECT_EQ(deployment.at("to_fill_in"), Json::array());
  }
}

TEST(Deployment, OfMeansHasTheFiguresOfTheRelease) {
  const Json release = means_to_json(private_means());
  const Json& deployment = release.at("deployment");
  std::set<std::string> expected = always_filled();
  expected.insert({"privacy_loss.number_of_privacy_units", "privacy_loss.privacy_parameters.rho",
                   "implementation.post_processing"});
  EXPECT_EQ(filled_fields(deployment), expected);
  const Json& entry = deployment.at("entry");
  EXPECT_EQ(entry["basic"]["data_product_type"], "Summary statistics");
  EXPECT_EQ(entry["basic"]["description"], "Means of hours.");
  EXPECT_EQ(entry["dp_variant"]["variant_name"], "Zero-concentrated DP");
  EXPECT_EQ(entry["privacy_loss"]["privacy_parameters"]["epsilon"], 1.25);
  EXPECT_EQ(entry["privacy_loss"]["privacy_parameters"]["rho"], release.at("rho"));
  EXPECT_EQ(entry["privacy_loss"]["number_of_privacy_units"], 500);
  EXPECT_THAT(entry["privacy_loss"]["privacy_unit_details"], HasSubstr("bounded DP"));
  EXPECT_THAT(entry["implementation"]["composition"], HasSubstr("other releases"));
  EXPECT_THAT(entry["implementation"]["post_processing"],
              AllOf(HasSubstr("clamped to the bounds"), Not(HasSubstr("moved towards"))));
}

TEST(Deployment, OfMeansSaysThatTheyWereShrunkAsWellAsClamped) {
  MeansReport report = private_means();
  report.is_shrunk = true;
  const Json entry = means_to_json(report).at("deployment").at("entry");
  EXPECT_THAT(entry["implementation"]["post_processing"],
              AllOf(HasSubstr("clamped to the bounds"), HasSubstr("moved towards")));
}

TEST(Deployment, OfMeansWithPureNoiseHasTheEpsilonOfDeltaZero) {
  MeansReport report = private_means();
  report.pure = Guarantee{Epsilon(1.5), Delta(0), AccountantName::kZcdp, Relation::kReplaceOne};
  const Json entry = means_to_json(report).at("deployment").at("entry");
  EXPECT_EQ(entry["dp_variant"]["variant_name"], "Pure DP");
  const Json& loss = entry.at("privacy_loss");
  EXPECT_EQ(loss["privacy_parameters"], Json({{"epsilon", 1.5}, {"delta", 0}}));
  EXPECT_THAT(loss["privacy_parameters_details"],
              HasSubstr("at this delta by the accountant zcdp"));
}

/// Noise that is drawn but for an error has no rho of its own.
TEST(Deployment, OfMeansThatMayFailIsApproximate) {
  MeansReport report = private_means();
  report.events = {
      Event::parallel("sex", {"F", "M"},
                      {Event::composed({Event::gaussian(5), Event::sampler_error(1e-12)}),
                       Event::composed({Event::gaussian(5), Event::sampler_error(1e-12)})})};
  const Json entry = means_to_json(report).at("deployment").at("entry");
  EXPECT_EQ(entry["dp_variant"]["variant_name"], "Approximate DP");
  EXPECT_FALSE(entry["privacy_loss"]["privacy_parameters"].contains("rho"));
}

/// In strata there may be fewer people than in the table; of noisy sizes none is public.
TEST(Deployment, OfMeansTellsOnlyAPublicNumberOfRecords) {
  MeansReport by_sex = private_means();
  by_sex.strata = {"sex"};
  MeansReport noisy = private_means();
  noisy.has_private_sizes = true;
  for (const MeansReport& report : {by_sex, noisy}) {
    const Json deployment = means_to_json(report).at("deployment");
    EXPECT_FALSE(filled_fields(deployment).contains("privacy_loss.number_of_privacy_units"));
  }
}

TEST(Deployment, OfMeansNamesHeldOutRecordsAmongWhatIsNotProtected) {
  MeansReport report = private_means();
  report.held_out = HeldOutRecords{"others.csv", 77};
  const Json entry = means_to_json(report).at("deployment").at("entry");
  EXPECT_THAT(entry["dp_variant"]["unprotected_quantities"], HasSubstr("77 held-out records"));
  EXPECT_THAT(entry["deployment_model"]["model_name_details"],
              HasSubstr("before anything that depends on protected records is released"));
}

TEST(Deployment, NamesTheVariantAndTheRelation) {
  Deployment deployment;
  deployment.status = PrivacyStatus::kPrivate;
  deployment.mechanisms = {"noise"};
  struct Case {
    Relation relation;
    const char* words;
    const char* domain;
  };
  for (const Case& one :
       {Case{Relation::kZeroOut, "as in bounded DP", "all of one number of records"},
        Case{Relation::kAddRemove, ": unbounded DP.", "data set ."},
        Case{Relation::kReplaceOne, ": bounded DP.", "all of one number of records"}}) {
    deployment.privacy = Guarantee{Epsilon(1), Delta(0), AccountantName::kPld, one.relation};
    deployment.protection = Protection{one.relation, {"row"}, {}};
    const Json entry = to_json(deployment).at("entry");
    EXPECT_EQ(entry["dp_variant"]["variant_name"], "Pure DP");
    EXPECT_THAT(entry["dp_variant"]["data_domain"], HasSubstr(one.domain));
    EXPECT_THAT(entry["privacy_loss"]["privacy_unit_details"], HasSubstr(one.words));
    EXPECT_THAT(entry["privacy_loss"]["privacy_unit_details"],
                HasSubstr(std::string(to_string(one.relation))));
  }
}

/// Neighbours differ within a group, so tables have its size in common.
TEST(Deployment, WhereGroupsArePublicNeighboursDifferWithinOne) {
  Deployment deployment;
  deployment.status = PrivacyStatus::kPrivate;
  for (const Relation relation : {Relation::kZeroOut, Relation::kReplaceOne}) {
    deployment.privacy = Guarantee{Epsilon(1), Delta(0), AccountantName::kPld, relation};
    deployment.protection = Protection{relation, {"row"}, {"sex", "race"}};
    const Json entry = to_json(deployment).at("entry");
    EXPECT_THAT(entry["privacy_loss"]["privacy_unit_details"],
                HasSubstr(" DP, within one group by sex, race."));
    EXPECT_THAT(entry["dp_variant"]["data_domain"],
                HasSubstr("records, and of the same numbers in each group by sex, race."));
  }
}

/// Of people with several rows it is their number that tables have in common, not that of rows.
TEST(Deployment, OfUnitsTheNumberOfUnitsIsPublicAlone) {
  Deployment deployment;
  deployment.status = PrivacyStatus::kPrivate;
  deployment.privacy = Guarantee{Epsilon(1), Delta(0), AccountantName::kPld, Relation::kZeroOut};
  deployment.protection = Protection{Relation::kZeroOut, {"person_id", 5}, {}};
  const Json entry = to_json(deployment).at("entry");
  EXPECT_EQ(entry["privacy_loss"]["privacy_unit"], "person_id");
  EXPECT_THAT(entry["privacy_loss"]["privacy_unit_details"],
              AllOf(HasSubstr("at most 5 count"), HasSubstr("the number of units (person_id)"),
                    Not(HasSubstr("number of records"))));
  EXPECT_THAT(entry["dp_variant"]["data_domain"],
              HasSubstr("all of one number of units (person_id)."));
}

}  // namespace equinoise::deployment_test
