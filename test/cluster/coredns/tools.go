//go:build tools

// Package tools names the command that this module builds, so that go.mod and go.sum hold what it needs.
package tools

import _ "github.com/coredns/coredns"
