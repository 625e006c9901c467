#!/usr/bin/env bash
# Builds the Dockerfile as it is and tries the image, on a machine that has no container registry: bases.sh says how.
#
# Needs root, buildah and debootstrap (Debian packages of these names), Go, npm, git and jq, and the network. Takes some minutes and
# 5 GB. No part of ./test.
set -euo pipefail

usage="usage: image.sh [FOLDER]   keeps Debian's base system and the images in FOLDER; default: a new one, removed at the end"
[[ $# -le 1 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/bases.sh
need

main() {
  keep_in "${1:-}"
  build_image
  try
}

# try runs the image: who it is, the demonstration, and the action as the runner starts it, in a checkout of another user
# with a source to compile.
try() {
  local container command
  container=$(image from --pull-never sightline-trial)
  command=$(image inspect --type image sightline-trial | jq --compact-output '.Docker.config | .Entrypoint, .Cmd' | paste -sd' ')
  [[ $command == '["/usr/local/bin/sightline"] ["action"]' ]] || { echo "the image starts $command" >&2; exit 1; }
  echo "== sightline --version"
  image run "$container" -- /usr/local/bin/sightline --version
  echo "== sightline demo"
  expect 1 image run "$container" -- /usr/local/bin/sightline demo --test-limit 30000 --out /srv/demo
  checkout
  echo "== sightline action"
  expect 1 image run --volume "$folder/workspace:/github/workspace" --workingdir /github/workspace \
    --env GITHUB_ACTIONS=true --env GITHUB_WORKSPACE=/github/workspace --env GITHUB_REPOSITORY=octo/vault --env GITHUB_EVENT_NAME=push \
    --env GITHUB_EVENT_PATH=/github/workspace/.git/event.json --env GITHUB_REF=refs/heads/main --env "GITHUB_SHA=$after" \
    --env GITHUB_API_URL=http://127.0.0.1:1 --env GITHUB_SERVER_URL=http://127.0.0.1:1 \
    --env GITHUB_OUTPUT=/github/workspace/.git/output --env GITHUB_STEP_SUMMARY=/github/workspace/.git/summary --env RUNNER_TEMP=/tmp \
    --env GITHUB_RUN_ID=1658821493 --env GITHUB_RUN_NUMBER=812 --env GITHUB_JOB=fuzz --env GITHUB_WORKFLOW=CI \
    --env INPUT_SEED=7 --env INPUT_WORKERS=1 --env INPUT_TEST-LIMIT=30000 --env HOME=/github/home \
    "$container" -- /usr/local/bin/sightline action
  grep -A1 '^verdict<<' "$folder/workspace/.git/output" | grep -qx fail
  image rm "$container" >/dev/null
  echo "== the image builds and works: $(image images --format '{{.Size}}' sightline-trial)"
}

# checkout makes a repository with a change that breaks something, as the runner mounts it: it belongs to somebody else than
# the container's root.
checkout() {
  local work=$folder/workspace before
  rm -rf "$work" && mkdir -p "$work"
  local -a git=(git -C "$work" -c user.name=Tester -c user.email=tester@example.com -c init.defaultBranch=main)
  "${git[@]}" init --quiet
  cp -r examples/crowdsale/base/. "$work/" && "${git[@]}" add . && "${git[@]}" commit --quiet -m base
  before=$("${git[@]}" rev-parse HEAD)
  cp -r examples/crowdsale/head/. "$work/" && "${git[@]}" add . && "${git[@]}" commit --quiet -m head
  after=$("${git[@]}" rev-parse HEAD)
  printf '{"ref": "refs/heads/main", "before": "%s", "after": "%s", "repository": {"full_name": "octo/vault", "private": true, "default_branch": "main"}}' \
    "$before" "$after" >"$work/.git/event.json"
  chown -R 1001:1001 "$work" # a hosted runner's user
}

# expect runs a command that ends with this exit code: 1 is the gate, which what is found here does not pass.
expect() {
  local want=$1 got=0
  shift
  "$@" || got=$?
  ((got == want)) || { echo "exit code $got, want $want: $*" >&2; exit 1; }
}

main "$@"
