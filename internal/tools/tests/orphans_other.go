//go:build unix && !linux

package main

import "context"

func adoptOrphans() {}

func reap(context.Context, int) {}

func endOrphans() []string { return nil }
