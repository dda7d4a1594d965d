package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.message.MessageKey;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeysAtWorkTest {
    private final KeysAtWork atWork = new KeysAtWork();
    private final List<MessageKey> some = List.of(MessageKey.firstOf(1), MessageKey.firstOf(2));

    @Test
    void keysOfAnEntranceThatFailsHalfwayAreNotEntered() {
        assertThatThrownBy(() -> atWork.enter(new FailingSet(some), Duration.ZERO))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(atWork.enter(new HashSet<>(some), Duration.ZERO)).isEmpty();
    }

    @Test
    void whatOthersHaveIsTakenOutOfWhatIsEntered() {
        atWork.enter(new HashSet<>(some.subList(0, 1)), Duration.ZERO);
        Set<MessageKey> wanted = new HashSet<>(some);
        assertThat(atWork.enter(wanted, Duration.ZERO)).containsExactly(some.get(0));
        assertThat(wanted).containsExactly(some.get(1));
    }

    /** Its first iteration ends at the second key as where memory is used up. */
    private static final class FailingSet extends HashSet<MessageKey> {
        private static final long serialVersionUID = 1L;
        private boolean hasFailed;

        FailingSet(List<MessageKey> keys) {
            super(2 * keys.size());
            keys.forEach(this::add);
        }

        @Override
        public Iterator<MessageKey> iterator() {
            Iterator<MessageKey> keys = super.iterator();
            boolean fails = !hasFailed;
            hasFailed = true;
            return new Iterator<>() {
                private int given;

                @Override
                public boolean hasNext() {
                    return keys.hasNext();
                }

                @Override
                public MessageKey next() {
                    if (fails && given++ == 1) {
                        throw new OutOfMemoryError("no space");
                    }
                    return keys.next();
                }
            };
        }
    }
}
