extension Int64 {
    /// A size as a person reads it.
    var inBytes: String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (self, 0)
        while value >= 10_240, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        return "\(value) \(units[unit])"
    }
}

extension String {
    /// The folder that a path is in.
    var parentFolder: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// Every folder on the way to a path that begins at the root, from there on.
    var parentFolders: [String] {
        var folders = [parentFolder]
        while let last = folders.last, last != "/", last != "." { folders.append(last.parentFolder) }
        return folders.reversed()
    }
}
