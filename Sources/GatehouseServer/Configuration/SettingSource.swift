import POSIX

/// Where a setting `X` can come from: the variable `X`, a file that `X_FILE` names, or a systemd credential `x`.
package struct SettingSource: Sendable {
    private let variables: [String: String]

    package init(variables: [String: String] = ProcessEnvironment.variables()) {
        self.variables = variables
    }

    /// The value as it is written, nil where it is nowhere or empty. Throws where a file cannot be read or two places
    /// disagree about who is right.
    func value(of name: String) throws(SettingFault) -> String? {
        let plain = nonEmpty(variables[name])
        let file = nonEmpty(variables[name + "_FILE"])
        if plain != nil, file != nil {
            throw SettingFault(name, "is set twice: as \(name) and as \(name)_FILE")
        }
        if let plain { return plain }
        if let file { return try content(of: file, for: name) }
        guard let directory = nonEmpty(variables["CREDENTIALS_DIRECTORY"]) else { return nil }
        let credential = directory + "/" + name.lowercased()
        return File.exists(credential) ? try content(of: credential, for: name) : nil
    }

    private func content(of path: String, for name: String) throws(SettingFault) -> String {
        let bytes: [UInt8]
        do { bytes = try File.read(path, atMost: 65_536) } catch { throw SettingFault(name, "cannot \(error)") }
        // Decoding with repairs would turn a binary secret into a row of replacement characters.
        guard var text = String(validating: bytes, as: UTF8.self)?[...] else {
            throw SettingFault(name, "comes from \(path), which is no text")
        }
        while let last = text.last, last.isNewline { text.removeLast() }
        guard !text.isEmpty else { throw SettingFault(name, "comes from \(path), which is empty") }
        return String(text)
    }

    private func nonEmpty(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }
}
