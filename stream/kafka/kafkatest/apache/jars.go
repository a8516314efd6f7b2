package apache

import (
	"path/filepath"

	"unfold/internal/fetched"
	"unfold/internal/java"
)

// jars returns the folder of Kafka's jars; it fetches them the first time.
func jars() (string, error) {
	return java.Fetched(filepath.Join(configuration(), "pom.xml"), "kafka", nil, "dependency:copy-dependencies", "-DincludeScope=runtime")
}

// configuration is the folder that holds the broker's settings and what it is made of.
func configuration() string { return fetched.Testdata("kafka") }
