package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets nothing else fail where the numbers of rows could not be looked at, or not be moved ahead for now. Whoever is refused
 * because a row has his number says so again ({@link PendingRepair}).
 */
final class NumberUpkeep {
    private static final Logger LOG = LoggerFactory.getLogger(NumberUpkeep.class);

    private NumberUpkeep() {}

    /**
     * When a consumer is registered.
     *
     * @throws ConfigurationException if numbers are behind, and a person has to move them ahead
     */
    static void atStart(Runnable ensure) {
        try {
            ensure.run();
        } catch (ConfigurationException e) {
            throw e;
        } catch (PigeonholeException e) {
            warn(e);
        }
    }

    /**
     * With the upkeep of a store that runs: where a person has to act, the warning says what to do.
     *
     * @throws StoreUnavailableException if the database is away, which nothing else need find out again
     */
    static void hourly(Runnable ensure) {
        try {
            ensure.run();
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (PigeonholeException e) {
            warn(e);
        }
    }

    private static void warn(PigeonholeException e) {
        LOG.warn(
                "the numbers that rows get could not be compared with those that they have, or not be moved ahead; all else goes"
                        + " on, and the next maintenance tries again",
                e);
    }
}
