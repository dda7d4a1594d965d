package io.pigeonhole.core.store;

import java.time.Duration;

/** What a store deletes, and when. */
public interface Retention {
    /**
     * How long a key is remembered at least: counted from the time in the id for keys that have one, from the moment of
     * acceptance for the others. A duplicate within it is recognised.
     *
     * @return the deduplication window
     */
    Duration window();

    /**
     * Does one bounded piece of the deletion that is due: the next day of ledger or history is dropped, or the next batch
     * of rows is looked through. Does nothing outside the store's maintenance window, if it has one, and where another node
     * is at it. Many nodes may call it at once. Every step can be repeated: what a crash or an interruption left half done,
     * the next call on any node finishes. No claim fails because of it. What cannot be done, such as dropping a day that
     * somebody's view needs, is logged and left for later calls, and stops nothing else.
     *
     * <p>Where the store has an archive for its history, the archive is waited for, as long as that takes: one that does not answer,
     * such as a disk that is mounted from a server which is gone, holds up the caller. A node calls the two parts of it instead,
     * {@link #retireWithoutArchive} and {@link #retireArchived}, each on a thread of its own.
     *
     * @return what was done, and whether there is more to do now
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database is away, or refused to report what is past its
     *     time; call again later
     */
    Retired retire();

    /**
     * The same without what waits for an archive. A store whose {@link #retire} waits for the database only has nothing to do here.
     *
     * @return what was done, and whether there is more to do now
     * @throws io.pigeonhole.core.failure.PigeonholeException as {@link #retire}
     */
    default Retired retireWithoutArchive() {
        return retire();
    }

    /**
     * The rest: what waits for an archive. A store without one has nothing to do here.
     *
     * @return what was done, and whether there is more to do now
     * @throws io.pigeonhole.core.failure.PigeonholeException as {@link #retire}
     */
    default Retired retireArchived() {
        return Retired.NOTHING;
    }
}
