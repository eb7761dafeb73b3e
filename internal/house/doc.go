// Package house holds nothing but tests: they keep the structure of the project as ARCHITECTURE.md draws it.
package house
