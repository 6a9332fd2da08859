-- A migration of its own: a change of an account locks its row and then its user, and a lock on the two tables could wait for
-- it in the other order.
CREATE INDEX auth_accounts_by_email ON auth_accounts (lower(email)) WHERE email IS NOT NULL;
