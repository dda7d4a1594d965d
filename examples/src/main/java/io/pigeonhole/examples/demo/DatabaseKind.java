package io.pigeonhole.examples.demo;

import java.util.Locale;

/** The databases that the demonstration knows. */
enum DatabaseKind {
    POSTGRESQL {
        @Override
        Database start(Workplace place) {
            return PostgresDatabase.start(place.postgres());
        }
    },
    MARIADB {
        @Override
        Database start(Workplace place) {
            return MariaDbDatabase.start(place.mariaDb());
        }
    },
    H2 {
        @Override
        Database start(Workplace place) {
            return H2Database.start(place.h2());
        }
    };

    /** Starts one, durable, with an empty database for the bank. */
    abstract Database start(Workplace place);

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
