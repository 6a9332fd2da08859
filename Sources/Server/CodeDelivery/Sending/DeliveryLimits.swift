/// The limits of sending.
package enum DeliveryLimits {
    /// For the whole of one message, because a request waits for it.
    package static let time = Duration.seconds(5)
}
