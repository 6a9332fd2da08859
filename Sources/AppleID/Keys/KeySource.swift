/// Brings the bytes of Apple's key set from wherever they are published. Nil when they could not be had; whoever
/// brings them says why in the log.
package typealias KeySource = @Sendable () -> [UInt8]?
