// Package docs is the pages of this folder; its tests hold them to the code.
package docs
