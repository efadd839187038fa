#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "equinoise/data/schema.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/tasks/progress.h"

namespace equinoise {

/// What `equinoise synth evaluate` is asked for.
struct SynthEvaluateRequest {
  SchemaFile schema;  ///< for domain.json the number of records is not needed
  std::filesystem::path real_path;
  std::filesystem::path synthetic_path;
  int degree = 3;
  BinOptions bins;  ///< of numeric columns
  int threads = 1;
};

/// How far marginals of a synthetic table are from those of the real one. NOT PRIVATE.
struct SynthEvaluateReport {
  double workload_error = 0;  ///< mean over marginals of half the L1 distance, normalised
  int64_t num_marginals = 0;
  std::vector<std::string> worst;  ///< columns of the farthest marginal
  double worst_error = 0;
  int64_t num_real = 0;
  int64_t num_synthetic = 0;
  std::vector<std::string> ingest_notes;
  double seconds = 0;
};

/// Reads both tables by the schema and compares all marginals of one degree. Errors: kInput
/// (schema, tables), kUsage (degree, bins).
SynthEvaluateReport evaluate_synthetic(const SynthEvaluateRequest& request, TaskProgress& progress);

}  // namespace equinoise
