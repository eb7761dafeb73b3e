// Package museum holds nothing but tests: each puts a mistake that was printed, that is well known, or that
// this project had, into an algorithm or a driver, and must find it. docs/museum.md is written by them.
package museum
