package main

import (
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "THIRD_PARTY.txt", "file to write")
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	page, err := Page(*root)
	if err == nil {
		err = os.WriteFile(*out, page, 0o644)
	}
	if err != nil {
		log.Fatal(fmt.Errorf("thirdparty: %w", err))
	}
}
