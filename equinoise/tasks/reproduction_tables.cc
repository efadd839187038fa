#include "equinoise/tasks/reproduction_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/parse_number.h"
#include "equinoise/data/table.h"
#include "equinoise/tasks/embedded_items.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";

/// The records of several files of one form, one file after another, without some and with cells
/// changed.
class PreparedRecords : public RecordReader {
 public:
  explicit PreparedRecords(std::vector<std::filesystem::path> paths)
      : RecordReader(paths.front().string()), paths_(std::move(paths)) {
    open_file();
    header_ = reader_->header();
  }

  bool next() final {
    for (;;) {
      if (!reader_->next()) {
        if (++file_ == paths_.size()) return false;
        open_file();
        if (reader_->header() != header_)
          reader_->fail(fmt::format("its columns are not those of {}", paths_.front().string()));
        continue;
      }
      cells_.assign(reader_->cells().begin(), reader_->cells().end());
      if (!prepare()) continue;
      ++row_;
      return true;
    }
  }

 protected:
  /// Changes cells_; false leaves the record out.
  virtual bool prepare() { return true; }

  const RecordReader& reader() const { return *reader_; }

 private:
  void open_file() { reader_ = open_table(paths_[file_]); }

  std::vector<std::filesystem::path> paths_;
  size_t file_ = 0;
  std::unique_ptr<RecordReader> reader_;
};

/// Adult: training and test file together, without records that lack a value.
class AdultRecords final : public PreparedRecords {
 public:
  explicit AdultRecords(const std::filesystem::path& folder)
      : PreparedRecords({folder / "adult_train.csv.gz", folder / "adult_test.csv.gz"}) {}

 private:
  bool prepare() override { return std::find(cells_.begin(), cells_.end(), "?") == cells_.end(); }
};

/// Parkinsons telemonitoring: instead of the score, whether it is above its median.
class ParkinsonsRecords final : public PreparedRecords {
 public:
  explicit ParkinsonsRecords(const std::filesystem::path& folder)
      : PreparedRecords({folder / "parkinsons_updrs.csv.gz"}) {
    const auto score = std::find(header_.begin(), header_.end(), "total_UPDRS");
    if (score == header_.end()) fail("there is no column 'total_UPDRS'");
    score_ = static_cast<size_t>(score - header_.begin());
  }

 private:
  static constexpr double kMedian = 27.576;

  bool prepare() override {
    const std::optional<double> score = parse_number(cells_[score_]);
    if (!score) reader().fail_here("column 'total_UPDRS' is not a number");
    cells_[score_] = *score > kMedian ? "above" : "below";
    return true;
  }

  size_t score_ = 0;
};

std::unique_ptr<RecordReader> open_credit(const std::filesystem::path& folder) {
  return open_table(folder / "credit_default.csv.gz");
}

std::unique_ptr<RecordReader> open_heart(const std::filesystem::path& folder) {
  return open_table(folder / "heart_brfss2015.csv.gz");
}

std::unique_ptr<RecordReader> open_acs_employment(const std::filesystem::path& folder) {
  return open_table(folder / "acs_employment_MA_2015_2018.csv.gz");
}

template <typename Records>
std::unique_ptr<RecordReader> open(const std::filesystem::path& folder) {
  return std::make_unique<Records>(folder);
}

const std::vector<ReproductionTableRow>& rows() {
  static const std::vector<ReproductionTableRow> table = {
      {{"adult",
        {"adult_train.csv.gz", "adult_test.csv.gz"},
        "Adult of the UCI repository as CSV with a header"},
       open<AdultRecords>},
      {{"credit",
        {"credit_default.csv.gz"},
        "Default of Credit Card Clients of the UCI repository as CSV without the ID"},
       open_credit},
      {{"parkinsons",
        {"parkinsons_updrs.csv.gz"},
        "Parkinsons Telemonitoring of the UCI repository as CSV"},
       open<ParkinsonsRecords>},
      {{"heart",
        {"heart_brfss2015.csv.gz"},
        "Heart Disease Health Indicators (BRFSS 2015) as CSV with whole numbers"},
       open_heart},
      {{"acs_employment",
        {"acs_employment_MA_2015_2018.csv.gz"},
        "the columns of ACSEmployment and YEAR for Massachusetts as CSV (nannyml's data sets)"},
       open_acs_employment},
  };
  return table;
}

}  // namespace

const ReproductionTableRow& find_reproduction_table(std::string_view name) {
  for (const ReproductionTableRow& row : rows())
    if (row.files.name == name) return row;
  throw Error(ErrorKind::kUsage, kWhere, fmt::format("there is no table \"{}\"", name));
}

ReproductionTable read_reproduction_table(std::string_view name,
                                          const std::filesystem::path& folder) {
  const std::string item = fmt::format("tables/{}", name);
  const std::vector<EmbeddedItem>& embedded = embedded_items();
  const auto schema =
      std::find_if(embedded.begin(), embedded.end(),
                   [&](const EmbeddedItem& candidate) { return candidate.name == item; });
  if (schema == embedded.end())
    throw Error(ErrorKind::kUsage, kWhere, fmt::format("there is no schema repro/{}.toml", item));
  ReproductionTable table{parse_schema(schema->text, fmt::format("repro/{}.toml", item)), {}};
  table.dataset =
      read_records(*find_reproduction_table(name).open(folder), table.schema, TableUse::kOther);
  return table;
}

}  // namespace equinoise
