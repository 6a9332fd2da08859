import Foundation
import JSON
import StandIn
import Synchronization
import TestSupport

/// A server that sends codes to the stand-in's gateway and mail server.
final class CodeFixture: Sendable {
    let providers: StandInServer
    let server: any TestServer
    private let numbers = Atomic(0)

    /// - Parameter adjust: changes the settings of the server.
    init(
        _ environment: TestEnvironment = .handler, providers: StandInServer? = nil,
        _ adjust: @escaping (inout [String: String]) -> Void = { _ in }
    ) throws {
        let providers = try providers ?? StandInServer()
        func settings(_ variables: inout [String: String]) {
            Self.addSettings(of: providers, to: &variables)
            adjust(&variables)
        }
        server =
            switch environment {
            case .handler: try InProcessServer(settings)
            case .fastCGI: try ServerProcess(settings)
            case .nginx: try ServerBehindNginx(settings)
            }
        self.providers = providers
    }

    /// - Parameter server: with the settings of these providers.
    init(_ providers: StandInServer, _ server: any TestServer) {
        self.providers = providers
        self.server = server
    }

    static func addSettings(of providers: StandInServer, to variables: inout [String: String]) {
        variables["SMS_URL"] = providers.smsURL
        variables["SMS_SECRET"] = WebhookKeys.usualSecret
        variables["NUMBER_URL"] = providers.numberURL
        variables["NUMBER_SECRET"] = WebhookKeys.usualNumberSecret
        variables["PHONE_COUNTRIES"] = "CN,GB"
        variables["SMTP_URL"] = providers.smtpURL
        variables["MAIL_FROM"] = "Example <no-reply@example.com>"
    }

    /// Of which no test on this server has heard. Their limits are of no other's.
    func newNumber() -> String {
        let number = numbers.add(1, ordering: .relaxed).newValue
        // The prefix without the last four digits differs, too.
        return "+86138" + String(format: "%04d", number) + "0000"
    }

    func ask(
        _ to: String, channel: String = "phone", resending: String? = nil, from address: String? = nil,
        language: String? = nil
    ) throws -> TestResponse {
        var body: JSONObject = ["channel": .string(channel), "to": .string(to)]
        if let resending { body["codeId"] = .string(resending) }
        var request = TestRequest.post("/api/auth/codes", body)
        if let address { request.headers.append(("Test-Address", address)) }
        if let language { request.headers.append(("Accept-Language", language)) }
        return try server.send(request)
    }

    /// Asks for a code, and reads it from the inbox. On a busy machine the stand-in may take the message too late for the server.
    /// That counts against the address for a minute.
    func code(_ to: String, channel: String = "phone", from address: String? = nil) throws -> SentTestCode {
        var last = providers.inbox.lastNumber
        var answer = try ask(to, channel: channel, from: address)
        if let server = server as? InProcessServer {
            for _ in 0..<4 where answer.status == 503 {
                server.advanceClock(by: .seconds(61))
                last = providers.inbox.lastNumber
                answer = try ask(to, channel: channel, from: address)
            }
        }
        guard answer.status == 202, let message = providers.inbox.message(to: to, after: last) else {
            throw UnexpectedAnswer("\(answer.status) \(answer.json)")
        }
        return SentTestCode(id: answer["codeId"]?.string ?? "", text: message.code ?? "")
    }

    func logIn(_ code: SentTestCode, nickname: String? = nil) throws -> TestResponse {
        var body: JSONObject = ["code": .string(code.text)]
        if let nickname { body["nickname"] = .string(nickname) }
        return try server.send(.post("/api/auth/codes/\(code.id)", body))
    }

    func logIn(phone: String) throws -> TestResponse { try logIn(code(phone)) }

    /// A join is sent with the refresh token of the login, unless the members have one.
    func bind(
        _ code: SentTestCode, to login: TestResponse, channel: String = "phone", _ more: JSONObject = [:]
    ) throws -> TestResponse {
        var body = more
        body["codeId"] = .string(code.id)
        body["code"] = .string(code.text)
        if more["onTaken"] == "join", more["refreshToken"] == nil { body["refreshToken"] = login["refreshToken"] }
        return try server.send(.post("/api/users/me/accounts/\(channel)", body, bearer: login.accessToken))
    }

    func me(_ login: TestResponse) throws -> TestResponse { try server.me(login.accessToken) }

    func refusal(_ response: TestResponse) -> String {
        ["\(response.status)", response.code, response["reason"]?.string].compactMap(\.self).joined(separator: " ")
    }
}

struct SentTestCode: Sendable {
    let id: String
    let text: String

    /// Another code than this one.
    var wrong: SentTestCode { SentTestCode(id: id, text: text == "123456" ? "654321" : "123456") }
}

private struct UnexpectedAnswer: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
