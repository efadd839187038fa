// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table.h"

namespace equinoise {

/// Called after each image of a folder with the numbers of images read and in total.
using ImageProgress = std::function<void(int64_t num_read, int64_t num_images)>;

/// Reads a table of images. The schema has [image]; images have its shape or are resized to it.
///
/// A file is read as idx (IdxFile): grey images of exactly the shape. `labels` is then the idx file
/// of labels, for the only column of the schema that is not ignored. It is categorical; the byte 7
/// is the text "7".
///
/// A folder is read as in CelebA: JPEG files (decode_jpeg), in the order of the attribute file
/// `labels` (AttributeReader), whose attributes are the columns. Attributes that the schema does
/// not declare are not read. Without `labels`, for kFeaturesOnly alone: its .jpg and .jpeg files,
/// ordered by name.
///
/// Labels and attributes follow their columns' rules as cells of a table do (read_table). A dropped
/// record has zeros as pixels; its image is read all the same, so that no error depends on a cell.
///
/// Errors (kInput) never give a pixel or a label:
/// - those of the readers;
/// - for idx: images of another shape, numbers of labels and images that differ, or columns other
///   than one categorical one;
/// - with kDescribed a number of images other than the schema's public one;
/// - a column that no attribute has;
/// - an image that is missing, listed twice, or whose name leads out of the folder.
Dataset read_images(const std::filesystem::path& path, const std::filesystem::path& labels,
                    const Schema& schema, TableUse use = TableUse::kDescribed,
                    const ImageProgress& progress = nullptr);

}  // namespace equinoise
