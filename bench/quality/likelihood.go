package main

import "bytes"

func (b *bench) writeLikelihood(w *bytes.Buffer) {}
