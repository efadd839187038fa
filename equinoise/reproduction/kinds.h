// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/item_header.h"

namespace equinoise {

/// The kinds of experiments: each function reads an item of a kind and fills in its header. Errors
/// of all: kInput, naming the place.

/// Runs under rate constraints: metrics for one value of a parameter after another.
std::shared_ptr<const Experiment> read_sweep(const TomlSection& root, ItemHeader& item);

/// A simulation of two-stage regression: prediction errors of groups for one value of a parameter
/// after another. Every method runs on the records of every panel; if there are several panels, its
/// name begins with the panel's.
std::shared_ptr<const Experiment> read_simulation(const TomlSection& root, ItemHeader& item);

/// Largest losses of groups over many problems.
std::shared_ptr<const Experiment> read_worst_group(const TomlSection& root, ItemHeader& item);

/// Errors of means of groups for one value of a parameter after another.
std::shared_ptr<const Experiment> read_means(const TomlSection& root, ItemHeader& item);

/// Errors of synthetic rows for one epsilon after another.
std::shared_ptr<const Experiment> read_synthesis(const TomlSection& root, ItemHeader& item);

/// An overview of a table: correlations of its columns, and their distributions in two groups.
std::shared_ptr<const Experiment> read_overview(const TomlSection& root, ItemHeader& item);

/// A table over training by epochs, of which figures show the runs.
std::shared_ptr<const Experiment> read_training(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise
