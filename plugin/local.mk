EXTRA_DIST += plugin/protocol.md
