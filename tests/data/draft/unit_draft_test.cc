// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/unit_draft.h"

#include <gtest/gtest.h>

namespace equinoise::unit_draft_test {

TEST(UnitDraft, NamesThatSayWhoseARowIs) {
  for (const char* name :
       {"person_id", "PatientID", "patientId", "PATIENT_NR", "customer", "id", "ID", "userid",
        "Member No", "uuid", "account-number", "pid", "subj", "patient_nbr"})
    EXPECT_TRUE(names_unit(name)) << name;
  for (const char* name : {"age", "patient_age", "hospital_id", "number", "code", "", "paid", "42",
                           "valid", "user_agent", "number_of_visits"})
    EXPECT_FALSE(names_unit(name)) << name;
}

}  // namespace equinoise::unit_draft_test
