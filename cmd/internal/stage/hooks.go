package stage

import (
	"time"

	"unfold/stream"
	"unfold/stream/fleet"
)

// join returns hooks that call both.
func join(a, b stream.Hooks) stream.Hooks {
	return stream.Hooks{
		Assigned: both1(a.Assigned, b.Assigned), Revoked: both1(a.Revoked, b.Revoked),
		Fetched: both2(a.Fetched, b.Fetched), Lag: both2(a.Lag, b.Lag),
		MessageIn: both2(a.MessageIn, b.MessageIn), EventsIn: both2(a.EventsIn, b.EventsIn),
		Placed: both3(a.Placed, b.Placed), Split: both2(a.Split, b.Split), DeadLettered: both3(a.DeadLettered, b.DeadLettered),
		Delivered: both4(a.Delivered, b.Delivered), Committed: both1(a.Committed, b.Committed),
		Skipped: both3(a.Skipped, b.Skipped), Gap: both1(a.Gap, b.Gap),
		Retrying: both4[string, int, error, time.Duration](a.Retrying, b.Retrying), Published: both2(a.Published, b.Published),
		Encoded: both2(a.Encoded, b.Encoded), RefreshFailed: both1(a.RefreshFailed, b.RefreshFailed), Moved: both1(a.Moved, b.Moved),
		Sized: both2(a.Sized, b.Sized), Drifted: both1(a.Drifted, b.Drifted),
	}
}

// joinFleet returns hooks that call both.
func joinFleet(a, b fleet.Hooks) fleet.Hooks {
	return fleet.Hooks{
		Announced: both2(a.Announced, b.Announced), Removed: both1(a.Removed, b.Removed), Heard: both1(a.Heard, b.Heard),
		Installed: both2(a.Installed, b.Installed), Refused: both3(a.Refused, b.Refused), Malformed: both2(a.Malformed, b.Malformed),
		Retrying: both4[string, int, error, time.Duration](a.Retrying, b.Retrying),
	}
}

func both1[A any](f, g func(A)) func(A) {
	if f == nil || g == nil {
		return either(f, g, f == nil)
	}
	return func(a A) { f(a); g(a) }
}

func both2[A, B any](f, g func(A, B)) func(A, B) {
	if f == nil || g == nil {
		return either(f, g, f == nil)
	}
	return func(a A, b B) { f(a, b); g(a, b) }
}

func both3[A, B, C any](f, g func(A, B, C)) func(A, B, C) {
	if f == nil || g == nil {
		return either(f, g, f == nil)
	}
	return func(a A, b B, c C) { f(a, b, c); g(a, b, c) }
}

func both4[A, B, C, D any](f, g func(A, B, C, D)) func(A, B, C, D) {
	if f == nil || g == nil {
		return either(f, g, f == nil)
	}
	return func(a A, b B, c C, d D) { f(a, b, c, d); g(a, b, c, d) }
}

func either[F any](f, g F, second bool) F {
	if second {
		return g
	}
	return f
}
