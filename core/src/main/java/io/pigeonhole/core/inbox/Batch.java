package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The deliveries of one call. Of those that share a key only the first goes through the engine. */
record Batch(List<Message> messages, List<Envelope> envelopes, List<Envelope> distinct) {

    static Batch of(List<Message> messages, KeyScheme keys) {
        Map<MessageKey, Envelope> firsts = new LinkedHashMap<>(messages.size() * 2);
        List<Envelope> envelopes = new ArrayList<>(messages.size());
        for (Message message : messages) {
            Envelope envelope = Envelope.of(message, keys);
            Envelope first = firsts.putIfAbsent(envelope.key(), envelope);
            envelopes.add(first == null ? envelope : first);
        }
        return new Batch(messages, envelopes, List.copyOf(firsts.values()));
    }

    /** The outcome of every delivery; those behind the first of their key are announced here. */
    List<Outcome> outcomes(Announcer announcer) {
        List<Outcome> outcomes = new ArrayList<>(messages.size());
        Set<Envelope> told = new HashSet<>(messages.size() * 2);
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            Envelope envelope = envelopes.get(i);
            Outcome outcome = envelope.outcome();
            if (!told.add(envelope)) {
                outcome = outcome.settled() ? new Outcome.Duplicate() : outcome;
                announcer.outcome(message, outcome);
            }
            outcomes.add(outcome);
        }
        return outcomes;
    }
}
