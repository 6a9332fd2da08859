import Gatehouse
import JSON

/// The `user` of Apple's answer: a JSON text that comes at the first login only.
///
/// It is not signed, so the browser's user can write anything into it. Only the name is read, which users choose anyway. The
/// address is in the identity token.
enum AppleUser {
    private static let longest = 4096

    /// Nil without a name, and for a text that cannot be read: the identity is proven without it.
    static func name(in text: String?) -> String? {
        guard let text, text.utf8.count <= longest,
            let name = (try? JSONValue(parsing: text))?.object?["name"]?.object
        else { return nil }
        // Each part as a person could enter it, so that none pushes the other out.
        let parts = PersonName(given: part("firstName", of: name), family: part("lastName", of: name))
        return parts.displayed.flatMap(ProviderNickname.cleaned)
    }

    private static func part(_ member: String, of name: JSONObject) -> String? {
        name[member]?.string.flatMap(ProviderNickname.cleaned)
    }
}
