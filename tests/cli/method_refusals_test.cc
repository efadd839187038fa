// SPDX-License-Identifier: Apache-2.0
// What training methods refuse, before anything is read or paid.
#include <iterator>
#include <sstream>

#include "equinoise/train/registry.h"
#include "tests/cli/people.h"

namespace equinoise::testing::method_refusals_test {
namespace {

/// Of which groups the schema declares public sizes.
enum class Sizes { kNone, kSexes, kNoWomen, kEightWomen, kAllOneSex };

struct Refusal {
  Sizes sizes;
  std::string words;  ///< of --method and what follows
  std::string named;  ///< in the message
};

const std::vector<Refusal>& refusals() {
  static const std::string undeclared = "the public size of group Female is not declared";
  static const std::string one_value = "write NAME=NUMBER";
  static const std::vector<Refusal> all = {
      // Groups and their sizes.
      {Sizes::kNone, "mgr_w --groups sex", undeclared},
      {Sizes::kNone, "decoupled --groups sex", undeclared},
      {Sizes::kNone, "decoupled", "give --groups"},
      {Sizes::kNone, "group_weighted", "give --groups"},
      {Sizes::kNone, "fairlens", "give --groups"},
      {Sizes::kNone, "dpsgd_f", "give --groups"},
      {Sizes::kSexes, "mgr_w", "needs at least two groups, got 0; give --groups"},
      {Sizes::kAllOneSex, "mgr_w --groups sex", "at least two groups, got 1"},
      {Sizes::kNone, "decoupled --groups label", "the target cannot define the groups"},
      {Sizes::kNoWomen, "decoupled --groups sex", "declares that nobody is in group Female"},
      {Sizes::kEightWomen, "decoupled --groups sex",
       "a model of 7 parameters for group Female, but only about 6 of its records"},
      {Sizes::kSexes, "oco_exp3 --groups sex,label",
       "protects a record's values, not which group it is in"},
      {Sizes::kSexes, "dpse --groups sex --overlapping", "needs several --groups"},
      {Sizes::kSexes, "dpse --groups sex --groups city --overlapping",
       "the public size of group north"},
      {Sizes::kSexes, "dpse --groups sex --groups sex,city --overlapping",
       "are the intersections themselves"},
      // Models.
      {Sizes::kNone, "decoupled --groups sex --model mlp", "trains linear models"},
      {Sizes::kSexes, "dpse --groups sex --model mlp", "got mlp"},
      {Sizes::kNone, "dpgam --model logistic", "leave --model out"},
      // Objectives and steps.
      {Sizes::kSexes, "mgr --groups sex --objective worst",
       "--objective takes average, worst-group, coefficients, not \"worst\""},
      {Sizes::kSexes, "mgr --groups sex --objective average",
       "objective must be worst-group for this method, got \"average\""},
      {Sizes::kSexes, "mgr --groups sex --objective coefficients", "use sufficient_statistics"},
      {Sizes::kSexes, "dpsgd --objective worst-group",
       "objective must be average for this method, got \"worst-group\""},
      {Sizes::kSexes, "dpse --groups sex --explain-every 10", "--explain-every"},
      {Sizes::kNone, "dpgam --steps 20", "say --rounds 20 instead of --steps"},
      // Numbers and words of options.
      {Sizes::kSexes, "ags --groups sex --selection softmax",
       "--selection: must be gumbel or laplace"},
      {Sizes::kSexes, "mgr --groups sex --group-batch-size 200",
       "smallest group, Female with 101 training records, got 200"},
      {Sizes::kSexes, "mgr --groups sex --batch-size 64 --group-batch-size 20", "excludes"},
      {Sizes::kSexes, "dpse --groups sex --max-share Female=0.3 --max-share Male=0.6",
       "less than 1"},
      {Sizes::kSexes, "dpse --groups sex --max-share Female", one_value},
      {Sizes::kSexes, "dpse --groups sex --max-share Females=0.3", "did you mean"},
      {Sizes::kSexes, "dpse --groups sex --group-constraint mean",
       "--group-constraint has no effect"},
      {Sizes::kSexes, "dpse --groups sex --group-objective mean --group-loss-clip 2",
       "--group-loss-clip"},
      {Sizes::kNone, "group_weighted --groups sex --group-weight Femal=2",
       "did you mean \"Female\"?"},
      {Sizes::kNone, "group_weighted --groups sex --group-weight Female", one_value},
      {Sizes::kNone, "group_weighted --groups sex --group-weight Female=x", one_value},
      {Sizes::kNone, "group_weighted --groups sex --group-weight =2", one_value},
      {Sizes::kNone, "group_weighted --groups sex --group-weight Female=-1", "group_weight must"},
      {Sizes::kNone, "group_weighted --groups sex --group-clip Male=nan", "group_clip must"},
      {Sizes::kNone, "group_weighted --groups sex --group-weight Male=1 --group-weight Male=2",
       "Male is given twice"},
      {Sizes::kNone, "group_weighted --groups sex --group-epsilon Male=2",
       "above the epsilon of the run"},
      {Sizes::kNone, "dpsgd_global_adapt --count-noise-multiplier 4096", "count_noise_multiplier"},
  };
  return all;
}

std::string schema_with(Sizes sizes) {
  switch (sizes) {
    case Sizes::kNone:
      return people_schema();
    case Sizes::kSexes:
      return people_schema_with_sizes(134, 266);
    case Sizes::kNoWomen:
      return people_schema_with_sizes(0, 400);
    case Sizes::kEightWomen:
      return people_schema_with_sizes(8, 392);
    case Sizes::kAllOneSex:
      return people_schema_with_sizes(400, 0);
  }
  return "";
}

TEST(MethodRefusals, AreUsageErrorsThatCostNothing) {
  const Workspace workspace;
  workspace.open_ledger();
  for (const Refusal& refusal : refusals()) {
    workspace.write("people.toml", schema_with(refusal.sizes));
    std::istringstream stream(refusal.words);
    const Words of_method(std::istream_iterator<std::string>(stream), {});
    Words words = join(
        "train --schema people.toml --data people.csv --ledger people.ledger --out model --method",
        of_method);
    if (find_training_method(of_method[0]).status == PrivacyStatus::kPrivate)
      words = join(words, "--epsilon 1");
    expect_refused(workspace, words, 2, refusal.named);
  }
}

}  // namespace
}  // namespace equinoise::testing::method_refusals_test
