package main

import (
	"flag"
	"fmt"
	"log"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("modulepath: which path? go run ./internal/tools/modulepath github.com/you/unfold")
	}
	changed, err := Rewrite(*root, flag.Arg(0))
	if err != nil {
		log.Fatal(fmt.Errorf("modulepath: %w", err))
	}
	fmt.Printf("%d files name %s now\n", changed, flag.Arg(0))
}
