package io.pigeonhole.jdbc.postgresql;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.dialect.LedgerDay;
import io.pigeonhole.jdbc.retention.FailedSteps;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps enough days ahead: partitions of the ledger and of the history, named by their day in UTC, each created in a short
 * transaction that also moves the ledger's bounds. Days are data, not schema. A day whose name another table has, such as one that a
 * person detached and kept, is left out of the history; the ledger has no gaps and ends before it. So is a day that the
 * database refuses, for want of a right perhaps: it is an error only where the ledger would have none for the present. A day
 * that somebody has dropped from the middle of the ledger is created anew. Safe for use by many threads and many programs; the
 * bounds only ever grow.
 */
public final class LedgerDays {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerDays.class);
    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("uuuuMMdd");
    private static final String LEDGER = "inbox_ledger";
    private static final String HISTORY = "inbox_history";
    /** The SQLSTATE, invalid_object_definition, of a day that another partition has, such as one of a month. */
    private static final String OVERLAPS = "42P17";

    private static final String ENDS_BEFORE = "the ledger ends before it. ";
    private static final String WAIT = "messages of that day wait. ";
    private static final long MILLIS_OF_DAY = 86_400_000L;

    private final ShortTransactions transactions;
    private final int ahead;

    LedgerDays(ShortTransactions transactions, int ahead) {
        this.transactions = transactions;
        this.ahead = ahead;
    }

    /** Creates the days that are missing, oldest first; a crash leaves those that are complete. Warns of those left out. */
    void ensure() {
        Map<String, List<Day>> byReason = create().leftOut().entrySet().stream()
                .collect(groupingBy(Map.Entry::getValue, mapping(Map.Entry::getKey, toList())));
        byReason.forEach((why, days) -> LOG.warn("days are not created, {}: {}", days, why));
    }

    /** The same for whoever met a time without a day: what to do where the history still has none for the present, or null. */
    @Nullable
    String createForNow() {
        Missing missing = create();
        return missing.leftOut().entrySet().stream()
                .filter(entry ->
                        !entry.getKey().isOfLedger() && !entry.getKey().date().isAfter(missing.soon()))
                .findFirst()
                .map(entry -> "the history has no day for the present, "
                        + entry.getKey().date() + ": " + entry.getValue())
                .orElse(null);
    }

    private Missing create() {
        Missing missing = transactions.run("to read the ledger's bounds", this::read);
        for (LocalDate day : missing.withinLedger()) {
            try {
                addWithinLedger(day);
            } catch (StoreUnavailableException e) {
                throw e;
            } catch (PigeonholeException e) {
                if (!hasState(e, OVERLAPS)) {
                    missing.leftOut().put(new Day(true, day), WAIT + refused(e));
                }
            }
        }
        for (LocalDate day : missing.ofLedger()) {
            try {
                transactions.run("a new day of the ledger", session -> addToLedger(session, day));
            } catch (StoreUnavailableException e) {
                throw e;
            } catch (PigeonholeException e) {
                if (!day.isAfter(missing.today())) {
                    throw e;
                }
                missing.leftOut().put(new Day(true, day), ENDS_BEFORE + refused(e));
                break;
            }
        }
        for (LocalDate day : missing.ofHistory()) {
            try {
                transactions.run("a new day of the history", session -> addToHistory(session, day));
            } catch (StoreUnavailableException e) {
                throw e;
            } catch (PigeonholeException e) {
                missing.leftOut().put(new Day(false, day), refused(e));
                if (FailedSteps.isPassing(e)) {
                    break;
                }
            }
        }
        return missing;
    }

    private static String refused(PigeonholeException failure) {
        boolean lacksRight = hasState(failure, PostgresStates.INSUFFICIENT_PRIVILEGE);
        return failure.getMessage()
                + (lacksRight
                        ? ". Let a program that logs in as a member of the role that owns the tables call JdbcStore.maintain()"
                                + " or Schema.apply"
                        : "");
    }

    private static boolean hasState(PigeonholeException failure, String state) {
        return failure.getCause() instanceof SQLException cause && state.equals(cause.getSQLState());
    }

    private static String inTheWay(String table, LocalDate day) {
        String name = table + "_" + NAME.format(day);
        return name + " is the name of something that is not part of " + table + ", such as a day that was detached or"
                + " restored by hand. Rename it, and the day is created, or make it part of the table again: ALTER TABLE "
                + table + " ATTACH PARTITION " + name + " …";
    }

    /** Somebody has dropped it: each claim that has a key of that day fails as a whole. */
    private void addWithinLedger(LocalDate day) {
        boolean added = transactions.run("a missing day of the ledger", session -> {
            lock(session);
            if (look(session, LEDGER, day) != Found.MISSING || isPastItsTime(session, day)) {
                return false; // Another program was here first.
            }
            addLedgerDay(session, day);
            return true;
        });
        if (added) {
            LOG.warn(
                    "{}_{} was missing, although the ledger does not end before it, and is created anew, empty: messages of that day"
                            + " that were processed before are not known as duplicates any more",
                    LEDGER,
                    NAME.format(day));
        }
    }

    /** Asked behind the look at a day: the ledger's bounds are raised before it goes. */
    private static boolean isPastItsTime(AdminSession session, LocalDate day) throws SQLException {
        return readBounds(session).oldest().isAfter(day);
    }

    private static boolean addToLedger(AdminSession session, LocalDate day) throws SQLException {
        lock(session);
        if (!readBounds(session).end().equals(day)) {
            return false; // Another program was here first.
        }
        addLedgerDay(session, day);
        try (Call call = session.call(PartitionStatement.EXTEND_LEDGER)) {
            return call.key("newest", firstKey(day.plusDays(1))).change() == 1;
        }
    }

    /** Unless a person has created it. */
    private static void addLedgerDay(AdminSession session, LocalDate day) throws SQLException {
        String from = firstKey(day).toUuid().toString();
        String to = firstKey(day.plusDays(1)).toUuid().toString();
        if (look(session, LEDGER, day) != Found.THERE) {
            add(session, LEDGER, day, from, to);
        } else if (!hasBounds(session, day, from, to)) {
            throw new ConfigurationException(LEDGER + "_" + NAME.format(day) + " is part of " + LEDGER
                    + ", but not with the bounds of its day, from '" + from + "' to '" + to
                    + "'. Detach it, rename it, and the day is created");
        }
    }

    private static boolean hasBounds(AdminSession session, LocalDate day, String from, String to) throws SQLException {
        try (Call call = session.call(PartitionStatement.BOUNDS_OF_DAY)) {
            return call.text("table", LEDGER)
                    .text("partition", LEDGER + "_" + NAME.format(day))
                    .read(row -> row.next()
                            && row.getString(1).equals("FOR VALUES FROM ('" + from + "') TO ('" + to + "')"));
        }
    }

    private boolean addToHistory(AdminSession session, LocalDate day) throws SQLException {
        lock(session);
        if (look(session, HISTORY, day) != Found.MISSING) {
            return false;
        }
        add(session, HISTORY, day, day + " 00:00:00+00", day.plusDays(1) + " 00:00:00+00");
        return true;
    }

    private static Found look(AdminSession session, String table, LocalDate day) throws SQLException {
        try (Call call = session.call(PartitionStatement.DAY_OF_TABLE)) {
            return call.text("table", table)
                    .text("partition", table + "_" + NAME.format(day))
                    .read(row -> {
                        row.next();
                        if (row.getBoolean(1)) {
                            return Found.THERE;
                        }
                        return row.getBoolean(2) ? Found.NAME_TAKEN : Found.MISSING;
                    });
        }
    }

    private static void add(AdminSession session, String table, LocalDate day, String from, String to)
            throws SQLException {
        String owner;
        try (Call call = session.call(PartitionStatement.OWNER_OF_DAYS)) {
            owner = call.text("table", table).read(row -> {
                row.next();
                return row.getString(1);
            });
        }
        execute(
                session,
                session.statements()
                        .sql(PartitionStatement.ADD_DAY)
                        .formatted(table, NAME.format(day), from, to, owner));
    }

    private Missing read(AdminSession session) throws SQLException {
        Bounds bounds = readBounds(session);
        LocalDate end = bounds.today().plusDays(ahead + 1L);
        LedgerDay.requireNear(bounds.end(), end);
        Missing missing = new Missing(
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new LinkedHashMap<>(),
                bounds.today(),
                bounds.soon());
        for (LocalDate day = bounds.today(); day.isBefore(end); day = day.plusDays(1)) {
            switch (look(session, HISTORY, day)) {
                case THERE -> {}
                case MISSING -> missing.ofHistory().add(day);
                case NAME_TAKEN -> missing.leftOut().put(new Day(false, day), inTheWay(HISTORY, day));
            }
        }
        for (LocalDate day = bounds.oldest(); day.isBefore(bounds.end()); day = day.plusDays(1)) {
            Found found = look(session, LEDGER, day);
            if (found == Found.MISSING) {
                missing.withinLedger().add(day);
            } else if (found == Found.NAME_TAKEN && !isPastItsTime(session, day)) {
                missing.leftOut().put(new Day(true, day), WAIT + inTheWay(LEDGER, day));
            }
        }
        for (LocalDate day = bounds.end(); day.isBefore(end); day = day.plusDays(1)) {
            // Without a day for the present the ledger takes no new messages: creating it may fail loudly.
            if (day.isAfter(bounds.today()) && look(session, LEDGER, day) == Found.NAME_TAKEN) {
                missing.leftOut().put(new Day(true, day), ENDS_BEFORE + inTheWay(LEDGER, day));
                return missing;
            }
            missing.ofLedger().add(day);
        }
        return missing;
    }

    private static Bounds readBounds(AdminSession session) throws SQLException {
        try (Call call = session.call(PartitionStatement.END_OF_LEDGER)) {
            Bounds bounds = call.first(row -> new Bounds(
                    dayOf(row.getObject(4, UUID.class)),
                    dayOf(row.getObject(1, UUID.class)),
                    LocalDate.ofEpochDay(row.getLong(2)),
                    LocalDate.ofEpochDay(row.getLong(3))));
            if (bounds == null) {
                throw new ConfigurationException(
                        "inbox_ledger_bounds has no row: put back the one that the schema came with");
            }
            return bounds;
        }
    }

    private static LocalDate dayOf(UUID key) {
        return LocalDate.ofEpochDay(Math.floorDiv(MessageKey.of(key).epochMillis(), MILLIS_OF_DAY));
    }

    private static void lock(AdminSession session) throws SQLException {
        execute(session, session.statements().sql(PostgresSchemaStatement.LOCK));
    }

    private static void execute(AdminSession session, String sql) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute(sql);
        }
    }

    private static MessageKey firstKey(LocalDate day) {
        return MessageKey.firstOf(day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli());
    }

    /**
     * Where the ledger stands.
     *
     * @param oldest the first day that it has
     * @param end the first day that it does not have
     * @param today by the database's clock
     * @param soon the day in ten minutes
     */
    private record Bounds(LocalDate oldest, LocalDate end, LocalDate today, LocalDate soon) {}

    /** How it is with a day of a table. */
    private enum Found {
        THERE,
        MISSING,
        NAME_TAKEN
    }

    /** A day that is left out. */
    private record Day(boolean isOfLedger, LocalDate date) {
        @Override
        public String toString() {
            return isOfLedger ? LEDGER + "_" + NAME.format(date) : HISTORY + "_" + NAME.format(date);
        }
    }

    /**
     * The days to create.
     *
     * @param withinLedger in the ledger, before its end
     * @param ofLedger in the ledger, from its end on
     * @param ofHistory in the history
     * @param leftOut those that cannot be created, with what to do
     * @param today by the database's clock
     * @param soon the day in ten minutes
     */
    private record Missing(
            List<LocalDate> withinLedger,
            List<LocalDate> ofLedger,
            List<LocalDate> ofHistory,
            Map<Day, String> leftOut,
            LocalDate today,
            LocalDate soon) {}
}
