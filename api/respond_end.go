package api

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/sirupsen/logrus"
)

// statusGone is logged if the client hung up before the answer. It is never sent.
const statusGone = 499

// refuse answers err. A fault of ours goes to the log with its cause, and only there. A request failing after its client has
// hung up is nobody's fault, and is not answered: a client closing only its own side of the connection would take it for
// ours.
func (f *front) refuse(c *Call, err error) {
	if c.written != 0 {
		c.Log().WithError(err).Error("failed after the answer")
		return
	}
	if status, _ := problem(err); status >= http.StatusInternalServerError && c.Context().Err() != nil {
		c.written = statusGone
		c.Log().WithError(err).Debug("the client hung up")
		return
	}
	_, told := problem(err)
	c.written, c.code = writeError(c.writer, err), told.Code
	if c.written >= http.StatusInternalServerError {
		c.Log().WithError(err).Error("request failed")
	}
}

// finish turns a panic into 500, logs the answer, and ends the connection of an unanswered client.
func (f *front) finish(c *Call) {
	if cause := recover(); cause != nil {
		if err, is := cause.(error); is && errors.Is(err, http.ErrAbortHandler) {
			panic(cause)
		}
		c.Log().WithField("stack", string(debug.Stack())).Error(fmt.Sprintf("panic: %v", cause))
		if c.written == 0 {
			c.written, c.code = writeError(c.writer, errInternal), errInternal.Code
		}
	}
	f.noteRequest(c)
	if f.Log.IsLevelEnabled(logrus.DebugLevel) {
		c.Log().WithFields(logrus.Fields{"status": c.written, "took": f.Now().Sub(c.Now)}).Debug("answered")
	}
	if c.written == statusGone {
		panic(http.ErrAbortHandler)
	}
}
