import EventDelivery

/// Reads the file of one receiver.
struct ReceiverReader {
    let name: String
    private(set) var settings: SettingsFileReader<ReceiverSettings>

    init(_ file: SettingsFile) {
        name = file.name
        settings = SettingsFileReader(file)
        guard settings.isReadable else { return }
        for row in ReceiverSettings.all { settings.read(row, isRequired: row.defaultValue == .required) }
        checkPlainHTTP()
    }

    /// Nil if the file has a fault, or if the secret may be in a folder that this user cannot open.
    var receiver: EventReceiver? {
        guard settings.faults.isEmpty, let url = settings[\.url], let secrets = settings[\.secret] else { return nil }
        return EventReceiver(
            name: name, url: url.text, secrets: secrets, types: settings[\.types],
            permitsPrivateAddresses: settings[\.privateAddresses] == .permitted)
    }

    private mutating func checkPlainHTTP() {
        let table = ReceiverSettings.table
        guard let url = settings[\.url],
            let fault = url.faultOfPlainHTTP(permitsPrivateAddresses: settings[\.privateAddresses] == .permitted)
        else { return }
        let advice = url.namesPublicAddress ? "" : ", or \(table.privateAddresses.name)=permitted"
        settings.addFault(table.url.name, fault + advice)
    }
}

extension ReceiverURL {
    /// Events are about persons: without TLS they only go to this machine or an internal network.
    func faultOfPlainHTTP(permitsPrivateAddresses: Bool) -> String? {
        if isEncrypted || isOfThisMachine || permitsPrivateAddresses && !namesPublicAddress { return nil }
        return "has http to \(namesPublicAddress ? "a public address" : "another machine"): it needs https"
    }
}
