import CLinux
package import FileSystem
import Glibc
package import POSIX

/// Drops the privileges of root.
package enum Privileges {
    /// Whether this process runs as root.
    package static var isRoot: Bool { geteuid() == 0 }

    /// Changes to another user permanently: the saved ids, the supplementary groups and the capabilities of root are
    /// dropped too, and no program that this process starts can regain them.
    ///
    /// Throws if a step fails or if a privilege of root is left afterwards. The process must exit then.
    package static func drop(to account: Account, group: UInt32) throws(POSIXError) {
        try requireSingleThread()
        let groups = Array(account.groups.union([group])).sorted()
        guard unsafe setgroups(groups.count, groups) == 0 else { throw POSIXError("setgroups") }
        guard setresgid(group, group, group) == 0 else { throw POSIXError("setresgid \(group)") }
        guard setresuid(account.id, account.id, account.id) == 0 else { throw POSIXError("setresuid \(account.id)") }
        // The kernel clears them with the last root user id, unless the process was started with other securebits.
        try dropCapabilities()
        guard gatehouse_forbid_new_privileges() == 0 else { throw POSIXError("prctl PR_SET_NO_NEW_PRIVS") }
        // Other processes of that user must not reach what root has opened, for instance a terminal.
        try CoreDump.forbid()
        try verify(account.id, group: group, groups: groups)
    }

    /// Capabilities and ids belong to a thread, so this process must have only one.
    private static func requireSingleThread() throws(POSIXError) {
        let threads: [String]
        do { threads = try File.names(in: "/proc/self/task") } catch {
            throw POSIXError("drop the privileges of root: count the threads in /proc/self/task", code: error.code)
        }
        guard threads.count == 1 else {
            throw POSIXError("drop the privileges of root with \(threads.count) threads", code: EPERM)
        }
    }

    private static func dropCapabilities() throws(POSIXError) {
        var header = capabilityHeader
        let none = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
        guard unsafe capset(&header, none) == 0 else { throw POSIXError("capset") }
    }

    private static var capabilityHeader: __user_cap_header_struct {
        __user_cap_header_struct(version: UInt32(_LINUX_CAPABILITY_VERSION_3), pid: 0)
    }

    /// Throws if a capability is left, or if a program that this process starts could gain one.
    package static func verifyNoCapabilities() throws(POSIXError) {
        var header = capabilityHeader
        var found = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
        guard unsafe capget(&header, &found) == 0 else { throw POSIXError("capget") }
        guard found.allSatisfy({ $0.effective == 0 && $0.permitted == 0 && $0.inheritable == 0 }) else {
            throw POSIXError("drop the capabilities of root", code: EPERM)
        }
        guard gatehouse_forbids_new_privileges() == 1 else {
            throw POSIXError("forbid new privileges (no_new_privs)", code: EPERM)
        }
    }

    /// Reads back every id, the capabilities and no_new_privs, and tries to become root again.
    private static func verify(_ user: UInt32, group: UInt32, groups: [UInt32]) throws(POSIXError) {
        var (real, effective, saved) = (uid_t(), uid_t(), uid_t())
        guard unsafe getresuid(&real, &effective, &saved) == 0 else { throw POSIXError("getresuid") }
        var (realGroup, effectiveGroup, savedGroup) = (gid_t(), gid_t(), gid_t())
        guard unsafe getresgid(&realGroup, &effectiveGroup, &savedGroup) == 0 else { throw POSIXError("getresgid") }
        var found = [gid_t](repeating: 0, count: groups.count + 1)
        let count = unsafe getgroups(Int32(found.count), &found)
        guard [real, effective, saved].allSatisfy({ $0 == user }),
            [realGroup, effectiveGroup, savedGroup].allSatisfy({ $0 == group }),
            count == groups.count, found.prefix(Int(count)).sorted() == groups
        else { throw POSIXError("change to user \(user)", code: EPERM) }
        try verifyNoCapabilities()
        let unchanged = uid_t.max
        guard setresuid(unchanged, 0, unchanged) != 0, setresuid(0, 0, 0) != 0 else {
            throw POSIXError("drop the privileges of root", code: EPERM)
        }
        guard groups.contains(0) || setresgid(unchanged, 0, unchanged) != 0 else {
            throw POSIXError("drop the privileges of root", code: EPERM)
        }
    }
}
