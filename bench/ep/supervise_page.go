package main

import (
	"os"
)

func writeSupervision(page string, all []*supervised) error { return os.WriteFile(page, nil, 0o666) }
