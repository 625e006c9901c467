#!/usr/bin/env bash
# Makes docs/comment.png and docs/summary.png: what the demonstration says, rendered as GitHub does; and docs/report*.png, its
# page in a browser. Diagrams in the golden files of
# report/ are parsed by three versions of Mermaid, since GitHub does not say which one it has: one that does not parse is an error.
#
# Needs Go, npm and Chromium (CHROMIUM, default: chromium on the PATH), and the network. No part of ./test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp hack/pictures.mjs "$work/"
npm install --prefix "$work" --no-save --ignore-scripts --no-audit --no-fund marked@18.2.1 github-markdown-css@5.9.0 playwright-core@1.65.1 \
  mermaid@11 mermaid10@npm:mermaid@10 mermaid12@npm:mermaid@12
status=0
go run ./cmd/sightline demo --test-limit 30000 --workers 1 --out "$work/demo" >"$work/log" || status=$?
((status == 1)) || { cat "$work/log" >&2; exit 1; } # the demonstration finds something
CHROMIUM=${CHROMIUM:-$(command -v chromium)} node "$work/pictures.mjs" report/testdata/golden/*/{comment,summary}.md -- \
  "$work/demo/comment.md" docs/comment.png "$work/demo/summary.md" docs/summary.png -- \
  "$work/demo/report.html" docs/report.png docs/report-dark.png docs/report-phone.png
