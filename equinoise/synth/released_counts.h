// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/synth/estimate_question.h"
#include "equinoise/synth/record_interval.h"

namespace equinoise {

/// The released counts that an interval is based on.
struct FigureBasis {
  std::vector<std::string> columns;    ///< of the measurement
  std::optional<double> noise_stddev;  ///< of each of its counts, the largest of strata; none: no
                                       ///< noise, `columns` are of declared facts
  size_t num_strata = 0;               ///< that were measured apart; 0: everybody was
  bool is_split = false;               ///< see RecordInterval
};

/// Facts about a figure from released counts.
struct FigureSources {
  std::vector<CountedSource> sources;  ///< as record_interval() takes them
  std::vector<FigureBasis> bases;      ///< (sources)
  std::string reason;                  ///< why there are none
};

/// Finds the counts of a model file that hold the columns of a question.
///
/// Everybody's measurements come in the order of their release, and those of strata after them. The
/// k-th source of strata is the k-th of each stratum: strata are measured apart, by methods that
/// know nothing of each other's noise, so that given what each has measured before, the noise of
/// all k-th measurements together is fresh and independent. Where a stratum has fewer, there is no
/// k-th source. What all records of a stratum have in common needs no counts but the sum of any
/// measurement: a declared size may be a noisy one, and counts records that a rule leaves out. That
/// nobody is in a stratum is taken as declared.
class ReleasedCounts {
 public:
  /// Keeps a reference. Pre: `file.released`. Errors: kInput for counts that do not fit the
  /// columns.
  ReleasedCounts(const SynthFile& file, AttributeSet columns);

  FigureSources sources_of(const AskedFigure& figure) const;

  /// V / W of the model; none where W is 0.
  std::optional<double> model_figure(const AskedFigure& figure) const;

 private:
  /// A measurement of all that a question asks of some records.
  struct Counted {
    CountTable table;            ///< over the columns that the records differ in
    std::vector<uint32_t> cell;  ///< of the table, where one count alone was released
    std::vector<std::string> measured;
    double noise_stddev = 0;  ///< of each count of the measurement
  };
  /// Records that were measured together.
  struct Records {
    std::vector<size_t> open;                        ///< columns of the question they differ in
    std::vector<std::pair<size_t, uint32_t>> fixed;  ///< the others, with their code
    std::optional<int64_t> public_size;
    std::vector<Counted> counted;  ///< in the order of their release
    double weight = 1;             ///< of the model
    CountTable shares;             ///< of the model, over `open`
  };

  Records records_of(const std::vector<size_t>& columns, const std::map<size_t, uint32_t>& fixed,
                     const MeasuredFacts& measured) const;
  static std::optional<CountedPart> part_of(const AskedFigure& figure, const Records& records,
                                            const Counted& counted);
  FigureSources sources_of_everybody(const AskedFigure& figure) const;
  FigureSources sources_of_strata(const AskedFigure& figure) const;
  bool is_impossible(const AskedFigure& figure) const;
  /// Why `records` answer nothing.
  std::string why_unanswered(const Records& records) const;

  const SynthFile& file_;
  AttributeSet columns_;
  std::optional<Records> everybody_;
  std::vector<Records> strata_;
  std::vector<Records> models_;
};

}  // namespace equinoise
