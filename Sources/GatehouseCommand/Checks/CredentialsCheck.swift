import AppleID
import Gatehouse
import GatehouseServer

/// Whether Apple takes us for who we say we are.
struct CredentialsCheck: Check {
    let subject = "Apple's credentials"
    let survey: ConfigurationSurvey
    let isOffline: Bool

    func look() -> [Finding] {
        guard survey.hasCredentials else {
            let names = "APPLE_TEAM_ID, APPLE_KEY_ID and APPLE_PRIVATE_KEY"
            return [.note("without \(names) no code is exchanged and no token revoked at Apple's")]
        }
        guard let server = survey.appleServer, let apps = survey.audiences, let issuers = survey.issuers else {
            return [.note("not looked at: see configuration")]
        }
        return apps.map { app in
            guard (try? server.secrets.secret(for: app, now: World.real.now())) != nil else {
                return .fault(
                    "no client secret can be made for \(app)",
                    "put Apple's .p8 file as it is into APPLE_PRIVATE_KEY_FILE")
            }
            if isOffline { return .note("a client secret can be made for \(app); Apple was not asked: --offline") }
            return judge(
                Self.ask(AppleEndpoints(server, issuers: issuers), for: app), for: app, at: server.addresses.token)
        }
    }

    /// Asks for something that does not exist. Who is refused for that has been let in.
    private static func ask(_ server: AppleEndpoints, for app: String) -> AppleServerFault {
        do throws(AppleServerFault) {
            _ = try server.exchange(code: "gatehouse-check", for: app, now: World.real.now())
            return .grantRefused
        } catch {
            return error
        }
    }

    func judge(_ answer: AppleServerFault, for app: String, at url: String) -> Finding {
        switch answer {
        case .grantRefused: .ok("Apple knows us for \(app)")
        case .credentialsRefused(let word):
            .fault(
                "Apple refuses us for \(app): \(word)",
                "compare APPLE_TEAM_ID, APPLE_KEY_ID, the .p8 file and the bundle id with developer.apple.com, Keys; date"
            )
        case .unavailable(let reason):
            .fault(
                "Apple's token endpoint gives no answer: \(reason)",
                "curl -v \(url.withoutQuery.shellQuoted); see Apple's keys above")
        }
    }
}
