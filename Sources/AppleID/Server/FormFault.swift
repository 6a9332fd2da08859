/// There was no answer. The reason is fit for a log: nothing of the form is in it.
package struct FormFault: Error, Sendable, Equatable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
