// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// Refuses a schema by which rows would leave out people without a choice of the user; records play
/// no part.
/// `reason`: why those without a label would be.
void require_everybody(const SynthRequest& request, const Schema& schema,
                       const std::string& reason) {
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns)
    if (column.type != ColumnType::kIgnored && column.missing == MissingPolicy::kDrop)
      names.push_back(column.name);
  if (request.drop_incomplete || names.empty()) return;
  constexpr size_t kMaxNamed = 5;
  const size_t num_others = names.size() - std::min(names.size(), kMaxNamed);
  names.resize(names.size() - num_others);
  refuse(
      "{}: a record with a missing cell in {}{} would not be in the rows{}; write missing = "
      "\"allowed\" there, or \"none\" if it is public that no cell is missing, or give "
      "--drop-incomplete",
      request.schema.path.string(), fmt::join(names, ", "),
      num_others > 0 ? fmt::format(" and {} other columns", num_others) : "",
      reason.empty() ? "" : fmt::format(" ({}: {})", schema.target, reason));
}

std::string why_dropped(const Schema& schema, const ColumnSchema& target,
                        const std::vector<std::string>& strata) {
  const auto is_stratum = [&](const std::string& name) {
    const GroupAttribute* attribute = schema.find_group_attribute(name);
    return (attribute == nullptr ? name : attribute->column) == target.name;
  };
  if (std::ranges::any_of(strata, is_stratum))
    return "strata are made by it, and nobody declares how many are without one";
  if (has_bands(schema, target))
    return "[groups.NAME] cuts it into bands, which have no place for them";
  if (contains(target.values, "missing")) return "\"missing\" is one of its values already";
  return "";
}

}  // namespace

std::string keep_unlabelled(Schema& schema, const std::vector<std::string>& strata) {
  const auto target = std::ranges::find(schema.columns, schema.target, &ColumnSchema::name);
  if (target == schema.columns.end() || target->missing == MissingPolicy::kNone ||
      (target->may_be_missing && schema.missing_use == MissingUse::kDrop))
    return "";
  std::string reason = why_dropped(schema, *target, strata);
  target->missing = reason.empty() ? MissingPolicy::kCategory : MissingPolicy::kDrop;
  return reason;
}

std::vector<std::string> keep_gaps(Schema& schema) {
  std::vector<std::string> kept;
  for (ColumnSchema& column : schema.columns) {
    if (column.missing != MissingPolicy::kFill || has_bands(schema, column)) continue;
    column.missing = MissingPolicy::kCategory;
    kept.push_back(column.name);
  }
  return kept;
}

SynthSchema synth_schema(const SynthRequest& request) {
  SchemaFile file = request.schema;
  const bool fills_gaps = file.missing == MissingUse::kFill;
  if (fills_gaps) {
    file.missing.reset();  // as models, which need a label
  } else if (!file.missing) {
    file.missing = request.drop_incomplete ? MissingUse::kDrop : MissingUse::kKeep;
  }
  if (request.relation == Relation::kAddRemove) file.sizes = SizesRule::kMayBePrivate;
  SynthSchema result{load_schema(file)};
  require_reviewed(result.schema, file.path.string(), request.public_data);
  if (result.schema.image) {
    throw Error(ErrorKind::kInput, kWhere,
                "{}: synthetic rows can only be made from tables, not from images",
                file.path.string());
  }
  const std::string reason = keep_unlabelled(result.schema, request.stratify);
  require_everybody(request, result.schema, reason);
  if (!fills_gaps) result.kept_gaps = keep_gaps(result.schema);
  if (!reason.empty()) {
    result.warning = fmt::format(
        "records without a value of the target {}, if there are some, are not in the rows, because "
        "{}",
        result.schema.target, reason);
  }
  return result;
}

}  // namespace equinoise
