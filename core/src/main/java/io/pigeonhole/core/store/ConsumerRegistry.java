package io.pigeonhole.core.store;

/** Knows the consumers by name and remembers what was fixed when each was registered. */
public interface ConsumerRegistry {
    /**
     * Registers a consumer, or finds it where it is registered already. Committed when it returns; a crash before leaves
     * either nothing or all of it.
     *
     * @param registration the consumer as the program describes it
     * @return the consumer as the database remembers it
     * @throws io.pigeonhole.core.failure.ConfigurationException if it was registered with other settings that never change
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if the database cannot be reached
     */
    RegisteredConsumer register(ConsumerRegistration registration);
}
