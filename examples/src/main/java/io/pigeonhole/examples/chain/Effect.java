package io.pigeonhole.examples.chain;

/**
 * A row that a service has written.
 *
 * @param place its place in the order of effects
 * @param messageId the id of the message that it is the effect of; empty where a request was
 * @param order the order
 */
record Effect(long place, String messageId, Order order) {
    /** Where effects are. None of the tables has a unique constraint: what happens twice is there twice. */
    enum Table {
        ORDERS("orders", "orders"),
        PAYMENT("payments", "payment"),
        SHIPMENT("shipping", "shipment"),
        SHIPPED("orders", "shipped");

        private final String database;
        private final String table;

        Table(String database, String table) {
            this.database = database;
            this.table = table;
        }

        String database() {
            return database;
        }

        String table() {
            return table;
        }
    }
}
