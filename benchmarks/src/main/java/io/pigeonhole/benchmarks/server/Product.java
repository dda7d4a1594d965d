package io.pigeonhole.benchmarks.server;

/** The databases that are measured. */
public enum Product {
    POSTGRESQL,
    MARIADB
}
