import Testing

@testable import IdentityProviders

@Suite("Nicknames of providers")
struct ProviderNicknameTests {
    @Test(
        "control characters and white space at the ends are removed, and other characters stay",
        arguments: [
            ("小明", "小明"), ("  Li Lei \n", "Li Lei"), ("a\u{0}b\u{7F}c\u{85}d", "abcd"), ("👨‍👩‍👧‍👦🇨🇳", "👨‍👩‍👧‍👦🇨🇳"),
            ("\u{E13C}x", "\u{E13C}x"),
            ("\u{FFFD}", "\u{FFFD}"), ("a\r\nb", "ab"), ("\u{1}\u{2} x", "x"),
        ])
    func kept(text: String, nickname: String) {
        #expect(ProviderNickname.cleaned(text) == nickname)
    }

    @Test("a nickname with nothing to see is none", arguments: ["", " ", "\u{3000}\n", "\u{0}", "\u{1B}\u{7}", "\r\n"])
    func empty(text: String) {
        #expect(ProviderNickname.cleaned(text) == nil)
    }

    @Test("a nickname is cut to 64 characters, none of which is cut")
    func cut() {
        #expect(ProviderNickname.cleaned(String(repeating: "字", count: 65)) == String(repeating: "字", count: 64))
        #expect(ProviderNickname.cleaned(String(repeating: "é", count: 64))?.count == 64)
        #expect(ProviderNickname.cleaned(String(repeating: "x", count: 63) + " y") == String(repeating: "x", count: 63))
    }

    @Test("characters of many code points count by their bytes, too")
    func bytes() {
        let family = "👨‍👩‍👧‍👦"
        #expect(ProviderNickname.cleaned(String(repeating: family, count: 64)) == String(repeating: family, count: 20))
        #expect(ProviderNickname.cleaned("a" + String(repeating: "\u{301}", count: 1000)) == nil)
    }
}
