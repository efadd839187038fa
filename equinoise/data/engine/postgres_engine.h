// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/data/engine/engine.h"
#include "equinoise/data/engine/engine_url.h"

namespace equinoise {

/// A table or view of a PostgreSQL server.
std::unique_ptr<Engine> open_postgres(const EngineUrl& url);

}  // namespace equinoise
