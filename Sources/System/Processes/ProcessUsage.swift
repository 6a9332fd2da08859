import CLinux
import FileSystem
import Glibc

/// The resource usage of this process. A value that the kernel does not provide is nil.
package struct ProcessUsage: Sendable {
    package let cpuSeconds: Double?
    package let residentBytes: Int?
    package let virtualBytes: Int?
    package let openDescriptors: Int?
    package let descriptorLimit: Int?
    package let threads: Int?

    package init() {
        cpuSeconds = Self.cpuTime()
        let pages = Self.numbers(in: "/proc/self/statm")
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        virtualBytes = pages.first.map { $0 * pageSize }
        residentBytes = pages.dropFirst().first.map { $0 * pageSize }
        // The count includes the descriptor with which the folder is read.
        openDescriptors = Self.entries(of: "/proc/self/fd").map { max(0, $0 - 1) }
        descriptorLimit = Self.softDescriptorLimit()
        threads = Self.entries(of: "/proc/self/task")
    }

    private static func cpuTime() -> Double? {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        let (user, system) = (usage.ru_utime, usage.ru_stime)
        let microseconds: Int = user.tv_usec + system.tv_usec
        return Double(user.tv_sec + system.tv_sec) + Double(microseconds) / 1_000_000
    }

    private static func numbers(in path: String) -> [Int] {
        guard let bytes = try? File.read(path, atMost: 4096) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
    }

    private static func entries(of folder: String) -> Int? {
        guard let directory = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(directory) }
        var count = 0
        while unsafe readdir(directory) != nil { count += 1 }
        // Without `.` and `..`.
        return count - 2
    }

    private static func softDescriptorLimit() -> Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
