import EventDelivery
import StandardWebhooks

extension SettingsFolder.Kind {
    /// Those of the receivers of events.
    ///
    /// - Parameter hasDefault: whether `EVENTS_URL` configures the receiver `default`.
    static func receivers(hasDefault: Bool = false) -> Self {
        Self(
            setting: \.receiversFolder, usualName: "receivers.d", thing: "receiver", names: ReceiverSettings.names,
            scope: SettingScope.receiver,
            refusal: { name in
                guard hasDefault, name == EventReceiver.defaultName else { return nil }
                return
                    "has the name of the receiver that \(Settings.table.eventsURL.name) configures: choose another name"
            })
    }
}

extension SettingReader {
    /// The receivers of events: the one of `EVENTS_URL`, and those that have a file each. Those with a fault are left out.
    mutating func receivers() -> [EventReceiver] {
        let standard = defaultReceiver()
        let ofFiles = read(.receivers(hasDefault: isSet(\.eventsURL))) { folder in
            folder.read { (file, reading: inout FolderReading<EventReceiver>) in
                let reader = ReceiverReader(file)
                reading.add(reader.receiver, from: reader.settings)
            }
        }
        return (standard.map { [$0] } ?? []) + ofFiles
    }

    private mutating func defaultReceiver() -> EventReceiver? {
        let table = Settings.table
        // The secret may stay when an operator removes the receiver.
        guard isSet(\.eventsURL) else { return nil }
        if !isSet(\.eventsSecret) { addMissing(table.eventsSecret) }
        guard let url = self[\.eventsURL] else { return nil }
        if let fault = url.faultOfPlainHTTP(permitsPrivateAddresses: false) {
            addFault(table.eventsURL.name, fault + ", or a file in \(table.receiversFolder.name)")
            return nil
        }
        return self[\.eventsSecret].map { EventReceiver(name: EventReceiver.defaultName, url: url.text, secrets: $0) }
    }

    /// A service that shares its secret could send messages in the name of Gatehouse to the other one.
    mutating func warnOfSharedSecrets(_ receivers: [EventReceiver]) {
        let table = Settings.table
        let own = self[\.smsSecret].map { [(place: table.smsSecret.name, secrets: $0)] } ?? []
        let secrets =
            own
            + receivers.map { receiver in
                let isDefault = receiver.name == EventReceiver.defaultName && isSet(\.eventsURL)
                return (place: isDefault ? table.eventsSecret.name : "receiver \(receiver.name)", receiver.secrets)
            }
        for (index, later) in secrets.enumerated() {
            for earlier in secrets[..<index] where earlier.secrets.overlap(later.secrets) {
                warn(
                    "\(earlier.place) and \(later.place) have the same secret: each could send messages to the other in the "
                        + "name of Gatehouse")
            }
        }
    }
}
