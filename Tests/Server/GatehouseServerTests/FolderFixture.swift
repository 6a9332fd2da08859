import Foundation
import GatehouseServer
import TestSupport

/// A folder of settings beside an empty configuration file: the providers' or the receivers'.
struct FolderFixture {
    static let google = "KIND=google\nAUDIENCE=app\n"
    static let openID = "KIND=openid\nISSUER=https://login.example.com/\nAUDIENCE=app\n"
    static let weChat = "KIND=wechat\nAPP_ID=wx1\nAPP_SECRET=Xsecret-of-wechat\n"
    static let secret = "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LWV2ZW50cy1zZWNyZXQ="
    static let receiver = "URL=https://billing.example.com/events\nSECRET=\(secret)\n"
    static let qq = "KIND=qq\nAPP_ID=101\nAPP_KEY=Xsecret-of-qq\n"

    let folder: TemporaryFolder

    /// - Parameter files: texts by name.
    init(_ files: [String: String] = [:], in name: String = "providers.d") throws {
        folder = try TemporaryFolder()
        try write("", to: "gatehouse.conf")
        try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        for (file, text) in files { try write(text, to: "\(name)/\(file)", mode: 0o600) }
    }

    @discardableResult
    func write(_ text: String, to name: String, mode: mode_t = 0o644) throws -> String {
        let path = folder.file(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, mode)
        return path
    }

    func source(_ changes: [String: String?] = [:]) -> SettingSource {
        SettingSource.current(
            variables: TestConfiguration.variables(
                ["GATEHOUSE_CONFIG": folder.file("gatehouse.conf")].merging(changes) { $1 }))
    }

    func configuration(_ changes: [String: String?] = [:]) throws(SettingFaults) -> Configuration {
        try Configuration(from: source(changes))
    }

    func faults(_ changes: [String: String?] = [:]) -> [String] {
        do throws(SettingFaults) {
            _ = try configuration(changes)
            return []
        } catch {
            return error.faults.map { $0.description.replacing(folder.path, with: "FOLDER") }
        }
    }

    /// The faults of one file.
    static func faults(
        of text: String, named name: String = "some.conf", in folder: String = "providers.d"
    ) throws -> [String] {
        try FolderFixture([name: text], in: folder).faults()
    }

    /// A folder of credentials with these secrets, as a change of the environment.
    func credentials(_ secrets: [String: String]) throws -> [String: String?] {
        let path = folder.file("credentials")
        for (name, secret) in secrets {
            let place = URL(fileURLWithPath: path).appending(path: name)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try write(secret, to: "credentials/" + name)
        }
        return ["CREDENTIALS_DIRECTORY": path]
    }

    /// The provider that one file configures.
    static func details(of text: String) throws -> (any ProviderKind)? {
        try FolderFixture(["some.conf": text]).configuration().providers.first?.details
    }
}
