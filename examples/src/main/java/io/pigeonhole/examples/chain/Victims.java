package io.pigeonhole.examples.chain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Who is killed next: each service twice, and the database server once, in a random order; and so on. For one thread. */
final class Victims {
    private final Random random;
    private final Deque<Optional<Service>> deck = new ArrayDeque<>();

    Victims(long seed) {
        this.random = new Random(seed);
    }

    /** A service, or empty for the database server. */
    Optional<Service> next() {
        if (deck.isEmpty()) {
            List<Optional<Service>> cards = new ArrayList<>();
            cards.add(Optional.empty());
            for (Service service : Service.values()) {
                cards.add(Optional.of(service));
                cards.add(Optional.of(service));
            }
            Collections.shuffle(cards, random);
            deck.addAll(cards);
        }
        return deck.remove();
    }
}
