import EventDelivery
import StandardWebhooks

/// The services that are told of events.
package struct EventSettings: Sendable {
    let url = Setting(
        "EVENTS_URL", .receiverURL, "Address of a service that is told of events.",
        details: """
            Gatehouse sends it [signed requests](Events.md). It is the receiver `default`, which gets all types of events, at \
            this machine or at public addresses; others have files.
            """)
    let secret = Setting(
        "EVENTS_SECRET", .webhookSecrets, default: .requiredIf("with `EVENTS_URL`"), secret: true,
        "Secret that signs what is sent there.", details: "Two while it is replaced: each event is signed with both.")
    let receiversFolder = Setting(
        "RECEIVERS_DIR", .text, "Folder with a file for each other receiver of events.",
        details: """
            If it is not set, the folder `receivers.d` beside the configuration file is used, if there is one: \
            [receivers](Events.md#receivers).
            """)
}

extension SettingsFolder.Kind {
    /// Those of the receivers of events.
    ///
    /// - Parameter hasDefault: whether `EVENTS_URL` configures the receiver `default`.
    static func receivers(hasDefault: Bool = false) -> Self {
        Self(
            setting: \.events.receiversFolder, usualName: "receivers.d", thing: "receiver",
            names: ReceiverSettings.names,
            // In a folder, so that a unit can name all of them at once (`LoadCredential=`): systemd makes a name of the
            // folder's and the file's with `_` between them. A receiver has one secret, and no other setting there.
            credentials: { receiver, setting in
                setting == ReceiverSettings.table.secret.name ? ["receivers_" + receiver, "receivers/" + receiver] : []
            },
            refusal: { name in
                guard hasDefault, name == EventReceiver.defaultName else { return nil }
                return
                    "has the name of the receiver that \(Settings.table.events.url.name) configures: choose another name"
            })
    }
}

extension SettingReader<Settings> {
    /// The receivers of events: the one of `EVENTS_URL`, and those that have a file each. Those with a fault are left out.
    mutating func receivers() -> [EventReceiver] {
        let standard = defaultReceiver()
        let ofFiles = read(.receivers(hasDefault: isSet(\.events.url))) { name, source in
            let settings = SettingReader<ReceiverSettings>(receiver: source)
            return (settings, settings.receiver(named: name))
        }
        return (standard.map { [$0] } ?? []) + ofFiles
    }

    private mutating func defaultReceiver() -> EventReceiver? {
        let table = Settings.table
        // The secret may stay when an operator removes the receiver.
        guard isSet(\.events.url) else { return nil }
        if !isSet(\.events.secret) { addMissing(table.events.secret) }
        guard let url = self[\.events.url] else { return nil }
        if let fault = url.faultOfPlainHTTP(permitsPrivateAddresses: false) {
            addFault(table.events.url.name, fault + ", or a file in \(table.events.receiversFolder.name)")
            return nil
        }
        return self[\.events.secret].map { EventReceiver(name: EventReceiver.defaultName, url: url.text, secrets: $0) }
    }

    /// A service that shares its secret could send messages in the name of Gatehouse to the other one.
    mutating func warnOfSharedSecrets(_ receivers: [EventReceiver]) {
        let table = Settings.table
        let own = [\Settings.delivery.smsSecret, \.delivery.numberSecret].compactMap { row in
            self[row].map { (place: table[keyPath: row].name, secrets: $0) }
        }
        let secrets =
            own
            + receivers.map { receiver in
                let isDefault = receiver.name == EventReceiver.defaultName && isSet(\.events.url)
                return (place: isDefault ? table.events.secret.name : "receiver \(receiver.name)", receiver.secrets)
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

extension SettingReader<ReceiverSettings> {
    fileprivate init(receiver source: SettingSource) {
        self.init(source, [])
        guard source.file?.isReadable == true else { return }
        for row in ReceiverSettings.all { read(row, isRequired: row.defaultValue == .required) }
        checkPlainHTTP()
    }

    /// Nil if the file has a fault, or if the secret may be in a folder that this user cannot open.
    fileprivate func receiver(named name: String) -> EventReceiver? {
        guard found.isEmpty, let url = self[\.url], let secrets = self[\.secret] else { return nil }
        return EventReceiver(
            name: name, url: url.text, secrets: secrets, types: self[\.types],
            permitsPrivateAddresses: permitsPrivateAddresses)
    }

    private var permitsPrivateAddresses: Bool { self[\.privateAddresses] == .permitted }

    private mutating func checkPlainHTTP() {
        guard let url = self[\.url],
            let fault = url.faultOfPlainHTTP(permitsPrivateAddresses: permitsPrivateAddresses)
        else { return }
        let advice = url.namesPublicAddress ? "" : ", or \(Table.table.privateAddresses.name)=permitted"
        addFault(Table.table.url.name, fault + advice)
    }
}

extension ReceiverURL {
    /// Events are about persons: without TLS they only go to this machine or an internal network.
    fileprivate func faultOfPlainHTTP(permitsPrivateAddresses: Bool) -> String? {
        if isEncrypted || isOfThisMachine || permitsPrivateAddresses && !namesPublicAddress { return nil }
        return "has http to \(namesPublicAddress ? "a public address" : "another machine"): it needs https"
    }
}
