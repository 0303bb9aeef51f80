package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// Authenticator is a device with passkeys, played by Chromium for one tab. Its user is there and says yes to everything.
type Authenticator struct {
	page *Page
	id   webauthn.AuthenticatorID
}

// Authenticator gives the tab a device. It keeps passkeys and verifies its user.
func (p *Page) Authenticator() *Authenticator {
	p.t.Helper()
	set(p, webauthn.Enable, webauthn.EnableParams{})
	made, err := run(p, func(ctx context.Context, tab *chromedp.Target) (webauthn.AddVirtualAuthenticatorResult, error) {
		return cdp.Call(ctx, tab, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true,
			HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true}})
	})
	if err != nil {
		p.t.Fatalf("add an authenticator: %v", err)
	}
	return &Authenticator{p, made.AuthenticatorID}
}

// Verify has the device know its user again, or not.
func (a *Authenticator) Verify(knows bool) {
	a.page.t.Helper()
	set(a.page, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: a.id, IsUserVerified: knows})
}
