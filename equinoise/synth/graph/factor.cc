// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/factor.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/synth/graph/exponential.h"

namespace equinoise {
namespace {

constexpr double kMaxTableCells = 0x1p31;

}  // namespace

Factor constant_factor(const Domain& domain, AttributeSet attributes, double value) {
  const double cells = domain.num_cells(attributes);
  if (cells > kMaxTableCells) {
    throw Error(ErrorKind::kUsage, "synth.factor",
                "a table over {} would have {:.0f} cells, more than {:.0f}",
                domain.describe(attributes), cells, kMaxTableCells);
  }
  return {std::move(attributes), std::vector<double>(static_cast<size_t>(cells), value)};
}

void multiply_out(std::vector<double>& products, std::span<const double> next) {
  std::vector<double> longer;
  longer.reserve(products.size() * next.size());
  for (const double product : products)
    for (const double factor : next) longer.push_back(product * factor);
  products = std::move(longer);
}

Broadcast::Broadcast(const Domain& domain, const AttributeSet& outer, const AttributeSet& subset) {
  const auto first =
      std::ranges::find_if(outer, [&](int attribute) { return domain.num_codes(attribute) > 1; });
  std::vector<Loop> inner_to_outer;
  for (auto attribute = outer.rbegin(); attribute != outer.rend(); ++attribute) {
    const auto length = static_cast<size_t>(domain.num_codes(*attribute));
    const bool shared = std::ranges::binary_search(subset, *attribute);
    const Loop loop = {length, outer_cells_, shared ? small_cells_ : 0};
    outer_cells_ *= length;
    if (shared) small_cells_ *= length;
    if (length == 1) continue;
    const bool merges = !inner_to_outer.empty() && *attribute != *first &&
                        (inner_to_outer.back().small_stride != 0) == shared;
    if (merges) {
      inner_to_outer.back().length *= length;
    } else {
      inner_to_outer.push_back(loop);
    }
  }
  if (inner_to_outer.empty()) return;
  block_ = inner_to_outer.front();
  loops_.assign(inner_to_outer.rbegin(), inner_to_outer.rend() - 1);
}

template <typename Body>
void Broadcast::for_each_block(Slice slice, const Body& body) const {
  if (loops_.empty()) return body(size_t{0}, size_t{0});
  // The loop next to the blocks is a real one; those around it count like an odometer. The first
  // one runs over the slice alone.
  const size_t slice_end = std::min(slice.end, loops_.front().length);
  const size_t num_far = loops_.size() - 1;
  const Loop& near = loops_.back();
  const size_t near_begin = num_far == 0 ? slice.begin : 0;
  const size_t near_end = num_far == 0 ? slice_end : near.length;
  std::vector<size_t> position(num_far, 0);
  size_t outer = 0;
  size_t small = 0;
  if (num_far > 0) {
    if (slice.begin >= slice_end) return;
    position.front() = slice.begin;
    outer = slice.begin * loops_.front().outer_stride;
    small = slice.begin * loops_.front().small_stride;
  }
  for (;;) {
    for (size_t i = near_begin; i < near_end; ++i) {
      body(outer + i * near.outer_stride, small + i * near.small_stride);
    }
    size_t level = num_far;
    for (;;) {
      if (level == 0) return;
      const Loop& loop = loops_[--level];
      outer += loop.outer_stride;
      small += loop.small_stride;
      if (++position[level] < (level == 0 ? slice_end : loop.length)) break;
      if (level == 0) return;
      position[level] = 0;
      outer -= loop.length * loop.outer_stride;
      small -= loop.length * loop.small_stride;
    }
  }
}

std::span<double> Broadcast::marginalised(std::span<double> small, Slice slice) const {
  if (!slices_small()) return small;
  const Loop& first = loops_.front();
  const size_t end = std::min(slice.end, first.length);
  return small.subspan(slice.begin * first.small_stride, (end - slice.begin) * first.small_stride);
}

void Broadcast::add_to(std::span<double> outer, std::span<const double> small, Slice slice) const {
  const size_t length = block_.length;
  if (block_.small_stride == 0) {
    for_each_block(slice, [&](size_t at, size_t from) {
      double* const out = outer.data() + at;
      const double value = small[from];
      for (size_t i = 0; i < length; ++i) out[i] += value;
    });
  } else {
    for_each_block(slice, [&](size_t at, size_t from) {
      double* const out = outer.data() + at;
      const double* const in = small.data() + from;
      for (size_t i = 0; i < length; ++i) out[i] += in[i];
    });
  }
}

void Broadcast::multiply_into(std::span<double> outer, std::span<const double> small,
                              Slice slice) const {
  const size_t length = block_.length;
  if (block_.small_stride == 0) {
    for_each_block(slice, [&](size_t at, size_t from) {
      double* const out = outer.data() + at;
      const double value = small[from];
      for (size_t i = 0; i < length; ++i) out[i] *= value;
    });
  } else {
    for_each_block(slice, [&](size_t at, size_t from) {
      double* const out = outer.data() + at;
      const double* const in = small.data() + from;
      for (size_t i = 0; i < length; ++i) out[i] *= in[i];
    });
  }
}

namespace {

/// Sum of term(i), i < length, in four interleaved parts, so that it can be vectorised; always in
/// the same order.
template <typename Term>
double sum_of(size_t length, const Term& term) {
  double parts[4] = {0, 0, 0, 0};
  size_t i = 0;
  for (; i + 4 <= length; i += 4) {
    for (size_t lane = 0; lane < 4; ++lane) parts[lane] += term(i + lane);
  }
  double sum = (parts[0] + parts[1]) + (parts[2] + parts[3]);
  for (; i < length; ++i) sum += term(i);
  return sum;
}

}  // namespace

void Broadcast::sum_onto(std::span<const double> outer, std::span<double> small,
                         Slice slice) const {
  const size_t length = block_.length;
  if (block_.small_stride == 0) {
    for_each_block(slice, [&](size_t at, size_t to) {
      const double* const in = outer.data() + at;
      small[to] += sum_of(length, [in](size_t i) { return in[i]; });
    });
  } else {
    for_each_block(slice, [&](size_t at, size_t to) {
      const double* const in = outer.data() + at;
      double* const out = small.data() + to;
      for (size_t i = 0; i < length; ++i) out[i] += in[i];
    });
  }
}

void Broadcast::max_onto(std::span<const double> outer, std::span<double> small,
                         Slice slice) const {
  for (double& cell : marginalised(small, slice)) cell = kLogZero;
  const size_t length = block_.length;
  if (block_.small_stride == 0) {
    for_each_block(slice, [&](size_t at, size_t to) {
      const double* const in = outer.data() + at;
      double parts[4] = {small[to], kLogZero, kLogZero, kLogZero};
      size_t i = 0;
      for (; i + 4 <= length; i += 4) {
        for (size_t lane = 0; lane < 4; ++lane) {
          parts[lane] = in[i + lane] > parts[lane] ? in[i + lane] : parts[lane];
        }
      }
      for (; i < length; ++i) parts[0] = in[i] > parts[0] ? in[i] : parts[0];
      small[to] = std::max(std::max(parts[0], parts[1]), std::max(parts[2], parts[3]));
    });
  } else {
    for_each_block(slice, [&](size_t at, size_t to) {
      const double* const in = outer.data() + at;
      double* const out = small.data() + to;
      for (size_t i = 0; i < length; ++i) out[i] = in[i] > out[i] ? in[i] : out[i];
    });
  }
}

void Broadcast::exponentiate_onto(std::span<const double> outer, std::span<const double> shifts,
                                  std::span<double> exponentials, std::span<double> sums,
                                  Slice slice) const {
  for (double& sum : marginalised(sums, slice)) sum = 0;
  const size_t length = block_.length;
  if (block_.small_stride == 0) {
    for_each_block(slice, [&](size_t at, size_t to) {
      const double* const in = outer.data() + at;
      double* const out = exponentials.data() + at;
      const double shift = shifts[to];
      sums[to] +=
          sum_of(length, [in, out, shift](size_t i) { return out[i] = vector_exp(in[i] - shift); });
    });
  } else {
    for_each_block(slice, [&](size_t at, size_t to) {
      const double* const in = outer.data() + at;
      double* const out = exponentials.data() + at;
      const double* const shift = shifts.data() + to;
      double* const sum = sums.data() + to;
      for (size_t i = 0; i < length; ++i) {
        const double value = vector_exp(in[i] - shift[i]);
        out[i] = value;
        sum[i] += value;
      }
    });
  }
}

void log_sum_exp_onto(const Broadcast& onto, std::span<const double> outer, std::span<double> small,
                      std::span<double> exponentials) {
  std::vector<double> shifts(small.size());
  onto.max_onto(outer, shifts);
  // Any finite shift keeps -inf - shift = -inf if all cells are zero.
  for (double& shift : shifts) shift = shift == kLogZero ? 0 : shift;
  onto.exponentiate_onto(outer, shifts, exponentials, small);
  for (size_t i = 0; i < small.size(); ++i) small[i] = std::log(small[i]) + shifts[i];
}

void exponentiate(std::span<double> values, double shift) {
  for (double& value : values) value = vector_exp(value - shift);
}

namespace {

/// A loop over both tables of a reordering.
struct MoveLoop {
  size_t length;
  size_t from_stride;
  size_t to_stride;
};

/// The loops of a reordering, the outermost of the old table first; attributes that stay neighbours
/// are one loop.
std::vector<MoveLoop> move_loops(const Domain& domain, const std::vector<int>& from,
                                 const std::vector<int>& to) {
  std::vector<size_t> to_strides(from.size());
  size_t stride = 1;
  for (size_t i = to.size(); i-- > 0;) {
    to_strides[std::ranges::find(from, to[i]) - from.begin()] = stride;
    stride *= static_cast<size_t>(domain.num_codes(to[i]));
  }
  std::vector<MoveLoop> inner_to_outer;
  size_t from_stride = 1;
  for (size_t i = from.size(); i-- > 0;) {
    const auto length = static_cast<size_t>(domain.num_codes(from[i]));
    const MoveLoop loop = {length, from_stride, to_strides[i]};
    from_stride *= length;
    if (length == 1) continue;
    MoveLoop* const inner = inner_to_outer.empty() ? nullptr : &inner_to_outer.back();
    if (inner != nullptr && loop.to_stride == inner->to_stride * inner->length) {
      inner->length *= length;
    } else {
      inner_to_outer.push_back(loop);
    }
  }
  return {inner_to_outer.rbegin(), inner_to_outer.rend()};
}

/// Moves a matrix in tiles, so that neither side leaves the cache.
void move_matrix(const MoveLoop& a, const MoveLoop& b, const double* from, double* to) {
  constexpr size_t kTile = 16;
  for (size_t i = 0; i < a.length; i += kTile) {
    const size_t i_end = std::min(i + kTile, a.length);
    for (size_t j = 0; j < b.length; j += kTile) {
      const size_t j_end = std::min(j + kTile, b.length);
      for (size_t ii = i; ii < i_end; ++ii) {
        for (size_t jj = j; jj < j_end; ++jj) {
          to[ii * a.to_stride + jj * b.to_stride] = from[ii * a.from_stride + jj * b.from_stride];
        }
      }
    }
  }
}

}  // namespace

void reorder_table(const Domain& domain, const std::vector<int>& from, const std::vector<int>& to,
                   std::span<const double> values, std::span<double> result) {
  std::vector<MoveLoop> loops = move_loops(domain, from, to);
  if (loops.size() <= 1) {
    std::ranges::copy(values, result.begin());
    return;
  }
  // The innermost loops of the old and of the new table make a matrix; the others go around it.
  // There are at least two loops. If both tables have the same innermost one, the next is taken.
  const MoveLoop inner = loops.back();
  loops.pop_back();
  auto other = std::ranges::min_element(
      loops, [](const auto& a, const auto& b) { return a.to_stride < b.to_stride; });
  const MoveLoop outer = *other;
  loops.erase(other);
  std::vector<size_t> position(loops.size(), 0);
  size_t at = 0;
  size_t to_at = 0;
  for (;;) {
    move_matrix(outer, inner, values.data() + at, result.data() + to_at);
    size_t level = loops.size();
    for (;;) {
      if (level == 0) return;
      const MoveLoop& loop = loops[--level];
      at += loop.from_stride;
      to_at += loop.to_stride;
      if (++position[level] < loop.length) break;
      position[level] = 0;
      at -= loop.length * loop.from_stride;
      to_at -= loop.length * loop.to_stride;
    }
  }
}

std::vector<double> reordered_table(const Domain& domain, const std::vector<int>& from,
                                    const std::vector<int>& to, std::span<const double> values) {
  std::vector<double> result(values.size());
  reorder_table(domain, from, to, values, result);
  return result;
}

}  // namespace equinoise
