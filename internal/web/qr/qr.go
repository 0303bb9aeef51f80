// Package qr draws QR codes for pages.
package qr

import (
	"fmt"
	"strings"

	"github.com/skip2/go-qrcode"
)

// Code is a QR code as one path of an SVG, in modules. Pages draw it black on white whatever their colours are: scanners
// do not read the reverse.
type Code struct {
	Size int // of the side, the quiet zone included
	Path string
}

// Quiet is the width of the empty margin of the standard, in modules.
const Quiet = 4

// Make makes the code of a text. Its error means the text is too long.
func Make(text string) (*Code, error) {
	made, err := qrcode.New(text, qrcode.Medium)
	if err != nil {
		return nil, fmt.Errorf("make a QR code: %w", err)
	}
	made.DisableBorder = true
	rows := made.Bitmap()
	var path strings.Builder
	for y, row := range rows {
		for x := 0; x < len(row); x++ {
			from := x
			for x < len(row) && row[x] {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+Quiet, y+Quiet, x-from, x-from)
			}
		}
	}
	return &Code{Size: len(rows) + 2*Quiet, Path: path.String()}, nil
}
