// Package peers contains no code. Its tests reproduce what goes wrong with other ways to have one leader; they pass if
// the fault shows. See docs/coming-from.md.
package peers
