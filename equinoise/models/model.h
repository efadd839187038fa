// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/counted_records.h"
#include "equinoise/models/table_rows.h"

namespace equinoise {

/// The public scales of a released sum of gradients.
struct SumScale {
  double grid = 1;   ///< the value of one unit of the sum
  double bound = 1;  ///< no weighted gradient is longer, in L2
};

/// The results of one forward and backward pass for each record of a batch, in the batch's order.
struct PerSample {
  std::vector<double>
      output_gradient;  ///< (batch, outputs): gradient of the record's loss at the model's outputs
  std::vector<double>
      squared_norm;  ///< (batch): of the gradient at all parameters; never below the exact value
  // Members of networks only:
  std::vector<float> parameters;              ///< (num_parameters), as the passes use them
  std::vector<std::vector<float>> outputs;    ///< (layers) of (batch, outputs of the layer)
  std::vector<std::vector<float>> gradients;  ///< (layers) of (batch, outputs), at these outputs
  std::vector<std::vector<float>> kept;       ///< (layers) of (batch, values kept by the layer)
};

/// The sum of the gradients of some records. It is kept between calls to save memory traffic, so
/// one object serves one model.
struct GradientSum {
  std::vector<uint32_t> indices;     ///< parameters of `values`, none twice; empty: all
  std::vector<double> values;        ///< entries that are not listed are 0
  std::vector<double> scratch = {};  ///< the model's; zeros between calls
};

/// The predictions of a model for every record of a table.
struct Predictions {
  size_t num_outputs = 1;
  bool has_probabilities = true;  ///< false: the outputs only mark the predicted class
  /// (num_records, num_outputs): probabilities of the classes in the schema's order (hinge: 1 for
  /// the predicted one); or the predicted number on the scale of the encoded target.
  std::vector<double> outputs;
  std::vector<uint16_t> predicted;  ///< (num_records) the most probable class; empty for a number
  std::vector<double> loss;         ///< (num_records); empty if the table holds no target
  int64_t num_clamped = 0;          ///< of contributing records, see predict_within_bounds

  /// Returns whether the outputs are probabilities, or scores, of `num_classes` classes.
  bool has_class_scores(size_t num_classes) const {
    return has_probabilities && num_outputs == num_classes && !outputs.empty();
  }

  /// Returns whether the outputs for the record are finite. Otherwise its predicted class is
  /// meaningless.
  bool has_prediction(size_t record) const {
    const std::span<const double> own =
        outputs.empty() ? std::span<const double>()
                        : std::span(outputs).subspan(record * num_outputs, num_outputs);
    return std::ranges::all_of(own, [](double value) { return std::isfinite(value); });
  }
};

/// The part of a column, or of a pair of columns, in the scores of a record.
struct ScorePart {
  std::string_view name;            ///< of the feature: "age", "sex=Female", "age=17 to 25"
  double value = 1;                 ///< of a number from its middle; else 1
  std::span<const double> weights;  ///< (outputs)

  double score(size_t output) const { return value * weights[output]; }
};

/// A model in per-sample form: squared gradient norms and weighted gradient sums of a batch,
/// without materialising any gradient.
///
/// The gradient of a record is that of its own loss, not divided by the batch size. The caller
/// holds the parameters, as doubles.
class Model {
 public:
  virtual ~Model() = default;

  /// The name of the kind of model in reports and files: "logistic".
  virtual std::string name() const = 0;

  /// EncodedTable::num_features of its tables.
  virtual size_t num_features() const = 0;

  /// The number of classes of the target, whose labels are below it; 0 for a numeric target.
  virtual size_t num_classes() const = 0;

  virtual size_t num_parameters() const = 0;

  /// The number of scores of a record.
  virtual size_t num_outputs() const = 0;

  /// The name of each parameter, (num_parameters): "age", "sex=Female", "bias".
  virtual std::vector<std::string> parameter_names() const = 0;

  /// Forward for records: `out.output_gradient` holds their scores, (batch, outputs),
  /// until `differentiate` turns them into gradients. Scores are the logit of the second class, one
  /// for each class, or the predicted scaled number.
  virtual void score(const TableRows& rows, std::span<const double> parameters,
                     PerSample& out) const = 0;

  /// The loss of each of the same records after `score` and before `differentiate`, (batch). It may
  /// be NaN or infinite for a record whose scores are not finite.
  virtual void losses(const TableRows& rows, const PerSample& scored,
                      std::span<double> losses) const = 0;

  /// Backward for the same records after `score`. `added`, (batch, outputs), is added to the
  /// gradient of each record's loss at its scores; empty: zeros. A record whose gradient has an
  /// entry that is not finite gets a NaN or infinite squared norm.
  ///
  /// Each squared norm is raised by more than the rounding errors of itself, of the clip weight
  /// made from it and of add_weighted_sum. So a record scaled to norm C by it stays within C
  /// exactly.
  virtual void differentiate(const TableRows& rows, std::span<const double> added,
                             PerSample& out) const = 0;

  /// Forward and backward.
  void per_sample(const TableRows& rows, std::span<const double> parameters, PerSample& out) const {
    score(rows, parameters, out);
    differentiate(rows, {}, out);
  }

  /// Adds sum_i weights[i] * gradient_i / scale.grid to `units` (num_parameters), for records that
  /// may each represent several equal ones exactly as if these were added one by one.
  ///
  /// Pre: records are at most max_tile_records(); no weighted gradient is longer than scale.bound;
  /// scale.grid is exact_grid of it; the sum over any of the records fits. Guarantee: each record
  /// adds its own integers, of at most scale.bound / scale.grid in L2, whatever the other records
  /// are. Weight 0 skips a record, whatever its values.
  virtual void add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                               const PerSample& samples, std::span<const double> weights,
                               const SumScale& scale, std::span<int64_t> units) const = 0;
  void add_weighted_sum(const TableRows& rows, const PerSample& samples,
                        std::span<const double> weights, const SumScale& scale,
                        std::span<int64_t> units) const {
    add_counted_sum(rows.table, {rows.records}, samples, weights, scale, units);
  }

  /// The grid on which the model adds up gradients for a release on scale.grid: the same grid, or
  /// one that depends on scale.bound alone. Then a batch's whole sum is rounded to scale.grid,
  /// once.
  virtual double exact_grid(const SumScale& scale) const { return scale.grid; }

  /// An upper limit of scale.bound in units of exact_grid, if that grid depends on the bound alone;
  /// else 0.
  virtual double max_exact_units() const { return 0; }

  /// The amount by which this rounding raises the L2 sensitivity of a sum; 0 if there is none.
  virtual double sum_error(double /*grid*/) const { return 0; }

  /// (num_parameters) Factors for a step's gradients, if some parameters see only a public share of
  /// the records; empty: none.
  virtual std::span<const double> step_scales() const { return {}; }

  /// Returns whether squared_sum_norm costs less than sum_gradients and should be used.
  virtual bool has_sum_norms() const { return false; }

  /// The squared norm, in units of scale.grid, of the sum that add_weighted_sum adds for some
  /// records; never below the exact value. They are consecutive in the batch of `samples`, starting
  /// at `place`; weights: (records). The result depends only on these records, their weights, the
  /// scale and the parameters. Pre: as for add_weighted_sum.
  virtual double squared_sum_norm(const TableRows& /*rows*/, const PerSample& /*samples*/,
                                  size_t /*place*/, std::span<const double> /*weights*/,
                                  const SumScale& /*scale*/) const {
    return std::numeric_limits<double>::infinity();
  }

  /// The largest number of records that may be passed at once.
  virtual size_t max_tile_records() const { return 2048; }

  /// The start of training, (num_parameters); zeros unless the kind of model needs asymmetry.
  virtual std::vector<double> initial_parameters(uint64_t /*seed*/) const {
    return std::vector<double>(num_parameters(), 0.0);
  }

  /// Adds sum_i weights[i] * gradient_i to `sum` (num_parameters) in double precision, in the order
  /// of the records.
  virtual void add_weighted_sum(const TableRows& rows, const PerSample& samples,
                                std::span<const double> weights, std::span<double> sum) const = 0;

  /// Sets `sum` to sum_i weights[i] * gradient_i in double precision. The records are consecutive
  /// in the batch of `samples`, starting at `place`; weights: (records).
  ///
  /// Guarantee: the sum and the order of its entries depend only on these records, their weights
  /// and the parameters, not on the rest of the batch nor on their place in it. Weight 0 skips a
  /// record, whatever its values.
  virtual void sum_gradients(const TableRows& rows, const PerSample& samples, size_t place,
                             std::span<const double> weights, GradientSum& sum) const = 0;

  /// Adds for each direction v the sum_i weights[i] * H_i v, H_i the Hessian of the loss of record
  /// i.
  ///
  /// directions, products: (num_directions, num_parameters). Forward over reverse: exact up to
  /// rounding, with a few passes for each direction. Pre: all values are finite.
  virtual void add_hessian_products(const TableRows& rows, std::span<const double> parameters,
                                    std::span<const double> weights,
                                    std::span<const double> directions,
                                    std::span<double> products) const = 0;

  /// <gradient_i, direction> for each record, (batch): the growth of its loss along `direction`
  /// (num_parameters). `samples`: the result of per_sample for them. A forward pass; for
  /// networks exact up to rounding in single precision.
  virtual void directional_derivatives(const TableRows& rows, const PerSample& samples,
                                       std::span<const double> direction,
                                       std::span<double> derivatives) const = 0;

  /// Adds the gradient of sum_i <coefficients_i, r_i> at the parameters, (num_parameters). r_i is
  /// PerSample::output_gradient: predicted minus observed outputs. coefficients: (batch, outputs).
  /// Pre: records are at most max_tile_records(); all values are finite.
  virtual void add_residual_gradient(const TableRows& rows, std::span<const double> parameters,
                                     std::span<const double> coefficients,
                                     std::span<double> sum) const = 0;

  /// The model's predictions for every record of `table`, which may lack the target. Equal for any
  /// number of threads.
  virtual Predictions predict(const EncodedTable& table, std::span<const double> parameters,
                              int threads = 1) const = 0;

  /// The same records with a feature for each part of a score.
  virtual EncodedTable table_of_parts(const EncodedTable& table) const { return table; }

  /// The parts that make up a record's scores together with a constant, if scores are such sums
  /// (ModelFacts::has_parts); they point to parameters. `table`: of table_of_parts. A number's part
  /// is 0 at NumberScale::middle. Parts of categories are to be compared with each other, see
  /// centred(). Pre: the record has a prediction.
  virtual std::vector<ScorePart> parts(const EncodedTable& /*table*/, uint32_t /*record*/,
                                       std::span<const double> /*parameters*/) const {
    return {};
  }
};

}  // namespace equinoise
