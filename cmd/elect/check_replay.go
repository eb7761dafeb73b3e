package main

import "github.com/spf13/pflag"

// eachGiven tells of every flag that was given.
func (f *checkFlags) eachGiven(each func(name string)) {
	f.cmd.Flags().Visit(func(flag *pflag.Flag) { each(flag.Name) })
}
