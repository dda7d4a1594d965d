package io.pigeonhole.examples.chain;

/** The processes of the chain. Each is killed, and started again. */
enum Service {
    ORDERS(OrdersService.class, "orders"),
    PAYMENTS(PaymentsService.class, "payments"),
    PAYMENTS_RELAY(PaymentsRelay.class, "payments"),
    SHIPPING(ShippingService.class, "shipping");

    private final Class<?> main;
    private final String database;

    Service(Class<?> main, String database) {
        this.main = main;
        this.database = database;
    }

    Class<?> main() {
        return main;
    }

    String database() {
        return database;
    }

    /** What people call it. */
    String text() {
        return switch (this) {
            case ORDERS -> "orders";
            case PAYMENTS -> "payments";
            case PAYMENTS_RELAY -> "the relay of payments";
            case SHIPPING -> "shipping";
        };
    }
}
