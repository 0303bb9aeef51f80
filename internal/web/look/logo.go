// Package look makes what a merchant shows on payers' pages safe to show: a logo as a picture of our own making, and a colour that text
// can be read on.
package look

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // decodes JPEG
	"image/png"
	"slices"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decodes WebP
)

// LargestLogo is how many bytes a logo has at most.
const LargestLogo = 64 << 10

const (
	smallestSide = 16   // pixels
	largestSide  = 2048 // pixels, before anything is decoded
	shownWidth   = 480  // pixels of what is kept: twice what pages show
	shownHeight  = 160
	hashBytes    = 16
)

// Why a picture is no logo.
var (
	ErrLarge  = errors.New("the picture is larger than 64 KiB")
	ErrForm   = errors.New("the picture must be PNG, JPEG or WebP")
	ErrPixels = errors.New("the picture must be 16 to 2048 pixels wide and high")
)

// forms are the forms of pictures that are taken; other code may have taught the decoder more.
var forms = []string{"png", "jpeg", "webp"}

// Logo is a picture for payers' pages: a PNG drawn by us, named by its content.
type Logo struct {
	Hash    string
	Content []byte
}

// ReadLogo draws a picture anew, no larger than pages need it: nothing of the file but its pixels is kept. The size in pixels is checked
// before they are decoded.
func ReadLogo(file []byte) (*Logo, error) {
	if len(file) > LargestLogo {
		return nil, ErrLarge
	}
	config, form, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil || !slices.Contains(forms, form) {
		return nil, ErrForm
	}
	if min(config.Width, config.Height) < smallestSide || max(config.Width, config.Height) > largestSide {
		return nil, ErrPixels
	}
	picture, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, ErrForm
	}
	var out bytes.Buffer
	if err := png.Encode(&out, fitted(picture)); err != nil {
		return nil, fmt.Errorf("draw a logo: %w", err)
	}
	sum := sha256.Sum256(out.Bytes())
	return &Logo{Hash: hex.EncodeToString(sum[:hashBytes]), Content: out.Bytes()}, nil
}

// fitted scales a picture down to what is shown, and never up.
func fitted(picture image.Image) image.Image {
	size := picture.Bounds().Size()
	scale := min(1, float64(shownWidth)/float64(size.X), float64(shownHeight)/float64(size.Y))
	out := image.NewNRGBA(image.Rect(0, 0, max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))))
	draw.CatmullRom.Scale(out, out.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	return out
}
