/// Everything that is wrong with a configuration, so that it is mended in one go.
package struct SettingFaults: Error, Sendable, Equatable, CustomStringConvertible {
    package let faults: [SettingFault]

    package var description: String {
        faults.map { "  " + $0.description }.joined(separator: "\n")
    }
}
