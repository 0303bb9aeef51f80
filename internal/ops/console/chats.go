package console

import (
	"causeway/internal/ops/admin"
	"causeway/internal/web/panel"
)

// chats shows the operators' chats, with the acts of an admin.
func chats(v *visit) (*page, error) {
	return (&panel.Chats{Store: v.console.Store, Merchant: admin.OfOperators, At: Prefix + "chats/", May: v.May(admin.RoleAdmin)}).Page(v.Context())
}

// setChat has the operators told in a chat.
func setChat(v *visit) (outcome, error) {
	return said("The chat is set. Send a test to see whether it takes messages.",
		v.SetChat(v.Context(), admin.OfOperators, v.PathValue("kind"), v.given("secret"), v.given("to"), v.PostForm["topics"]))
}

func setChatTopics(v *visit) (outcome, error) {
	return said("Your choice was saved.", v.SetChatTopics(v.Context(), admin.OfOperators, v.PathValue("kind"), v.PostForm["topics"]))
}

func testChat(v *visit) (outcome, error) {
	return said("The test goes out within seconds. This page says whether it was taken.", v.TestChat(v.Context(), admin.OfOperators, v.PathValue("kind")))
}

func dropChat(v *visit) (outcome, error) {
	return said("The chat was removed.", v.DropChat(v.Context(), admin.OfOperators, v.PathValue("kind")))
}
