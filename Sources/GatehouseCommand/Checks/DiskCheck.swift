import POSIX

/// Room for the database to grow.
struct DiskCheck: Check {
    /// What the log alone may take.
    static let leastBytes: Int64 = 64 << 20
    static let fewBytes: Int64 = 1 << 30
    static let leastFiles: Int64 = 16
    static let fewFiles: Int64 = 1000

    let subject = "disk"
    let folder: String

    func look() -> [Finding] {
        do throws(POSIXError) { return [judge(try FileSystemStatus(at: folder))] } catch {
            return [.note("not looked at: \(error)")]
        }
    }

    func judge(_ status: FileSystemStatus) -> Finding {
        let free = "\(status.freeBytes.inBytes) free at \(folder)"
        let advice = "df -h \(folder); du -xh --max-depth 1 / | sort -h; journalctl --vacuum-size=500M"
        if status.freeBytes < Self.leastBytes { return .fault("\(free): nothing can be written soon", advice) }
        if let files = status.freeFiles, files < Self.fewFiles {
            let message = "room for \(files) more files at \(folder)"
            return files < Self.leastFiles ? .fault(message, "df -i \(folder)") : .note(message, "df -i \(folder)")
        }
        return status.freeBytes < Self.fewBytes ? .note(free, advice) : .ok(free)
    }
}
