// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/privacy/accountants/attack_bounds.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// The measurements of one model.
struct MeasuredFacts {
  struct Marginal {
    std::vector<std::string> columns;  ///< empty: the number of records
    double noise_stddev = 0;           ///< of each count, in records
    double num_counts = 1;             ///< with noise
    bool is_cell = false;              ///< one count of the marginal alone
    /// Members as in SynthMeasurement; without counts: of a version that kept none.
    std::vector<double> counts = {};
    std::vector<std::vector<uint16_t>> pooled = {};
    std::vector<uint32_t> cell = {};
    size_t parts = 0;
  };
  std::vector<Marginal> marginals;  ///< in the order of their release
  double rho_of_choices = 0;        ///< of zCDP, for which marginals these are

  double rho() const;  ///< for both
};

/// Public or released facts about a run that are not in the model itself: what a card says of rows.
/// Nothing here depends on a record but through what was released.
struct ReleasedFacts {
  std::string version;                 ///< of the program that made the model
  std::string unit;                    ///< whom the guarantee protects one of
  int64_t max_records_per_unit = 1;    ///< how many rows of one counted at most
  bool unit_stated = false;            ///< by the schema, see ProtectedUnit
  double rho = 0;                      ///< of zCDP, all of it, for a unit
  std::optional<AttackBounds> attack;  ///< by the events; empty: of a version that kept none
  std::optional<int64_t> num_records;  ///< public
  /// Declared, if rows are to have them; empty: none, or an earlier version.
  std::map<GroupLabel, int64_t> group_sizes;
  std::string target;  ///< column of the rows; "": none, or an earlier version

  /// The treatment of gaps in a column: "kept", "filled", "dropped" with their records, or "none".
  std::vector<std::string> gaps;                     ///< (columns of the model)
  std::vector<std::string> ignored;                  ///< columns of the table that rows do not have
  std::vector<std::vector<std::string>> impossible;  ///< declared: of which columns
  /// (impossible) the cells, of row-major tables; empty: of a version that kept none.
  std::vector<std::vector<uint32_t>> impossible_cells = {};

  /// Marginals that the method was to be good at: all of `degree` columns with `target` ("": any),
  /// or those that are listed; degree 0 and no list where the method follows none.
  struct Goal {
    int degree = 0;
    std::string target;
    std::vector<std::vector<std::string>> listed;
  };
  Goal goal;

  struct Distribution {
    std::string column;
    int num_levels = 0;  ///< of noisy counts
    double noise_stddev = 0;

    double rho() const;
  };
  std::vector<Distribution> distributions;  ///< how numbers are spread
  MeasuredFacts everybody;                  ///< by a model of the whole table, where there is one

  struct Stratum {
    std::optional<int64_t> public_size;
    bool measures = true;               ///< something of its own
    std::optional<double> noise_error;  ///< see stratum_noise_error()
    MeasuredFacts measured;
  };
  std::vector<Stratum> strata;  ///< (strata of the file); empty without --stratify
  bool strata_share = false;    ///< strata start from the model of everybody

  struct Bound {
    std::vector<std::string> columns;
    double records = 0;  ///< L1 distance of the model's counts from the true ones, at most
  };
  std::vector<Bound> bounds;  ///< all at once hold but with probability kBoundMiss

  /// Whether a unit could have several rows.
  bool has_units() const { return unit != "row"; }

  /// The cost for a unit of one of its rows: parts of it were spent on what was measured.
  double row_rho() const;

  /// Whether some noisy counts are in it, as of versions that kept them.
  bool has_counts() const;
};

/// The measurements of a run.
MeasuredFacts measured_facts(const Domain& domain, const SynthOutcome& outcome);

nlohmann::ordered_json to_json(const ReleasedFacts& facts);

/// Errors: nlohmann's for a key that is missing or of another kind; kInput that names `place` for
/// lists that do not fit `num_columns` and `num_strata`.
ReleasedFacts released_facts_from_json(const nlohmann::json& json, size_t num_columns,
                                       size_t num_strata, const std::string& place);

}  // namespace equinoise
