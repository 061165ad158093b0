package keystroke

import (
	"context"
	"errors"
)

type unbuilt string

func (u unbuilt) Name() string                        { return string(u) }
func (u unbuilt) Probe(context.Context, Target) error { return errors.New("not built yet") }
func (u unbuilt) Type(context.Context, Target) error  { return errors.New("not built yet") }
