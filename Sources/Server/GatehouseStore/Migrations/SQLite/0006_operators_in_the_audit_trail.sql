-- Who the operator was, as `root (0), sudo by anna`; null where the actor is another one.
ALTER TABLE audit_events ADD COLUMN operator TEXT;
