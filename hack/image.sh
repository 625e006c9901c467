#!/usr/bin/env bash
# Builds the Dockerfile as it is and tries the image, on a machine that has no container registry: the bases that it names are
# made here, from Debian's packages, the Go release of that version and the Node.js of that version. They stand for those of
# the registry and are not the same bytes; everything that the Dockerfile itself says is done.
#
# Needs root, buildah and debootstrap (Debian packages of these names), Go, npm, git and jq, and the network. Takes some minutes and
# 5 GB. No part of ./test.
set -euo pipefail

usage="usage: image.sh [FOLDER]   keeps Debian's base system and the images in FOLDER; default: a new one, removed at the end"
[[ $# -le 1 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for tool in buildah debootstrap go npm git jq; do
  command -v "$tool" >/dev/null || { echo "image.sh needs $tool" >&2; exit 2; }
done
((EUID == 0)) || { echo "image.sh needs root: it makes a base system, and mounts" >&2; exit 2; }

main() {
  if [[ ${1:-} ]]; then
    folder=$(mkdir -p "$1" && cd "$1" && pwd)
  else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
  fi
  # Steps run under chroot, in the machine's own network, and layers are copies of folders: that needs no kernel module and no
  # user namespace.
  export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs

  golang=$(base golang) node=$(base node)
  echo "== bases: $golang, $node"
  debian "$(suite "$golang")"
  make_golang
  make_node

  echo "== Dockerfile"
  image bud --pull-never --format docker --tag sightline-trial --file Dockerfile .
  try
}

image() { buildah --root "$folder/images" --runroot "$folder/run" "$@"; }

# base is the image of a name that the Dockerfile builds on.
base() { sed -n "s/^FROM \($1:[^ @]*\).*/\1/p" Dockerfile; }

# version and suite are the parts of node:22.22.2-bookworm-slim.
version() { sed 's/.*:\([0-9.]*\)-.*/\1/' <<<"$1"; }
suite() { sed 's/.*:[0-9.]*-\([a-z]*\).*/\1/' <<<"$1"; }

# debian makes the base system of a release.
debian() {
  system=$folder/$1
  [[ -e $system.done ]] || { echo "== Debian $1"; debootstrap --variant=minbase "$1" "$system" >"$folder/debootstrap.log" && touch "$system.done"; }
}

# start makes a container with the base system and this machine's certificates: its network may have an authority of its own.
start() {
  container=$(image from scratch)
  mounted=$(image mount "$container")
  cp -a "$system/." "$mounted/"
  local bundle=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
  install -D -m 644 "$bundle" "$mounted/usr/local/share/machine.crt"
}

# finish names the container's image as one of the registry's, so that the Dockerfile finds it.
finish() {
  image umount "$container" >/dev/null
  image commit --quiet --rm "$container" "docker.io/library/$1" >/dev/null
}

make_golang() {
  start
  # The go command gets the release that the Dockerfile names, and checks it.
  local goroot
  goroot=$(cd / && GOTOOLCHAIN=go$(version "$golang") go env GOROOT)
  mkdir -p "$mounted/usr/local/go" && cp -a "$goroot/." "$mounted/usr/local/go/"
  chmod -R u+w "$mounted/usr/local/go"
  image config --env PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --env GOTOOLCHAIN=local \
    --env SSL_CERT_FILE=/usr/local/share/machine.crt --env "GOPROXY=$(go env GOPROXY)" --env "GOSUMDB=$(go env GOSUMDB)" "$container"
  finish "$golang"
}

make_node() {
  start
  # npm's packages of Node.js itself, and of the npm that works with it.
  local arch
  arch=$(node --print process.arch)
  npm install --prefix "$folder/node" --no-save --ignore-scripts --no-audit --no-fund "node-linux-$arch@$(version "$node")" npm@10
  install -m 755 "$folder/node/node_modules/node-linux-$arch/bin/node" "$mounted/usr/local/bin/node"
  mkdir -p "$mounted/usr/local/lib/node_modules" && cp -a "$folder/node/node_modules/npm" "$mounted/usr/local/lib/node_modules/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$mounted/usr/local/bin/npm"
  # libstdc++ and libatomic are in the registry's image, too.
  chroot "$mounted" apt-get install --yes --no-install-recommends libstdc++6 libatomic1 >/dev/null
  image config --env NODE_EXTRA_CA_CERTS=/usr/local/share/machine.crt --env "npm_config_registry=$(npm config get registry)" "$container"
  finish "$node"
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
