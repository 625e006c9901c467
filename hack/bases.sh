# Functions of image.sh and walk.sh, which build the Dockerfile as it is on a machine that has no container registry: the bases
# that it names are made here, from Debian's packages, the Go release of that version and the Node.js of that version. They stand
# for those of the registry and are not the same bytes; everything that the Dockerfile itself says is done.
#
# Sourced in the repository's root.

# need ends the script if a tool is not installed.
need() {
  local tool
  for tool in buildah debootstrap go npm git jq "$@"; do
    command -v "$tool" >/dev/null || { echo "${0##*/} needs $tool" >&2; exit 2; }
  done
  ((EUID == 0)) || { echo "${0##*/} needs root: it makes a base system, and mounts" >&2; exit 2; }
}

# keep_in sets the folder for the base system and the images: the one that is given, or a new one that is removed at the end.
keep_in() {
  if [[ ${1:-} ]]; then
    folder=$(mkdir -p "$1" && cd "$1" && pwd)
  else
    folder=$(mktemp -d)
    chmod 755 "$folder" # a runner's steps are run by another user
    trap 'rm -rf "$folder"' EXIT
  fi
  # Steps run under chroot, in the machine's own network, and layers are copies of folders: that needs no kernel module and no
  # user namespace.
  export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
  golang=$(base golang) node=$(base node)
}

# build_image makes the bases and builds the Dockerfile.
build_image() {
  echo "== bases: $golang, $node"
  debian "$(suite "$golang")"
  make_golang
  make_node
  echo "== Dockerfile"
  image bud --pull-never --format docker --tag sightline-trial --file Dockerfile .
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
