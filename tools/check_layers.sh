#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that includes run one way only: which room may include which stands in the tables below and in docs/architecture.md.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

declare -A may_include=(
  [base]=""
  [files]="base"
  [data]="base"
  [engines]="base data"
  [privacy]="base"
  [groups]="base data"
  [models]="base data"
  [constraints]="base data groups privacy"
  [means]="base data groups privacy"
  [tables]="base data groups privacy means"
  [synth]="base data groups privacy models"
  [train]="base data groups models privacy constraints"
  [audit]="base data groups models privacy constraints train means synth"
  [report]="base data groups models privacy constraints tables synth audit"
  [tasks]="base files data groups models privacy constraints train means tables synth audit report"
  [reproduction]="base files data groups models privacy constraints train means tables synth audit report tasks"
)
# Folders of tasks: each may include itself and these. Files beside the folders include none of them.
declare -A tasks_may_include=(
  [input]=""
  [runs]=""
  [selftest]=""
  [predict]="input"
  [means]="input"
  [tables]="input means"
  [count]="input"
  [synth]="input predict"
  [train]="input predict means"
  [audit]="input predict"
  [compare]="input runs means train synth"
  [report]=""
)

failed=0
for folder in equinoise/*/; do
  room="$(basename "$folder")"
  if [ -z "${may_include[$room]+known}" ]; then
    echo "layers: equinoise/$room is not a room of docs/architecture.md" >&2
    failed=1
    continue
  fi
  while IFS=: read -r file line text; do
    target="$(sed -E 's|.*"equinoise/([^/"]+)/.*|\1|' <<<"$text")"
    case " $room ${may_include[$room]} " in
      *" $target "*) ;;
      *)
        echo "layers: $file:$line: $room may not include $target" >&2
        failed=1
        ;;
    esac
  done < <(grep -rnE '#include "equinoise/' "$folder" --include='*.h' --include='*.cc' || true)
done
for folder in equinoise/tasks/*/; do
  room="$(basename "$folder")"
  if [ -z "${tasks_may_include[$room]+known}" ]; then
    echo "layers: equinoise/tasks/$room is not a room of docs/architecture.md" >&2
    failed=1
    continue
  fi
  while IFS=: read -r file line text; do
    target="$(sed -E 's|.*"equinoise/tasks/([^"]+)".*|\1|' <<<"$text")"
    case " $room ${tasks_may_include[$room]} " in
      *" ${target%%/*} "*) ;;
      *)
        echo "layers: $file:$line: tasks/$room may not include tasks/$target" >&2
        failed=1
        ;;
    esac
  done < <(grep -rnE '#include "equinoise/tasks/' "$folder" --include='*.h' --include='*.cc' || true)
done
if grep -nE '#include "equinoise/tasks/[a-z_]+/' equinoise/tasks/*.h equinoise/tasks/*.cc >&2; then
  echo "layers: files of tasks beside its folders may not include these" >&2
  failed=1
fi
if grep -rnE '#include "(cli|python|tests|bench)/' equinoise >&2; then
  echo "layers: the library may not include cli, python, tests or bench" >&2
  failed=1
fi
if grep -rnE '#include "(cli/terminal|python|tests|bench)/' cli/*.h cli/*.cc | grep -v '^cli/main.cc:' >&2; then
  echo "layers: the commands may not include their hosts, tests or bench" >&2
  failed=1
fi
# Of two types of one name the linker keeps the functions of one.
while read -r name; do
  echo "layers: two headers declare a type $name; rename one" >&2
  failed=1
done < <(find equinoise cli -name '*.h' -exec perl -ne '
  BEGIN { $space = "equinoise" }
  $space = $1 if /^namespace (\S+) \{/;
  $space = "equinoise" if m{^\}  // namespace};
  print "${space}::$2\n" if /^(struct|class|enum class) (\w+)( final)?( : .*)? \{/' {} + | sort | uniq -d)
exit "$failed"
