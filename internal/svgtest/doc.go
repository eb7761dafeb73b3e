// Package svgtest measures what a picture of the library must have, whatever it shows: letters that are
// legible on a phone, contrast in both colour schemes, marks that lie on no arrow of others, and kinds of
// messages and curves that differ in grey. Tests of every package that draws use it.
package svgtest
