import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// What Apple's documentation of privacy manifests says of their keys and values.
@Suite("Privacy manifest")
struct PrivacyManifestTests {
    private struct Manifest: Decodable {
        let isTracking: Bool
        let trackingDomains: [String]
        let collected: [CollectedData]
        let accessed: [AccessedAPI]

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case isTracking = "NSPrivacyTracking"
            case trackingDomains = "NSPrivacyTrackingDomains"
            case collected = "NSPrivacyCollectedDataTypes"
            case accessed = "NSPrivacyAccessedAPITypes"
        }

        static let keys = Set(CodingKeys.allCases.map(\.rawValue))
    }

    private struct CollectedData: Decodable {
        let type: String
        let isLinked: Bool
        let isTracking: Bool
        let purposes: [String]

        private enum CodingKeys: String, CodingKey {
            case type = "NSPrivacyCollectedDataType"
            case isLinked = "NSPrivacyCollectedDataTypeLinked"
            case isTracking = "NSPrivacyCollectedDataTypeTracking"
            case purposes = "NSPrivacyCollectedDataTypePurposes"
        }
    }

    private struct AccessedAPI: Decodable {
        let type: String
        let reasons: [String]

        private enum CodingKeys: String, CodingKey {
            case type = "NSPrivacyAccessedAPIType"
            case reasons = "NSPrivacyAccessedAPITypeReasons"
        }
    }

    private static let folder = Executable.root + "/Sources/Client/GatehouseClient"

    private func contents() throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: Self.folder + "/Apple/PrivacyInfo.xcprivacy"))
    }

    private func manifest() throws -> Manifest { try PropertyListDecoder().decode(Manifest.self, from: contents()) }

    @Test("It has Apple's four keys and no other")
    func keys() throws {
        let list = try PropertyListSerialization.propertyList(from: contents(), format: nil)
        #expect((list as? [String: Any]).map { Set($0.keys) } == Manifest.keys)
    }

    @Test("It declares what a login sends to the server, for the app's function and not for tracking")
    func collectedData() throws {
        let manifest = try manifest()
        #expect(!manifest.isTracking && manifest.trackingDomains.isEmpty)
        let names = ["UserID", "EmailAddress", "PhoneNumber", "Name"].map { "NSPrivacyCollectedDataType" + $0 }
        #expect(manifest.collected.map(\.type) == names)
        for type in manifest.collected {
            #expect(type.isLinked && !type.isTracking)
            #expect(type.purposes == ["NSPrivacyCollectedDataTypePurposeAppFunctionality"])
        }
    }

    /// Names in the sources that belong to a category of required reason APIs, and the reason to declare.
    private static let categories: [(category: String, reason: String, names: [String])] = [
        ("UserDefaults", "CA92.1", ["UserDefaults"]),
        ("SystemBootTime", "35F9.1", ["systemUptime", "mach_absolute_time"]),
        (
            "FileTimestamp", "C617.1",
            [
                "creationDate", "modificationDate", "contentModificationDateKey", "creationDateKey", "fstat", "lstat",
                "getattrlist",
            ]
        ),
        (
            "DiskSpace", "E174.1",
            ["volumeAvailableCapacityKey", "systemFreeSize", "systemSize", "statfs", "statvfs"]
        ),
        ("ActiveKeyboards", "3EC4.1", ["activeInputModes"]),
    ]

    @Test("It declares the required reason APIs that the sources use, and no other")
    func accessedAPIs() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".swift") }
        let words = try Set(
            files.flatMap { file in
                try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8)
                    .split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
            })
        let declared = try manifest().accessed.map { [$0.type] + $0.reasons }
        let used = Self.categories.filter { !words.isDisjoint(with: $0.names) }
        #expect(declared == used.map { ["NSPrivacyAccessedAPICategory" + $0.category, $0.reason] })
    }

    @Test("It is a resource of the library")
    func isResource() throws {
        let built = Executable.builtBesideTests("gatehouse_GatehouseClient.resources/PrivacyInfo.xcprivacy")
        #expect(FileManager.default.fileExists(atPath: built))
    }
}
