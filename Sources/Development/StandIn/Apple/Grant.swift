import FileSystem
import JSON

/// The result of exchanging a code: one refresh token and its access tokens.
struct Grant: Equatable {
    static let accessTokenLifetime: Int64 = 3600

    let person: Person
    let refreshToken: String
    /// Each with its expiry.
    private(set) var accessTokens: [String: Int64] = [:]

    init(person: Person) {
        self.person = person
        refreshToken = RandomText.ofApple("r")
    }

    mutating func newAccessToken(now: Int64) -> String {
        accessTokens = accessTokens.filter { $0.value > now }
        let token = RandomText.ofApple("a")
        accessTokens[token] = now + Self.accessTokenLifetime
        return token
    }

    func owns(_ token: String) -> Bool { refreshToken == token || accessTokens[token] != nil }
}

extension Grant {
    var json: JSONObject {
        [
            "person": .object(person.json), "refreshToken": .string(refreshToken),
            "accessTokens": .object(JSONObject(accessTokens.map { ($0.key, .integer($0.value)) })),
        ]
    }

    /// Parses the output of `json`.
    init?(_ json: JSONObject) {
        guard let person = json["person"]?.object.flatMap(Person.init), let token = json["refreshToken"]?.string,
            let accessTokens = json["accessTokens"]?.object
        else { return nil }
        self.person = person
        refreshToken = token
        for (name, value) in accessTokens.members { self.accessTokens[name] = value.integer }
    }
}

/// An authorization code. It can be exchanged once, within five minutes, by one app.
struct AuthorizationCode {
    static let lifetime: Int64 = 300

    let person: Person
    let issuedAt: Int64
    /// Nil for a code that an app got from its system.
    var web: WebCode?
    var isUsed = false
}

/// What belongs to a code of the page at `/auth/authorize`.
struct WebCode {
    let redirectURI: String
    let nonce: String?
    var changes = TokenChanges()
}

/// The tokens of an answer of `/auth/token`.
struct IssuedTokens {
    let person: Person
    let accessToken: String
    /// Nil in exchange for a refresh token, which stays valid.
    let refreshToken: String?
    let authenticatedAt: Int64?
    var web: WebCode?
}

/// A user has permitted a website to sign the user in. Apple tells the name only at the first time.
struct Consent: Hashable {
    let subject: String
    let clientID: String
}

extension Consent {
    var json: JSONObject { ["sub": .string(subject), "client_id": .string(clientID)] }

    /// Parses the output of `json`.
    init?(_ json: JSONObject) {
        guard let subject = json["sub"]?.string, let clientID = json["client_id"]?.string else { return nil }
        self.init(subject: subject, clientID: clientID)
    }
}

/// A user has authorised an app. There is one for each valid refresh token.
package struct Authorisation: Sendable, Equatable {
    package let subject: String
    package let clientID: String

    var json: JSONObject { ["sub": .string(subject), "client_id": .string(clientID)] }
}

/// A file in which the state of a party survives the process. It is in a folder; without one nothing is kept.
struct StateFile {
    private let path: String?

    struct Unreadable: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) was not written by the stand-in: delete it" }
    }

    init(_ folder: String?, _ name: String) {
        path = folder.map { "\($0)/\(name)" }
    }

    /// Nil if there is no file.
    func read<State>(_ parse: (JSONObject) -> State?) throws -> State? {
        guard let path, File.exists(path) else { return nil }
        let json = (try? JSONValue(parsing: try File.read(path, atMost: 1 << 26)))?.object
        guard let state = json.flatMap(parse) else { throw Unreadable(path: path) }
        return state
    }

    func write(_ json: JSONObject) throws {
        if let path { try File.replace(path, with: json.bytes) }
    }
}
