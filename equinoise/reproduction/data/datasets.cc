// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/data/datasets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/formats/line_reader.h"
#include "equinoise/data/images/attribute_reader.h"
#include "equinoise/data/images/idx_file.h"
#include "equinoise/data/split.h"
#include "equinoise/privacy/random/exact_trials.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/reproduction/data/named_cells.h"
#include "equinoise/reproduction/signed_rank.h"
#include "equinoise/tasks/input/table_files.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";

/// The share of test records in all runs.
constexpr double kTestFraction = 0.2;

/// The step of a seeded source whose stream chooses records; those of training begin at 0.
constexpr uint64_t kSamplingStep = std::numeric_limits<uint64_t>::max();

/// Records before encoding: numbers, each encoded as it is, and categories, each a one-hot block.
struct RawRecords {
  std::vector<std::string> number_names;
  std::vector<std::string> category_names;
  std::vector<float> numbers;           ///< (num_records, number_names)
  std::vector<std::string> categories;  ///< (num_records, category_names)
  std::vector<uint16_t> labels;
  std::vector<GroupId> groups;
  std::vector<std::string> classes;

  size_t size() const { return labels.size(); }
};

/// Encodes the rows `records`; the columns of a block are the categories among all `kept` rows.
EncodedTable encode_records(const RawRecords& raw, const std::vector<uint32_t>& kept,
                            const std::vector<uint32_t>& records) {
  const size_t num_numbers = raw.number_names.size();
  const size_t num_categories = raw.category_names.size();
  std::vector<std::map<std::string_view, uint32_t>> codes(num_categories);
  for (const uint32_t row : kept)
    for (size_t c = 0; c < num_categories; ++c)
      codes[c].emplace(raw.categories[row * num_categories + c], 0);
  EncodedTable table;
  table.feature_names = raw.number_names;
  for (size_t c = 0; c < num_categories; ++c) {
    table.blocks.push_back(static_cast<uint32_t>(table.feature_names.size()));
    for (auto& [value, code] : codes[c]) {
      code = static_cast<uint32_t>(table.feature_names.size());
      table.feature_names.push_back(fmt::format("{}={}", raw.category_names[c], value));
    }
  }
  table.num_records = static_cast<int64_t>(records.size());
  table.num_dense = static_cast<uint32_t>(num_numbers);
  table.num_active = static_cast<uint32_t>(num_categories);
  table.num_features = static_cast<uint32_t>(table.feature_names.size());
  table.classes = raw.classes;
  table.contributes.assign(records.size(), 1);
  for (const uint32_t row : records) {
    const auto first = raw.numbers.begin() + static_cast<ptrdiff_t>(row * num_numbers);
    table.dense.insert(table.dense.end(), first, first + static_cast<ptrdiff_t>(num_numbers));
    for (size_t c = 0; c < num_categories; ++c)
      table.active.push_back(codes[c].at(raw.categories[row * num_categories + c]));
    table.labels.push_back(raw.labels[row]);
    table.groups.push_back(raw.groups[row]);
  }
  return table;
}

/// Splits the rows `kept`, with a fifth for the test.
ReproductionSplit split_rows(const RawRecords& raw, const std::vector<uint32_t>& kept,
                             uint64_t seed) {
  const Split places = split_records(static_cast<int64_t>(kept.size()), kTestFraction, seed);
  const auto rows_of = [&](const std::vector<uint32_t>& part) {
    std::vector<uint32_t> rows;
    rows.reserve(part.size());
    for (const uint32_t place : part) rows.push_back(kept[place]);
    return rows;
  };
  return {encode_records(raw, kept, rows_of(places.train)),
          encode_records(raw, kept, rows_of(places.test))};
}

/// Subtracts the mean of each of the first `count` numbers and divides by its standard deviation.
void standardise(RawRecords& raw, const std::vector<std::vector<double>>& columns) {
  const size_t stride = raw.number_names.size();
  for (size_t c = 0; c < columns.size(); ++c) {
    const SampleMean sample = sample_mean(columns[c]);
    const double deviation =
        sample.standard_error * std::sqrt(static_cast<double>(columns[c].size()));
    for (size_t row = 0; row < columns[c].size(); ++row)
      raw.numbers[row * stride + c] =
          static_cast<float>((columns[c][row] - sample.mean) / deviation);
  }
}

/// Adult: training and test file together without rows that lack a value; numbers standardised over
/// all of them; then an equal number of records of either sex, on average.
class AdultData final : public ReproductionData {
 public:
  AdultData(const std::filesystem::path& folder, int64_t max_records) {
    const std::vector<std::string> numbers = {"age", "education_num", "capital_gain",
                                              "capital_loss", "hours_per_week"};
    raw_.number_names = numbers;
    raw_.number_names.insert(raw_.number_names.end(), {"race", "sex"});
    raw_.category_names = {"workclass",  "education",    "marital_status",
                           "occupation", "relationship", "native_country"};
    raw_.classes = {"<=50K", ">50K"};
    std::vector<std::vector<double>> columns(numbers.size());
    for (const char* name : {"adult_train.csv.gz", "adult_test.csv.gz"}) {
      NamedCells cells(folder / name);
      while (std::ssize(raw_.labels) < max_records && cells.next())
        add_row(cells, numbers, columns);
    }
    standardise(raw_, columns);
  }

  std::vector<std::string> groups() const override { return {"M", "F"}; }

  std::shared_ptr<const ReproductionSplit> split(uint64_t seed) const override {
    std::array<size_t, 2> sizes = {0, 0};
    for (const GroupId group : raw_.groups) ++sizes[index_of(group)];
    const size_t smaller = std::min(sizes[0], sizes[1]);
    SeededSource source(seed);
    source.start_step(kSamplingStep);
    ExactTrials trials([&source] { return source.next(); });
    std::vector<uint32_t> kept;
    for (size_t row = 0; row < raw_.size(); ++row) {
      if (trials.below(sizes[index_of(raw_.groups[row])]) < smaller)
        kept.push_back(static_cast<uint32_t>(row));
    }
    return std::make_shared<ReproductionSplit>(split_rows(raw_, kept, seed));
  }

 private:
  void add_row(const NamedCells& cells, const std::vector<std::string>& numbers,
               std::vector<std::vector<double>>& columns) {
    for (const std::string& name : raw_.category_names)
      if (cells.text(name) == "?") return;
    for (size_t c = 0; c < numbers.size(); ++c) {
      columns[c].push_back(cells.number(numbers[c]));
      raw_.numbers.push_back(0);
    }
    const size_t sex = cells.choice("sex", {"Male", "Female"});
    raw_.numbers.push_back(cells.text("race") == "White" ? 0.0F : 1.0F);
    raw_.numbers.push_back(static_cast<float>(sex));
    for (const std::string& name : raw_.category_names)
      raw_.categories.emplace_back(cells.text(name));
    raw_.labels.push_back(static_cast<uint16_t>(cells.choice("income", {"<=50K", ">50K"})));
    raw_.groups.push_back(GroupId(static_cast<uint32_t>(sex)));
  }

  RawRecords raw_;
};

/// The Dutch census of 2001, which is balanced as it is.
class DutchData final : public ReproductionData {
 public:
  DutchData(const std::filesystem::path& folder, int64_t max_records) {
    raw_.number_names = {"sex", "prev_residence_place"};
    raw_.category_names = {
        "age",       "household_position", "household_size",   "citizenship",   "country_birth",
        "edu_level", "economic_status",    "cur_eco_activity", "marital_status"};
    raw_.classes = {"low", "high"};
    NamedCells cells(folder / "dutch_census_2001.csv.gz");
    while (std::ssize(raw_.labels) < max_records && cells.next()) {
      const size_t sex = cells.choice("sex", {"1", "2"});
      raw_.numbers.push_back(static_cast<float>(sex));
      raw_.numbers.push_back(static_cast<float>(cells.choice("prev_residence_place", {"1", "2"})));
      for (const std::string& name : raw_.category_names)
        raw_.categories.emplace_back(cells.text(name));
      raw_.labels.push_back(static_cast<uint16_t>(cells.choice("occupation", {"0", "1"})));
      raw_.groups.push_back(GroupId(static_cast<uint32_t>(sex)));
    }
  }

  std::vector<std::string> groups() const override { return {"M", "F"}; }

  std::shared_ptr<const ReproductionSplit> split(uint64_t seed) const override {
    return std::make_shared<ReproductionSplit>(
        split_rows(raw_, numbers_below<uint32_t>(raw_.size()), seed));
  }

 private:
  RawRecords raw_;
};

/// Some digits of MNIST with pixels from 0 to 1. Each training image of class 8 is kept with a
/// chance of 9 %. Classes are the groups; the test images are always the same.
class MnistData final : public ReproductionData {
 public:
  MnistData(const std::filesystem::path& folder, int64_t max_records, std::vector<uint8_t> digits)
      : digits_(std::move(digits)),
        train_images_(read_images(folder / "train-images-idx3-ubyte.gz")),
        train_labels_(read_labels(folder / "train-labels-idx1-ubyte.gz")),
        test_images_(read_images(folder / "t10k-images-idx3-ubyte.gz")),
        test_labels_(read_labels(folder / "t10k-labels-idx1-ubyte.gz")) {
    check("training", train_images_, train_labels_);
    check("test", test_images_, test_labels_);
    for (std::vector<uint8_t>* labels : {&train_labels_, &test_labels_})
      if (std::ssize(*labels) > max_records) labels->resize(static_cast<size_t>(max_records));
  }

  std::vector<std::string> groups() const override {
    std::vector<std::string> names;
    for (const uint8_t digit : digits_) names.push_back(fmt::format("{}", digit));
    return names;
  }

  std::shared_ptr<const ReproductionSplit> split(uint64_t seed) const override {
    constexpr uint8_t kRareClass = 8;
    constexpr unsigned kPercentKept = 9;
    SeededSource source(seed);
    source.start_step(kSamplingStep);
    ExactTrials trials([&source] { return source.next(); });
    std::vector<uint32_t> kept;
    for (uint32_t row = 0; row < train_labels_.size(); ++row) {
      const bool is_kept = train_labels_[row] != kRareClass || trials.below(100) < kPercentKept;
      if (is_kept && class_of(train_labels_[row])) kept.push_back(row);
    }
    std::vector<uint32_t> all;
    for (uint32_t row = 0; row < test_labels_.size(); ++row)
      if (class_of(test_labels_[row])) all.push_back(row);
    return std::make_shared<ReproductionSplit>(
        ReproductionSplit{encode_images(train_images_, train_labels_, kept),
                          encode_images(test_images_, test_labels_, all)});
  }

 private:
  static constexpr size_t kNumPixels = size_t{28} * 28;
  static constexpr uint32_t kNumClasses = 10;

  static std::vector<uint8_t> read_images(const std::filesystem::path& path) {
    return IdxFile(path, IdxFile::Content::kImages).read_values();
  }
  static std::vector<uint8_t> read_labels(const std::filesystem::path& path) {
    return IdxFile(path, IdxFile::Content::kLabels).read_values();
  }

  static void check(std::string_view part, const std::vector<uint8_t>& images,
                    const std::vector<uint8_t>& labels) {
    const bool known =
        std::ranges::all_of(labels, [](uint8_t label) { return label < kNumClasses; });
    if (labels.empty() || images.size() != labels.size() * kNumPixels || !known) {
      throw Error(ErrorKind::kInput, kWhere, "the {} images of MNIST do not match their labels",
                  part);
    }
  }

  /// The position of a digit among the chosen ones.
  std::optional<uint16_t> class_of(uint8_t digit) const {
    const auto found = std::ranges::find(digits_, digit);
    if (found == digits_.end()) return std::nullopt;
    return static_cast<uint16_t>(found - digits_.begin());
  }

  EncodedTable encode_images(const std::vector<uint8_t>& images, const std::vector<uint8_t>& labels,
                             const std::vector<uint32_t>& rows) const {
    EncodedTable table;
    table.num_records = static_cast<int64_t>(rows.size());
    table.num_dense = table.num_features = kNumPixels;
    for (size_t pixel = 0; pixel < kNumPixels; ++pixel)
      table.feature_names.push_back(fmt::format("pixel {}", pixel));
    table.classes = groups();
    table.contributes.assign(rows.size(), 1);
    table.dense.reserve(rows.size() * kNumPixels);
    for (const uint32_t row : rows) {
      for (size_t pixel = 0; pixel < kNumPixels; ++pixel)
        table.dense.push_back(static_cast<float>(images[row * kNumPixels + pixel]) / 255);
      table.labels.push_back(*class_of(labels[row]));
      table.groups.push_back(GroupId(table.labels.back()));
    }
    return table;
  }

  std::vector<uint8_t> digits_;
  std::vector<uint8_t> train_images_;
  std::vector<uint8_t> train_labels_;
  std::vector<uint8_t> test_images_;
  std::vector<uint8_t> test_labels_;
};

/// CelebA scaled to 64 x 64 pixels. The target is the label "male", and groups are by eyeglasses.
/// Training and test images are those of the data set's own list, for any seed; those for
/// validation are left out.
class CelebaData final : public ReproductionData {
 public:
  CelebaData(const std::filesystem::path& folder, int64_t max_records, TaskProgress& progress) {
    const std::filesystem::path attributes = folder / "list_attr_celeba.txt";
    const Dataset dataset = read_table_files({folder / "img_align_celeba", attributes}, schema(),
                                             TableUse::kOther, progress);
    std::array<std::vector<uint32_t>, 3> parts;
    read_parts(folder / "list_eval_partition.txt", attributes, parts);
    for (std::vector<uint32_t>& part : parts)
      if (std::ssize(part) > max_records) part.resize(static_cast<size_t>(max_records));
    auto split = std::make_shared<ReproductionSplit>();
    split->train = encode_part(dataset, parts[0]);
    split->test = encode_part(dataset, parts[2]);
    split_ = std::move(split);
  }

  std::vector<std::string> groups() const override { return {"W/O", "W"}; }
  std::shared_ptr<const ReproductionSplit> split(uint64_t) const override { return split_; }

 private:
  static constexpr const char* kTarget = "Male";
  static constexpr const char* kGroup = "Eyeglasses";

  static Schema schema() {
    Schema schema;
    schema.dataset = "celeba";
    schema.target = kTarget;
    schema.image = ImageShape{3, 64, 64};
    for (const char* name : {kTarget, kGroup}) {
      ColumnSchema column;
      column.name = name;
      column.feature = false;
      column.values = {"-1", "1"};
      schema.columns.push_back(std::move(column));
    }
    return schema;
  }

  /// Indices in the attribute file of the images for training (0), validation (1) and test (2).
  static void read_parts(const std::filesystem::path& path, const std::filesystem::path& attributes,
                         std::array<std::vector<uint32_t>, 3>& parts) {
    AttributeReader listed{ByteStream(InputFile(attributes))};
    while (listed.next()) {
    }
    std::map<std::string_view, uint32_t> places;
    for (const ListedImage& image : listed.images())
      places.emplace(image.name, static_cast<uint32_t>(places.size()));
    LineReader lines{ByteStream(InputFile(path))};
    for (std::string_view line; lines.next(line);) {
      const size_t blank = line.find(' ');
      const auto place = places.find(line.substr(0, blank));
      const std::string_view part = blank == std::string_view::npos ? "" : line.substr(blank + 1);
      if (place == places.end() || (part != "0" && part != "1" && part != "2")) {
        throw Error(ErrorKind::kInput, kWhere,
                    "{}:{}: is not the name of an image of {} and 0, 1 or 2", path.string(),
                    lines.line_number(), attributes.string());
      }
      parts[static_cast<size_t>(part[0] - '0')].push_back(place->second);
    }
    if (parts[0].empty() || parts[2].empty()) {
      throw Error(ErrorKind::kInput, kWhere, "{}: no images to train or to test", path.string());
    }
  }

  static EncodedTable encode_part(const Dataset& dataset, const std::vector<uint32_t>& rows) {
    EncodedTable table = encode(dataset, schema(), rows);
    const CategoricalColumn& column = *dataset.find_categorical(kGroup);
    for (const uint32_t row : rows) table.groups.push_back(GroupId(column.codes[row]));
    return table;
  }

  std::shared_ptr<const ReproductionSplit> split_;
};

template <typename Data>
std::unique_ptr<ReproductionData> load(const std::filesystem::path& folder, int64_t max_records,
                                       TaskProgress&) {
  return std::make_unique<Data>(folder, max_records);
}

std::unique_ptr<ReproductionData> load_celeba(const std::filesystem::path& folder,
                                              int64_t max_records, TaskProgress& progress) {
  return std::make_unique<CelebaData>(folder, max_records, progress);
}

std::unique_ptr<ReproductionData> load_mnist(const std::filesystem::path& folder,
                                             int64_t max_records, TaskProgress&) {
  return std::make_unique<MnistData>(folder, max_records,
                                     std::vector<uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

std::unique_ptr<ReproductionData> load_mnist_2_and_8(const std::filesystem::path& folder,
                                                     int64_t max_records, TaskProgress&) {
  return std::make_unique<MnistData>(folder, max_records, std::vector<uint8_t>{2, 8});
}

constexpr std::string_view kThinned =
    "for each seed, every training image of an 8 is kept with a probability of 9 %";
constexpr std::string_view kThinnedPair =
    "only 2s and 8s; for each seed, every training image of an 8 is kept with a probability of 9 %";

const std::vector<ReproductionDataRow>& rows() {
  static const std::vector<ReproductionDataRow> table = {
      {{"adult",
        {"adult_train.csv.gz", "adult_test.csv.gz"},
        "UCI's Adult data set as CSV with a header",
        "for each seed, about as many men as women are drawn; numbers are standardised; a fifth of "
        "the records are the test records"},
       load<AdultData>},
      {{"dutch",
        {"dutch_census_2001.csv.gz"},
        "the Dutch census of 2001 (dutch_census_2001.arff from tailequy/fairness_dataset) as CSV",
        "for each seed, about as many men as women are drawn; a fifth of the records are the test "
        "records"},
       load<DutchData>},
      {{"mnist",
        {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
         "t10k-labels-idx1-ubyte.gz"},
        "part of MNIST in its four original files",
        kThinned},
       load_mnist},
      {{"mnist 2 and 8",
        {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
         "t10k-labels-idx1-ubyte.gz"},
        "part of MNIST in its four original files",
        kThinnedPair},
       load_mnist_2_and_8},
      {{"celeba",
        {"img_align_celeba", "list_attr_celeba.txt", "list_eval_partition.txt"},
        "part of CelebA as its authors publish it, with the images unpacked",
        "images are scaled to 64 x 64; the validation part is left out"},
       load_celeba},
  };
  return table;
}

}  // namespace

const ReproductionDataRow& find_reproduction_data(std::string_view name) {
  for (const ReproductionDataRow& row : rows())
    if (row.files.name == name) return row;
  throw Error(ErrorKind::kUsage, kWhere, "there is no data set \"{}\"", name);
}

}  // namespace equinoise
