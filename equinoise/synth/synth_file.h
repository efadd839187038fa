// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/synth/code_groups.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/released_facts.h"
#include "equinoise/synth/synth_model.h"

namespace equinoise {

/// The model of one stratum, or of everybody.
struct SynthStratum {
  GroupLabel label;                   ///< empty: everybody
  std::vector<size_t> columns;        ///< that the model holds: positions among all columns
  std::map<size_t, uint32_t> fixed;   ///< the codes of the others
  double weight = 1;                  ///< its share of rows; all add up to 1
  std::unique_ptr<SynthModel> model;  ///< its attributes are `columns`, in that order
};

/// The release of `equinoise synth`: everything that rows are drawn from, and what a card says of
/// them. Publishable: from the schema, options and paid releases alone.
struct SynthFile {
  std::string dataset;
  std::string method;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;  ///< kNotPrivate: also of an unreviewed schema
  std::optional<Guarantee> privacy;
  std::vector<ColumnCodes> columns;
  std::vector<CodeGroups> groups;  ///< [groups] of the schema; empty in a file of earlier versions
  std::vector<SynthStratum> strata;
  int64_t num_rows = 0;                   ///< unless others are asked for; public or released
  std::optional<ReleasedFacts> released;  ///< empty: of a version that kept none

  double megabytes() const;
};

/// The attributes of some columns.
Domain domain_of(const std::vector<ColumnCodes>& columns, const std::vector<size_t>& positions);

/// The share of rows that have what is given, by the model: evidence as of draw_rows().
double share_of(const SynthFile& file, const Evidence& given);

/// `num_rows` rows of all columns as codes: each stratum has its share, rounded so that they add
/// up. `given`: what is known of some columns, whose positions are those of its attributes; strata
/// share the rows as they share the records that are asked for. Post-processing. Errors:
/// kUsage for what no stratum can have; kRuntime if interrupted.
std::unique_ptr<RowStream> draw_rows(const SynthFile& file, int64_t num_rows, RowDraw draw,
                                     const Evidence& given, RandomSource& source,
                                     const TaskProgress& progress = kUnwatched);

/// model.json, and back. Errors: kInput that names `origin` and what is wrong: not JSON, no model
/// of synthetic rows, another format version, damaged.
nlohmann::ordered_json to_json(const SynthFile& file);
SynthFile parse_synth_file(std::string_view text, std::string_view origin);

/// Reads a model.json. Errors: kInput.
SynthFile load_synth_file(const std::filesystem::path& path);

}  // namespace equinoise
