# SPDX-License-Identifier: Apache-2.0
# Writes a source that holds text files: cmake -DOUTPUT=FILE -DROOT=FOLDER -DFILES=LIST -P embed_text.cmake. Each of FILES, paths below
# ROOT, becomes an entry, named by its path without the ending. The list is part of the command, so that a build sees that a file is gone.
list(SORT FILES)
set(source "// Made by cmake/embed_text.cmake.\n#include \"equinoise/reproduction/embedded_items.h\"\n\n")
string(APPEND source "namespace equinoise {\n\nconst std::vector<EmbeddedItem>& embedded_items() {\n")
string(APPEND source "  static const std::vector<EmbeddedItem> items = {\n")
foreach(name ${FILES})
  file(READ ${ROOT}/${name} text)
  string(REGEX REPLACE "\\.toml$" "" title ${name})
  string(APPEND source "      {\"${title}\", R\"text(${text})text\"},\n")
endforeach()
string(APPEND source "  };\n  return items;\n}\n\n}  // namespace equinoise\n")
file(WRITE ${OUTPUT} "${source}")
