internal import Glibc

extension Span<UInt8> {
    package func has(_ byte: UInt8) -> Bool {
        unsafe withUnsafeBytes { unsafe !$0.isEmpty && memchr($0.baseAddress!, Int32(byte), count) != nil }
    }
}
