// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/data/schema/json_section.h"
#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/mixture/mixture_synth_model.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.file";
constexpr std::string_view kVersion = "equinoise/1";
constexpr std::string_view kKind = "synth_model";
constexpr std::string_view kSynthFileHint =
    "give the folder that equinoise synth wrote with --out, or the model.json in it";

[[noreturn]] void fail_file(std::string_view origin, std::string_view problem) {
  throw Error(ErrorKind::kInput, kWhere, "{}: {}", origin, problem);
}

JsonSource synth_source(std::string_view origin) {
  return {.origin = std::string(origin),
          .where = kWhere,
          .kind = "a model of synthetic rows",
          .hint = kSynthFileHint};
}

/// Whole numbers that add up to `total` and are nearest to the shares; the remainder goes to the
/// largest fractions.
std::vector<size_t> apportion(int64_t total, const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<size_t> counts;
  std::vector<std::pair<double, size_t>> fractions;
  int64_t left = total;
  for (size_t i = 0; i < shares.size(); ++i) {
    const double exact = static_cast<double>(total) * shares[i] / sum;
    counts.push_back(static_cast<size_t>(exact));
    fractions.emplace_back(static_cast<double>(counts.back()) - exact, i);
    left -= static_cast<int64_t>(counts.back());
  }
  std::ranges::sort(fractions);
  for (int64_t i = 0; i < left; ++i)
    ++counts[fractions[static_cast<size_t>(i) % fractions.size()].second];
  return counts;
}

/// The evidence about a stratum.
struct StratumEvidence {
  Evidence evidence;  ///< of its model
  double weight = 1;  ///< of the codes that all its records have; 0: it has none that are meant

  /// The share of all rows that are the stratum's and have what is given.
  double share_of(const SynthStratum& stratum) const {
    const double most = stratum.weight * weight;
    return most > 0 ? most * stratum.model->probability(evidence) : 0;
  }
};

StratumEvidence evidence_for(const SynthStratum& stratum, const Evidence& given) {
  StratumEvidence result;
  for (const AttributeEvidence& own : given) {
    const auto column = static_cast<size_t>(own.attribute);
    if (const auto fixed = stratum.fixed.find(column); fixed != stratum.fixed.end()) {
      result.weight *= own.weight_of(static_cast<int>(fixed->second));
      continue;
    }
    const auto position = std::ranges::find(stratum.columns, column);
    result.evidence.push_back(own);
    result.evidence.back().attribute = static_cast<int>(position - stratum.columns.begin());
  }
  return result;
}

/// Rows of several strata in random order.
class StrataRows final : public RowStream {
 public:
  /// `strata` that `urn` gives rows to have `streams`.
  StrataRows(const std::vector<SynthStratum>& strata, CodeUrns urn,
             std::vector<std::unique_ptr<RowStream>> streams, size_t num_columns,
             RandomSource& source)
      : urn_(std::move(urn)), num_columns_(num_columns), source_(source) {
    for (size_t s = 0; s < strata.size(); ++s)
      strata_.push_back({strata[s].columns, strata[s].fixed, std::move(streams[s])});
  }

  CodedRows next(size_t num_rows) override {
    CodedRows all;
    all.num_rows = num_rows;
    all.columns.assign(num_columns_, std::vector<uint16_t>(num_rows));
    std::vector<std::vector<size_t>> rows_of(strata_.size());
    for (size_t row = 0; row < num_rows; ++row) rows_of[urn_.draw(0, source_)].push_back(row);
    for (size_t s = 0; s < strata_.size(); ++s) {
      const std::vector<size_t>& places = rows_of[s];
      if (places.empty()) continue;
      const CodedRows rows = strata_[s].rows->next(places.size());
      for (size_t i = 0; i < rows.columns.size(); ++i) {
        std::vector<uint16_t>& column = all.columns[strata_[s].columns[i]];
        for (size_t k = 0; k < places.size(); ++k) column[places[k]] = rows.columns[i][k];
      }
      for (const auto& [column, code] : strata_[s].fixed)
        for (const size_t place : places) all.columns[column][place] = static_cast<uint16_t>(code);
    }
    return all;
  }

 private:
  struct Stratum {
    std::vector<size_t> columns;
    std::map<size_t, uint32_t> fixed;
    std::unique_ptr<RowStream> rows;
  };

  std::vector<Stratum> strata_;
  CodeUrns urn_;
  size_t num_columns_;
  RandomSource& source_;
};

SynthStratum parse_stratum(const nlohmann::json& json, const SynthFile& file,
                           const std::string& place) {
  SynthStratum stratum;
  const auto position_of = [&](const std::string& name) {
    if (const auto found = find_column(file.columns, name)) return *found;
    fail_file(place, "names a column that the model does not have");
  };
  for (const auto& [name, value] : json.at("group").items())
    stratum.label.emplace_back(name, value.get<std::string>());
  for (const auto& [name, code] : json.at("fixed").items()) {
    const size_t column = position_of(name);
    stratum.fixed[column] = code.get<uint32_t>();
    if (stratum.fixed[column] >= file.columns[column].num_codes())
      fail_file(place, "fixes a code that the column does not have");
  }
  for (size_t i = 0; i < file.columns.size(); ++i) {
    if (!stratum.fixed.contains(i)) stratum.columns.push_back(i);
  }
  stratum.weight = json.at("weight").get<double>();
  if (!(stratum.weight >= 0) || !std::isfinite(stratum.weight))
    fail_file(place, "weight must be finite and >= 0");
  const nlohmann::json& model = json.at("model");
  const Domain domain = domain_of(file.columns, stratum.columns);
  if (model.at("kind") == "graph") {
    stratum.model = graph_synth_model_from_json(model, domain, place);
  } else if (model.at("kind") == "mixture") {
    stratum.model = mixture_synth_model_from_json(model, domain, place);
  } else {
    fail_file(place,
              "is a kind of model that this version does not know; use the version that wrote it");
  }
  return stratum;
}

}  // namespace

double SynthFile::megabytes() const {
  double sum = 0;
  for (const SynthStratum& stratum : strata) sum += stratum.model->megabytes();
  return sum;
}

Domain domain_of(const std::vector<ColumnCodes>& columns, const std::vector<size_t>& positions) {
  std::vector<Attribute> attributes;
  attributes.reserve(positions.size());
  for (const size_t position : positions) {
    attributes.push_back({columns[position].name, static_cast<int>(columns[position].num_codes())});
  }
  return Domain(std::move(attributes));
}

double share_of(const SynthFile& file, const Evidence& given) {
  double share = 0;
  for (const SynthStratum& stratum : file.strata)
    share += evidence_for(stratum, given).share_of(stratum);
  return share;
}

std::unique_ptr<RowStream> draw_rows(const SynthFile& file, int64_t num_rows, RowDraw draw,
                                     const Evidence& given, RandomSource& source,
                                     const TaskProgress& progress) {
  std::vector<double> shares;
  std::vector<Evidence> evidence;
  for (const SynthStratum& stratum : file.strata) {
    StratumEvidence asked = evidence_for(stratum, given);
    shares.push_back(asked.share_of(stratum));
    evidence.push_back(std::move(asked.evidence));
  }
  if (!(std::accumulate(shares.begin(), shares.end(), 0.0) > 0)) {
    throw Error(ErrorKind::kUsage, kWhere,
                "in this model no record has these values together; ask for others");
  }
  const std::vector<size_t> counts = apportion(num_rows, shares);
  std::vector<std::unique_ptr<RowStream>> streams(file.strata.size());
  for (size_t s = 0; s < file.strata.size(); ++s) {
    if (counts[s] == 0) continue;
    streams[s] = file.strata[s].model->rows(counts[s], draw, evidence[s], source, progress);
  }
  if (streams.size() == 1 && file.strata[0].fixed.empty()) return std::move(streams[0]);
  CodeUrns urn(1, counts.size(), RowDraw::kRound);
  urn.put(0, counts);
  return std::make_unique<StrataRows>(file.strata, std::move(urn), std::move(streams),
                                      file.columns.size(), source);
}

nlohmann::ordered_json to_json(const SynthFile& file) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const ColumnCodes& column : file.columns) columns.push_back(to_json(column));
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (const CodeGroups& own : file.groups) groups.push_back(to_json(own, file.columns));
  nlohmann::ordered_json strata = nlohmann::ordered_json::array();
  for (const SynthStratum& stratum : file.strata) {
    nlohmann::ordered_json fixed = nlohmann::ordered_json::object();
    for (const auto& [column, code] : stratum.fixed) fixed[file.columns[column].name] = code;
    nlohmann::ordered_json group = nlohmann::ordered_json::object();
    for (const auto& [column, value] : stratum.label) group[column] = value;
    strata.push_back({{"group", group},
                      {"fixed", fixed},
                      {"weight", stratum.weight},
                      {"model", stratum.model->to_json()}});
  }
  nlohmann::ordered_json json = {{"schema", kVersion},
                                 {"kind", kKind},
                                 {"dataset", file.dataset},
                                 {"method", file.method},
                                 {"status", to_string(file.status)},
                                 {"rows", file.num_rows}};
  if (file.privacy) json["privacy"] = to_json(*file.privacy);
  if (file.released) json["released"] = to_json(*file.released);
  json["columns"] = std::move(columns);
  if (!file.groups.empty()) json["groups"] = std::move(groups);
  json["strata"] = std::move(strata);
  return json;
}

SynthFile parse_synth_file(std::string_view text, std::string_view origin) {
  const nlohmann::json json = parse_json(text, synth_source(origin));
  if (!json.is_object())
    fail_file(origin, fmt::format("is not a model of synthetic rows; {}", kSynthFileHint));
  if (!json.contains("schema") || json["schema"] != kVersion) {
    fail_file(origin,
              fmt::format("schema must be \"{}\"; the model is from another version, so use the "
                          "version of equinoise that wrote it",
                          kVersion));
  }
  // Earlier versions wrote a type.
  if (json.value("kind", "") != kKind && json.value("type", "") != "synth")
    fail_file(origin, fmt::format("is not a model of synthetic rows; {}", kSynthFileHint));
  try {
    SynthFile file;
    file.dataset = json.at("dataset").get<std::string>();
    file.method = json.at("method").get<std::string>();
    const auto status = value_of(kPrivacyStatuses, json.at("status").get<std::string>());
    if (!status) fail_file(origin, "status is none that a model has; it is damaged, copy it again");
    file.status = *status;
    file.num_rows = json.at("rows").get<int64_t>();
    if (!(file.num_rows >= 1 && file.num_rows <= kMaxRecords))
      fail_file(origin, "rows must be a number of records; the file is damaged, copy it again");
    if (json.contains("privacy")) {
      const nlohmann::json& privacy = json["privacy"];
      const auto accountant =
          value_of(kAccountantNames, privacy.at("accountant").get<std::string>());
      if (!accountant)
        fail_file(origin, "accountant must be zcdp, rdp or pld; the file is damaged");
      file.privacy = Guarantee{Epsilon(privacy.at("epsilon").get<double>()),
                               Delta(privacy.at("delta").get<double>()), *accountant,
                               parse_relation(privacy.at("relation").get<std::string>())};
    }
    for (size_t i = 0; i < json.at("columns").size(); ++i) {
      file.columns.push_back(
          column_codes_from_json(json["columns"][i], fmt::format("{}: column {}", origin, i + 1)));
    }
    for (const nlohmann::json& groups : json.value("groups", nlohmann::json::array()))
      file.groups.push_back(code_groups_from_json(groups, file.columns, std::string(origin)));
    double weights = 0;
    for (size_t i = 0; i < json.at("strata").size(); ++i) {
      file.strata.push_back(
          parse_stratum(json["strata"][i], file, fmt::format("{}: stratum {}", origin, i + 1)));
      weights += file.strata.back().weight;
    }
    if (json.contains("released")) {
      file.released = released_facts_from_json(json["released"], file.columns.size(),
                                               file.strata.size(), std::string(origin));
    }
    if (!(weights > 0))
      fail_file(origin, "has no stratum with rows; the file is damaged, copy it again");
    return file;
  } catch (const nlohmann::json::exception&) {
    fail_file(
        origin,
        "lacks a key of a model, or has one of another type; the file is damaged, copy it again");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInput) throw;
    fail_file(origin, error.what());
  }
}

SynthFile load_synth_file(const std::filesystem::path& path) {
  return parse_synth_file(read_json_file(path, synth_source(path.string())), path.string());
}

}  // namespace equinoise
