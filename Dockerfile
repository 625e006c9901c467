# The image of the GitHub Action (action.yml), and of any other CI:
#   docker run --rm -v "$PWD:/work" -w /work --entrypoint sightline IMAGE run --base origin/main
#
# Bases are named by exact version. Their digests are written by the release's workflow, which resolves them; none is
# written by hand.

FROM golang:1.26.4-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=0.1.0-dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /sightline ./cmd/sightline

FROM node:22.22.2-bookworm-slim
# git reads the change; node runs the compiler, soljson from npm, which needs no architecture of its own. Projects bring
# other versions in node_modules; what they lack is downloaded, and checked, when it is needed.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git \
    && rm -rf /var/lib/apt/lists/*
RUN npm install --prefix /opt/sightline --no-save --ignore-scripts --no-audit --no-fund solc@0.8.30
ENV SIGHTLINE_NODE_MODULES=/opt/sightline/node_modules
COPY --from=build /sightline /usr/local/bin/sightline
# No USER: the runner mounts the workspace and its command files as root's, and documents that actions need root. The
# program runs compilers as another user itself.
#
# In exec form, so that the program is process 1 and gets the signals of a cancelled job.
ENTRYPOINT ["/usr/local/bin/sightline"]
CMD ["action"]
