package apache

import (
	"path/filepath"

	"unfold/internal/fetched"
	"unfold/internal/java"
)

// jars returns the folder of Kafka's jars. It downloads them at the first time.
func jars() (string, error) {
	return java.Fetched(filepath.Join(configuration(), "pom.xml"), "kafka", nil, "dependency:copy-dependencies", "-DincludeScope=runtime")
}

// configuration is the folder of the broker's settings and jar list.
func configuration() string { return fetched.Testdata("kafka") }
