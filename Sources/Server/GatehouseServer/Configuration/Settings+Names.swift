extension Settings {
    /// A setting `X` is read from the file that `X_FILE` names.
    static let fileSuffix = "_FILE"

    /// The settings that keep their values at a reload.
    static let namesNeedingRestart = Set(all.filter(\.needsRestart).map(\.name))

    /// The secrets that an installation generates.
    var generatedSecrets: Set<String> { [accessSecret.name, refreshSecret.name, dataKey.name] }

    static func isSecret(_ name: String) -> Bool { all.contains { $0.isSecret && $0.name == name } }
}
