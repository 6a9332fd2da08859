/// Brings the bytes of Apple's key set from wherever they are published.
package typealias KeySource = @Sendable () throws(KeySetFault) -> [UInt8]
