package io.pigeonhole.examples.chain;

import io.pigeonhole.examples.chain.Effect.Table;
import io.pigeonhole.examples.demo.DeliveryLog;
import io.pigeonhole.examples.demo.KillSchedule;
import io.pigeonhole.examples.demo.Pace;
import io.pigeonhole.examples.demo.Progress;
import io.pigeonhole.examples.demo.Teardown;
import io.pigeonhole.examples.demo.Workplace;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * One run from the first order to the audit: starts the servers, the services and the clients, sends again, kills and starts again, waits
 * until nothing is left to do, and counts. For one thread.
 */
final class Chain {
    private static final int TICK_MILLIS = 50;
    private static final int COUNTING_SHARE = 4;
    private static final int SMALLEST_WINDOW = 100;
    private static final int LARGEST_WINDOW = 2_000;
    private static final int WINDOWS = 8;
    private static final Duration STALL = Duration.ofMinutes(3);

    private final OrderPlan plan;
    private final KillSchedule kills;
    private final Victims victims;
    private final long seed;
    private final Progress progress;
    private final Teardown teardown;
    private final Pace pace = new Pace();
    private final int window;

    /** What can be seen from outside. */
    private record State(List<Long> effects, long parked, long unpublished, long sent) {
        long sum() {
            return effects.stream().mapToLong(Long::longValue).sum();
        }
    }

    Chain(int orders, int killCount, long seed, Progress progress, Teardown teardown) {
        this.plan = OrderPlan.of(orders, seed);
        this.kills = new KillSchedule(killCount, effectsWanted(), seed);
        this.victims = new Victims(seed);
        this.seed = seed;
        this.progress = progress;
        this.teardown = teardown;
        this.window = Math.max(SMALLEST_WINDOW, Math.min(LARGEST_WINDOW, orders / WINDOWS));
    }

    private long effectsWanted() {
        return (long) plan.accepted() * Table.values().length;
    }

    ChainReport run(Path base) throws SQLException, InterruptedException, IOException, TimeoutException {
        long begin = System.nanoTime();
        Workplace place = teardown.add(Workplace.take(base));
        progress.say(String.format(
                Locale.ROOT,
                "%,d orders of %,d customers, and %,d that are given up; %d kills; seed %d",
                plan.accepted(),
                plan.customers(),
                plan.orders().size() - plan.accepted(),
                kills.planned(),
                seed));
        ChainServers servers = new ChainServers(place, teardown);
        servers.databases().create(plan.customers());
        progress.say(String.format(
                Locale.ROOT,
                "PostgreSQL (fsync on, three databases), Kafka, AMQP and SQS are up after %.1f s; logs in %s",
                seconds(begin),
                place.directory()));
        List<Injector> injectors = servers.injectors(teardown);
        ServiceSettings settings = servers.settings(Service.ORDERS, place.directory());
        OrderClients clients = teardown.add(new OrderClients(plan, pace, settings.port()));
        Services services = teardown.add(new Services(servers, place.directory(), progress));
        services.start();
        clients.start();

        ChainAudit audit = new ChainAudit(plan);
        String unfinished = follow(servers, services, clients, injectors);
        audit.object(unfinished.isEmpty(), unfinished);
        progress.clear();
        clients.close();
        services.stop();
        ChainReport report = count(audit, servers, settings, clients, injectors);
        progress.say(String.format(Locale.ROOT, "done after %.1f s", seconds(begin)));
        return report;
    }

    private ChainReport count(
            ChainAudit audit,
            ChainServers servers,
            ServiceSettings settings,
            OrderClients clients,
            List<Injector> injectors)
            throws SQLException {
        audit.objectAll(clients.objections());
        audit.object(kills.isOver(), kills.done() + " kills instead of " + kills.planned());
        injectors.forEach(injector -> audit.lookAtMessages(injector.duplicates().references()));
        audit.lookAtEffects(servers.databases());
        long deliveries = Stream.of(Stage.values())
                .mapToLong(stage -> DeliveryLog.count(settings.deliveries(stage)))
                .sum();
        return audit.report(
                clients.sent(),
                injected(injectors),
                deliveries,
                servers.databases().parked(),
                kills.done());
    }

    /** Kills, and waits until nothing is left to do. Says what is left where nothing happens any more. */
    private String follow(ChainServers servers, Services services, OrderClients clients, List<Injector> injectors)
            throws SQLException, InterruptedException, IOException, TimeoutException {
        State state = new State(List.of(0L, 0L, 0L, 0L), 0, 0, 0);
        long lastChange = System.nanoTime();
        while (true) {
            if (teardown.isClosed()) {
                throw new IllegalStateException("the demo was stopped");
            }
            long counting = System.nanoTime();
            State now = look(servers.databases(), clients, state);
            if (!now.equals(state)) {
                state = now;
                lastChange = System.nanoTime();
            }
            injectors.forEach(injector -> injector.duplicates().requireHealthy());
            // Orders that are given up have no effect and are among those that may be sent.
            pace.allow(plan.orders().size() * (state.effects().get(3) + window) / plan.accepted());
            show(state, clients, injectors);
            if (kills.isDue(state.sum())) {
                LockSupport.parkNanos(kills.hesitationNanos());
                kill(servers.databases(), services, state);
            }
            services.restartEnded();
            if (isDone(state, clients, injectors) && isStillDoneWithoutServices(servers, services, injectors)) {
                return "";
            }
            if (System.nanoTime() - lastChange > STALL.toNanos()) {
                return "nothing has happened for " + STALL.toSeconds() + " s: " + state + ", "
                        + servers.unacknowledged() + " not acknowledged by services, clients "
                        + (clients.finished() ? "have" : "have not") + " finished";
            }
            // Counting must not become the database's main work.
            TimeUnit.NANOSECONDS.sleep(Math.max(
                    TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS), COUNTING_SHARE * (System.nanoTime() - counting)));
        }
    }

    private State look(ChainDatabases databases, OrderClients clients, State otherwise) {
        try {
            return new State(databases.counts(), databases.parked(), databases.unpublished(), clients.sent());
        } catch (SQLException e) {
            return otherwise; // The server was killed; the connections are made anew the next time.
        }
    }

    private boolean isDone(State state, OrderClients clients, List<Injector> injectors) {
        return clients.finished()
                && kills.isOver()
                && state.effects().stream().allMatch(count -> count >= plan.accepted())
                && state.parked() == 0
                && state.unpublished() == 0
                && injectors.stream().allMatch(injector -> injector.hasSeen(plan.accepted()));
    }

    /** What is sent again comes to an end, and the services end by themselves; the brokers must have nothing left then. */
    private boolean isStillDoneWithoutServices(ChainServers servers, Services services, List<Injector> injectors)
            throws InterruptedException, IOException, TimeoutException, SQLException {
        for (Injector injector : injectors) {
            try {
                injector.finish();
            } catch (IOException | InterruptedException | TimeoutException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("messages cannot be sent again", e);
            }
        }
        if (servers.unacknowledged() > 0) {
            return false;
        }
        services.stop();
        if (servers.unacknowledged() == 0
                && servers.databases().parked() == 0
                && servers.databases().unpublished() == 0) {
            return true;
        }
        services.start();
        return false;
    }

    private void kill(ChainDatabases databases, Services services, State state) throws InterruptedException {
        Optional<Service> victim = victims.next();
        String whom;
        if (victim.isPresent()) {
            long pid = services.kill(victim.get());
            if (pid == 0) {
                return; // It had ended by itself.
            }
            whom = victim.get().text() + ", process " + pid;
        } else {
            databases.killAndRestart();
            whom = "PostgreSQL with all three databases";
        }
        kills.killed();
        progress.sayKill(String.format(
                Locale.ROOT,
                "kill %d of %d: SIGKILL for %s, after %,d effects",
                kills.done(),
                kills.planned(),
                whom,
                state.sum()));
    }

    private void show(State state, OrderClients clients, List<Injector> injectors) {
        if (progress.isDue()) {
            List<Long> effects = state.effects();
            progress.show(
                    effectsWanted(),
                    state.sum(),
                    String.format(
                            Locale.ROOT,
                            "%,7d placed %,7d paid %,7d shipped %,7d known so  %,6d answered again %,6d sent again",
                            effects.get(0),
                            effects.get(1),
                            effects.get(2),
                            effects.get(3),
                            clients.replayed(),
                            injected(injectors)),
                    kills.done(),
                    kills.planned());
        }
    }

    private static long injected(List<Injector> injectors) {
        return injectors.stream()
                .mapToLong(injector -> injector.duplicates().injected())
                .sum();
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / (double) Duration.ofSeconds(1).toNanos();
    }
}
