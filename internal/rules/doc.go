// Package rules has no code of its own. Its tests hold the algorithms to the rules in their
// documentation: each rule has a tag in the code, each tag is for a rule, and each step of each run
// carries out some rule.
package rules
