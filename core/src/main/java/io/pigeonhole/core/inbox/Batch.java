package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The deliveries of one call. Of those that share a key only the first goes through the engine, and the others are its
 * repetitions; where payloads are compared, one with another payload goes through it in a later round.
 *
 * @param messages the deliveries
 * @param envelopes the envelope of each, which repetitions share
 * @param distinct each envelope once, in the order of the first deliveries
 * @param repetitions the places of those that are not the first with their envelope
 * @param rounds the different envelopes; in each round a key comes once
 */
record Batch(
        List<Message> messages,
        List<Envelope> envelopes,
        List<Envelope> distinct,
        BitSet repetitions,
        List<List<Envelope>> rounds) {

    static Batch of(List<Message> messages, RegisteredConsumer consumer, boolean comparePayloads) {
        if (consumer.deduplication().needsLog()) {
            return ofLog(messages, consumer, comparePayloads);
        }
        Map<Object, Envelope> firsts = new LinkedHashMap<>(messages.size() * 2);
        List<Envelope> envelopes = new ArrayList<>(messages.size());
        BitSet repetitions = new BitSet(messages.size());
        for (Message message : messages) {
            Envelope envelope = Envelope.of(message, consumer);
            Object identity = comparePayloads ? List.of(envelope.key(), PayloadHash.of(message)) : envelope.key();
            Envelope first = firsts.putIfAbsent(identity, envelope);
            repetitions.set(envelopes.size(), first != null);
            envelopes.add(first == null ? envelope : first);
        }
        List<Envelope> distinct = List.copyOf(firsts.values());
        return new Batch(
                messages,
                envelopes,
                distinct,
                repetitions,
                comparePayloads ? rounds(distinct, consumer.order().isKept()) : List.of(distinct));
    }

    /**
     * A watermark can only say that all before it is accepted: here no message overtakes another, and each has an envelope
     * of its own. Where payloads are compared, a key comes once in a round.
     */
    private static Batch ofLog(List<Message> messages, RegisteredConsumer consumer, boolean comparePayloads) {
        List<Envelope> envelopes =
                messages.stream().map(message -> Envelope.of(message, consumer)).toList();
        if (!comparePayloads) {
            return new Batch(messages, envelopes, envelopes, new BitSet(), List.of(envelopes));
        }
        List<List<Envelope>> rounds = new ArrayList<>();
        Set<MessageKey> seen = new HashSet<>();
        for (Envelope envelope : envelopes) {
            if (!seen.add(envelope.key()) || rounds.isEmpty()) {
                rounds.add(new ArrayList<>());
                seen.clear();
                seen.add(envelope.key());
            }
            rounds.get(rounds.size() - 1).add(envelope);
        }
        return new Batch(messages, envelopes, envelopes, new BitSet(), rounds);
    }

    /** In each round a key comes once. Where an order is kept, no message comes in a round before one of its ordering key that came before it. */
    private static List<List<Envelope>> rounds(Collection<Envelope> distinct, boolean inOrder) {
        List<List<Envelope>> rounds = new ArrayList<>();
        Map<MessageKey, Integer> ofKeys = new HashMap<>();
        Map<OrderingKey, Integer> ofOrders = new HashMap<>();
        for (Envelope envelope : distinct) {
            int round = ofKeys.getOrDefault(envelope.key(), -1) + 1;
            OrderingKey order = inOrder ? OrderingKey.of(envelope.message()) : null;
            if (order != null) {
                round = Math.max(round, ofOrders.getOrDefault(order, 0));
                ofOrders.put(order, round);
            }
            ofKeys.put(envelope.key(), round);
            while (rounds.size() <= round) {
                rounds.add(new ArrayList<>());
            }
            rounds.get(round).add(envelope);
        }
        return rounds;
    }

    /** The outcome of every delivery; the listeners hear of repetitions here. */
    List<Outcome> outcomes(Listeners listeners) {
        List<Outcome> outcomes = new ArrayList<>(messages.size());
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            Outcome outcome = envelopes.get(i).outcome();
            if (repetitions.get(i)) {
                outcome = DuplicateCheck.repetition(outcome);
                listeners.outcome(message, outcome);
            }
            outcomes.add(outcome);
        }
        return outcomes;
    }
}
