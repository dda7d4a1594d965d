package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.Fingerprint;
import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.core.idempotency.IdempotentRequest;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.IdempotentRequestsBuilder;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestHandler;
import io.pigeonhole.core.idempotency.RequestIdentity;
import io.pigeonhole.core.idempotency.RequestMessage;
import io.pigeonhole.core.idempotency.RequestOutcome;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of requests with idempotency keys begin with. */
abstract class RequestLab<C extends HandlerContext> {
    static final String OPERATION = "POST /payments";
    static final RequestScope ANN = RequestScope.of("ann");
    static final Headers CREATED = Headers.none().with("Location", "/payments/1");

    private final Supplier<StoreFixture<C>> fixtures;
    private final Function<StoreFixture<C>, IdempotencyStore<C>> stores;

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    StoreFixture<C> fixture;

    @SuppressWarnings("NullAway.Init")
    IdempotencyStore<C> store;

    /** Two nodes, which know each other by the database only. */
    @SuppressWarnings("NullAway.Init")
    IdempotentRequests<C> node;

    @SuppressWarnings("NullAway.Init")
    IdempotentRequests<C> other;

    final String name = "requests " + UUID.randomUUID();
    final Threads threads = new Threads();

    RequestLab(Supplier<StoreFixture<C>> fixtures, Function<StoreFixture<C>, IdempotencyStore<C>> stores) {
        this.fixtures = fixtures;
        this.stores = stores;
    }

    @BeforeEach
    void open() {
        fixture = fixtures.get();
        store = stores.apply(fixture);
        node = node(builder -> builder);
        other = node(builder -> builder);
    }

    @AfterEach
    void close() {
        threads.close();
        fixture.close();
    }

    IdempotentRequests<C> node(UnaryOperator<IdempotentRequestsBuilder<C>> settings) {
        return settings.apply(IdempotentRequests.builder(store, name)).build();
    }

    static RequestIdentity identity(String key) {
        return new RequestIdentity(OPERATION, ANN, key);
    }

    IdempotentRequest request(String key) {
        return request(identity(key), "10 EUR");
    }

    IdempotentRequest request(RequestIdentity identity, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return new IdempotentRequest(
                identity,
                Fingerprint.builder().add(bytes).build(),
                RequestMessage.of(name, identity.operation(), identity.key(), Headers.none(), "text/plain", bytes));
    }

    static StoredResponse response(String body) {
        return new StoredResponse(201, CREATED, body.getBytes(StandardCharsets.UTF_8));
    }

    /** At the other node, on a thread that is in no transaction. */
    RequestOutcome elsewhere(IdempotentRequest request, RequestHandler<C> handler) throws InterruptedException {
        return Threads.result(threads.start(() -> other.handle(request, handler)));
    }

    /** Writes, and answers the same. */
    RequestHandler<C> writing(String effect) {
        return context -> {
            fixture.write(context, effect);
            return Reply.commit(response(effect));
        };
    }

    static <C extends HandlerContext> RequestHandler<C> neverCalled() {
        return context -> {
            throw new AssertionError("the handler ran again");
        };
    }

    static void assertExecuted(RequestOutcome outcome, String body) {
        assertThat(outcome).isEqualTo(new RequestOutcome.Executed(response(body)));
    }

    static void assertReplayed(RequestOutcome outcome, String body) {
        assertThat(outcome).isEqualTo(new RequestOutcome.Replayed(response(body)));
    }
}
