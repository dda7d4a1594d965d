package io.pigeonhole.libraries;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An account by Hibernate. */
@Entity
@Table(name = "account")
public class Account {
    @Id
    private String id = "";

    private long balance;

    long take(long amount) {
        balance -= amount;
        return balance;
    }

    @Override
    public String toString() {
        return id + ": " + balance;
    }
}
