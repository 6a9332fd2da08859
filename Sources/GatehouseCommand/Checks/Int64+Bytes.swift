extension Int64 {
    /// A size as a person reads it.
    var inBytes: String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (self, 0)
        while value >= 10_240, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        return "\(value) \(units[unit])"
    }
}
