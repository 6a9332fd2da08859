import Gatehouse

/// A nickname as users choose it at a provider, which allows any characters.
enum ProviderNickname {
    private static let mostCharacters = 64
    /// A character may consist of any number of code points.
    private static let mostBytes = 512

    /// Without control characters, and cut between two characters; nil if nothing is left.
    static func cleaned(_ text: String) -> String? {
        var visible = String.UnicodeScalarView()
        visible.append(contentsOf: text.unicodeScalars.filter { $0.properties.generalCategory != .control })
        guard let trimmed = String(visible).trimmedOrNil else { return nil }
        var nickname = ""
        for character in trimmed.prefix(mostCharacters) {
            guard nickname.utf8.count + character.utf8.count <= mostBytes else { break }
            nickname.append(character)
        }
        return nickname.trimmedOrNil
    }
}

extension LenientAnswer {
    var nickname: String? { text("nickname").flatMap(ProviderNickname.cleaned) }
}
