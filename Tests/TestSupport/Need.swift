import Foundation
package import Testing

/// Software that `./deploy/test` does without and `./deploy/test --all` installs.
package enum Need: String, Sendable {
    case bootedDebian = "a Debian that boots in a folder"
    case chromium = "Chromium"
    case cluster = "etcd and Patroni"
    case docker = "Docker"
    case litestream = "Litestream and sshd"
    case openAPITools = "schemathesis"
    case otherFronts = "Apache, Caddy and lighttpd"
    case promtool = "promtool"

    /// Whether `./deploy/test --all` runs the tests. Then tests of races also make more attempts.
    package static let areAllMet = ProcessInfo.processInfo.environment["GATEHOUSE_TESTS"] == "all"
}

extension Trait where Self == ConditionTrait {
    /// Leaves the test to `./deploy/test --all`.
    package static func needs(_ need: Need) -> Self {
        .enabled(if: Need.areAllMet, "needs \(need.rawValue)")
    }
}
