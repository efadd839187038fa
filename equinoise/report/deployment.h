// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/method_status.h"
#include "equinoise/privacy/event.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/protection.h"

namespace equinoise {

/// The kind of release, in the registry's words.
enum class DataProduct { kModel, kRows, kMeans };
inline constexpr EnumWords<DataProduct, 3> kDataProducts = {
    {{DataProduct::kModel, "Machine learning model"},
     {DataProduct::kRows, "Synthetic data"},
     {DataProduct::kMeans, "Summary statistics"}}};

/// The facts about a release on a card. All of them publishable.
struct Deployment {
  DataProduct product = DataProduct::kModel;
  std::string dataset;
  std::string description;
  std::string version;  ///< of the program
  std::string method;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::optional<Guarantee> privacy;      ///< of all releases; empty: none
  std::optional<Protection> protection;  ///< of that guarantee; empty: nothing is protected
  std::optional<double> rho;             ///< of zero-concentrated DP, if that covers everything
  /// `privacy` is the guarantee of the groups with the largest epsilon
  bool groups_differ = false;
  std::optional<int64_t> num_records;  ///< public
  std::string unprotected;             ///< in addition to the facts in `protection`; "": nothing
  std::vector<std::string> mechanisms;
  std::string composition;  ///< of parts of the table, a sentence; "": no parts
  /// Conditions of `privacy` in addition to those of any release: sentences without a full stop.
  std::vector<std::string> conditions;
  std::string post_processing;  ///< "": unknown
  std::optional<LedgerStatement> ledger;
};

/// An event in words, without the digests of its partitions, which are meaningless to others.
std::string mechanism_of(const Event& event);

/// {"registry_schema", "status", "entry", "to_fill_in"}. `entry` is the object "deployment" of a
/// record in the public registry of deployments of differential privacy
/// [NanayakkaraGhaziVadhan2025]; null unless the release is private, because nothing else is a
/// deployment. Fields that the program cannot know are null, and listed in `to_fill_in` as
/// "basic.data_curators". Any field that is still null when the record is submitted must be
/// deleted, since the schema does not accept null. A record also needs a `url_slug`, outside the
/// entry. The registry shows texts as Markdown with formulae, so all of them are escaped: they read
/// correctly there, not here.
///
/// Names, nesting and fixed words are those of schemas/deployments-schema.yaml, commit 057e5d81 of
/// opendp/deployments-registry-data, which states that it follows the paper's authors; sentences
/// are our own. Not verified: the table of the schema in the paper itself; whether the registry has
/// changed since. A later template of the registry has further fields for details of its fields,
/// all optional, which are left out here, and earlier entries group some fields otherwise.
nlohmann::ordered_json to_json(const Deployment& deployment);

}  // namespace equinoise
