// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/network_options.h"

namespace equinoise {

/// The value of "schema" in every JSON file.
inline constexpr const char* kReportSchema = "equinoise/1";

/// A document: its format, its kind (the command that prints it, "schema check", or the type of the
/// file, "model_card") and its members.
nlohmann::ordered_json json_document(std::string_view kind, const nlohmann::ordered_json& members =
                                                                nlohmann::ordered_json::object());

/// The notices of a document with figures that are not private. `figures`: "every figure is
/// computed from records without noise".
nlohmann::ordered_json confidential_notices(std::string_view figures);

/// The key of an owner's report with publishable parts that lists what must not be published.
inline constexpr const char* kNotPublishable = "not_publishable";

/// The paths ("overall", "groups[].accuracy") of the keys of an object that `less` lacks, each
/// once, in their order; of lists of another length the path of the list. Values are not compared.
std::vector<std::string> paths_beyond(const nlohmann::ordered_json& less,
                                      const nlohmann::ordered_json& object);

/// Pretty JSON with a final line end. Bytes that are not UTF-8 (in a path) are replaced; no
/// exception is thrown.
std::string to_text(const nlohmann::ordered_json& json);

nlohmann::ordered_json option_to_json(const OptionValue& value);

/// Options by name.
nlohmann::ordered_json to_json(const std::vector<Setting>& options);

/// Figures by name. Whole ones have no point.
nlohmann::ordered_json to_json(const NamedFigures& figures);

/// {"hidden", "activation"}, with convolutions also {"channels", "kernel_size", "pooling"}
nlohmann::ordered_json to_json(const NetworkOptions& network);

/// {"sex": "Female", "race": "White"}
nlohmann::ordered_json to_json(const GroupLabel& group);

/// JSON has no NaN: an undefined estimate is null.
nlohmann::ordered_json number_or_null(double value);

}  // namespace equinoise
