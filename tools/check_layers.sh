#!/usr/bin/env bash
# Checks that includes run one way only: which room may include which stands in the table below and in docs/architecture.md.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

declare -A may_include=(
  [base]=""
  [data]="base"
  [privacy]="base"
  [groups]="base data"
  [models]="base data"
  [constraints]="base data groups privacy"
  [train]="base data groups models privacy constraints"
  [means]="base data groups privacy"
  [synth]="base data groups privacy models"
  [audit]="base data groups models privacy constraints train means synth"
  [report]="base groups models privacy constraints audit"
  [tasks]="base data groups models privacy constraints train means synth audit report"
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
if grep -rnE '#include "(cli|tests|bench)/' equinoise >&2; then
  echo "layers: the library may not include cli, tests or bench" >&2
  failed=1
fi
exit "$failed"
