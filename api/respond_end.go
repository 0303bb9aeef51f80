package api

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/sirupsen/logrus"
)

// refuse answers err; what is our fault goes to the log with its cause, and only there.
func (f *front) refuse(c *Call, err error) {
	if c.written != 0 {
		c.Log().WithError(err).Error("failed after the answer")
		return
	}
	c.written = writeError(c.writer, err)
	switch {
	case c.Context().Err() != nil:
		c.Log().WithError(err).Debug("the client hung up")
	case c.written >= http.StatusInternalServerError:
		c.Log().WithError(err).Error("request failed")
	}
}

// finish turns a panic into 500, and logs the answer.
func (f *front) finish(c *Call) {
	if cause := recover(); cause != nil {
		if err, is := cause.(error); is && errors.Is(err, http.ErrAbortHandler) {
			panic(cause)
		}
		c.Log().WithField("stack", string(debug.Stack())).Error(fmt.Sprintf("panic: %v", cause))
		if c.written == 0 {
			c.written = writeError(c.writer, errInternal)
		}
	}
	if f.Log.IsLevelEnabled(logrus.DebugLevel) {
		c.Log().WithFields(logrus.Fields{"status": c.written, "took": f.Now().Sub(c.Now)}).Debug("answered")
	}
}
