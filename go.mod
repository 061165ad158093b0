module github.com/cursor-ralph/cursor-ralph

go 1.25.0

require (
	github.com/gofrs/flock v0.13.1
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.14.1
	github.com/spf13/pflag v1.0.10
	github.com/tailscale/hujson v0.0.0-20250605163823-992244df8c5a
)

require (
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
