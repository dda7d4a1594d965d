package io.pigeonhole.libraries;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.H2Server;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.PostgresServer;
import java.util.Map;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("databases")
class JooqIT extends LibraryContract {
    private static final Table<Record> ACCOUNT = table("account");
    private static final Field<String> ID = field("id", String.class);
    private static final Field<Long> BALANCE = field("balance", Long.class);

    private final SQLDialect dialect;

    JooqIT(DatabaseServer server) {
        super(server);
        dialect = server instanceof PostgresServer
                ? SQLDialect.POSTGRES
                : server instanceof H2Server ? SQLDialect.H2 : SQLDialect.MARIADB;
    }

    @Override
    void pay(Payment payment, JdbcContext context) {
        var sql = DSL.using(context.connection(), dialect);
        sql.update(ACCOUNT)
                .set(BALANCE, BALANCE.minus(payment.amount()))
                .where(ID.eq(payment.account()))
                .execute();
        long balance = sql.select(BALANCE)
                .from(ACCOUNT)
                .where(ID.eq(payment.account()))
                .fetchSingle(BALANCE);
        payment.requireCovered(balance);
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> commits() {
        return Map.of(
                "transaction",
                (payment, context) ->
                        DSL.using(context.connection(), dialect).transaction(inner -> pay(payment, context)));
    }

    @Override
    Map<String, Handler<Payment, JdbcContext>> rollbacks() {
        return Map.of(
                "transaction",
                (payment, context) -> DSL.using(context.connection(), dialect).transaction(inner -> {
                    pay(payment, context);
                    throw new IllegalArgumentException("no");
                }));
    }
}
