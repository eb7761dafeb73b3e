//go:build js && wasm

// The program that a page runs in a worker gives the calls of package bridge to JavaScript, as
// election(name, args, progress): args is a JSON text, progress a function or null. That returns a Promise of
// {json, data}: the reply as a JSON text, and a Uint8Array or null. It calls electionReady once it is there.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"

	"github.com/go-election/election/input"
	"github.com/go-election/election/page/bridge"
)

func main() {
	var b bridge.Bridge
	js.Global().Set("election", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, text, progress := args[0].String(), []byte(args[1].String()), args[2]
		return promise(func() (js.Value, error) {
			r, err := b.Call(context.Background(), name, text, reporter(progress))
			if err != nil {
				return js.Null(), err
			}
			return js.ValueOf(map[string]any{"json": string(r.JSON), "data": data(r.Data)}), nil
		})
	}))
	js.Global().Call("electionReady")
	select {} // calls come until the worker ends
}

// reporter returns the function that passes on what is known before the end.
func reporter(progress js.Value) func(any) {
	if progress.Type() != js.TypeFunction {
		return nil
	}
	return func(v any) {
		text, _ := json.Marshal(v) // of numbers: that cannot fail
		progress.Invoke(string(text))
	}
}

// data copies bytes to JavaScript, nil as null.
func data(b []byte) any {
	if b == nil {
		return nil
	}
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}

// promise returns a Promise of what do returns. It is a goroutine of its own: one that handles an event of
// JavaScript must not wait, and a call may.
func promise(do func() (js.Value, error)) js.Value {
	var start js.Func
	start = js.FuncOf(func(_ js.Value, settle []js.Value) any {
		go func() {
			defer start.Release()
			defer func() {
				if p := recover(); p != nil {
					settle[1].Invoke(fail(fmt.Sprintf("panic: %v", p)))
				}
			}()
			v, err := do()
			if err != nil {
				settle[1].Invoke(fail(input.Reason(err)))
			} else {
				settle[0].Invoke(v)
			}
		}()
		return nil
	})
	return js.Global().Get("Promise").New(start)
}

func fail(text string) js.Value { return js.Global().Get("Error").New(text) }
