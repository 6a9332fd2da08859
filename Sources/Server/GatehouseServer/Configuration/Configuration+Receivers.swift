package import EventDelivery

extension Configuration {
    package var receivers: [EventReceiver] { [] }
}
