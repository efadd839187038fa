// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "equinoise/base/counted_records.h"
#include "equinoise/data/encoder.h"

namespace equinoise {

/// The public scales of a released sum of gradients.
struct SumScale {
  double grid = 1;   ///< what one unit of the sum is worth
  double bound = 1;  ///< no weighted gradient is longer, in L2
};

/// The results of one forward and backward pass for each record of a batch, in the batch's order.
struct PerSample {
  std::vector<double>
      output_gradient;  ///< (batch, outputs): gradient of the record's loss at the model's outputs
  std::vector<double>
      squared_norm;  ///< (batch): of the gradient at all parameters; never below the exact value
  // Of a network only:
  std::vector<float> parameters;              ///< (num_parameters), as the passes use them
  std::vector<std::vector<float>> outputs;    ///< (layers) of (batch, outputs of the layer)
  std::vector<std::vector<float>> gradients;  ///< (layers) of the same at these outputs
  std::vector<std::vector<float>> kept;       ///< (layers) of (batch, what the layer keeps)
};

/// The sum of the gradients of some records. What is kept between calls spares memory traffic: one
/// object serves one model.
struct GradientSum {
  std::vector<uint32_t> indices;  ///< of `values` among the parameters, none twice; empty: of all
  std::vector<double> values;     ///< what stands nowhere in it is 0
  std::vector<double> scratch = {};  ///< of the model: zeros between calls
};

/// The predictions of a model for every record of a table.
struct Predictions {
  size_t num_outputs = 1;
  bool has_probabilities = true;  ///< of classes; false: the outputs only say which is predicted
  /// (num_records, num_outputs): probabilities of the classes in the schema's order (hinge: 1 for
  /// the predicted one); or the predicted number on the scale of the encoded target.
  std::vector<double> outputs;
  std::vector<uint16_t> predicted;  ///< (num_records) the most probable class; empty for a number
  std::vector<double> loss;         ///< (num_records); empty where the table holds no target
  int64_t num_clamped = 0;          ///< of contributing records, see predict_within_bounds

  /// Whether the outputs are probabilities, or scores, of so many classes.
  bool has_class_scores(size_t num_classes) const {
    return has_probabilities && num_outputs == num_classes && !outputs.empty();
  }

  /// Whether the model says anything of a record: what it gives is finite. Else its predicted class
  /// means nothing.
  bool has_prediction(size_t record) const {
    const std::span<const double> own =
        outputs.empty() ? std::span<const double>()
                        : std::span(outputs).subspan(record * num_outputs, num_outputs);
    return std::all_of(own.begin(), own.end(), [](double value) { return std::isfinite(value); });
  }
};

/// A model in per-sample form: squared gradient norms and weighted gradient sums of a batch, no
/// gradient ever materialised.
///
/// The gradient of a record is that of its own loss, never divided by anything. Parameters are
/// doubles, handed in from outside.
class Model {
 public:
  virtual ~Model() = default;

  /// The name of the kind of model in reports and files: "logistic".
  virtual std::string name() const = 0;

  /// EncodedTable::num_features of its tables.
  virtual size_t num_features() const = 0;

  /// Of the target of its tables, whose labels are below it; 0: the target is a number.
  virtual size_t num_classes() const = 0;

  virtual size_t num_parameters() const = 0;

  /// How many scores a record has.
  virtual size_t num_outputs() const = 0;

  /// The name of each parameter, (num_parameters): "age", "sex=Female", "bias".
  virtual std::vector<std::string> parameter_names() const = 0;

  /// Forward for `records` of `table`: `out.output_gradient` holds their scores, (batch, outputs),
  /// until `differentiate` turns them into gradients. Scores are the logit of the second class, one
  /// for each class, or the predicted scaled number.
  virtual void score(const EncodedTable& table, std::span<const uint32_t> records,
                     std::span<const double> parameters, PerSample& out) const = 0;

  /// The loss of each of the same records after `score` and before `differentiate`, (batch). Of a
  /// record whose scores are not finite it may be NaN or infinite.
  virtual void losses(const EncodedTable& table, std::span<const uint32_t> records,
                      const PerSample& scored, std::span<double> losses) const = 0;

  /// Backward for the same records after `score`. `added`, (batch, outputs), is added to the
  /// gradient of each record's loss at its scores; empty: nothing is. A record whose gradient has
  /// an entry that is not finite gets a NaN or infinite squared norm.
  ///
  /// Each squared norm is raised by more than the rounding errors of itself, of the clip weight
  /// made from it and of add_weighted_sum, so that a record scaled to norm C by it stays within C
  /// exactly.
  virtual void differentiate(const EncodedTable& table, std::span<const uint32_t> records,
                             std::span<const double> added, PerSample& out) const = 0;

  /// Forward and backward.
  void per_sample(const EncodedTable& table, std::span<const uint32_t> records,
                  std::span<const double> parameters, PerSample& out) const {
    score(table, records, parameters, out);
    differentiate(table, records, {}, out);
  }

  /// Adds sum_i weights[i] * gradient_i / scale.grid to `units` (num_parameters).
  ///
  /// Pre: records are at most max_tile_records(); no weighted gradient is longer than scale.bound;
  /// scale.grid is exact_grid of it.
  /// Guarantee: what is added are sums of integers, of each record its own, of at most scale.bound
  /// / scale.grid in L2, whatever other records there are. Weight 0 skips a record, whatever its
  /// values.
  virtual void add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                const PerSample& samples, std::span<const double> weights,
                                const SumScale& scale, std::span<int64_t> units) const = 0;

  /// The same of records that each stand for several equal ones: exactly what these add one by one.
  /// Pre: there are fewer than 2^32 of them; the sum over any of them fits. Here it takes a pass
  /// over the records for each binary digit of their counts.
  virtual void add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                               const PerSample& samples, std::span<const double> weights,
                               const SumScale& scale, std::span<int64_t> units) const;

  /// The grid on which the model adds up gradients that are to be released on scale.grid: that one,
  /// or one that depends on scale.bound alone. From there a batch's whole sum is rounded, once.
  virtual double exact_grid(const SumScale& scale) const { return scale.grid; }

  /// A bound in units of exact_grid is never above this, where that grid depends on the bound
  /// alone; else 0.
  virtual double max_exact_units() const { return 0; }

  /// What that rounding adds to the sensitivity of a sum, in L2; 0 where there is none.
  virtual double sum_error(double grid) const {
    static_cast<void>(grid);
    return 0;
  }

  /// (num_parameters) what a step's gradients are multiplied by, where parts of the parameters see
  /// a public share of the records only; empty: nothing.
  virtual std::span<const double> step_scales() const { return {}; }

  /// Whether squared_sum_norm is to be asked: where it costs less than sum_gradients.
  virtual bool has_sum_norms() const { return false; }

  /// The squared norm, in units of scale.grid, of all that add_weighted_sum adds for some records
  /// that stand together in the batch of `samples`, the first of them at `place` in it; weights:
  /// (records). Never below the exact value. It depends on nothing but these records, their
  /// weights, the scale and the parameters. Pre: as for add_weighted_sum.
  virtual double squared_sum_norm(const EncodedTable& table, std::span<const uint32_t> records,
                                  const PerSample& samples, size_t place,
                                  std::span<const double> weights, const SumScale& scale) const {
    static_cast<void>(table);
    static_cast<void>(records);
    static_cast<void>(samples);
    static_cast<void>(place);
    static_cast<void>(weights);
    static_cast<void>(scale);
    return std::numeric_limits<double>::infinity();
  }

  /// How many records are worth handing over at once.
  virtual size_t max_tile_records() const { return 2048; }

  /// Where training starts, (num_parameters); zeros unless the kind of model needs asymmetry.
  virtual std::vector<double> initial_parameters(uint64_t seed) const {
    static_cast<void>(seed);
    return std::vector<double>(num_parameters(), 0.0);
  }

  /// Adds sum_i weights[i] * gradient_i to `sum` (num_parameters) in double precision, in the order
  /// of the records.
  virtual void add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                const PerSample& samples, std::span<const double> weights,
                                std::span<double> sum) const = 0;

  /// Sets `sum` to sum_i weights[i] * gradient_i in double precision, of some records that stand
  /// together in the batch of `samples`, the first of them at `place` in it; weights: (records).
  ///
  /// Guarantee: the sum, and the order in which it stands there, depends on nothing but these
  /// records, their weights and the parameters: not on what else the batch holds, and not on where
  /// in it they stand. Weight 0 skips a record, whatever its values.
  virtual void sum_gradients(const EncodedTable& table, std::span<const uint32_t> records,
                             const PerSample& samples, size_t place,
                             std::span<const double> weights, GradientSum& sum) const = 0;

  /// Adds for each direction v the sum_i weights[i] * H_i v, H_i the Hessian of the loss of record
  /// i.
  ///
  /// directions, products: (num_directions, num_parameters). Forward over reverse: exact up to
  /// rounding, a few passes for each direction. Pre: all values are finite.
  virtual void add_hessian_products(const EncodedTable& table, std::span<const uint32_t> records,
                                    std::span<const double> parameters,
                                    std::span<const double> weights,
                                    std::span<const double> directions,
                                    std::span<double> products) const = 0;

  /// <gradient_i, direction> for each record, (batch): how fast its loss grows along `direction`
  /// (num_parameters). `samples`: what per_sample gave for `records`. A forward pass; networks are
  /// exact up to rounding in single precision.
  virtual void directional_derivatives(const EncodedTable& table, std::span<const uint32_t> records,
                                       const PerSample& samples, std::span<const double> direction,
                                       std::span<double> derivatives) const = 0;

  /// Adds the gradient of sum_i <coefficients_i, r_i> at the parameters, (num_parameters), r_i
  /// being PerSample::output_gradient: predicted minus observed outputs. coefficients: (batch,
  /// outputs). Pre: records are at most max_tile_records(); all values are finite.
  virtual void add_residual_gradient(const EncodedTable& table, std::span<const uint32_t> records,
                                     std::span<const double> parameters,
                                     std::span<const double> coefficients,
                                     std::span<double> sum) const = 0;

  /// The model's predictions for every record of `table`, which may lack the target. The same for
  /// any number of threads.
  virtual Predictions predict(const EncodedTable& table, std::span<const double> parameters,
                              int threads = 1) const = 0;
};

}  // namespace equinoise
