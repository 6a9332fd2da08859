import EventDelivery
import Gatehouse

/// The table of the settings of a receiver's file.
package struct ReceiverSettings: SettingsTable {
    package static let table = ReceiverSettings()

    /// The rows, in the order of their declaration. `Mirror` lists the properties, so that no row can be left out.
    package static let all = Mirror(reflecting: table).children.compactMap { $0.value as? any SettingRow }

    /// The names with which a line of a receiver's file may begin.
    static let names = SettingNames(ofFolder: all)

    /// The table of the Events page, in Markdown.
    package static var markdown: String { Settings.markdown(all.map { ($0, $0.defaultValue) }) }

    let url = Setting(
        "URL", .receiverURL, default: .required, "Address to which events are sent.",
        details: """
            http goes to this machine only or, with `PRIVATE_ADDRESSES=permitted`, to an internal network. No redirect is \
            followed.
            """)
    let secret = Setting(
        "SECRET", .webhookSecrets, default: .required, secret: true, "Secret that signs the events.",
        details: "Two while it is replaced: each event is signed with both. No two receivers should have the same one.")
    let types = Setting(
        "TYPES", .eventTypes, "Types of events that are sent.", details: "If it is not set, all are, also later types.")
    let privateAddresses = Setting(
        "PRIVATE_ADDRESSES", .oneOf(PrivateAddressRule.self), default: "refused",
        "Whether the name in `URL` may have an address of this machine or of an internal network.",
        details: """
            With `refused`, no connection to such an address is made. An address in digits in `URL`, and `localhost`, need no \
            permission. A proxy from the environment is only used with `permitted`.
            """)
}

/// The values of `PRIVATE_ADDRESSES`.
enum PrivateAddressRule: String, Sendable, CaseIterable {
    case refused
    case permitted
}

// MARK: - Forms of values

extension SettingParser where Value == ReceiverURL {
    static var receiverURL: Self {
        let format = "an https URL, or an http URL of this machine"
        return Self(format) { text, faults in
            do throws(ReceiverURL.Fault) { return try ReceiverURL(text) } catch {
                faults.append(error.message(format))
                return nil
            }
        }
    }
}

extension ReceiverURL.Fault {
    /// Contains nothing of the text, which may hold a password.
    fileprivate func message(_ format: String) -> String {
        switch self {
        case .notAURL: "must be \(format)"
        case .hasUserInformation:
            "has a user name or a password before its host: remove it, the receiver verifies the signature instead"
        case .hasFragment: "has a fragment (#), which is not sent: remove it"
        }
    }
}

extension SettingParser where Value == Set<EventType> {
    /// Types, and groups such as `user.*`.
    static var eventTypes: Self {
        let types = EventType.allCases.map(\.rawValue).joined(separator: ", ")
        let format = "a list, separated by commas, of \(types), or of groups such as user.*"
        return Self(format) { text, faults in
            let list = SettingList(text)
            var types: Set<EventType> = []
            var hasFault = false
            for (place, entry) in list.entries {
                let named = Self.types(named: entry)
                if named.isEmpty {
                    faults.append("\(place)must be one of \(Self.names)")
                    hasFault = true
                }
                types.formUnion(named)
            }
            return hasFault ? nil : types
        }
    }

    private static func types(named text: String) -> [EventType] {
        EventType.allCases.filter { $0.rawValue == text || $0.group + ".*" == text }
    }

    private static var names: String {
        let groups = EventType.allCases.map { $0.group + ".*" }
        let unique = groups.enumerated().filter { !groups[..<$0.offset].contains($0.element) }.map(\.element)
        return (EventType.allCases.map(\.rawValue) + unique).joined(separator: ", ")
    }
}
