package io.pigeonhole.examples.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.jdbc.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * One run from the first payment to the audit: starts the servers, the producers and the consumer, kills and restarts the
 * consumer, waits until it has acknowledged everything, and counts. For one thread.
 */
final class Story {
    private static final int ACCOUNTS = 3_000;
    private static final int TICK_MILLIS = 20;
    private static final int COUNTING_SHARE = 5;
    private static final int SMALLEST_WINDOW = 500;
    private static final int LARGEST_WINDOW = 5_000;
    private static final int CRASHES_BORNE = 3;
    private static final int LOG_TAIL = 15;
    private static final int ID_LINE = 37;
    private static final int CONSUMER_HEAP_MEGABYTES = 192;
    private static final long LAG_NANOS = Duration.ofMillis(200).toNanos();
    private static final Duration STALL = Duration.ofMinutes(3);

    /** The demo cannot be run to its end. */
    static final class StalledException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StalledException(String message) {
            super(message);
        }
    }

    private final int messages;
    private final long seed;
    private final boolean withInbox;
    private final BrokerKind brokerKind;
    private final DatabaseKind databaseKind;
    private final Progress progress;
    private final Teardown teardown;
    private final KillSchedule kills;
    private final PaymentPlan plan;
    private final PaymentIds ids;
    private final Pace pace = new Pace();
    private final long units;
    private final long window;
    private int crashes;

    Story(
            int messages,
            int killCount,
            long seed,
            boolean withInbox,
            BrokerKind brokerKind,
            DatabaseKind databaseKind,
            Progress progress,
            Teardown teardown) {
        this.messages = messages;
        this.seed = seed;
        this.withInbox = withInbox;
        this.brokerKind = brokerKind;
        this.databaseKind = databaseKind;
        this.progress = progress;
        this.teardown = teardown;
        this.plan = PaymentPlan.of(messages, ACCOUNTS, seed);
        this.ids = new PaymentIds(plan.unique(), seed);
        // The inbox pays each payment once, the plain consumer each record.
        this.units = withInbox ? plan.unique() : messages;
        this.kills = new KillSchedule(killCount, units - plan.poisonous(), seed);
        this.window = Math.max(SMALLEST_WINDOW, Math.min(LARGEST_WINDOW, units / (4L * (killCount + 1))));
    }

    Report run(Path base) throws SQLException, InterruptedException, IOException {
        long begin = System.nanoTime();
        Workplace place = teardown.add(Workplace.take(base));
        progress.say(String.format(
                Locale.ROOT,
                "%,d messages, %,d of them duplicates, for %,d accounts; %d kills; seed %d; %s",
                messages,
                plan.duplicates(),
                ACCOUNTS,
                kills.planned(),
                seed,
                withInbox ? "with the inbox" : "WITHOUT the inbox"));
        CompletableFuture<Broker> starting = CompletableFuture.supplyAsync(() -> teardown.add(brokerKind.start(place)));
        Database database = teardown.add(databaseKind.start(place));
        if (withInbox) {
            applySchema(database);
        }
        Bank bank = teardown.add(Bank.open(database, ACCOUNTS, withInbox));
        Broker broker = starting.join();
        progress.say(String.format(
                Locale.ROOT,
                "%s and %s are up after %.1f s; logs in %s",
                database.description(),
                brokerKind.product(),
                seconds(begin),
                place.directory()));

        var settings = new ConsumerSettings(brokerKind, broker.address(), database.url(), place.directory());
        PaymentProducer producer = teardown.add(new PaymentProducer(plan, ids, pace, !withInbox, broker));
        ChildProcess consumer = teardown.add(new ChildProcess(
                withInbox ? InboxConsumer.class : PlainConsumer.class,
                CONSUMER_HEAP_MEGABYTES,
                settings.output(),
                settings.toArguments()));
        consumer.start();
        pace.allow(window);
        producer.start();
        follow(bank, producer, consumer, broker, settings);
        progress.clear();
        Report report = new Audit(plan, ids, bank)
                .report(DeliveryLog.count(settings.deliveries()), kills.done(), kills.planned());
        progress.say(String.format(Locale.ROOT, "done after %.1f s", seconds(begin)));
        return report;
    }

    private static void applySchema(Database database) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(database.url());
        pool.setMaximumPoolSize(1);
        try (HikariDataSource dataSource = new HikariDataSource(pool)) {
            Schema.apply(dataSource);
        }
    }

    /** Kills and restarts the consumer until the producers have sent and the consumer has acknowledged everything. */
    private void follow(
            Bank bank, PaymentProducer producer, ChildProcess consumer, Broker broker, ConsumerSettings settings)
            throws SQLException, InterruptedException, IOException {
        long lastLag = System.nanoTime();
        long lastChange = System.nanoTime();
        List<Long> last = List.of();
        int crashesInARow = 0;
        while (true) {
            long counting = System.nanoTime();
            long effects = bank.effects();
            long parked = bank.parked();
            long processed = effects + parked;
            pace.allow(processed + window);
            List<Long> now = List.of(effects, parked, size(settings.deliveries()), (long) producer.sent());
            if (!now.equals(last)) {
                last = now;
                lastChange = System.nanoTime();
            }
            if (progress.isDue()) {
                progress.show(units, processed, duplicates(bank, effects, settings), kills.done(), kills.planned());
            }
            // Counting must not become the database's main work.
            long pause = Math.max(
                    TICK_MILLIS,
                    COUNTING_SHARE
                            * Duration.ofNanos(System.nanoTime() - counting).toMillis());
            if (kills.isDue(effects)) {
                LockSupport.parkNanos(kills.hesitationNanos());
                kill(consumer, effects);
                crashesInARow = 0;
            } else if (consumer.endsWithin(pause)) {
                crashesInARow++;
                restart(consumer, crashesInARow, settings.output());
            }
            if (producer.finished() && kills.isOver() && System.nanoTime() - lastLag > LAG_NANOS) {
                lastLag = System.nanoTime();
                if (broker.unacknowledged() == 0 && (!withInbox || isDone(effects, parked))) {
                    consumer.stop();
                    if (broker.unacknowledged() == 0) {
                        return;
                    }
                    consumer.start();
                }
            }
            if (System.nanoTime() - lastChange > STALL.toNanos()) {
                throw new StalledException("nothing has happened for " + STALL.toSeconds() + " s: " + effects
                        + " effects, " + parked + " parked, " + producer.sent() + " of " + messages + " sent, "
                        + broker.unacknowledged() + " not acknowledged." + tail(settings.output()));
            }
        }
    }

    /** A payment that can be paid may be parked as well, where a kill has ended its lease: it is tried again. */
    private boolean isDone(long effects, long parked) {
        return effects >= units - plan.poisonous() && effects + parked >= units;
    }

    private void kill(ChildProcess consumer, long effects) throws InterruptedException {
        long pid = consumer.pid();
        if (consumer.kill()) {
            kills.killed();
            progress.sayKill(String.format(
                    Locale.ROOT,
                    "kill %d of %d: SIGKILL for process %d after %,d effects; a new one takes over",
                    kills.done(),
                    kills.planned(),
                    pid,
                    effects));
        }
        consumer.start();
    }

    private void restart(ChildProcess consumer, int inARow, Path output) throws IOException {
        if (teardown.isClosed()) {
            throw new StalledException("the demo was stopped");
        }
        crashes++;
        if (inARow > CRASHES_BORNE) {
            throw new StalledException("the consumer ended by itself " + inARow + " times in a row, with exit code "
                    + consumer.exitCode() + "." + tail(output));
        }
        progress.say("  the consumer ended by itself, with exit code " + consumer.exitCode() + " (" + crashes
                + " times so far); starting it again");
        consumer.start();
    }

    private long duplicates(Bank bank, long effects, ConsumerSettings settings) throws SQLException, IOException {
        return withInbox ? size(settings.duplicates()) / ID_LINE : effects - bank.distinctEffects();
    }

    private static long size(Path file) throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    private static String tail(Path file) throws IOException {
        if (Files.notExists(file)) {
            return "";
        }
        List<String> lines = Files.readAllLines(file);
        return " The end of " + file + ":\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size()));
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / (double) Duration.ofSeconds(1).toNanos();
    }
}
