package io.pigeonhole.architecture.violations.jdbc.driver;

import org.postgresql.util.PSQLState;

public final class KnowsThePostgresDriver {
    static final PSQLState STATE = PSQLState.UNIQUE_VIOLATION;
}
