/// What becomes of a phone number or mail address that belongs to another user.
public enum TakenAddress: String, Encodable, Hashable, Sendable {
    /// The server refuses it: ``ProblemCode/accountAlreadyLinked`` with ``ProblemReason/identity``.
    case refuse
    /// If the present user is new, without another session, their accounts move to the other user, who is then signed in.
    case join
}

/// The result of linking a phone number or mail address.
public enum LinkResult: Hashable, Sendable {
    /// It is the user's now. These are all accounts of the user.
    case linked([LinkedAccount])
    /// It was another user's, who is signed in now and can sign in with the accounts of both.
    case joined(Session)
}
