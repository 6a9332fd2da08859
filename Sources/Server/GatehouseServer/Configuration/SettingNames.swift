/// The names with which a line of a file of settings may begin.
struct SettingNames: Sendable {
    let known: Set<String>
    /// The settings that are secret.
    let secrets: [String]
    /// Why a line may not set a name that is known elsewhere.
    let misplaced: [String: String]

    /// - Parameter others: names that are not in the table.
    init(of rows: [any SettingRow], others: [String] = [], misplaced: [String: String] = [:]) {
        known = Set(rows.flatMap { [$0.name, $0.name + Settings.fileSuffix] } + others)
        secrets = rows.filter(\.isSecret).map(\.name)
        self.misplaced = misplaced
    }

    /// Those of the files of a folder.
    init(ofFolder rows: [any SettingRow]) {
        let ofServer = SettingNames.ofServer.known.map { ($0, "belongs in gatehouse.conf") }
        self.init(of: rows, misplaced: Dictionary(uniqueKeysWithValues: ofServer))
    }

    /// Those of the configuration file.
    static let ofServer = SettingNames(
        of: Settings.all, others: [SettingSource.credentialsVariable],
        misplaced: [ConfigurationFile.variable: "names this file, and can only be set in the environment"])

    /// The name that a misspelt one may stand for; nil if none is similar.
    func similar(to name: String) -> String? {
        let name = name.uppercased()
        guard name.utf8.count <= 64 else { return nil }
        let nearest = known.sorted().map { ($0, name.editDistance(to: $0)) }.min { $0.1 < $1.1 }
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
