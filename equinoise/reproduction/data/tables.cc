// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/data/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/sha256.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/table.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";

/// The records of several files of one form, one file after another, prepared.
class PreparedRecords final : public RecordReader {
 public:
  PreparedRecords(const ReproductionTableRow& row, const std::filesystem::path& folder,
                  int64_t max_records)
      : RecordReader((folder / row.files.files.front()).string()), max_records_(max_records) {
    for (const std::string_view name : row.files.files) paths_.push_back(folder / name);
    open_file();
    header_ = reader_->header();
    if (row.prepare != nullptr) prepare_ = row.prepare(*reader_);
  }

  bool next() override {
    while (row_ < max_records_) {
      if (!reader_->next()) {
        if (++file_ == paths_.size()) return false;
        open_file();
        if (reader_->header() != header_)
          reader_->fail(fmt::format("its columns are not those of {}", paths_.front().string()));
        continue;
      }
      texts_.clear();
      for (size_t i = 0; i < header_.size(); ++i) texts_.push_back(reader_->text(i));
      if (prepare_ && !prepare_(*reader_, texts_)) continue;
      cells_.assign(texts_.begin(), texts_.end());
      ++row_;
      return true;
    }
    return false;
  }

 private:
  void open_file() { reader_ = open_table(paths_[file_]); }

  int64_t max_records_;
  std::vector<std::filesystem::path> paths_;
  size_t file_ = 0;
  std::unique_ptr<RecordReader> reader_;
  RecordPreparation prepare_;
  std::vector<std::string_view> texts_;
};

/// Adult: without records that lack a value.
RecordPreparation prepare_adult(const RecordReader&) {
  return [](const RecordReader&, std::vector<std::string_view>& cells) {
    return !contains(cells, "?");
  };
}

/// The index of the column in the header.
size_t place_of(const RecordReader& reader, std::string_view name) {
  const std::vector<std::string>& header = reader.header();
  const auto column = std::ranges::find(header, name);
  if (column == header.end()) reader.fail(fmt::format("there is no column '{}'", name));
  return static_cast<size_t>(column - header.begin());
}

/// Parkinsons telemonitoring: the score is replaced by whether it is above its median.
RecordPreparation prepare_parkinsons(const RecordReader& reader) {
  return [place = place_of(reader, "total_UPDRS")](const RecordReader& at,
                                                   std::vector<std::string_view>& cells) {
    constexpr double kMedian = 27.576;
    const std::optional<double> score = parse_number(cells[place]);
    if (!score) at.fail_here("column 'total_UPDRS' is not a number");
    cells[place] = *score > kMedian ? "above" : "below";
    return true;
  };
}

/// Law school: white and black students without missing values in the used columns.
RecordPreparation prepare_law_school(const RecordReader& reader) {
  std::vector<size_t> needed;
  for (const char* name : {"lsat", "ugpa", "zfygpa", "zgpa", "tier", "fulltime", "fam_inc"})
    needed.push_back(place_of(reader, name));
  return [needed, race = place_of(reader, "race1")](const RecordReader&,
                                                    std::vector<std::string_view>& cells) {
    return (cells[race] == "white" || cells[race] == "black") &&
           std::ranges::none_of(needed, [&](size_t place) { return cells[place].empty(); });
  };
}

/// Credit limits: the first men and the first women, as many as in the paper.
RecordPreparation prepare_credit_limit(const RecordReader& reader) {
  return [sex = place_of(reader, "SEX"), men = 11480, women = 2937](
             const RecordReader&, std::vector<std::string_view>& cells) mutable {
    return (cells[sex] == "1" ? men : women)-- > 0;
  };
}

const std::vector<ReproductionTableRow>& table_rows() {
  static const std::vector<ReproductionTableRow> table = {
      {{"adult",
        {"adult_train.csv.gz", "adult_test.csv.gz"},
        "UCI's Adult data set as CSV with a header"},
       prepare_adult},
      {{"credit",
        {"credit_default.csv.gz"},
        "UCI's Default of Credit Card Clients as CSV without the ID"},
       nullptr},
      {{"credit_limit",
        {"credit_default.csv.gz"},
        "UCI's Default of Credit Card Clients as CSV without the ID"},
       prepare_credit_limit},
      {{"law_school",
        {"law_school_bar.csv.gz"},
        "the bar passage study of the Law School Admission Council as CSV"},
       prepare_law_school},
      {{"parkinsons", {"parkinsons_updrs.csv.gz"}, "UCI's Parkinsons Telemonitoring as CSV"},
       prepare_parkinsons},
      {{"heart",
        {"heart_brfss2015.csv.gz"},
        "Heart Disease Health Indicators (BRFSS 2015) as CSV with whole numbers"},
       nullptr},
      {{"acs_income_ny", {"acs_income_2018_NY.csv.gz"}, "ACSIncome of New York, 2018, as CSV"},
       nullptr},
      {{"acs_income_states",
        {"acs_income_2018_states.csv.gz"},
        "ACSIncome of 37 states, 2018, as CSV with the state as column ST"},
       nullptr},
      {{"acs_people_ma",
        {"acs_employment_MA_2015_2018.csv.gz"},
        "the columns of ACSEmployment and YEAR for Massachusetts as CSV (from nannyml's data "
        "sets)"},
       nullptr},
      {{"acs_nist_2019",
        {"acs_nist_national2019.csv.gz"},
        "NIST's national excerpt of the ACS, 2019 (national2019.csv of usnistgov/SDNist), as CSV"},
       nullptr},
      {{"acs_income_al", {"acs_income_2018_AL.csv.gz"}, "ACSIncome of Alabama, 2018, as CSV"},
       nullptr},
      {{"acs_employment",
        {"acs_employment_MA_2015_2018.csv.gz"},
        "the columns of ACSEmployment and YEAR for Massachusetts as CSV (from nannyml's data "
        "sets)"},
       nullptr},
      {{"acs_employment_11",
        {"acs_employment_MA_2015_2018.csv.gz"},
        "the columns of ACSEmployment and YEAR for Massachusetts as CSV (from nannyml's data "
        "sets)"},
       nullptr},
      {{"published_means",
        {"strat_means_reference.csv.gz"},
        "the table of stratified means that the authors of paper 002 published "
        "(stratified_data_means.db of lurosenb/stratify_dp) as CSV"},
       nullptr},
  };
  return table;
}

}  // namespace

const ReproductionTableRow& find_reproduction_table(std::string_view name) {
  for (const ReproductionTableRow& row : table_rows())
    if (row.files.name == name) return row;
  throw Error(ErrorKind::kUsage, kWhere, "there is no table \"{}\"", name);
}

const EmbeddedItem& find_table_schema(std::string_view name) {
  const std::string item = fmt::format("tables/{}", name);
  const std::vector<EmbeddedItem>& embedded = embedded_items();
  const auto schema = std::ranges::find(embedded, item, &EmbeddedItem::name);
  if (schema == embedded.end())
    throw Error(ErrorKind::kUsage, kWhere, "there is no schema repro/{}.toml", item);
  return *schema;
}

std::string table_schema_digest(std::string_view name) {
  return sha256_hex(without_comments(find_table_schema(name).text));
}

ReproductionTable read_reproduction_table(std::string_view name,
                                          const std::filesystem::path& folder,
                                          int64_t max_records) {
  const EmbeddedItem& schema = find_table_schema(name);
  ReproductionTable table{parse_schema(schema.text, fmt::format("repro/{}.toml", schema.name)), {}};
  PreparedRecords records(find_reproduction_table(name), folder, max_records);
  table.dataset = read_records(records, table.schema, TableUse::kOther);
  return table;
}

void append_features(const EncodedTable& table, uint32_t record, std::vector<double>& features) {
  const size_t begin = features.size();
  features.resize(begin + table.num_features, 0.0);
  const auto dense = table.dense_row(record);
  std::ranges::copy(dense, features.begin() + static_cast<std::ptrdiff_t>(begin));
  for (const uint32_t active : table.active_row(record)) features[begin + active] = 1;
}

}  // namespace equinoise
