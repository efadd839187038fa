// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/privacy/relation.h"

namespace equinoise {

/// A privacy loss bound, natural logarithm; finite and >= 0.
class Epsilon {
 public:
  explicit Epsilon(double value);
  double value() const { return value_; }

 private:
  double value_;
};

/// A failure probability, 0 <= delta < 1.
class Delta {
 public:
  explicit Delta(double value);
  double value() const { return value_; }

 private:
  double value_;
};

/// The parameter of zero-concentrated differential privacy; finite and >= 0.
class Rho {
 public:
  explicit Rho(double value);
  double value() const { return value_; }

 private:
  double value_;
};

/// The norm in which changes of several entries count together; kMax: the largest change of any one
/// entry.
enum class Norm { kL1, kL2, kMax };

/// The largest change of a vector between neighbours, in the vector's own units; finite and > 0.
class Sensitivity {
 public:
  Sensitivity(double value, Norm norm, Relation relation);
  double value() const { return value_; }
  Norm norm() const { return norm_; }
  Relation relation() const { return relation_; }

 private:
  double value_;
  Norm norm_;
  Relation relation_;
};

}  // namespace equinoise
