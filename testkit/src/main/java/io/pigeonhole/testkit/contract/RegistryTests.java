package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What was fixed when a consumer was registered stays. */
abstract class RegistryTests<C extends HandlerContext> extends StoreLab<C> {
    RegistryTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void registeringTwiceGivesTheSameConsumer() {
        assertThat(store.register(new ConsumerRegistration(consumer.name(), IdForm.TIME_ORDERED)))
                .isEqualTo(consumer);
    }

    @Test
    void differentConsumersHaveDifferentNumbers() {
        assertThat(register().id()).isNotEqualTo(consumer.id());
    }

    @Test
    void namesThatDifferInCaseOrSpacesAreDifferentConsumers() {
        String name = randomName();
        List<RegisteredConsumer> consumers = List.of(
                store.register(new ConsumerRegistration(name, IdForm.OPAQUE)),
                store.register(new ConsumerRegistration(name + " ", IdForm.OPAQUE)),
                store.register(new ConsumerRegistration(name.replace("contract", "Contract"), IdForm.OPAQUE)));

        assertThat(consumers).extracting(RegisteredConsumer::id).doesNotHaveDuplicates();
        assertThat(consumers.get(1).name()).isEqualTo(name + " ");
    }

    @Test
    void longestNameIsKept() {
        String name = (randomName() + "é".repeat(200)).substring(0, 200);
        assertThat(store.register(new ConsumerRegistration(name, IdForm.OPAQUE)))
                .isEqualTo(store.register(new ConsumerRegistration(name, IdForm.OPAQUE)))
                .extracting(RegisteredConsumer::name)
                .isEqualTo(name);
    }

    @Test
    void otherFormOfIdsIsRefused() {
        for (IdForm other : List.of(IdForm.OPAQUE, IdForm.TIME_ORDERED_WITH_ULIDS)) {
            assertThatThrownBy(() -> store.register(new ConsumerRegistration(consumer.name(), other)))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining(consumer.name())
                    .hasMessageContaining(other.name());
        }
    }

    @Test
    void orderAndWorkPartitionsAreKept() {
        ConsumerRegistration registration =
                new ConsumerRegistration(randomName(), IdForm.OPAQUE, KeyOrder.BLOCK_ON_DEAD_LETTERS, 7);
        RegisteredConsumer registered = store.register(registration);

        assertThat(registered.order()).isEqualTo(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        assertThat(registered.workPartitions()).isEqualTo(7);
        assertThat(store.register(registration)).isEqualTo(registered);
    }

    @Test
    void otherOrderIsRefused() {
        for (KeyOrder other : List.of(KeyOrder.SKIP_DEAD_LETTERS, KeyOrder.BLOCK_ON_DEAD_LETTERS)) {
            assertThatThrownBy(() -> store.register(new ConsumerRegistration(
                            consumer.name(), IdForm.TIME_ORDERED, other, consumer.workPartitions())))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining(consumer.name())
                    .hasMessageContaining(other.name());
        }
    }

    @Test
    void otherNumberOfWorkPartitionsIsRefused() {
        assertThatThrownBy(() -> store.register(
                        new ConsumerRegistration(consumer.name(), IdForm.TIME_ORDERED, consumer.order(), 1023)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(consumer.name())
                .hasMessageContaining("1023");
    }

    @Test
    void manyRegistrationsAtOnceMakeOneConsumer() throws Exception {
        ConsumerRegistration registration = new ConsumerRegistration(randomName(), IdForm.TIME_ORDERED);
        List<RegisteredConsumer> registered = threads.together(8, thread -> store.register(registration));
        assertThat(new HashSet<>(registered)).hasSize(1);
    }

    @Test
    void idsMadeBeforeTheRegistrationTakeTheDigestForm() {
        MessageKey before = keyOf(message(Ids.timeOrdered(Ids.now().minus(Duration.ofHours(2)))));
        MessageKey after = keyOf(message(Ids.timeOrdered(Ids.now().plus(Duration.ofHours(2)))));

        assertThat(before.isTimeForm()).isFalse();
        assertThat(after.isTimeForm()).isTrue();
    }

    @Test
    void opaqueIdsAlwaysTakeTheDigestForm() {
        RegisteredConsumer opaque = store.register(new ConsumerRegistration(randomName(), IdForm.OPAQUE));
        assertThat(opaque.keys().digestBelow()).isEqualTo(KeyScheme.ALWAYS_DIGEST);
    }

    @Test
    void ulidsAreReadWhereTheyAreDeclared() {
        RegisteredConsumer ulids =
                store.register(new ConsumerRegistration(randomName(), IdForm.TIME_ORDERED_WITH_ULIDS));
        assertThat(ulids.keys().ulids()).isTrue();
        assertThat(consumer.keys().ulids()).isFalse();
    }
}
