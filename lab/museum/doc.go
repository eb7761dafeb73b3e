// Package museum holds nothing but tests: each puts a mistake that was printed, or that is well known,
// into an algorithm, and must find it. docs/museum.md is written by them.
package museum
