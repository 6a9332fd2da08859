import Foundation
import GatehouseWeb
import JSON
import TestSupport
import Testing

/// A control character in a header value would end the header, or begin another one.
@Suite("The value of a response header")
struct HeaderValueTests {
    /// What must not stand in a header, with what an attacker would write behind it.
    static let unsafe = [
        "\r", "\n", "\r\n", "\r\nX-User-Role: SUPER_ADMIN", "\nX-User-Role: SUPER_ADMIN", "\rX-User-Role: SUPER_ADMIN",
        "\r\n\r\nbody", "\u{0}", "\u{1}", "\t", "\u{B}", "\u{C}", "\u{1B}", "\u{1F}", "\u{7F}", "\u{80}", "\u{85}",
        "\u{A0}", "é", "\u{2028}", "😀",
    ]

    @Test("is visible ASCII, with spaces inside alone", arguments: 0...255)
    func bytes(_ byte: Int) {
        let character = String(UnicodeScalar(UInt8(byte)))
        let isVisible = (0x21...0x7E).contains(byte)
        for text in [character, "a" + character, character + "a"] {
            #expect((FieldValue(checking: text) != nil) == isVisible, "\(text.utf8.map { $0 })")
        }
        #expect((FieldValue(checking: "a" + character + "a") != nil) == (isVisible || byte == 0x20))
    }

    @Test("is never empty, and holds nothing unsafe wherever it stands")
    func places() {
        #expect(FieldValue(checking: "") == nil)
        for unsafe in Self.unsafe {
            for text in [unsafe, "user_1" + unsafe, unsafe + "user_1", "user_" + unsafe + "1"] {
                #expect(FieldValue(checking: text) == nil)
            }
        }
    }

    /// The header block of an answer, line by line, as it left the responder.
    private func lines(of answer: Response) -> [String] {
        var bytes: [UInt8] = []
        answer.write(answering: "GET", requestID: "id", to: &bytes)
        return String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    }

    @Test("is left out with its header where it comes from elsewhere and is not safe")
    func dropped() {
        let headers = Self.unsafe.compactMap { Response.Header("X-Other", checking: "a" + $0) }
        #expect(headers == [])
        let kept = lines(of: Response(status: 204, headers: [Response.Header("X-Other", "a b")]))
        #expect(kept.contains("X-Other: a b"))
    }

    /// A client that has the secret can sign anything: the guard must not let it make headers.
    @Test("is no claim that could be another header: the token is refused", arguments: World.allCases)
    func claims(_ world: World) throws {
        let stand = try GuardedStand.shared.get()
        let house = world == .nginx ? stand.house : try Houses.of(world)
        let path = world == .nginx ? "/notes/claims-\(world)" : "/api/auth/verify"
        let login = try house.devLogin("claims-\(world)@example.com").accessToken
        for claim in ["sub", "sid", "role"] {
            let odd = ["", " ", "  "] + Self.unsafe
            for value in odd + (odd + [" "]).flatMap({ ["USER" + $0, $0 + "USER"] }) where value != "USER" {
                let token = try Forgery.accessToken(like: login, claim: claim, value)
                let answer = try house.send(.get(path, bearer: token))
                #expect(answer.status == 401, "\(claim) \(value.debugDescription)")
                #expect(answer.code == "invalid_access_token")
                #expect(answer.header("x-user-id") == nil)
                #expect(answer.header("x-user-role") == nil)
            }
        }
        #expect(stand.upstream.arrivals(at: path).isEmpty)
        #expect(try house.send(.get(path, bearer: login)).status == (world == .nginx ? 200 : 204))
    }

    @Test("is the request's id only where that is safe")
    func requestID() throws {
        let house = try ServedHouse()
        for id in Self.unsafe.map({ "chosen" + $0 }) + ["chosen id", " chosen", ""] {
            let parameters = [("REQUEST_METHOD", "GET"), ("REQUEST_ID", id)]
            let bytes = FastCGIWire.request("/api/users/me", body: [], parameters: parameters)
            // A parameter with a zero byte is no parameter to libfcgi.
            guard !id.contains("\0") else {
                let peer = try house.connect()
                try peer.send(bytes)
                #expect(try peer.isEnded())
                continue
            }
            let answer = Answer(parsing: Array(try house.connect().exchange(bytes).text.utf8))
            #expect(answer.header("x-request-id")?.hasPrefix("req_") == true, "\(id.debugDescription)")
            #expect(answer.count(ofHeader: "x-request-id") == 1)
            #expect(answer.header("x-user-role") == nil)
        }
    }

    @Test("says nothing of the method or the path that was asked for", arguments: [World.handler, .fastCGI])
    func allow(_ world: World) throws {
        // Over FastCGI a zero byte is refused with the request.
        for unsafe in Self.unsafe where world == .handler || unsafe != "\0" {
            let call = Call(method: "GET" + unsafe, path: "/api/users/me")
            let answer = try Houses.of(world).send(call)
            #expect(answer.status == 405)
            #expect(answer.header("allow") == "GET, HEAD, PATCH, DELETE")
            let lost = try Houses.of(world).send(.get("/api/users/me/sessions/" + unsafe))
            #expect(lost.status == 405)
            #expect(lost.header("allow") == "DELETE")
        }
    }
}
