import EventDelivery
import Gatehouse

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
