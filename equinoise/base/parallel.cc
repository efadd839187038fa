#include "equinoise/base/parallel.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace equinoise {

void parallel_for(size_t count, int threads, const std::function<void(size_t)>& body) {
  if (count <= 1 || threads <= 1) {
    for (size_t i = 0; i < count; ++i) body(i);
    return;
  }
  // TBB prints a warning when more is asked for than the machine has.
  tbb::task_arena arena(std::min(threads, tbb::info::default_concurrency()));
  arena.execute([&] { tbb::parallel_for(size_t{0}, count, body); });
}

}  // namespace equinoise
