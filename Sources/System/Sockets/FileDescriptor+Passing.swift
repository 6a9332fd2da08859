import CLinux
import Glibc
package import POSIX

extension FileDescriptor {
    /// Sends one message from a datagram socket, together with a copy of a descriptor if one is given (unix(7)).
    package func send(_ message: [UInt8], to address: SocketAddress, passing passed: Int32?) throws(POSIXError) {
        var control = passed.map(Self.rights) ?? []
        var message = message
        let result = unsafe message.withUnsafeMutableBytes { message in
            unsafe control.withUnsafeMutableBytes { control in
                unsafe transmit(message, control, to: address)
            }
        }
        guard result >= 0 else { throw POSIXError("sendmsg") }
    }

    private func transmit(
        _ message: UnsafeMutableRawBufferPointer, _ control: UnsafeMutableRawBufferPointer, to address: SocketAddress
    ) -> Int32 {
        unsafe address.withAddress { name, nameSize in
            var part = unsafe iovec(iov_base: message.baseAddress, iov_len: message.count)
            return unsafe withUnsafeMutablePointer(to: &part) { part in
                var header = unsafe msghdr()
                unsafe header.msg_name = UnsafeMutableRawPointer(mutating: name)
                unsafe header.msg_namelen = nameSize
                unsafe header.msg_iov = part
                unsafe header.msg_iovlen = 1
                if control.count > 0 {
                    unsafe header.msg_control = control.baseAddress
                    unsafe header.msg_controllen = control.count
                }
                while true {
                    let count = unsafe sendmsg(number, &header, Int32(MSG_NOSIGNAL))
                    if count >= 0 || errno != EINTR { return Int32(clamping: count) }
                }
            }
        }
    }

    /// A control message with one descriptor, in the layout of cmsg(3): header, number, and padding to whole words.
    /// Swift cannot import the C macros for this.
    private static func rights(to descriptor: Int32) -> [UInt8] {
        let length = MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size
        var bytes = unsafe withUnsafeBytes(of: length) { unsafe Array($0) }
        for number in [SOL_SOCKET, Int32(SCM_RIGHTS), descriptor] {
            bytes += unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
        }
        let word = MemoryLayout<Int>.size
        return bytes + [UInt8](repeating: 0, count: (word - length % word) % word)
    }
}
