extension SettingSource {
    /// Were nothing known of what the configuration file says, every setting in it would seem to be missing.
    func demandReadableFile() throws(SettingFaults) {
        if let file, !file.isReadable { throw SettingFaults(faults: file.faults) }
    }

    /// Some settings alone, for commands that need nothing else. Throws where any of them is at fault, or the file is.
    func demand<Value>(_ read: (inout SettingReader) -> Value) throws(SettingFaults) -> Value {
        var settings = SettingReader(self)
        let value = read(&settings)
        guard settings.faults.isEmpty else { throw SettingFaults(faults: settings.faults) }
        return value
    }

    /// One setting, whatever is wrong with all others. A configuration file that cannot be read may set it, unless the
    /// environment does, which wins.
    func demandAlone<Value>(_ name: String, _ read: (inout SettingReader) -> Value) throws(SettingFaults) -> Value {
        if !isSetInEnvironment(name) { try demandReadableFile() }
        var settings = SettingReader(self)
        let others = settings.faults.count
        let value = read(&settings)
        if isSpoilt(name) { throw SettingFaults(faults: settings.faults) }
        guard settings.faults.count == others else {
            throw SettingFaults(faults: Array(settings.faults.dropFirst(others)))
        }
        return value
    }

    /// Some settings alone; nil where any of them is at fault, or may be.
    func survey<Value>(_ read: (inout SettingReader) -> Value) -> Value? {
        if let file, !file.isReadable { return nil }
        var settings = SettingReader(self)
        let before = settings.faults.count
        let value = read(&settings)
        return settings.faults.count == before && !settings.hasMetUnreadable ? value : nil
    }
}
