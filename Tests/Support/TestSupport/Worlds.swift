import Foundation

/// What the tests of this process run on. `deploy/test` runs the suites that touch the store in each world.
package enum Worlds {
    package enum Database: String {
        case sqlite
        case postgresql
    }

    /// `GATEHOUSE_TEST_DATABASE`.
    package static let database =
        ProcessInfo.processInfo.environment["GATEHOUSE_TEST_DATABASE"].flatMap(Database.init) ?? .sqlite
}
