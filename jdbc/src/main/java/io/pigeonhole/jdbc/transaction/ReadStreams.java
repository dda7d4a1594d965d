package io.pigeonhole.jdbc.transaction;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which streams were read, by what they are and not by what their classes take for equal; those that nobody has any more are forgotten.
 * Safe for use by many threads.
 */
final class ReadStreams {
    private final Set<Stream> read = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<Object> forgotten = new ReferenceQueue<>();

    /** Whether it is the first time. */
    boolean add(Object stream) {
        for (Reference<?> one = forgotten.poll(); one != null; one = forgotten.poll()) {
            read.remove(one);
        }
        return read.add(new Stream(stream, forgotten));
    }

    int size() {
        return read.size();
    }

    private static final class Stream extends WeakReference<Object> {
        private final int hash;

        Stream(Object stream, ReferenceQueue<Object> forgotten) {
            super(stream, forgotten);
            this.hash = System.identityHashCode(stream);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            Object stream = get();
            return stream != null && other instanceof Stream that && that.refersTo(stream);
        }
    }
}
