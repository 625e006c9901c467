#!/usr/bin/env bash
# Walks from published YAML to a comment, as a new user would: builds the action's image (bases.sh), and carries out the steps of
# docs/workflows for a Foundry, a Hardhat and a plain project, each with a pull request that breaks something and one that does
# not, in containers, against a GitHub of our own. Prints how long it took, and fails unless verdicts and comments are as
# expected. hack/walk has the steps and the projects. Workflows with a matrix are left out, since their jobs would take as many
# machines: tests of cmd/sightline carry out the steps of matrix.yml and nightly.yml (TestActionMatrix, TestActionNightly).
#
# Needs what image.sh needs, and the npm packages that ./test installs. Takes about 20 minutes and 5 GB. No part of ./test.
set -euo pipefail

usage="usage: walk.sh [--built] [--timeout SECONDS] [FOLDER] [PROJECT...]   keeps Debian's base system and the images in FOLDER; default: a new one, removed at the end
--built takes the image that FOLDER has, --timeout gives each campaign so long, whatever the workflow says; the projects are foundry, hardhat and plain, default: all"
built=
if [[ ${1:-} == --built ]]; then
  built=true
  shift
fi
timeout=0
if [[ ${1:-} == --timeout ]]; then
  timeout=${2:?$usage}
  shift 2
fi
[[ ${1:-} != -* && (! $built || ${1:-}) ]] || { echo "$usage" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/bases.sh
need node

main() {
  keep_in "${1:-}"
  local start=$SECONDS
  if [[ ! $built ]]; then
    build_image
    echo "== the image took $((SECONDS - start)) s"
  fi
  go build -o "$folder/walk" ./hack/walk
  "$folder/walk" -work "$folder/walks" -node "$folder/node/node_modules" -image sightline-trial -timeout "$timeout" -projects "${*:2}" \
    buildah --root "$folder/images" --runroot "$folder/run"
}

main "$@"
