-- A user's own first migration.
CREATE TABLE account (
    id      VARCHAR(36) NOT NULL PRIMARY KEY,
    balance BIGINT      NOT NULL
);
INSERT INTO account (id, balance) VALUES ('a', 100);
