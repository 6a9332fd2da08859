extension Settings {
    /// The names with which a line of the configuration file may begin.
    static let namesInFile = Set(all.flatMap { [$0.name, $0.name + fileSuffix] } + [SettingSource.credentialsVariable])

    /// A setting `X` is read from the file that `X_FILE` names.
    static let fileSuffix = "_FILE"

    /// The settings that keep their values at a reload.
    static let namesNeedingRestart = Set(all.filter(\.needsRestart).map(\.name))

    /// The secrets that an installation generates.
    var generatedSecrets: Set<String> { [accessSecret.name, refreshSecret.name, dataKey.name] }

    static func isSecret(_ name: String) -> Bool { all.contains { $0.isSecret && $0.name == name } }

    /// The name that a misspelt one may stand for; nil if none is similar.
    static func nameSimilar(to name: String) -> String? {
        let name = name.uppercased()
        guard name.utf8.count <= 64 else { return nil }
        let nearest = namesInFile.sorted().map { ($0, name.editDistance(to: $0)) }.min { $0.1 < $1.1 }
        return nearest.flatMap { $0.1 <= max(1, $0.0.utf8.count / 5) ? $0.0 : nil }
    }
}

extension String {
    /// The number of bytes to insert, delete or replace (Levenshtein).
    fileprivate func editDistance(to other: String) -> Int {
        let target = Array(other.utf8)
        var row = Array(0...target.count)
        for (index, byte) in utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in target.indices {
                let replaced = diagonal + (byte == target[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
