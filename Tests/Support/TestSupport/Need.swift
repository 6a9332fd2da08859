import Foundation
package import Testing

/// What `./deploy/test` does without: software that `./deploy/test --all` installs, and time.
package enum Need: String, Sendable {
    case bootedDebian = "a Debian that boots in a folder"
    case chromium = "Chromium"
    case cluster = "etcd and Patroni"
    case docker = "Docker"
    case firefox = "Firefox"
    case litestream = "Litestream and sshd"
    case numberLibrary = "phonenumbers"
    case openAPITools = "schemathesis"
    case otherFronts = "Apache, Caddy and lighttpd"
    case passkeyLibraries = "python-fido2 and py_webauthn"
    case promtool = "promtool"
    case webhookLibrary = "the library of Standard Webhooks"
    /// Rules that another test checks as well, code that hardly ever changes, or what takes many minutes. CI leaves them out.
    case time = "much processor time"

    private static let setting = ProcessInfo.processInfo.environment["GATEHOUSE_TESTS"]

    /// Whether `./deploy/test --all` runs the tests. Then tests of races also make more attempts.
    package static let areAllMet = setting == "all"

    fileprivate var isMet: Bool { Self.areAllMet || (Self.setting == "installed" && self != .time) }
}

extension Array {
    /// With `--all` each element, otherwise the first and every so many-th after it: for tests that repeat the same with many
    /// values, and take long.
    package func sampled(every step: Int) -> [Element] {
        Need.areAllMet ? self : indices.filter { $0.isMultiple(of: step) }.map { self[$0] }
    }
}

extension Trait where Self == ConditionTrait {
    /// Leaves the test to `./deploy/test --all`.
    package static func needs(_ need: Need) -> Self {
        .enabled(if: need.isMet, "needs \(need.rawValue)")
    }
}
