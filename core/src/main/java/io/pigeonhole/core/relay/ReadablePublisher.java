package io.pigeonhole.core.relay;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.AppendedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Refuses messages whose rows could not be read, also when somebody requeues them: what would be published is not what was appended. Hands
 * all others to another publisher.
 */
record ReadablePublisher(Publisher publisher) implements Publisher {
    @Override
    public String name() {
        return publisher.name();
    }

    @Override
    public List<Publication> publish(List<Message> messages, Duration timeout) {
        List<Message> readable =
                messages.stream().filter(ReadablePublisher::isReadable).toList();
        if (readable.size() == messages.size()) {
            return publisher.publish(messages, timeout);
        }
        Iterator<Publication> published = readable.isEmpty()
                ? List.<Publication>of().iterator()
                : publisher.publish(readable, timeout).iterator();
        List<Publication> outcomes = new ArrayList<>();
        for (Message message : messages) {
            if (!isReadable(message)) {
                outcomes.add(new Publication.Refused(refusal(message)));
            } else if (published.hasNext()) {
                outcomes.add(published.next());
            }
        }
        return outcomes;
    }

    private static boolean isReadable(Message message) {
        return message.headers().last(AppendedMessage.UNREADABLE_HEADERS) == null;
    }

    private static UnreadableMessageException refusal(Message message) {
        String defect = message.defect();
        return new UnreadableMessageException((defect == null ? "the row of the message could not be read" : defect)
                + "; its header " + AppendedMessage.UNREADABLE_HEADERS
                + " has the bytes of its headers. Append it anew, and discard this one");
    }
}
