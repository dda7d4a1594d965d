package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.UnknownConsumerException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The consumers by name. Used under the lock of the tables. */
final class Consumers {
    private final Map<String, Registered> byName = new HashMap<>();

    private record Registered(RegisteredConsumer consumer, ConsumerRegistration registration) {}

    RegisteredConsumer register(ConsumerRegistration registration, Instant now) {
        Registered found = byName.computeIfAbsent(registration.name(), name -> newcomer(registration, now));
        refuseOther(registration, "idForm", found.registration().idForm(), registration.idForm());
        refuseOther(registration, "order", found.registration().order(), registration.order());
        refuseOther(
                registration, "work partitions", found.registration().workPartitions(), registration.workPartitions());
        RegisteredConsumer consumer = found.consumer();
        consumer.deduplicatingBy(registration.deduplication()).requireDeduplication(consumer.deduplication());
        return consumer;
    }

    /** Changes how a consumer deduplicates. */
    void deduplicateBy(RegisteredConsumer consumer, Deduplication by) {
        byName.computeIfPresent(
                consumer.name(),
                (name, found) -> new Registered(found.consumer().deduplicatingBy(by), found.registration()));
    }

    private static void refuseOther(ConsumerRegistration registration, String setting, Object fixed, Object asked) {
        if (!fixed.equals(asked)) {
            throw new ConfigurationException("consumer '" + registration.name() + "' was registered with " + setting
                    + " " + fixed + ", not " + asked + ": it never changes, because what is stored depends on it");
        }
    }

    private Registered newcomer(ConsumerRegistration registration, Instant now) {
        IdForm form = registration.idForm();
        KeyScheme keys = form == IdForm.OPAQUE
                ? new KeyScheme(KeyScheme.ALWAYS_DIGEST, false)
                : new KeyScheme(now.toEpochMilli(), form == IdForm.TIME_ORDERED_WITH_ULIDS);
        short id = (short) (byName.size() + 1);
        return new Registered(
                new RegisteredConsumer(
                        id,
                        registration.name(),
                        keys,
                        registration.order(),
                        registration.workPartitions(),
                        registration.deduplication()),
                registration);
    }

    /** All of them by name. */
    List<RegisteredConsumer> all() {
        return byName.values().stream()
                .map(Registered::consumer)
                .sorted(Comparator.comparing(RegisteredConsumer::name))
                .toList();
    }

    /** The consumer of a name, for those who did not register it. */
    RegisteredConsumer require(String name) {
        Registered found = byName.get(name);
        if (found == null) {
            throw new UnknownConsumerException(
                    name, all().stream().map(RegisteredConsumer::name).toList());
        }
        return found.consumer();
    }

    /** The number of a consumer, or 0 for an unknown one, which has nothing. */
    short idOf(String name) {
        Registered found = byName.get(name);
        return found == null ? 0 : found.consumer().id();
    }
}
