import POSIX

extension ConfigurationFile {
    private static let largest = 65_536

    /// The file that an environment names, or the usual one where there is one; nil where none is to be read.
    static func named(by variables: [String: String], usually usualPath: String) -> ConfigurationFile? {
        guard let path = variables["GATEHOUSE_CONFIG"] else {
            // One that cannot be seen is not one that is not there: whoever may not look is told so.
            return File.isMissing(usualPath) ? nil : reading(usualPath)
        }
        return path.isEmpty ? nil : reading(path)
    }

    private static func reading(_ path: String) -> ConfigurationFile {
        let bytes: [UInt8]
        do throws(POSIXError) { bytes = try File.read(path, atMost: largest) } catch {
            return ConfigurationFile(path: path, unreadable: explanation(of: error, at: path))
        }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            return ConfigurationFile(path: path, unreadable: "is no text in UTF-8")
        }
        return ConfigurationFile(path: path, text: text)
    }

    private static func explanation(of error: POSIXError, at path: String) -> String {
        guard error.isDenied else { return "cannot be read: \(error.reason)" }
        let accounts = AccountBook.ofThisMachine()
        let owner = (try? FileStatus(of: path)).map { ", and the file is of \(accounts.ownership(of: $0))" } ?? ""
        return "cannot be read: \(error.reason); this is the user \(accounts.current.name)\(owner)"
    }

    /// What is allowed and yet probably not meant.
    var warnings: [String] {
        guard let status = try? FileStatus(of: path), status.mode & 0o004 != 0 else { return [] }
        return secrets.map { "\($0) stands in \(path), which every user of this machine can read: give it a file" }
    }
}
